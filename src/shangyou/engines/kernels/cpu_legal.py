"""Legal plays on a CPU: one hand walks the forest of plays."""

from typing import Any

import numpy as np
from numba import njit

from shangyou.engines.forest import COUNT, GUARD, OFFSET, ONES, ROOTS, RUN, RUNS, SHAPE, SUIT, TREES
from shangyou.engines.kernels.cpu_bits import at_least, lowest_bit, number_of_bits, suits_in_lanes
from shangyou.engines.kernels.layout import BOMB, FOLLOWS, FOLLOWS_END, STRENGTH
from shangyou.games.table import MIXED, PASS


@njit(inline="always")
def hand_of(k: Any, cards: Any, b: int, seat: int) -> tuple[int, int]:
    """The two words of a hand; the second is empty unless there are two packs."""
    hand = seat * k.words
    return cards[b, hand], cards[b, hand + 1] if k.words == 2 else 0


@njit(inline="always")
def can_mix(held: int, need: int) -> bool:
    """Whether the cards held of the ranks needed are of more than one suit."""
    cards = held & (at_least(need, 1) * 15)
    for suit in range(4):  # noqa: SIM110 - Numba has no all()
        if cards & ~(ONES << suit) == 0:
            return False
    return True


@njit(inline="always")
def starts_in(segments: Any, held: int, twice: int, counts: int, segment: int, lowest: int) -> tuple[int, int, int]:
    """The counts a segment looks at, the ranks with enough cards for its main group, and where one may start: a bit a rank."""
    suit = segments[segment, SUIT]
    if suit >= 0:
        counts = ((held >> suit) & ONES) + ((twice >> suit) & ONES)
    reach = at_least(counts, segments[segment, COUNT])
    if lowest > 14:  # a shift by more than a word gives anything
        return counts, reach, 0
    starts = reach & (-1 << (4 * lowest))
    for i in range(1, segments[segment, RUN]):
        starts &= reach >> (4 * i)
    return counts, reach, starts


@njit(inline="always")
def walk(
    nodes: Any, fans: Any, segments: Any, held: int, twice: int, counts: int, segment: int, lowest: int, out: Any, n: int
) -> int:
    """The plays of one segment that start at rank `lowest` or higher."""
    suit = segments[segment, SUIT]
    counts, reach, starts = starts_in(segments, held, twice, counts, segment, lowest)
    if starts == 0:
        return n
    room = len(out) > 0
    shape = segments[segment, SHAPE] if suit != MIXED else TREES  # each play of mixed suits must be tested
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
    if at_least(counts, k.bomb_cards) or (counts >> 56 and counts >> 52 & 15):  # else there is neither a bomb nor a rocket
        for i in range(k.leads, k.leads + k.bombs):
            lowest = max(0, tier - segments[walks[i], OFFSET] + 1)
            n = walk(nodes, fans, segments, held, twice, counts, walks[i], lowest, out, n)
    return n
