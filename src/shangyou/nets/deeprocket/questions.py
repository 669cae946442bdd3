"""Decisions encoded for the nets of DeepRocket: many at once, since encoding is many small steps, to be learned from in parts.

n decisions, M' kickers that were a choice, L labels, k kinds of kickers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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

    @property
    def columns(self) -> list[Tensor]:
        """In the order of the fields."""
        return list(vars(self).values())

    def split(self, size: int, unit: int = 0) -> Iterator[Questions]:
        """Parts of consecutive decisions; the last may be smaller.

        With `unit`, all parts have the same number of kickers, a multiple of it: they are filled up with ones that have one
        answer, from which nothing is learned. Otherwise nothing is copied.
        """
        borders = [*range(0, len(self), size), len(self)]
        wanted = torch.tensor(borders, device=self.row.device)
        kickers = torch.searchsorted(self.row, wanted).tolist()  # one wait for the device, however many parts there are
        whole = self
        if unit:
            most = max(end - first for first, end in pairwise(kickers))
            most = max(1, -(-most // unit)) * unit
            whole, kickers = self._filled_up(size, most), [most * number for number in range(len(kickers))]
        for (first, end), (first_kicker, last_kicker) in zip(pairwise(borders), pairwise(kickers), strict=True):
            mine, its_kickers = slice(first, end), slice(first_kicker, last_kicker)
            yield Questions(
                planes=whole.planes[mine],
                role=whole.role[mine],
                legal=whole.legal[mine],
                label=whole.label[mine],
                row=whole.row[its_kickers] - first,
                kicker_planes=whole.kicker_planes[its_kickers],
                allowed=whole.allowed[its_kickers],
                kicker=whole.kicker[its_kickers],
            )

    def _filled_up(self, size: int, most: int) -> Questions:
        """`most` kickers for every `size` decisions."""
        part, planes = self.row // size, self.kicker_planes
        parts = -(-len(self) // size)
        before = torch.searchsorted(part, torch.arange(parts, device=part.device))  # [parts] kickers of earlier parts
        number = torch.arange(len(part), device=part.device)
        places = torch.arange(parts * most, device=part.device)
        source = torch.full_like(places, len(part))  # the last of all is the one to fill up with
        source[part * most + number - before[part]] = number
        certain = torch.arange(self.allowed.shape[1], device=part.device)[None] == 0
        return replace(
            self,
            row=torch.where(source < len(part), torch.cat([self.row, self.row.new_zeros(1)])[source], places // most * size),
            kicker_planes=torch.cat([planes, planes.new_zeros(1, *planes.shape[1:])])[source].contiguous(
                memory_format=torch.channels_last
            ),
            allowed=torch.cat([self.allowed, certain])[source],
            kicker=torch.cat([self.kicker, self.kicker.new_zeros(1)])[source],
        )
