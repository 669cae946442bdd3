"""A finished game looked at again: what happened, step by step; what the adviser thinks of every decision."""

from __future__ import annotations

from itertools import pairwise

from shangyou.agents import Agent, Suggestion, suggest
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS
from shangyou.records import Record, states
from shangyou.web.storage.archive import KeptGame
from shangyou.web.wire.answers import BidOut, DecisionOut, Judged, Outcome, PlayerOut, ReplayOut, ReplayTurn, SeatReview
from shangyou.web.wire.messages import card_names, suggestions_out

CANDIDATES = 5
MISTAKE = 0.05  # chance of winning that is worth a word


def replay_out(kept: KeptGame) -> ReplayOut:
    record, game = kept.record, kept.record.game
    steps = list(states(record))
    seats = [(record.deal.first + i) % game.seats for i in range(len(record.bids))]
    result = record.result
    return ReplayOut(
        replay=kept.id,
        game=game.name,
        rules=str(game.rules),
        name=record.name,
        players=[PlayerOut(**one) for one in kept.players] or [PlayerOut(name=name, kind="unknown") for name in record.players],
        rated=kept.rated,
        finished_at=kept.finished_at,
        deal=[card_names(game.deck, hand) for hand in record.deal.hands],
        public=card_names(game.deck, record.deal.public) if record.deal.public else None,
        first=record.deal.first,
        bids=[BidOut(seat=seat, points=points) for seat, points in zip(seats, record.bids, strict=True)],
        landlord=steps[0].landlord if steps[0].landlord != NOBODY else None,
        hands=_hands(steps[0]),
        turns=[_turn(before, after, ms) for (before, after), ms in zip(pairwise(steps), kept.think_ms, strict=True)],
        result=Outcome(finished=result.finished, scores=result.scores, winners=result.winners, places=result.places),
    )


def _hands(state: State) -> list[tuple[str, ...]]:
    return [card_names(state.game.deck, hand) for hand in state.hands]


def _turn(before: State, after: State, think_ms: int | None) -> ReplayTurn:
    """What was done, and the hands after it."""
    turn, game = after.history[-1], after.game
    return ReplayTurn(
        seat=turn.seat,
        play=turn.play,
        label=game.table.labels[turn.play],
        cards=card_names(game.deck, turn.cards),
        leads=before.last == PASS,
        think_ms=think_ms,
        hands=_hands(after),
        multiplier=game.multiplier(after.bombs),
    )


def make_review(record: Record, agent: Agent) -> Judged:
    """What the adviser expects before every turn, and how much worse what was played is."""
    decisions = [_judge(before, after, agent) for before, after in pairwise(states(record))]
    seats = [_sum([one for one in decisions if one.seat == seat]) for seat in range(record.game.seats)]
    return Judged(adviser=agent.name, decisions=decisions, seats=seats, mistake=MISTAKE)


def _judge(before: State, after: State, agent: Agent) -> DecisionOut:
    seen, turn = reference.view(before), after.history[-1]
    found = suggest(seen, agent)
    best, played = found[0], next(one for one in found if one.play == turn.play)
    *candidates, shown = suggestions_out(seen, [*found[:CANDIDATES], played])
    return DecisionOut(
        turn=len(before.history),
        seat=before.turn,
        choices=len(found),
        win=best.win,
        points=best.points,
        played=shown,
        rank=found.index(played),
        loss=_loss(best, played),
        candidates=candidates,
    )


def _loss(best: Suggestion, played: Suggestion) -> float:
    """In chance of winning where the adviser can tell it, else on its own scale."""
    if best.win is None or played.win is None:
        return max(0.0, best.value - played.value)
    return max(0.0, best.win - played.win)


def _sum(decisions: list[DecisionOut]) -> SeatReview:
    losses = [one.loss for one in decisions if one.choices > 1]
    mean = sum(losses) / len(losses) if losses else 0.0
    mistakes = [one.turn for one in decisions if one.loss > MISTAKE]
    return SeatReview(decisions=len(losses), loss=sum(losses), mean_loss=mean, mistakes=mistakes)
