"""The inputs of a net: the fields of a view and the objective, as plain tensors.

n positions, S seats, W words a set of cards, T turns remembered.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.engines.batch import View


class Inputs(NamedTuple):
    """In the order of an exported model's inputs; integers all."""

    hand: Tensor  # [n, W]
    unseen: Tensor  # [n, W]
    played: Tensor  # [n, S, W]
    left: Tensor  # [n, S]
    last: Tensor  # [n] a row of the table
    last_by: Tensor  # [n]
    landlord: Tensor  # [n]
    public: Tensor  # [n]
    passed: Tensor  # [n, S]
    bombs: Tensor  # [n]
    history: Tensor  # [n, T] rows of the table, the latest first
    history_by: Tensor  # [n, T]
    last_cards: Tensor  # [n, W] the very cards of the last play
    objective: Tensor  # [n] index into spec.ALL_OBJECTIVES

    def at(self, rows: Tensor | slice) -> Inputs:
        return Inputs(*(field[rows] for field in self))

    def latest(self, turns: int) -> Inputs:
        """With no more than the last `turns` plays of the history."""
        return self._replace(history=self.history[:, :turns], history_by=self.history_by[:, :turns])


def inputs_of(view: View, objective: Tensor) -> Inputs:
    return Inputs(**{name: getattr(view, name) for name in Inputs._fields[:-1]}, objective=objective)


def join(parts: list[Inputs]) -> Inputs:
    return Inputs(*(torch.cat(fields) for fields in zip(*parts, strict=True)))
