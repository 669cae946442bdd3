"""Turns on a CPU: one seat of one game makes a play, and whose turn it is then."""

from typing import Any

import numpy as np
from numba import njit

from shangyou.engines.forest import ONES
from shangyou.engines.kernels import layout
from shangyou.engines.kernels.cpu_bits import GOLDEN, at_least, lowest_bit, mix, scaled
from shangyou.engines.kernels.cpu_legal import hand_of
from shangyou.games import shuffle
from shangyou.games.table import MIXED, PASS

RANKS = 15
HAND_KEY, TWICE_KEY = np.uint64(shuffle.HAND_KEY), np.uint64(shuffle.TWICE_KEY)


@njit(inline="always")
def pick_suits(k: Any, plays: Any, need: int, play: int, held: int, twice: int) -> tuple[int, int]:
    """The cards a play takes where suits matter, once and twice: see games/suits.py, whose rule this is."""
    suit = plays[play, layout.PLAY_SUIT]
    if suit >= 0:
        return at_least(need, 1) << suit, at_least(need, 2) << suit
    threes = held & (held >> 4) & (held >> 8) & ((np.int64(1) << (4 * (k.run_ranks - 2))) - 1)
    kept = threes | (threes << 4) | (threes << 8)  # one copy of these is in a flush run
    spare = (held & ~kept) | (twice & kept)
    spare_twice = twice & ~kept
    once, again = np.int64(0), np.int64(0)
    for rank in range(RANKS):
        wanted = (need >> (4 * rank)) & 15
        for place in range(8 if wanted else 0):
            bit = np.int64(1) << (4 * rank + (place & 3))
            copies = (kept & bit != 0) if place >= 4 else (spare & bit != 0) + (spare_twice & bit != 0)
            for _ in range(min(wanted, copies)):
                again |= once & bit
                once |= bit
                wanted -= 1
    return mix_suits(held, spare, need, once, again) if suit == MIXED else (once, again)


@njit(inline="always")
def mix_suits(held: int, spare: int, need: int, once: int, again: int) -> tuple[int, int]:
    """A mixed straight that came out in one suit exchanges a card at the lowest rank that has another."""
    suit = lowest_bit(once) & 3
    if once & ~(ONES << suit):
        return once, again
    for rank in range(RANKS):
        others = (held >> (4 * rank)) & 15 & ~(np.int64(1) << suit)
        if (need >> (4 * rank)) & 15 and others:
            rather = others & (spare >> (4 * rank))
            other = rather if rather else others
            mine = np.int64(1) << (4 * rank + suit)
            if again & mine:
                again &= ~mine
            else:
                once &= ~mine
            return once | ((other & -other) << (4 * rank)), again
    return once, again


@njit(inline="always")
def step_one(k: Any, plays: Any, play_cards: Any, mates: Any, cards: Any, scalars: Any, b: int, play: int) -> None:
    """The seat to act in game b makes a play, with the cards that the game's rule picks."""
    once, again = play_cards[play], np.int64(0)
    if k.suited and play != PASS:
        held, twice = hand_of(k, cards, b, scalars[b, layout.TURN])
        once, again = pick_suits(k, plays, once, play, held, twice)
    put_one(k, plays, mates, cards, scalars, b, play, once, again)


@njit(inline="always")
def put_one(k: Any, plays: Any, mates: Any, cards: Any, scalars: Any, b: int, play: int, once: int, again: int) -> None:
    """The seat to act in game b makes a play with these very cards."""
    seat, turns = scalars[b, layout.TURN], scalars[b, layout.TURNS]
    scalars[b, layout.SCALARS + 3 * k.seats + turns % layout.MEMORY] = play * k.seats + seat
    scalars[b, layout.TURNS] = turns + 1
    if play == PASS:
        scalars[b, layout.PASSED] |= 1 << seat
    else:
        hand, played = seat * k.words, (k.seats + seat) * k.words
        if k.words == 2:
            held, twice = hand_of(k, cards, b, seat)
            cards[b, hand] = (held & ~once) | (twice & once & ~again)
            cards[b, hand + 1] = twice & ~once
            cards[b, played + 1] |= again | (cards[b, played] & once)
            cards[b, played] |= once
        else:
            cards[b, hand] -= once
            cards[b, played] += once
        if k.suited:
            cards[b, 2 * k.seats * k.words] = once
        if k.words == 2:
            cards[b, 2 * k.seats * k.words + 1] = again
        scalars[b, layout.LAST] = play
        scalars[b, layout.LAST_BY] = seat
        if not k.pass_is_final:
            scalars[b, layout.PASSED] = 0
        scalars[b, layout.SCALARS + k.seats + seat] += 1
        scalars[b, layout.BOMBS] += plays[play, layout.BOMB] > 0
        if cards[b, hand] == 0:
            go_out(k, mates, cards, scalars, b, seat)
    next_turn(k, mates, cards, scalars, b)


@njit(inline="always")
def go_out(k: Any, mates: Any, cards: Any, scalars: Any, b: int, seat: int) -> None:
    scalars[b, layout.OUTS] += 1
    scalars[b, layout.SCALARS + seat] = scalars[b, layout.OUTS]
    if scalars[b, layout.OUTS] == k.seats - 1:  # the last place is known too
        for other in range(k.seats):
            if scalars[b, layout.SCALARS + other] == 0:
                scalars[b, layout.SCALARS + other] = k.seats
    if k.ends_with_side and mate_with_cards(k, mates, cards, scalars, b, seat) < 0:
        scalars[b, layout.OUTS] += layout.SIDE_OUT


@njit(inline="always")
def mate_with_cards(k: Any, mates: Any, cards: Any, scalars: Any, b: int, seat: int) -> int:
    """The first seat after `seat` that is on its side and has cards, or -1."""
    side = mates[scalars[b, layout.LANDLORD] + 1, seat]
    for i in range(1, k.seats):
        other = (seat + i) % k.seats
        if side >> other & 1 and cards[b, other * k.words]:
            return other
    return -1


@njit(inline="always")
def next_turn(k: Any, mates: Any, cards: Any, scalars: Any, b: int) -> None:
    """Whose turn it is now; a round that nobody can go on with ends."""
    if scalars[b, layout.OUTS] >= k.outs_to_end:
        return
    seat, last_by, passed = scalars[b, layout.TURN], scalars[b, layout.LAST_BY], scalars[b, layout.PASSED]
    for _ in range(k.seats):
        seat = seat + 1 if seat + 1 < k.seats else 0
        if cards[b, seat * k.words] and not passed >> seat & 1 and seat != last_by:
            scalars[b, layout.TURN] = seat
            return
    if k.partner_leads and cards[b, last_by * k.words] == 0:
        partner = mate_with_cards(k, mates, cards, scalars, b, last_by)
        last_by = partner if partner >= 0 else last_by
    while cards[b, last_by * k.words] == 0:
        last_by = last_by + 1 if last_by + 1 < k.seats else 0
    scalars[b, layout.TURN] = last_by
    scalars[b, layout.LAST] = PASS
    scalars[b, layout.LAST_BY] = -1
    scalars[b, layout.PASSED] = 0


@njit(inline="always")
def hash_choice(held: int, twice: int, turns: int, key: Any, n: int) -> int:
    """Which of n plays the random agent takes: a hash of its hand, the turn and its seed."""
    x = key + np.uint64(turns) * GOLDEN + np.uint64(held) * HAND_KEY + np.uint64(twice) * TWICE_KEY
    return scaled(mix(x), n)
