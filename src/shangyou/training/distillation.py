"""Distillation: the target of a decision is the chance of winning that an ensemble of trained nets gives it, not who won.

Who won is one sample for a whole game; the mean of many nets is close to the chance itself, for each of its plays.
"""

import torch
from torch import Tensor

from shangyou.games import Game
from shangyou.nets.papers import Ensemble
from shangyou.training.game_buffer import GameBuffer


class DistillationBuffer(GameBuffer):
    def __init__(self, game: Game, most_games: int, device: torch.device, teacher: Ensemble) -> None:
        super().__init__(game, most_games, device)
        self.teacher = teacher.eval().requires_grad_(False)
        teacher.freeze()

    @torch.no_grad()
    def outcomes(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """[N] the chance of winning by the teacher, and the moves of the same side that were to come."""
        _, to_end = super().outcomes(rows)
        with torch.autocast(rows.device.type, torch.bfloat16, enabled=rows.is_cuda):  # as the nets that learn from it
            logits = self.teacher.logits(self.pairs(rows, self.teacher.turns))
        return self.teacher.joined(torch.sigmoid(logits)), to_end
