"""A finished game looked at again: what happened, step by step; what the adviser thinks of every decision."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from shangyou.agents import Agent, Suggestion, suggest
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS
from shangyou.records import Record, states
from shangyou.web.archive import KeptGame
from shangyou.web.wire import card_names, suggestions_out

CANDIDATES = 5
MISTAKE = 0.05  # chance of winning that is worth a word


def replay_out(kept: KeptGame) -> dict[str, Any]:
    record, game = kept.record, kept.record.game
    steps = list(states(record))
    seats = [(record.deal.first + i) % game.seats for i in range(len(record.bids))]
    result = record.result
    return {
        "replay": kept.id,
        "game": game.name,
        "rules": str(game.rules),
        "name": record.name,
        "players": kept.players or [{"name": name, "kind": "unknown", "version": ""} for name in record.players],
        "rated": kept.rated,
        "finished_at": kept.finished_at,
        "deal": [card_names(game.deck, hand) for hand in record.deal.hands],
        "public": card_names(game.deck, record.deal.public) if record.deal.public else None,
        "first": record.deal.first,
        "bids": [{"seat": seat, "points": points} for seat, points in zip(seats, record.bids, strict=True)],
        "landlord": steps[0].landlord if steps[0].landlord != NOBODY else None,
        "hands": _hands(steps[0]),
        "turns": [_turn(before, after, ms) for (before, after), ms in zip(pairwise(steps), kept.think_ms, strict=True)],
        "result": {"finished": result.finished, "scores": result.scores, "winners": result.winners, "places": result.places},
    }


def _hands(state: State) -> list[tuple[str, ...]]:
    return [card_names(state.game.deck, hand) for hand in state.hands]


def _turn(before: State, after: State, think_ms: int | None) -> dict[str, Any]:
    """What was done, and the hands after it."""
    turn, game = after.history[-1], after.game
    put = {"play": turn.play, "label": game.table.labels[turn.play], "cards": card_names(game.deck, turn.cards)}
    multiplier = game.multiplier(after.bombs)
    return {
        "seat": turn.seat,
        **put,
        "leads": before.last == PASS,
        "think_ms": think_ms,
        "hands": _hands(after),
        "multiplier": multiplier,
    }


def make_review(record: Record, agent: Agent) -> dict[str, Any]:
    """What the adviser expects before every turn, and how much worse what was played is."""
    decisions = [_judge(before, after, agent) for before, after in pairwise(states(record))]
    seats = [_sum([one for one in decisions if one["seat"] == seat]) for seat in range(record.game.seats)]
    return {"adviser": agent.name, "decisions": decisions, "seats": seats, "mistake": MISTAKE}


def _judge(before: State, after: State, agent: Agent) -> dict[str, Any]:
    """`win` and `points` are those of the best play, for the seat to act."""
    seen, turn = reference.view(before), after.history[-1]
    found = suggest(seen, agent)
    best, played = found[0], next(one for one in found if one.play == turn.play)
    shown = suggestions_out(seen, [*found[:CANDIDATES], played])
    candidates = [one.model_dump() for one in shown[:-1]]
    answer = {"turn": len(before.history), "seat": before.turn, "choices": len(found), "win": best.win, "points": best.points}
    return {
        **answer,
        "played": shown[-1].model_dump(),
        "rank": found.index(played),
        "loss": _loss(best, played),
        "candidates": candidates,
    }


def _loss(best: Suggestion, played: Suggestion) -> float:
    """In chance of winning where the adviser can tell it, else on its own scale."""
    if best.win is None or played.win is None:
        return max(0.0, best.value - played.value)
    return max(0.0, best.win - played.win)


def _sum(decisions: list[dict[str, Any]]) -> dict[str, Any]:
    losses = [one["loss"] for one in decisions if one["choices"] > 1]
    mistakes = [one["turn"] for one in decisions if one["loss"] > MISTAKE]
    return {
        "decisions": len(losses),
        "loss": sum(losses),
        "mean_loss": sum(losses) / len(losses) if losses else 0.0,
        "mistakes": mistakes,
    }
