"""Who is stronger: what one side won against the other in every seed, and whether that tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.lab.rates import Rate

EVEN = 0.5


class Claim(NamedTuple):
    """That one side is stronger than another."""

    rate: Rate  # over all seeds
    by_seed: tuple[float, ...]

    @classmethod
    def of(cls, won: Sequence[Tensor]) -> Claim:
        """From what the first side won of each deal, seed by seed."""
        return cls(Rate.of(torch.cat([deals.flatten() for deals in won])), tuple(deals.mean().item() for deals in won))

    def __str__(self) -> str:
        return f"{self.rate}" + (f" ({self.seeds} by seed)" if len(self.by_seed) > 1 else "")

    @property
    def seeds(self) -> str:
        return ", ".join(f"{mean:.3f}" for mean in self.by_seed)

    @property
    def verdict(self) -> str:
        """An interval knows of the games, not of how nets of another seed would differ: seeds must agree as well."""
        low, high = self.rate.interval
        if low > EVEN and min(self.by_seed) > EVEN:
            return "yes"
        return "no, the second" if high < EVEN and max(self.by_seed) < EVEN else "undecided"
