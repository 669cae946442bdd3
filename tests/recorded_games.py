"""Games of a batch, one agent to a seat, with every decision."""

from __future__ import annotations

from collections.abc import Sequence

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.play import play
from shangyou.agents.batch.recorder import Recorder, Trajectories
from shangyou.engines.batch import BatchEngine


def record(
    engine: BatchEngine, agents: Sequence[BatchAgent], count: int, seed: int, first_index: int = 0, views: bool = False
) -> Trajectories:
    recorder = Recorder(views)
    return recorder.trajectories(play(engine, agents, None, engine.deal(count, seed, first_index), recorder))
