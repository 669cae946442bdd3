"""Finished games as they are sent: a replay step by step, and the adviser's review of every decision."""

from itertools import pairwise
from typing import Literal

from shangyou.agents import Agent, Suggestion, suggest
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS
from shangyou.records import Record, states
from shangyou.web.storage.archive import BOT, StoredGame
from shangyou.web.wire.answers import DecisionOut, Judged, PlayerOut, ReplayOut, ReplayTurn, SeatReview, bids_out, game_fields
from shangyou.web.wire.play_answers import hand_names, public_names, suggestions_out

CANDIDATES = 5
MISTAKE = 0.05  # a larger loss is a mistake: in chance of winning, or as a share of the points between first and last


def replay_out(stored: StoredGame) -> ReplayOut:
    record, game = stored.record, stored.record.game
    steps = list(states(record))
    players = [PlayerOut(kind=_kind(row.version), **row._mapping) for row in stored.players]
    return ReplayOut(
        replay=stored.id,
        game=game.name,
        rules=str(game.rules),
        name=record.name,
        players=players or [PlayerOut(name=name, kind="unknown") for name in record.players],
        rated=stored.rated,
        finished_at=stored.finished_at,
        deal=hand_names(game.deck, record.deal.hands),
        public=public_names(game, record.deal.public),
        first=record.deal.first,
        bids=bids_out(game, record.deal.first, record.bids),
        landlord=steps[0].landlord if steps[0].landlord != NOBODY else None,
        hands=hand_names(game.deck, steps[0].hands),
        turns=[_turn(before, after, ms) for (before, after), ms in zip(pairwise(steps), stored.think_ms, strict=True)],
        result=record.result,
        **game_fields(game, steps[0].landlord),
    )


def _kind(version: str) -> Literal["person", "bot", "agent"]:
    """What played, by the version that is stored with it: people have none."""
    return "bot" if version == BOT else "agent" if version else "person"


def _turn(before: State, after: State, think_ms: int | None) -> ReplayTurn:
    """A turn and the hands after it."""
    turn, game, leads = after.history[-1], after.game, before.last == PASS
    fields = {"seat": turn.seat, "leads": leads, "think_ms": think_ms, "multiplier": game.multiplier(after.bombs)}
    return ReplayTurn.of(game, turn.play, turn.cards, hands=hand_names(game.deck, after.hands), **fields)


def make_review(record: Record, agent: Agent) -> Judged:
    """What the adviser expects before every turn, and how much worse the play that was made is.

    Where places are paid the adviser should play for points: coming second is then worth more than coming last.
    """
    paid = record.game.place_points
    decisions = [_review_turn(before, after, agent, paid) for before, after in pairwise(states(record))]
    seats = [_sum([one for one in decisions if one.seat == seat]) for seat in range(record.game.seats)]
    judged: Literal["win", "points"] = "points" if paid and any(one.place is not None for one in decisions) else "win"
    return Judged(adviser=agent.name, decisions=decisions, seats=seats, mistake=MISTAKE, judged=judged)


def _review_turn(before: State, after: State, agent: Agent, paid: tuple[int, ...]) -> DecisionOut:
    seen, turn = reference.view(before), after.history[-1]
    ranked = suggest(seen, agent)
    best, played = ranked[0], next(one for one in ranked if one.play == turn.play)
    *candidates, shown = suggestions_out(seen, [*ranked[:CANDIDATES], played])
    return DecisionOut(
        turn=len(before.history),
        seat=before.turn,
        choices=len(ranked),
        win=best.win,
        points=best.points,
        played=shown,
        rank=ranked.index(played),
        place=_place(best.points, paid),
        loss=_loss(best, played, paid),
        candidates=candidates,
    )


def _place(points: float | None, paid: tuple[int, ...]) -> float | None:
    """The place that is expected with these points, from 1; none where places are not paid evenly, or points not known."""
    if not paid or points is None:
        return None
    return 1 + (paid[0] - points) / (paid[0] - paid[1])


def _loss(best: Suggestion, played: Suggestion, paid: tuple[int, ...]) -> float:
    """As a share of the points between first and last where places are paid, else in chance of winning.

    An adviser that can tell neither gives it on its own scale.
    """
    if paid and best.points is not None and played.points is not None:
        return max(0.0, best.points - played.points) / (paid[0] - paid[-1])
    if best.win is None or played.win is None:
        return max(0.0, best.value - played.value)
    return max(0.0, best.win - played.win)


def _sum(decisions: list[DecisionOut]) -> SeatReview:
    losses = [one.loss for one in decisions if one.choices > 1]
    mean = sum(losses) / len(losses) if losses else 0.0
    mistakes = [one.turn for one in decisions if one.loss > MISTAKE]
    return SeatReview(decisions=len(losses), loss=sum(losses), mean_loss=mean, mistakes=mistakes)
