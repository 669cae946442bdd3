"""The batch engine's work on one CPU core after another: dealing, legal plays, turns, compiled by Numba.

Every function here is about one game; the loops over games are at the end. They are inlined before Numba compiles them,
since an array that crosses a call is counted in and out, which costs more than the call does.

Sets of cards are int64 words with four bits a rank: a count where suits do not matter; else the suits held (word 0) and,
with two packs, the suits held twice (word 1). The state comes as cards [B, C] and marks [B, M].
"""

# Numba reads these functions as its own language; their types are those it finds.
# mypy: disable-error-code="no-any-return, arg-type, call-arg, assignment, return-value"

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, prange, types
from numba.extending import intrinsic

from shangyou.engines.forest import GUARD, ONES, RUNS, TREES
from shangyou.engines.kernels.tables import (
    BOMB,
    BOMBS,
    COUNT,
    FIRST,
    FOLLOWS,
    FOLLOWS_END,
    LANDLORD,
    LAST,
    LAST_BY,
    MARKS,
    OFFSET,
    OUTS,
    PASSED,
    PLAY_SUIT,
    ROOTS,
    RUN,
    SHAPE,
    STRENGTH,
    SUIT,
    TURN,
    TURNS,
)
from shangyou.games import shuffle
from shangyou.games.table import MIXED, PASS

RANKS = 15
GOLDEN = np.uint64(shuffle.GOLDEN)
U30, U27, U31, U32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
MIX_1, MIX_2 = np.uint64(shuffle.MIX_1), np.uint64(shuffle.MIX_2)
HAND_KEY, TWICE_KEY = np.uint64(shuffle.HAND_KEY), np.uint64(shuffle.TWICE_KEY)


@intrinsic
def lowest_bit(typing_context: Any, x: Any) -> Any:
    """The number of zeros below the lowest set bit; one machine instruction that Numba has no name for."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def number_of_bits(typing_context: Any, x: Any) -> Any:
    """How many bits are set; likewise."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


# -- drawing ---------------------------------------------------------------------------------------------------------


@njit(inline="always")
def mix(x: Any) -> Any:
    x = (x ^ (x >> U30)) * MIX_1
    x = (x ^ (x >> U27)) * MIX_2
    return x ^ (x >> U31)


@njit(inline="always")
def scaled(x: Any, n: int) -> Any:
    """64 random bits as a number below n."""
    return np.int64(((x >> U32) * np.uint64(n)) >> U32)


@njit(inline="always")
def deal_one(k: Any, full_pile: Any, sizes: Any, cards: Any, marks: Any, b: int, state: Any, pile: Any) -> None:
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
    start_one(k, cards, marks, b, first)


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
def start_one(k: Any, cards: Any, marks: Any, b: int, first: int) -> None:
    """Everything but the cards as it is before the first turn."""
    for row in range(marks.shape[1]):
        marks[b, row] = 0
    marks[b, TURN] = first
    marks[b, FIRST] = first
    marks[b, LAST_BY] = -1
    marks[b, LANDLORD] = k.landlord
    for seat in range(k.seats):
        marks[b, MARKS + 2 * k.seats + seat] = -1  # no bid yet
    if k.landlord >= 0:
        cards[b, k.landlord] += cards[b, cards.shape[1] - 1]
        marks[b, TURN] = k.landlord


# -- legal plays -----------------------------------------------------------------------------------------------------


@njit(inline="always")
def at_least(counts: int, n: int) -> int:
    """A bit for every rank of which there are n or more; counts go to 8, so the sum stays in its four bits."""
    return ((counts + (8 - n) * ONES) >> 3) & ONES


@njit(inline="always")
def suits_in_lanes(word: int) -> int:
    """Suits held, counted rank by rank."""
    pairs = (word & 0x555555555555555) + ((word >> 1) & 0x555555555555555)
    return (pairs & 0x333333333333333) + ((pairs >> 2) & 0x333333333333333)


@njit(inline="always")
def can_mix(held: int, need: int) -> bool:
    """Whether the cards held of the ranks needed are of more than one suit."""
    cards = held & (at_least(need, 1) * 15)
    for suit in range(4):  # noqa: SIM110 - Numba has no all()
        if cards & ~(ONES << suit) == 0:
            return False
    return True


@njit(inline="always")
def walk(
    nodes: Any, fans: Any, segments: Any, held: int, twice: int, counts: int, segment: int, lowest: int, out: Any, n: int
) -> int:
    """The plays of one segment that start at rank `lowest` or higher."""
    suit = segments[segment, SUIT]
    if suit >= 0:
        counts = ((held >> suit) & ONES) + ((twice >> suit) & ONES)
    reach = at_least(counts, segments[segment, COUNT])
    starts = reach & (-1 << (4 * lowest))
    for i in range(1, segments[segment, RUN]):
        starts &= reach >> (4 * i)
    if starts == 0 or lowest > 14:
        return n
    room = len(out) > 0
    shape = segments[segment, SHAPE] if suit != MIXED else TREES  # mixed suits must be looked at play by play
    if shape != TREES:
        while starts:
            start = lowest_bit(starts) >> 2
            starts &= starts - 1
            node = segments[segment, ROOTS + start]
            number = segments[segment, ROOTS + start + 1] - node
            if shape == RUNS:
                ends = ~(reach >> (4 * start)) & ONES
                number = min(number, (lowest_bit(ends) >> 2) - segments[segment, RUN] + 1)
            if room:
                row = (nodes[node, 1] & 0xFFFFFFFF) - 1
                for i in range(number):
                    out[n + i] = row + i
            n += number
        return n
    guarded = (counts - at_least(counts, 8)) | GUARD  # a guard bit leaves room for 7; eight of a rank is a direct play
    while starts:
        root = ROOTS + (lowest_bit(starts) >> 2)
        starts &= starts - 1
        node, end = np.int64(segments[segment, root]), segments[segment, root + 1]
        while node < end:
            need, link = nodes[node, 0], nodes[node, 1]
            if (guarded - need) & GUARD == GUARD:
                row = (link & 0xFFFFFFFF) - 1
                if row >= 0 and (suit != MIXED or can_mix(held, need)):
                    if room:
                        out[n] = row
                    n += 1
                if fans[node, 0] and suit != MIXED:
                    n = open_fan(fans[node, 0], fans[node, 1], counts, out, n)
                    node = link >> 32
                else:
                    node += 1
            else:
                node = link >> 32
    return n


@njit(inline="always")
def open_fan(ranks: int, about: int, counts: int, out: Any, n: int) -> int:
    """The plays that are a node's and one more group, of any rank that the hand has enough of."""
    held = ranks & at_least(counts, about >> 32)
    if len(out) == 0:
        return n + number_of_bits(held)
    first = about & 0xFFFFFFFF
    while held:
        bit = held & -held
        held ^= bit
        out[n] = first + number_of_bits(ranks & (bit - 1))
        n += 1
    return n


@njit(inline="always")
def legal_one(
    k: Any, nodes: Any, fans: Any, segments: Any, walks: Any, plays: Any, held: int, twice: int, last: int, out: Any, n: int
) -> int:
    """Legal plays of a hand on play `last`, ascending, into out[n:] unless `out` is empty; n and how many there are."""
    counts = held if not k.suited else suits_in_lanes(held) + suits_in_lanes(twice)
    if last == PASS:
        for i in range(k.leads):
            n = walk(nodes, fans, segments, held, twice, counts, walks[i], 0, out, n)
        return n
    if len(out):
        out[n] = PASS
    n += 1
    tier = plays[last, BOMB]
    if tier == 0:
        for i in range(plays[last, FOLLOWS], plays[last, FOLLOWS_END]):
            lowest = max(0, plays[last, STRENGTH] - segments[walks[i], OFFSET] + 1)
            n = walk(nodes, fans, segments, held, twice, counts, walks[i], lowest, out, n)
    if at_least(counts, 4) or (counts >> 52) & (counts >> 56):  # no bomb is made of less
        for i in range(k.leads, k.leads + k.bombs):
            lowest = max(0, tier - segments[walks[i], OFFSET] + 1)
            n = walk(nodes, fans, segments, held, twice, counts, walks[i], lowest, out, n)
    return n


# -- turns -----------------------------------------------------------------------------------------------------------


@njit(inline="always")
def pick_suits(k: Any, plays: Any, need: int, play: int, held: int, twice: int) -> tuple[int, int]:
    """The cards a play takes where suits matter, once and twice: see games/suits.py, whose rule this is."""
    suit = plays[play, PLAY_SUIT]
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
def step_one(k: Any, plays: Any, play_cards: Any, cards: Any, marks: Any, b: int, play: int) -> None:
    """The seat to act in game b makes a play."""
    seat = marks[b, TURN]
    marks[b, TURNS] += 1
    if play == PASS:
        marks[b, PASSED] |= 1 << seat
    else:
        hand, played = seat * k.words, (k.seats + seat) * k.words
        once, again = play_cards[play], np.int64(0)
        if k.words == 2:
            twice = cards[b, hand + 1]
            once, again = pick_suits(k, plays, once, play, cards[b, hand], twice)
            cards[b, hand] = (cards[b, hand] & ~once) | (twice & once & ~again)
            cards[b, hand + 1] = twice & ~once
            cards[b, played + 1] |= again | (cards[b, played] & once)
            cards[b, played] |= once
        else:
            if k.suited:
                once, again = pick_suits(k, plays, once, play, cards[b, hand], 0)
            cards[b, hand] -= once
            cards[b, played] += once
        marks[b, LAST] = play
        marks[b, LAST_BY] = seat
        if not k.pass_is_final:
            marks[b, PASSED] = 0
        marks[b, MARKS + k.seats + seat] += 1
        marks[b, BOMBS] += plays[play, BOMB] > 0
        if cards[b, hand] == 0:
            go_out(k, marks, b, seat)
    next_turn(k, cards, marks, b)


@njit(inline="always")
def go_out(k: Any, marks: Any, b: int, seat: int) -> None:
    marks[b, OUTS] += 1
    marks[b, MARKS + seat] = marks[b, OUTS]
    if marks[b, OUTS] == k.seats - 1:  # the last place is known too
        for other in range(k.seats):
            if marks[b, MARKS + other] == 0:
                marks[b, MARKS + other] = k.seats


@njit(inline="always")
def next_turn(k: Any, cards: Any, marks: Any, b: int) -> None:
    """Whose turn it is now; a round that nobody can go on with ends."""
    if marks[b, OUTS] >= k.outs_to_end:
        return
    seat, last_by, passed = marks[b, TURN], marks[b, LAST_BY], marks[b, PASSED]
    for _ in range(k.seats):
        seat = seat + 1 if seat + 1 < k.seats else 0
        if cards[b, seat * k.words] and not passed >> seat & 1 and seat != last_by:
            marks[b, TURN] = seat
            return
    while cards[b, last_by * k.words] == 0:
        last_by = last_by + 1 if last_by + 1 < k.seats else 0
    marks[b, TURN] = last_by
    marks[b, LAST] = PASS
    marks[b, LAST_BY] = -1
    marks[b, PASSED] = 0


@njit(inline="always")
def lot(k: Any, held: int, twice: int, turns: int, key: Any, n: int) -> int:
    """Which of n plays the random agent takes: a hash of its hand, the turn and its seed."""
    x = key + np.uint64(turns) * GOLDEN + np.uint64(held) * HAND_KEY + np.uint64(twice) * TWICE_KEY
    return scaled(mix(x), n)


# -- all games -------------------------------------------------------------------------------------------------------


@njit(nogil=True, parallel=True)
def deal_all(k: Any, pile: Any, sizes: Any, cards: Any, marks: Any, games: Any, seed_key: Any, index: Any) -> None:
    for i in prange(len(games)):
        state = mix(seed_key + np.uint64(index[i]) * GOLDEN)
        deal_one(k, pile, sizes, cards, marks, games[i], state, np.empty(len(pile), np.int64))


@njit(nogil=True, parallel=True)
def legal_all(
    k: Any,
    nodes: Any,
    fans: Any,
    segments: Any,
    walks: Any,
    plays: Any,
    cards: Any,
    marks: Any,
    games: Any,
    starts: Any,
    out: Any,
) -> None:
    """Without room in `out`, the number of legal plays of each game into `starts`; else the plays, from `starts` on."""
    for i in prange(len(games)):
        b = games[i]
        hand = marks[b, TURN] * k.words
        twice = cards[b, hand + 1] if k.words == 2 else 0
        first = starts[i] if len(out) else 0
        end = legal_one(k, nodes, fans, segments, walks, plays, cards[b, hand], twice, marks[b, LAST], out, first)
        if len(out) == 0:
            starts[i] = end


@njit(nogil=True, parallel=True)
def step_all(k: Any, plays: Any, play_cards: Any, cards: Any, marks: Any, games: Any, chosen: Any) -> None:
    for i in prange(len(games)):
        step_one(k, plays, play_cards, cards, marks, games[i], chosen[i])


@njit(nogil=True, parallel=True)
def random_games(
    k: Any,
    nodes: Any,
    fans: Any,
    segments: Any,
    walks: Any,
    plays: Any,
    play_cards: Any,
    cards: Any,
    marks: Any,
    keys: Any,
    chunk: int,
) -> None:
    """Every game from where it stands to its end, by lot; `keys` are the mixed seeds of the agents, a seat each."""
    games = len(cards)
    for c in prange((games + chunk - 1) // chunk):
        out = np.empty(len(play_cards), np.int32)
        for b in range(c * chunk, min(games, (c + 1) * chunk)):
            while marks[b, OUTS] < k.outs_to_end:
                seat = marks[b, TURN]
                held = cards[b, seat * k.words]
                twice = cards[b, seat * k.words + 1] if k.words == 2 else 0
                n = legal_one(k, nodes, fans, segments, walks, plays, held, twice, marks[b, LAST], out, 0)
                choice = lot(k, held, twice, marks[b, TURNS], keys[seat], n) if n > 1 else 0
                step_one(k, plays, play_cards, cards, marks, b, out[choice])
