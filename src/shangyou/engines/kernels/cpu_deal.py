"""Dealing on a CPU: one deal into one game."""

from typing import Any

from numba import njit

from shangyou.engines.kernels.cpu_bits import GOLDEN, mix, scaled
from shangyou.engines.kernels.layout import FIRST, LANDLORD, LAST_BY, SCALARS, TURN


@njit(inline="always")
def deal_one(k: Any, full_pile: Any, sizes: Any, cards: Any, scalars: Any, b: int, state: Any, pile: Any) -> None:
    """One deal into game b, drawn from `state`; `pile` is room for the cards."""
    size, served = len(full_pile), 0
    for i in range(size):
        pile[i] = full_pile[i]
    if k.odd_hands:
        state += GOLDEN
        served = scaled(mix(state), k.seats)
    for row in range(cards.shape[1]):
        cards[b, row] = 0
    public = cards.shape[1] - 1
    at = 0
    for part in range(k.seats + 1):  # seats 1, 2, ..., then the public cards, then seat 0
        seat = part + 1 if part < k.seats - 1 else 0
        row = public if part == k.seats - 1 else seat * k.words
        number = k.public if part == k.seats - 1 else sizes[served, seat]
        drawn = at + number < size  # what is left in the pile needs no draw
        for i in range(at, at + number):
            if drawn:
                state += GOLDEN
                j = i + scaled(mix(state), size - i)
                pile[i], pile[j] = pile[j], pile[i]
            if k.words == 2 and cards[b, row] & pile[i]:
                cards[b, row + 1] += pile[i]
            else:
                cards[b, row] += pile[i]
        at += number
    first = first_seat(k, cards, b, state + GOLDEN)
    start_one(k, cards, scalars, b, first)


@njit(inline="always")
def first_seat(k: Any, cards: Any, b: int, state: Any) -> int:
    if k.first_by == 0:
        return 0
    able = 0
    for seat in range(k.seats):
        able += k.first_by == 1 or cards[b, seat * k.words] & 1
    choice = scaled(mix(state), able) if able > 1 else 0
    for seat in range(k.seats):
        if k.first_by == 1 or cards[b, seat * k.words] & 1:
            if choice == 0:
                return seat
            choice -= 1
    return -1


@njit(inline="always")
def start_one(k: Any, cards: Any, scalars: Any, b: int, first: int) -> None:
    """Everything but the cards as it is before the first turn."""
    for row in range(scalars.shape[1]):
        scalars[b, row] = 0
    scalars[b, TURN] = first
    scalars[b, FIRST] = first
    scalars[b, LAST_BY] = -1
    scalars[b, LANDLORD] = k.landlord
    for seat in range(k.seats):
        scalars[b, SCALARS + 2 * k.seats + seat] = -1  # no bid yet
    if k.landlord >= 0:
        cards[b, k.landlord * k.words] += cards[b, cards.shape[1] - 1]
        scalars[b, TURN] = k.landlord
