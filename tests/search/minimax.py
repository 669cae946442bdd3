"""Plain minimax over States of the reference engine: every choice of cards, no bounds, no clever order."""

from __future__ import annotations

from itertools import product

from shangyou.engines import reference
from shangyou.engines.reference import State

MOST_STATES = 250


class TooLarge(Exception):
    """More states than are looked at here."""


def worth(state: State, seat: int, objective: str) -> int:
    """What a finished game is worth to a seat; higher is better."""
    if objective == "win":
        return int(seat in state.winners)
    return state.scores[seat] if objective == "points" else -state.places[seat]


def moves(state: State) -> list[int]:
    """Every set of cards the seat to act may put down; no cards are a pass."""
    table, deck, hand = state.game.table, state.game.deck, state.hands[state.turn]
    held = {deck.card(*kind): n for kind in deck.kinds if (n := deck.copies(hand, *kind))}
    sets = map(sum, product(*(range(0, n * card + 1, card) for card, n in held.items())))
    return [cards for cards in sets if (row := table.find(cards)) is not None and table.may_follow(row, state.last)]


def minimax(state: State, seat: int, objective: str, known: dict | None = None) -> int:
    """What `seat` and its side can force against all others."""
    known = {} if known is None else known
    if state.over:
        return worth(state, seat, objective)
    key = state.hands, state.turn, state.last, state.last_by, state.passed, state.out, state.bombs, state.ending(()).plays
    if key not in known:
        if len(known) >= MOST_STATES:
            raise TooLarge
        sides = state.game.sides(state.landlord)
        best = max if sides[state.turn] == sides[seat] else min
        known[key] = best(minimax(reference.put(state, cards), seat, objective, known) for cards in moves(state))
    return known[key]
