"""Whether forecasts are true: those of one size, averaged, beside what came of them.

Intervals are over games, since the decisions of one game share its end.

D forecasts, K bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from shangyou.evaluation.intervals import ClusteredMean

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TENTHS = tuple(tenth / 10 for tenth in range(1, 10))
"""The borders of bins of chances."""

DRAWS = 400  # of what true forecasts show by chance
CERTAIN = 0.95


@dataclass
class Bin:
    """Forecasts of about one size."""

    forecast: ClusteredMean = field(default_factory=ClusteredMean)
    outcome: ClusteredMean = field(default_factory=ClusteredMean)
    excess: ClusteredMean = field(default_factory=ClusteredMean)  # outcome - forecast


class Calibration:
    """Forecasts in bins between `borders`, and their outcomes."""

    def __init__(self, borders: Sequence[float] = TENTHS) -> None:
        self.borders = tuple(borders)
        self.bins = [Bin() for _ in range(len(self.borders) + 1)]
        self._of_games: list[Floats] = []  # [2, games, K] each: how many forecasts, and the sum of their excesses

    def add(self, game: Ints, forecast: Floats, outcome: Floats) -> None:
        """Forecasts of whole games: numbers of the games, forecasts and outcomes [D]."""
        place = np.searchsorted(self.borders, forecast, side="right")
        for number, one in enumerate(self.bins):
            here = place == number
            for mean, column in zip(vars(one).values(), (forecast, outcome, outcome - forecast), strict=True):
                mean.add(column[here], game[here])
        _, row = np.unique(game, return_inverse=True)
        cell, cells = row * len(self.bins) + place, (int(row.max(initial=-1)) + 1) * len(self.bins)
        counts, sums = np.bincount(cell, minlength=cells).astype(np.float64), np.bincount(cell, outcome - forecast, cells)
        self._of_games.append(np.stack([counts, sums]).reshape(2, -1, len(self.bins)))

    @property
    def forecasts(self) -> int:
        return sum(one.excess.count for one in self.bins)

    @property
    def error(self) -> float:
        """The mean distance of the outcomes from the forecasts, bin by bin, over all forecasts."""
        return sum(one.excess.count * abs(one.excess.mean) for one in self.bins) / max(1, self.forecasts)

    def error_by_chance(self) -> tuple[float, float]:
        """The error that true forecasts would show in as many games: its mean, and what it exceeds in 5% of the cases.

        By drawing the sign of what each game is off the excess of its bin, which leaves chance alone.
        """
        counts, sums = np.concatenate(self._of_games, 1) if self._of_games else np.zeros((2, 0, len(self.bins)))
        off = sums - counts * np.array([one.excess.mean for one in self.bins])
        rng, errors = np.random.default_rng(0), []
        for _ in range(DRAWS):
            signs = rng.integers(0, 2, len(off)) * 2.0 - 1
            errors.append(float(np.abs(signs @ off).sum()) / max(1, self.forecasts))
        return float(np.mean(errors)), float(np.quantile(errors, CERTAIN))

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        mean, most = self.error_by_chance()
        return {
            "error": self.error,
            "error_by_chance": mean,
            "error_by_chance_95": most,
            "forecasts": self.forecasts,
            "bins": [described_means(one) for one in self.bins if one.excess.count],
        }


def described_means(means: Any) -> dict[str, Any]:
    """A dataclass of means over the same clusters, for --json."""
    described = {name: {"mean": mean.mean, "half_width_95": mean.half_width} for name, mean in vars(means).items()}
    return {"games": next(iter(vars(means).values())).clusters} | described
