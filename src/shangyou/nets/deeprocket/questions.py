"""Decisions encoded for the nets of DeepRocket: many at once, since encoding is many small steps, to be learned from in parts.

n decisions, M' kickers that were a choice, L labels, k kinds of kickers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor


@dataclass(frozen=True)
class Questions:
    """What the nets are asked, and what was played."""

    planes: Tensor  # [n, 24, 15, 19]
    role: Tensor  # [n]
    legal: Tensor  # [n, L] bool
    label: Tensor  # [n] that was played
    row: Tensor  # [M'] the decision of each kicker, ascending
    kicker_planes: Tensor  # [M', 3, 15, 9]
    allowed: Tensor  # [M', k] bool
    kicker: Tensor  # [M'] that was played

    def __len__(self) -> int:
        return len(self.label)

    def split(self, size: int) -> Iterator[Questions]:
        """Parts of consecutive decisions; the last may be smaller. Nothing is copied."""
        borders = [*range(0, len(self), size), len(self)]
        wanted = torch.tensor(borders, device=self.row.device)
        kickers = torch.searchsorted(self.row, wanted).tolist()  # one wait for the device, however many parts there are
        for (first, end), (first_kicker, last_kicker) in zip(pairwise(borders), pairwise(kickers), strict=True):
            mine, its_kickers = slice(first, end), slice(first_kicker, last_kicker)
            yield Questions(
                planes=self.planes[mine],
                role=self.role[mine],
                legal=self.legal[mine],
                label=self.label[mine],
                row=self.row[its_kickers] - first,
                kicker_planes=self.kicker_planes[its_kickers],
                allowed=self.allowed[its_kickers],
                kicker=self.kicker[its_kickers],
            )
