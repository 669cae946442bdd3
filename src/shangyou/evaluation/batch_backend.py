"""Games of an evaluation on the batch engine: scripted agents, models, and nets on the device they are trained on."""

from collections.abc import Sequence

import torch

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.play import play
from shangyou.engines.batch import BatchEngine
from shangyou.engines.kernels.layout import LANDLORD
from shangyou.evaluation.backends import Ints, Results


class BatchBackend:
    """Agents on tensors, with the seed of the deals they play."""

    def __init__(self, engine: BatchEngine, agents: Sequence[BatchAgent], seed: int) -> None:
        self.engine, self.game, self.agents, self.seed = engine, engine.game, agents, seed

    def play(self, seats: Ints, deals: Ints) -> Results:
        device = self.engine.device
        start = self.engine.deal_these(torch.as_tensor(deals, device=device), self.seed)
        played = play(self.engine, self.agents, torch.as_tensor(seats, device=device), start)
        columns = played.places, played.scores, played.turns
        return Results(
            played.state.scalars[LANDLORD].cpu().numpy(),
            played.won.cpu().numpy(),
            *(column.cpu().numpy() for column in columns),
        )
