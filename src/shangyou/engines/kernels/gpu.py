"""The batch engine's work on a GPU, in Triton: what cpu.py does, one lane per game. GpuKernels launches the kernels.

A program is one warp of 32 games that go through the same code together. What it does with them is in gpu_deal.py,
gpu_legal.py and gpu_turns.py.
"""
# Triton reads these functions as its own language: types of arguments mean nothing to it, and branches on lanes are `where`.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from ctypes import c_int64
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from shangyou.engines.kernels.gpu_bits import GOLDEN, LAST, OUTS, TURN, TURNS, lanes, mix, scaled
from shangyou.engines.kernels.gpu_deal import deal_games
from shangyou.engines.kernels.gpu_legal import CHOOSING, COUNTING, PLAY, WRITING, legal_lanes, load_hand
from shangyou.engines.kernels.gpu_turns import PLAY_SUIT, pick_suits, step_lanes
from shangyou.engines.kernels.layout import game_constants, tables_of
from shangyou.games import Game, shuffle

WARP = 32  # games to a program
HAND_KEY, TWICE_KEY = tl.constexpr(shuffle.HAND_KEY), tl.constexpr(shuffle.TWICE_KEY)


@triton.jit(do_not_specialize=["n", "B"])
def legal_games(
    cards, scalars, games, n, B, nodes, segments, walks, plays, starts, out, MODE: tl.constexpr,
    PACKS: tl.constexpr, WORDS: tl.constexpr, SUITED: tl.constexpr, LEADS: tl.constexpr, BOMB_SEGMENTS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Counting: how many plays each game has, into `starts`. Writing: the plays themselves, from `starts` on."""
    lane, live, b = lanes(games, n, BLOCK)
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
    lane, live, b = lanes(games, n, BLOCK)
    play = tl.load(chosen + lane, mask=live, other=0)
    held, twice = load_hand(cards, tl.load(scalars + TURN * B + b, mask=live, other=0), b, B, live, WORDS, BLOCK)
    step_lanes(
        cards, scalars, b, B, live, play, held, twice, plays, play_cards, mates,
        SEATS, WORDS, SUITED, OUTS_TO_END, ENDS_WITH_SIDE, PARTNER_LEADS, PASS_IS_FINAL, RUN_RANKS, BLOCK,
    )  # fmt: skip


@triton.jit(do_not_specialize=["n"])
def pick_cards(hands, chosen, out, n, plays, play_cards, WORDS: tl.constexpr, RUN_RANKS: tl.constexpr, BLOCK: tl.constexpr):
    """The cards that plays take from hands [N, W] where suits matter, into `out` [N, W]."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    play = tl.load(chosen + lane, mask=live, other=0)
    held = tl.load(hands + lane * WORDS, mask=live, other=0)
    twice = tl.zeros((BLOCK,), tl.int64)
    if WORDS == 2:
        twice = tl.load(hands + lane * WORDS + 1, mask=live, other=0)
    suit = tl.load(plays + play * PLAY + PLAY_SUIT, mask=live, other=-1)
    once, again = pick_suits(tl.load(play_cards + play, mask=live, other=0), suit, held, twice, RUN_RANKS, BLOCK)
    tl.store(out + lane * WORDS, once, mask=live)
    if WORDS == 2:
        tl.store(out + lane * WORDS + 1, again, mask=live)


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


class GpuKernels:
    def __init__(self, game: Game, device: torch.device) -> None:
        k, self.device = game_constants(game), device
        tables = tables_of(game)
        on_device = (torch.from_numpy(array).to(device) for array in tables)
        nodes, _, segments, walks, plays, play_cards, self.pile, self.sizes, mates = on_device
        self.rules = nodes, segments, walks, plays
        self.turns = play_cards, mates
        self.walking = {
            "WORDS": k.words, "SUITED": k.suited, "PACKS": game.deck.packs, "LEADS": k.leads, "BOMB_SEGMENTS": k.bombs,
        }  # fmt: skip
        self.stepping = {
            "WORDS": k.words, "SUITED": k.suited, "SEATS": k.seats, "OUTS_TO_END": k.outs_to_end, "RUN_RANKS": k.run_ranks,
            "ENDS_WITH_SIDE": k.ends_with_side, "PARTNER_LEADS": k.partner_leads, "PASS_IS_FINAL": k.pass_is_final,
        }  # fmt: skip
        self.dealing = {
            "SEATS": k.seats, "WORDS": k.words, "PUBLIC": k.public, "FIRST_BY": k.first_by, "LANDLORD_SEAT": k.landlord,
            "ODD": k.odd_hands, "CARDS": len(tables.pile), "LARGEST": max(int(tables.sizes.max()), k.public),
            "CARD_ROWS": k.card_rows, "SCALAR_ROWS": k.scalar_rows,
        }  # fmt: skip

    def deal(self, cards: Tensor, scalars: Tensor, games: Tensor, seed: int, index: Tensor) -> None:
        n = len(games)
        scratch = torch.empty(len(self.pile), n, dtype=torch.int8, device=self.device)
        arguments = cards, scalars, games, index, n, cards.shape[1], _signed_key(seed), scratch, self.pile, self.sizes
        _launch(deal_games, n, arguments, self.dealing)

    def count(self, cards: Tensor, scalars: Tensor, games: Tensor) -> Tensor:
        counts = torch.empty(len(games), dtype=torch.int64, device=self.device)
        arguments = cards, scalars, games, len(games), cards.shape[1], *self.rules, counts, counts
        _launch(legal_games, len(games), arguments, self.walking | {"MODE": COUNTING})
        return counts

    def write(self, cards: Tensor, scalars: Tensor, games: Tensor, starts: Tensor, plays: Tensor) -> None:
        arguments = cards, scalars, games, len(games), cards.shape[1], *self.rules, starts, plays
        _launch(legal_games, len(games), arguments, self.walking | {"MODE": WRITING})

    def step(self, cards: Tensor, scalars: Tensor, games: Tensor, plays: Tensor) -> None:
        arguments = cards, scalars, games, plays, len(games), cards.shape[1], self.rules[-1], *self.turns
        _launch(step_games, len(games), arguments, self.stepping)

    def pick(self, hands: Tensor, plays: Tensor) -> Tensor:
        cards = torch.empty_like(hands, memory_format=torch.contiguous_format)
        arguments = hands.contiguous(), plays.to(torch.int32), cards, len(plays), self.rules[-1], self.turns[0]
        _launch(pick_cards, len(plays), arguments, {name: self.stepping[name] for name in ("WORDS", "RUN_RANKS")})
        return cards

    def random_games(self, cards: Tensor, scalars: Tensor, seeds: list[int]) -> None:
        keys = torch.tensor([_signed_key(seed) for seed in seeds], dtype=torch.int64, device=self.device)
        arguments = cards, scalars, cards.shape[1], *self.rules, *self.turns, keys
        _launch(random_games, cards.shape[1], arguments, self.stepping | self.walking)


def _launch(kernel: Any, games: int, arguments: tuple[Any, ...], constants: dict[str, Any]) -> None:
    """A lane for each of `games` games; without any there is nothing to launch, which CUDA calls an error."""
    if games:
        kernel[(triton.cdiv(games, WARP),)](*arguments, **constants, BLOCK=WARP, num_warps=1)


def _signed_key(seed: int) -> int:
    return c_int64(shuffle.seed_key(seed)).value
