"""Dealing on a GPU: a deal into the game of each lane."""

import triton
import triton.language as tl

from shangyou.engines.kernels.gpu_bits import FIRST, GOLDEN, LANDLORD, LAST_BY, SCALARS, TURN, lanes, mix, scaled


@triton.jit(do_not_specialize=["n", "B", "seed_key"])
def deal_games(
    cards, scalars, games, index, n, B, seed_key, scratch, pile, sizes,
    SEATS: tl.constexpr, WORDS: tl.constexpr, PUBLIC: tl.constexpr, FIRST_BY: tl.constexpr, LANDLORD_SEAT: tl.constexpr,
    ODD: tl.constexpr, CARDS: tl.constexpr, LARGEST: tl.constexpr, CARD_ROWS: tl.constexpr, SCALAR_ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Deal number index[lane] into game games[lane] of each lane; `scratch` is room for the cards of all n games."""
    lane, live, b = lanes(games, n, BLOCK)
    state = mix(seed_key.to(tl.uint64) + tl.load(index + lane, mask=live, other=0).to(tl.uint64) * GOLDEN)
    served = tl.zeros((BLOCK,), tl.int32)
    if ODD:
        state += GOLDEN
        served = scaled(mix(state), served + SEATS)
    for i in range(CARDS):
        tl.store(scratch + i * n + lane, tl.zeros((BLOCK,), tl.int8) + i, mask=live)
    at = tl.zeros((BLOCK,), tl.int32)
    public = tl.zeros((BLOCK,), tl.int64)
    for part in tl.static_range(SEATS + 1):  # seats 1, 2, ..., then the public cards, then seat 0
        if part == SEATS - 1:
            number = tl.zeros((BLOCK,), tl.int32) + PUBLIC
        else:
            number = tl.load(sizes + served * SEATS + (part + 1) % (SEATS + 1))
        drawn = at + number < CARDS  # what is left in the pile needs no draw
        once = tl.zeros((BLOCK,), tl.int64)
        twice = tl.zeros((BLOCK,), tl.int64)
        for step in range(LARGEST):
            on = live & (step < number)
            card_at = at + step
            state = tl.where(on & drawn, state + GOLDEN, state)
            j = tl.where(drawn, card_at + scaled(mix(state), CARDS - card_at), card_at)
            mine = tl.load(scratch + card_at * n + lane, mask=on, other=0)
            other = tl.load(scratch + j * n + lane, mask=on, other=0)
            tl.store(scratch + j * n + lane, mine, mask=on)
            tl.store(scratch + card_at * n + lane, other, mask=on)
            card = tl.load(pile + other.to(tl.int32), mask=on, other=0)
            if WORDS == 2:
                again = (once & card) != 0
                twice += tl.where(again, card, 0)
                once += tl.where(again, 0, card)
            else:
                once += card
        if part == SEATS - 1:
            public = once
        else:
            hand = cards + ((part + 1) % (SEATS + 1) * WORDS) * B + b
            tl.store(hand, once, mask=live)
            if WORDS == 2:
                tl.store(hand + B, twice, mask=live)
        at += number
    none = tl.zeros((BLOCK,), tl.int64)
    for row in range(SEATS * WORDS, CARD_ROWS - 1):
        tl.store(cards + row * B + b, none, mask=live)
    tl.store(cards + (CARD_ROWS - 1) * B + b, public, mask=live)
    if LANDLORD_SEAT >= 0:
        hand = cards + (LANDLORD_SEAT * WORDS) * B + b
        tl.store(hand, tl.load(hand, mask=live, other=0) + public, mask=live)
    first = first_seats(cards, b, B, live, state + GOLDEN, SEATS, WORDS, FIRST_BY, BLOCK)
    nothing = tl.zeros((BLOCK,), tl.int32)
    for row in range(SCALAR_ROWS):
        tl.store(scalars + row * B + b, nothing, mask=live)
    tl.store(scalars + FIRST * B + b, first, mask=live)
    tl.store(scalars + TURN * B + b, (nothing + LANDLORD_SEAT) if LANDLORD_SEAT >= 0 else first, mask=live)
    tl.store(scalars + LAST_BY * B + b, nothing - 1, mask=live)
    tl.store(scalars + LANDLORD * B + b, nothing + LANDLORD_SEAT, mask=live)
    for seat in range(SEATS):
        tl.store(scalars + (SCALARS + 2 * SEATS + seat) * B + b, nothing - 1, mask=live)  # no bid yet


@triton.jit
def first_seats(
    cards, b, B, live, state, SEATS: tl.constexpr, WORDS: tl.constexpr, FIRST_BY: tl.constexpr, BLOCK: tl.constexpr
):
    first = tl.zeros((BLOCK,), tl.int32)
    if FIRST_BY != 0:
        able = tl.zeros((BLOCK,), tl.int32)
        for seat in tl.static_range(SEATS):
            able += may_be_first(cards, b, B, live, seat, WORDS, FIRST_BY, BLOCK)
        choice = tl.where(able > 1, scaled(mix(state), able), 0)
        for seat in tl.static_range(SEATS):
            here = may_be_first(cards, b, B, live, seat, WORDS, FIRST_BY, BLOCK)
            first = tl.where((here == 1) & (choice == 0), seat, first)
            choice -= here
    return first


@triton.jit
def may_be_first(cards, b, B, live, seat, WORDS: tl.constexpr, FIRST_BY: tl.constexpr, BLOCK: tl.constexpr):
    if FIRST_BY == 1:
        return tl.zeros((BLOCK,), tl.int32) + 1
    return (tl.load(cards + (seat * WORDS) * B + b, mask=live, other=0) & 1).to(tl.int32)
