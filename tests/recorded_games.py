"""Games of a batch with every decision, and an agent that stores what it was asked."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.play import play
from shangyou.agents.batch.recorder import Recorder, Trajectories
from shangyou.engines.batch import BatchEngine, Legal, View
from shangyou.games import Game


def record(
    engine: BatchEngine, agents: Sequence[BatchAgent], count: int, seed: int, first_index: int = 0, views: bool = False
) -> Trajectories:
    """One agent to a seat."""
    recorder = Recorder(views)
    return recorder.trajectories(play(engine, agents, None, engine.deal(count, seed, first_index), recorder))


class AskedAgent(BatchAgent):
    """Plays its highest row. Stores how many plays it had to choose from each time, and in which games."""

    name = "asked"

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.calls: list[list[int]] = []
        self.games: list[int] = []

    def values(self, view: View, legal: Legal) -> Tensor:
        self.calls.append(legal.counts.tolist())
        return legal.plays.float()

    def act_each(self, view: View, legal: Legal, games: Tensor, ends: Sequence[int]) -> Tensor:
        self.games += games.tolist()
        return super().act_each(view, legal, games, ends)
