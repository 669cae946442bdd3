"""Legal plays on a GPU: the hands of all lanes walk the forest of plays together.

Where games differ, lanes wait for each other. So nodes are walked in order, with no bit tricks per start.
"""

import triton
import triton.language as tl

from shangyou.engines import forest
from shangyou.engines.kernels import layout
from shangyou.engines.kernels.gpu_bits import ONES, at_least, held_ranks, suits_in_lanes
from shangyou.games import table

COUNT, RUN, SUIT = tl.constexpr(forest.COUNT), tl.constexpr(forest.RUN), tl.constexpr(forest.SUIT)
OFFSET, ROOTS = tl.constexpr(forest.OFFSET), tl.constexpr(forest.ROOTS)
SEGMENT = tl.constexpr(forest.ROOTS + 16)  # columns of a segment
FOLLOWS, FOLLOWS_END = tl.constexpr(layout.FOLLOWS), tl.constexpr(layout.FOLLOWS_END)
STRENGTH, BOMB = tl.constexpr(layout.STRENGTH), tl.constexpr(layout.BOMB)
PLAY = tl.constexpr(5)  # columns of a play
MIXED = tl.constexpr(table.MIXED)
GUARD = tl.constexpr(forest.GUARD)
EVEN = tl.constexpr(0x0F0F0F0F0F0F0F0F)
EVEN_GUARD = tl.constexpr(0x1010101010101010)

COUNTING, WRITING, CHOOSING = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2)


@triton.jit
def fits(counts, need, PACKS: tl.constexpr):
    if PACKS == 2:  # counts up to 8 leave no bit for a guard: every second rank at a time
        low = (((counts & EVEN) | EVEN_GUARD) - (need & EVEN)) & EVEN_GUARD
        high = ((((counts >> 4) & EVEN) | EVEN_GUARD) - ((need >> 4) & EVEN)) & EVEN_GUARD
        return (low & high) == EVEN_GUARD
    return (((counts | GUARD) - need) & GUARD) == GUARD


@triton.jit
def can_mix(held, need):
    """Whether the cards held of the ranks needed are of more than one suit."""
    cards = held & (held_ranks(need) * 15)
    mixed = (cards & ~ONES) != 0
    mixed &= (cards & ~(ONES << 1)) != 0
    mixed &= (cards & ~(ONES << 2)) != 0
    return mixed & ((cards & ~(ONES << 3)) != 0)


@triton.jit
def legal_lanes(
    nodes, segments, walks, plays, held, twice, last, live, out, n, choice, MODE: tl.constexpr,
    PACKS: tl.constexpr, SUITED: tl.constexpr, LEADS: tl.constexpr, BOMB_SEGMENTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Legal plays of every lane: counted, written to out[n:], or the one numbered `choice` picked. The count, and the pick."""
    counts = held
    if SUITED:
        counts = suits_in_lanes(held) + suits_in_lanes(twice)
    lead = last == 0
    pending = live & (lead == 0)  # lanes that still have the bombs to go through
    if MODE == WRITING:
        tl.store(out + n, tl.zeros((BLOCK,), tl.int32), mask=pending)
    picked = tl.zeros((BLOCK,), tl.int32)
    n += pending.to(n.dtype)
    about = plays + last * PLAY
    tier = tl.load(about + BOMB, mask=live, other=0)
    above = tl.load(about + STRENGTH, mask=live, other=0)
    i = tl.where(lead, 0, tl.load(about + FOLLOWS, mask=live, other=0))
    stop = tl.where(lead, LEADS, tl.load(about + FOLLOWS_END, mask=live, other=0))
    stop = tl.where((lead == 0) & (tier > 0), i, stop)  # only bombs beat a bomb
    while tl.sum((live & ((i < stop) | pending)).to(tl.int32)) > 0:
        to_bombs = pending & (i >= stop)
        i = tl.where(to_bombs, LEADS, i)
        stop = tl.where(to_bombs, LEADS + BOMB_SEGMENTS, stop)
        above = tl.where(to_bombs, tier, above)
        pending = pending & (to_bombs == 0)
        has = live & (i < stop)
        about_segment = segments + tl.load(walks + i, mask=has, other=0) * SEGMENT
        lowest = above - tl.load(about_segment + OFFSET, mask=has, other=0) + 1
        lowest = tl.where(lead | (lowest < 0), 0, lowest)
        has = has & (lowest < 15)
        own = counts
        suit = tl.zeros((BLOCK,), tl.int32)
        if SUITED:
            suit = tl.load(about_segment + SUIT, mask=has, other=0)
            by = tl.where(suit > 0, suit, 0).to(tl.int64)
            own = tl.where(suit >= 0, ((held >> by) & ONES) + ((twice >> by) & ONES), counts)
        reach = at_least(own, tl.load(about_segment + COUNT, mask=has, other=1))
        run = tl.load(about_segment + RUN, mask=has, other=1)
        starts = reach & tl.where(run > 1, reach >> 4, reach) & tl.where(run > 2, reach >> 8, reach)
        has = has & ((starts >> (4 * lowest).to(tl.int64)) != 0)
        node = tl.load(about_segment + ROOTS + lowest, mask=has, other=0)
        end = tl.load(about_segment + ROOTS + 15, mask=has, other=0)
        while tl.sum((node < end).to(tl.int32)) > 0:
            on = node < end
            need = tl.load(nodes + 2 * node, mask=on, other=0)
            link = tl.load(nodes + 2 * node + 1, mask=on, other=0)
            fit = on & fits(own, need, PACKS)
            row = (link & 0xFFFFFFFF).to(tl.int32) - 1
            hit = fit & (row >= 0)
            if SUITED:
                hit = hit & ((suit != MIXED) | can_mix(held, need))
            if MODE == WRITING:
                tl.store(out + n, row, mask=hit)
            if MODE == CHOOSING:
                picked = tl.where(hit & (n == choice), row, picked)
            n += hit.to(n.dtype)
            node = tl.where(fit, node + 1, tl.where(on, (link >> 32).to(tl.int32), node))
        i += 1
    return n, picked


@triton.jit
def load_hand(cards, seat, b, B, live, WORDS: tl.constexpr, BLOCK: tl.constexpr):
    row = (seat * WORDS).to(tl.int64)
    held = tl.load(cards + row * B + b, mask=live, other=0)
    if WORDS == 2:
        return held, tl.load(cards + (row + 1) * B + b, mask=live, other=0)
    return held, tl.zeros((BLOCK,), tl.int64)
