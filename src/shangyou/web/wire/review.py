"""The adviser's review of a game as it is stored and sent; what a review says is found in `agents/review.py`."""

from shangyou.agents import Suggestion
from shangyou.agents.review import (
    MEASURES,
    Advisers,
    Decision,
    Judgement,
    main_measure,
    review,
    sum_up,
)
from shangyou.engines.reference import State
from shangyou.records import Record, with_bids
from shangyou.web.wire.play_answers import suggestions_out
from shangyou.web.wire.reasons import Said
from shangyou.web.wire.review_answers import (
    BidDecision,
    BidWorth,
    DecisionOut,
    Judged,
    JudgementOut,
    SeatReview,
    SeatSummary,
    StoredReview,
)

FORM = 2  # of stored reviews: those of another form are made anew
CANDIDATES = 5  # of each measure


def make_review(record: Record, advisers: Advisers) -> StoredReview:
    """What the advisers expect before every bid and turn, and how much worse what was done is."""
    states = with_bids(record)
    decisions, measure = review(states, advisers), main_measure(record.game)
    return StoredReview(
        adviser=advisers[measure].name,
        measure=measure,
        measures=[one for one in MEASURES if any(one in decision.judged for decision in decisions)],
        paid=record.game.place_points,
        decisions=[_decision(one) for one in decisions if not one.bidding],
        bids=[_bid(one) for one in decisions if one.bidding],
        seats=[_seat(decisions, seat, states[-1]) for seat in range(record.game.seats)],
    )


def _decision(one: Decision) -> DecisionOut:
    ranked = list(one.choices)
    *candidates, shown = suggestions_out(one.view, [*_candidates(ranked), one.made])
    return DecisionOut(
        turn=one.number,
        seat=one.seat,
        choices=len(ranked),
        played=shown,
        rank=ranked.index(one.made),
        candidates=candidates,
        judged=_judged(one),
    )


def _candidates(ranked: list[Suggestion]) -> list[Suggestion]:
    """The best few in each measure, as they are ranked."""
    best = ranked[:CANDIDATES]
    for measure in MEASURES:
        if getattr(ranked[0], measure) is not None:
            best += sorted(ranked, key=lambda one: -getattr(one, measure))[:CANDIDATES]
    return [one for one in ranked if one in best]


def _bid(one: Decision) -> BidDecision:
    return BidDecision(
        kind="double" if one.phase == "double" else "bid",
        number=one.number,
        seat=one.seat,
        made=one.made.play,
        advised=one.advised,
        choices=[BidWorth(bid=choice.play, points=choice.points) for choice in one.choices],
        judged=_judged(one),
    )


def _judged(one: Decision) -> Judged:
    return Judged(win=_judgement(one.judged.get("win")), points=_judgement(one.judged.get("points")))


def _judgement(one: Judgement | None) -> JudgementOut | None:
    if one is None:
        return None
    why = Said.of(one.why) if one.why else None
    return JudgementOut(best=one.best, made=one.made, share=one.share, grade=one.grade, kind=one.kind, why=why)


def _seat(decisions: list[Decision], seat: int, end: State) -> SeatReview:
    win, points = (sum_up(decisions, measure, seat, end) for measure in MEASURES)
    return SeatReview(
        win=SeatSummary.model_validate(win, from_attributes=True),
        points=SeatSummary.model_validate(points, from_attributes=True),
    )
