"""The batch engine's inner loops behind one interface, compiled for the device: Numba on a CPU, Triton on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shangyou.games import Game

if TYPE_CHECKING:  # the solver uses the CPU's functions where there is no torch
    import torch
    from torch import Tensor


class Kernels(Protocol):
    """What a device can do with many games. `cards` [C, B] and `scalars` [M, B] are the state, changed in place."""

    def deal(self, cards: Tensor, scalars: Tensor, games: Tensor, seed: int, index: Tensor) -> None:
        """Deal number index[i] of `seed` into game games[i], ready for its first turn."""

    def count(self, cards: Tensor, scalars: Tensor, games: Tensor) -> Tensor:
        """[n] int64 how many legal plays the seat to act has."""

    def write(self, cards: Tensor, scalars: Tensor, games: Tensor, starts: Tensor, plays: Tensor) -> None:
        """The legal plays of game games[i] into plays[starts[i] : starts[i + 1]], ascending."""

    def step(self, cards: Tensor, scalars: Tensor, games: Tensor, plays: Tensor) -> None:
        """Game games[i] goes on by plays[i]."""

    def pick(self, hands: Tensor, plays: Tensor) -> Tensor:
        """[N, W] the cards that plays [N] take from hands [N, W] where suits matter."""

    def random_games(self, cards: Tensor, scalars: Tensor, seeds: list[int]) -> None:
        """Every game to its end, each seat playing as the random agent of its seed does."""


def load_kernels(game: Game, device: torch.device) -> Kernels:
    if device.type == "cuda":
        from shangyou.engines.kernels.gpu import GpuKernels

        return GpuKernels(game, device)
    from shangyou.engines.kernels.cpu import CpuKernels

    return CpuKernels(game)
