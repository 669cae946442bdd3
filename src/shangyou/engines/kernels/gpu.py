"""The batch engine's work on a GPU, in Triton: what cpu.py does, one lane per game. These are the kernels that are launched.

A program is one warp of 32 games that go through the same code together. What it does with them is in gpu_deal.py,
gpu_legal.py and gpu_turns.py.
"""
# Triton reads these functions as its own language: types of arguments mean nothing to it, and branches on lanes are `where`.
# mypy: ignore-errors

import triton
import triton.language as tl

from shangyou.engines.kernels.gpu_bits import GOLDEN, mix, scaled
from shangyou.engines.kernels.gpu_deal import deal_lanes
from shangyou.engines.kernels.gpu_layout import LAST, OUTS, TURN, TURNS
from shangyou.engines.kernels.gpu_legal import CHOOSING, COUNTING, WRITING, legal_lanes, load_hand
from shangyou.engines.kernels.gpu_turns import step_lanes
from shangyou.games import shuffle

HAND_KEY, TWICE_KEY = tl.constexpr(shuffle.HAND_KEY), tl.constexpr(shuffle.TWICE_KEY)


@triton.jit(do_not_specialize=["n", "B", "seed_key"])
def deal_games(
    cards, scalars, games, index, n, B, seed_key, scratch, pile, sizes,
    SEATS: tl.constexpr, WORDS: tl.constexpr, PUBLIC: tl.constexpr, FIRST_BY: tl.constexpr, LANDLORD_SEAT: tl.constexpr,
    ODD: tl.constexpr, CARDS: tl.constexpr, LARGEST: tl.constexpr, SCALAR_ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    b = tl.load(games + lane, mask=live, other=0)
    state = mix(seed_key.to(tl.uint64) + tl.load(index + lane, mask=live, other=0).to(tl.uint64) * GOLDEN)
    deal_lanes(
        cards, scalars, b, B, lane, n, live, state, scratch, pile, sizes,
        SEATS, WORDS, PUBLIC, FIRST_BY, LANDLORD_SEAT, ODD, CARDS, LARGEST, SCALAR_ROWS, BLOCK,
    )  # fmt: skip


@triton.jit(do_not_specialize=["n", "B"])
def legal_games(
    cards, scalars, games, n, B, nodes, segments, walks, plays, starts, out, MODE: tl.constexpr,
    PACKS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, LEADS: tl.constexpr, BOMB_SEGMENTS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Counting: how many plays each game has, into `starts`. Writing: the plays themselves, from `starts` on."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    b = tl.load(games + lane, mask=live, other=0)
    held, twice = load_hand(cards, tl.load(scalars + TURN * B + b, mask=live, other=0), b, B, live, WORDS, BLOCK)
    last = tl.load(scalars + LAST * B + b, mask=live, other=0)
    first = tl.zeros((BLOCK,), tl.int64)
    if MODE == WRITING:
        first = tl.load(starts + lane, mask=live, other=0)
    count, _ = legal_lanes(
        nodes, segments, walks, plays, held, twice, last, live, out, first, 0, MODE, PACKS, SUITED, LEADS, BOMB_SEGMENTS, BLOCK
    )
    if MODE == COUNTING:
        tl.store(starts + lane, count, mask=live)


@triton.jit(do_not_specialize=["n", "B"])
def step_games(
    cards, scalars, games, chosen, n, B, plays, play_cards, mates,
    SEATS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, OUTS_TO_END: tl.constexpr, ENDS_WITH_SIDE: tl.constexpr,
    PARTNER_LEADS: tl.constexpr, PASS_IS_FINAL: tl.constexpr, RUN_RANKS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    b = tl.load(games + lane, mask=live, other=0)
    play = tl.load(chosen + lane, mask=live, other=0)
    held, twice = load_hand(cards, tl.load(scalars + TURN * B + b, mask=live, other=0), b, B, live, WORDS, BLOCK)
    step_lanes(
        cards, scalars, b, B, live, play, held, twice, plays, play_cards, mates,
        SEATS, WORDS, SUITED, OUTS_TO_END, ENDS_WITH_SIDE, PARTNER_LEADS, PASS_IS_FINAL, RUN_RANKS, BLOCK,
    )  # fmt: skip


@triton.jit(do_not_specialize=["B"])
def random_games(
    cards, scalars, B, nodes, segments, walks, plays, play_cards, mates, keys,
    SEATS: tl.constexpr, PACKS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, OUTS_TO_END: tl.constexpr,
    ENDS_WITH_SIDE: tl.constexpr, PARTNER_LEADS: tl.constexpr, PASS_IS_FINAL: tl.constexpr, RUN_RANKS: tl.constexpr,
    LEADS: tl.constexpr, BOMB_SEGMENTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Random play from the current positions to the end, without coming back to the host."""
    b = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)).to(tl.int64)
    live = b < B
    live = live & (tl.load(scalars + OUTS * B + b, mask=live, other=0) < OUTS_TO_END)
    while tl.sum(live.to(tl.int32)) > 0:
        seat = tl.load(scalars + TURN * B + b, mask=live, other=0)
        last = tl.load(scalars + LAST * B + b, mask=live, other=0)
        turns = tl.load(scalars + TURNS * B + b, mask=live, other=0)
        held, twice = load_hand(cards, seat, b, B, live, WORDS, BLOCK)
        zero = tl.zeros((BLOCK,), tl.int32)
        count, _ = legal_lanes(
            nodes, segments, walks, plays, held, twice, last, live, scalars, zero, zero,
            COUNTING, PACKS, SUITED, LEADS, BOMB_SEGMENTS, BLOCK,
        )  # fmt: skip
        x = tl.load(keys + seat, mask=live, other=0).to(tl.uint64) + turns.to(tl.uint64) * GOLDEN
        x = x + held.to(tl.uint64) * HAND_KEY + twice.to(tl.uint64) * TWICE_KEY
        choice = tl.where(count > 1, scaled(mix(x), count), 0)
        undecided = live & ((count > 1) | (last == 0))  # else there is nothing but to pass
        _, play = legal_lanes(
            nodes, segments, walks, plays, held, twice, last, undecided, scalars, zero, choice,
            CHOOSING, PACKS, SUITED, LEADS, BOMB_SEGMENTS, BLOCK,
        )  # fmt: skip
        live = step_lanes(
            cards, scalars, b, B, live, play, held, twice, plays, play_cards, mates,
            SEATS, WORDS, SUITED, OUTS_TO_END, ENDS_WITH_SIDE, PARTNER_LEADS, PASS_IS_FINAL, RUN_RANKS, BLOCK,
        )  # fmt: skip
