"""The Triton kernels on CUDA tensors."""

from typing import Any

import torch
import triton
from torch import Tensor

from shangyou.engines.kernels import gpu
from shangyou.engines.kernels.gpu_legal import COUNTING, WRITING
from shangyou.engines.kernels.layout import game_constants, tables_of
from shangyou.games import Game
from shangyou.games.shuffle import seed_key

BLOCK = 32  # games to a program of one warp
ONE_WARP = {"BLOCK": BLOCK, "num_warps": 1}


def as_signed(key: int) -> int:
    return key - (1 << 64) if key >> 63 else key


class GpuKernels:
    def __init__(self, game: Game, device: torch.device) -> None:
        k, self.device = game_constants(game), device
        tables = tables_of(game)
        on_device = (torch.from_numpy(array).to(device) for array in tables)
        nodes, _, segments, walks, plays, play_cards, self.pile, self.sizes, mates = on_device
        self.rules = nodes, segments, walks, plays
        self.turns = play_cards, mates
        layout = {"WORDS": k.words, "SUITED": k.suited}
        self.walking: dict[str, Any] = {
            **layout, "PACKS": game.deck.packs, "LEADS": k.leads, "BOMB_SEGMENTS": k.bombs, **ONE_WARP,
        }  # fmt: skip
        self.stepping: dict[str, Any] = {
            **layout, "SEATS": k.seats, "OUTS_TO_END": k.outs_to_end, "ENDS_WITH_SIDE": k.ends_with_side,
            "PARTNER_LEADS": k.partner_leads, "PASS_IS_FINAL": k.pass_is_final, "RUN_RANKS": k.run_ranks, **ONE_WARP,
        }  # fmt: skip
        self.dealing: dict[str, Any] = {
            "SEATS": k.seats, "WORDS": k.words, "PUBLIC": k.public, "FIRST_BY": k.first_by, "LANDLORD_SEAT": k.landlord,
            "ODD": k.odd_hands, "CARDS": len(tables.pile), "LARGEST": max(int(tables.sizes.max()), k.public),
            "SCALAR_ROWS": k.scalar_rows, **ONE_WARP,
        }  # fmt: skip

    def deal(self, cards: Tensor, scalars: Tensor, games: Tensor, seed: int, index: Tensor) -> None:
        n = len(games)
        if n:
            scratch = torch.empty(len(self.pile), n, dtype=torch.int8, device=self.device)
            key = as_signed(seed_key(seed))
            arguments = cards, scalars, games, index, n, cards.shape[1], key, scratch, self.pile, self.sizes
            gpu.deal_games[_grid(n)](*arguments, **self.dealing)

    def count(self, cards: Tensor, scalars: Tensor, games: Tensor) -> Tensor:
        counts = torch.empty(len(games), dtype=torch.int64, device=self.device)
        self._legal(cards, scalars, games, counts, counts, COUNTING)
        return counts

    def write(self, cards: Tensor, scalars: Tensor, games: Tensor, starts: Tensor, plays: Tensor) -> None:
        self._legal(cards, scalars, games, starts, plays, WRITING)

    def _legal(self, cards: Tensor, scalars: Tensor, games: Tensor, starts: Tensor, plays: Tensor, mode: Any) -> None:
        n = len(games)
        if n:
            arguments = cards, scalars, games, n, cards.shape[1], *self.rules, starts, plays
            gpu.legal_games[_grid(n)](*arguments, MODE=mode, **self.walking)

    def step(self, cards: Tensor, scalars: Tensor, games: Tensor, plays: Tensor) -> None:
        n = len(games)
        if n:
            arguments = cards, scalars, games, plays, n, cards.shape[1], self.rules[-1], *self.turns
            gpu.step_games[_grid(n)](*arguments, **self.stepping)

    def random_games(self, cards: Tensor, scalars: Tensor, seeds: list[int]) -> None:
        games = cards.shape[1]
        if games:
            keys = torch.tensor([as_signed(seed_key(seed)) for seed in seeds], dtype=torch.int64, device=self.device)
            arguments = cards, scalars, games, *self.rules, *self.turns, keys
            gpu.random_games[_grid(games)](*arguments, **(self.stepping | self.walking))


def _grid(games: int) -> tuple[int]:
    return (triton.cdiv(games, BLOCK),)
