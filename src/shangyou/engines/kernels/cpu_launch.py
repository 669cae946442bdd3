"""The Numba kernels on torch tensors, which share their memory with numpy: a game's cards and scalars side by side."""

import numpy as np
import torch
from torch import Tensor

from shangyou.engines.kernels import cpu
from shangyou.engines.kernels.layout import game_constants, tables_of
from shangyou.games import Game
from shangyou.games.shuffle import seed_key

NO_ROOM = np.empty(0, np.int32)
CHUNK = 64  # games a thread plays before it asks for more


class CpuKernels:
    def __init__(self, game: Game) -> None:
        self.rules = game_constants(game), tables_of(game)

    def deal(self, cards: Tensor, scalars: Tensor, games: Tensor, seed: int, index: Tensor) -> None:
        cpu.deal_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), np.uint64(seed_key(seed)), index.numpy())

    def count(self, cards: Tensor, scalars: Tensor, games: Tensor) -> Tensor:
        counts = torch.empty(len(games), dtype=torch.int64)
        cpu.legal_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), counts.numpy(), NO_ROOM)
        return counts

    def write(self, cards: Tensor, scalars: Tensor, games: Tensor, starts: Tensor, plays: Tensor) -> None:
        if len(plays):  # an empty `plays` would mean to count
            cpu.legal_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), starts.numpy(), plays.numpy())

    def step(self, cards: Tensor, scalars: Tensor, games: Tensor, plays: Tensor) -> None:
        cpu.step_all(*self.rules, cards.T.numpy(), scalars.T.numpy(), games.numpy(), plays.numpy())

    def random_games(self, cards: Tensor, scalars: Tensor, seeds: list[int]) -> None:
        keys = np.array([seed_key(seed) for seed in seeds], np.uint64)
        cpu.random_games(*self.rules, cards.T.numpy(), scalars.T.numpy(), keys, CHUNK)
