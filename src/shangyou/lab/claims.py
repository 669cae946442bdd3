"""Who is stronger: what one side won against the other in every seed, and whether that decides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.evaluation.intervals import Rate, student_half_width

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
    def over_seeds(self) -> float | None:
        """Half the width of Student's interval, if there are several seeds: nets of another seed would differ, too."""
        return student_half_width(self.by_seed) if len(self.by_seed) > 1 else None

    @property
    def verdict(self) -> str:
        """Both intervals must agree. One seed decides about its own nets only."""
        beyond = max(self.rate.half_width, self.over_seeds or 0.0)
        if abs(self.rate.mean - EVEN) <= beyond:
            return "undecided"
        answer = "yes" if self.rate.mean > EVEN else "no, the second"
        return answer if self.over_seeds is not None else f"{answer}, in one seed"
