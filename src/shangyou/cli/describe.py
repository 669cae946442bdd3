"""Results as values that JSON can hold: what commands print with `--json`, and what the MCP server answers."""

from dataclasses import asdict, fields
from typing import Any

from shangyou.agents import Agent, load, suggest
from shangyou.agents.review import MEASURES, Decision, adviser_names, review, sum_up
from shangyou.engines.reference import State, Turn, View
from shangyou.games import BadInput, Cards, Game
from shangyou.games.parse_play import read_hand, read_last
from shangyou.records import Record, with_bids


def describe_game(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "rules": game.rules.as_dict(),
        "seats": game.seats,
        "plays": len(game.table),
        "patterns": game.table.family_counts,
        "deals": game.number_of_deals,
        "table": game.table.hash,
    }


def describe_rules(game: Game) -> list[dict[str, Any]]:
    """Each rule that can be chosen: what it means, what it may be, and what it is here."""
    return [
        {"name": field.name, "value": getattr(game.rules, field.name), "help": field.metadata["help"]} | _options(field)
        for field in fields(game.rules)
    ]


def _options(field: Any) -> dict[str, Any]:
    options = field.metadata["options"]
    return {"from": options[0], "to": options[-1]} if isinstance(options, range) else {"options": list(options)}


def legal_plays(game: Game, hand: str, last: str) -> list[dict[str, Any]]:
    """Every legal play of a hand; without `last` it leads."""
    held = read_hand(game, hand)
    rows = game.table.held(held, game.table.answers(read_last(game, held, last)))
    return [describe_play(game, held, row) for row in rows.tolist()]


def describe_play(game: Game, hand: Cards, row: int) -> dict[str, Any]:
    cards = game.deck.format(game.pick(hand, row))
    return {"play": row, "label": game.table.labels[row], "pattern": game.table.pattern_of(row), "cards": cards}


def suggestions(seen: View, adviser: Agent, top: int) -> tuple[dict[str, Any], int]:
    """The best plays of a position, best first, and how many are legal."""
    game, ranked = seen.game, suggest(seen, adviser)
    plays = [
        {**describe_play(game, seen.hand, one.play), "value": one.value, "win": one.win, "points": one.points}
        for one in ranked[:top]
    ]
    return {"game": game.name, "rules": game.rules.as_dict(), "agent": adviser.name, "suggestions": plays}, len(ranked)


def describe_review(record: Record, agent: str) -> tuple[dict[str, Any], list[Decision]]:
    """What each decision of a record cost by an agent's values, and the sums of every seat; also the decisions as they are."""
    names, states = adviser_names(agent), with_bids(record)
    decisions = review(states, {measure: load(name, record.game) for measure, name in names.items()})
    if not any(one.judged for one in decisions):
        raise BadInput(f"agent {agent!r} knows neither chances of winning nor points; name an agent that does")
    seats = range(record.game.seats)
    sums = {measure: [asdict(sum_up(decisions, measure, seat, states[-1])) for seat in seats] for measure in MEASURES}
    return {"adviser": agent, "decisions": [_judged(one) for one in decisions], "seats": sums}, decisions


def _judged(one: Decision) -> dict[str, Any]:
    about = {"seat": one.seat, "number": one.number, "phase": one.phase, "made": one.made.label}
    judged: dict[str, Any] = {measure: asdict(found) | {"why": str(found.why or "")} for measure, found in one.judged.items()}
    return about | {"advised": one.label_of(one.advised), **judged}


def describe_solution(state: State, objective: str, nodes: int) -> dict[str, Any]:
    """What the seat to act can force with all hands known, the play that forces it, and the line of best play."""
    from shangyou.search import Question, solve  # Numba takes a while to import

    answer = solve(Question(state, objective or None, nodes=nodes))
    found = {name: getattr(answer, name) for name in ("objective", "seat", "value", "least", "most", "nodes")}
    line = [_turn(state.game, one) for one in answer.line]
    return found | {"best": line[0] if line else None, "line": line}


def describe_truth(record: Record) -> dict[str, Any]:
    """What each seat of a record could force at its turns with all hands known, as far as the solver proves it."""
    from shangyou.search.truth import truth

    found = truth(with_bids(record))
    turns = [
        asdict(one) | {"gave_away": one.gave_away, "better": _turn(record.game, one.better) if one.better else None}
        for one in found.turns
    ]
    return {name: getattr(found, name) for name in ("objective", "proven_from", "forced_from", "nodes")} | {"turns": turns}


def _turn(game: Game, turn: Turn) -> dict[str, Any]:
    return {"seat": turn.seat, "label": game.table.labels[turn.play], "cards": game.deck.format(turn.cards)}
