"""Random games on the batch engine in its two ways: all in one kernel, or decision by decision as agents with nets play."""

from __future__ import annotations

from collections.abc import Callable

import numba
import torch
from torch import Tensor

from shangyou.engines.batch import BatchEngine, Legal, State
from shangyou.engines.kernels.layout import TURNS

DEAL_SEED = 1
WARM_UP_GAMES = 64


def play_in_one_kernel(engine: BatchEngine, games: int) -> State:
    state = engine.play_randomly(engine.deal(games, DEAL_SEED), list(range(engine.game.seats)))
    wait_for(engine.device)
    return state


def play_step_by_step(engine: BatchEngine, games: int) -> State:
    state = engine.deal(games, DEAL_SEED)
    while len(state.running):
        state = engine.step(state, choose_randomly(engine.legal(state)))
    wait_for(engine.device)
    return state


WAYS: dict[str, Callable[[BatchEngine, int], State]] = {
    "one kernel": play_in_one_kernel,
    "step by step": play_step_by_step,
}


def choose_randomly(legal: Legal) -> Tensor:
    """[n] one legal play of each running game. In whole numbers: a product of floats may round up into the next game."""
    counts = legal.counts
    drawn = torch.randint(1 << 31, counts.shape, device=counts.device) * counts >> 31
    return legal.plays[legal.starts[:-1] + drawn]


def wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def use_threads(threads: int) -> None:
    """On a CPU, in the compiled kernels and in torch alike."""
    numba.set_num_threads(threads)
    torch.set_num_threads(threads)


def warm_up(engine: BatchEngine) -> None:
    """Compiles every kernel, so that no measurement pays for it."""
    for play in WAYS.values():
        play(engine, WARM_UP_GAMES)


def count_decisions(state: State) -> int:
    return int(state.scalars[TURNS].sum())


def devices() -> list[str]:
    """What can be measured here."""
    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
