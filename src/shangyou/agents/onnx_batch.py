"""An exported model at the table of a batch: asked about many games in one call, on the CPU whatever plays beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.net import Model
from shangyou.engines.batch import Legal, View
from shangyou.games import Game
from shangyou.nets.inputs import Inputs, inputs_of
from shangyou.nets.spec import WIN, worth_to_winner

PAIRS_AT_ONCE = 1 << 14


class OnnxBatchAgent(BatchAgent):
    """`NetAgent`, decision by decision, playing to win."""

    def __init__(self, game: Game, path: Path, name: str, threads: int = 1) -> None:
        super().__init__(game)
        self.model = Model(path, threads=threads)
        self.model.check_plays(game)
        self.name, self.turns = name, self.model.info.turns

    def values(self, view: View, legal: Legal) -> Tensor:
        seen = inputs_of(view, torch.full_like(view.last, WIN))
        seen = seen._replace(history=seen.history[:, : self.turns], history_by=seen.history_by[:, : self.turns])
        pieces = []
        for start in range(0, len(legal.plays), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            rows, own = torch.unique_consecutive(legal.rows[part], return_inverse=True)
            asked = dict(zip(Inputs._fields, seen.at(rows), strict=True)) | {"rows": own, "plays": legal.plays[part]}
            told = {name: tensor.cpu().numpy().astype(np.int64) for name, tensor in asked.items()}
            win, points = (torch.as_tensor(column).double() for column in self.model.run(told))
            pieces.append(worth_to_winner(win, points))
        return torch.cat(pieces).to(legal.plays.device)
