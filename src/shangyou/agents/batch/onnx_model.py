"""An agent that plays a batch of games by an exported model: one call of onnxruntime, on the CPU, for many games."""

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent, whole_positions
from shangyou.agents.models.net_agent import NetAgent
from shangyou.engines.batch import BatchEngine, Legal, View
from shangyou.games import Game
from shangyou.nets.inputs import inputs_of
from shangyou.nets.spec import OBJECTIVES, value_of

PAIRS_AT_ONCE, POSITIONS_AT_ONCE = 1 << 14, 1 << 10  # more would only take memory


class OnnxBatchAgent(BatchAgent):
    """Chooses what `NetAgent` chooses."""

    def __init__(self, game: Game, agent: NetAgent) -> None:
        super().__init__(game, agent.bid)
        self.model, self.name, self.turns, self.objective = agent.model, agent.name, agent.model.info.turns, agent.objective
        self.model.check_plays(game)
        self.engine = BatchEngine(game) if "play_cards" in self.model.inputs else None

    def values(self, view: View, legal: Legal) -> Tensor:
        seen = inputs_of(view, torch.full_like(view.last, OBJECTIVES.index(self.objective))).latest(self.turns)
        pieces = []
        for games, pairs in whole_positions(legal, PAIRS_AT_ONCE, POSITIONS_AT_ONCE):
            own = legal.rows[pairs] - games.start
            asked = seen.at(games)._asdict() | {"rows": own, "plays": legal.plays[pairs]}
            if self.engine is not None:
                asked["play_cards"] = self.engine.cards_of(asked["hand"].cpu()[own.cpu()], asked["plays"].cpu())
            inputs = {name: tensor.cpu().numpy().astype(np.int64) for name, tensor in asked.items()}
            answers = [torch.as_tensor(column).double() for column in self.model.run(inputs)]
            pieces.append(value_of(answers, self.objective))
        return torch.cat(pieces).to(legal.plays.device)
