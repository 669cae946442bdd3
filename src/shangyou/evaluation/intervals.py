"""95% intervals: of a share of games won, of a mean of any values, and of a mean over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import stdev
from typing import Any, Self

import numpy as np

Z95 = 1.959963984540054  # two-sided 95% point of the normal distribution
T95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}  # of Student's distribution, by degrees of freedom


def share_interval(wins: int, games: int) -> tuple[float, float]:
    """Wilson's score interval, which stays inside 0..1 and is honest near its ends; all of 0..1 without games."""
    if games == 0:
        return 0.0, 1.0
    share, z2 = wins / games, Z95**2 / games
    middle = (share + z2 / 2) / (1 + z2)
    half = Z95 / (1 + z2) * sqrt(share * (1 - share) / games + z2 / (4 * games))
    return max(0.0, middle - half), min(1.0, middle + half)


def student_half_width(means: Sequence[float]) -> float:
    """Half the width of Student's interval of the mean of two to five values, such as the rates of several seeds."""
    return T95[len(means) - 1] * stdev(means) / sqrt(len(means))


@dataclass
class RunningMean:
    """The mean of independent values as they come, and its normal 95% interval. Only sums are stored."""

    count: int = 0
    total: float = 0.0
    total_of_squares: float = 0.0

    @classmethod
    def of(cls, values: Any) -> Self:
        """Of an array of values."""
        mean = cls()
        mean.add(values)
        return mean

    def add(self, values: Any) -> None:
        """A value, or an array of values."""
        values = np.asarray(values, np.float64)
        self.count += values.size
        self.total += float(values.sum())
        self.total_of_squares += float((values * values).sum())

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def half_width(self) -> float:
        """Half the width of the interval; infinite below two values."""
        if self.count < 2:
            return float("inf")
        variance = max(0.0, (self.total_of_squares - self.total * self.total / self.count) / (self.count - 1))
        return Z95 * sqrt(variance / self.count)

    @property
    def interval(self) -> tuple[float, float]:
        return self.mean - self.half_width, self.mean + self.half_width

    def squared_distance(self, point: float) -> float:
        """The mean squared distance of the values from a point; at the mean it is their variance."""
        if self.count == 0:
            return 0.0
        return max(0.0, self.total_of_squares / self.count - 2 * point * self.mean + point * point)


@dataclass(frozen=True)
class Rate:
    """A share of games won."""

    mean: float
    half_width: float  # of the 95% interval
    games: int

    @classmethod
    def of(cls, deals: Any) -> Rate:
        """From the share won of each deal [deals], two games each."""
        values = RunningMean.of(deals)
        return cls(values.mean, values.half_width, 2 * values.count)

    @property
    def interval(self) -> tuple[float, float]:
        return self.mean - self.half_width, self.mean + self.half_width

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.half_width:.3f}"


@dataclass
class ClusteredMean:
    """The mean of values that come in groups, as the decisions of games do, and its normal 95% interval.

    Groups are independent; the values of one need not be. Only sums over groups are stored.
    """

    groups: int = 0
    count: int = 0  # of values
    total: float = 0.0
    squares: tuple[float, float, float] = (0.0, 0.0, 0.0)  # sums over groups: total², total * count, count²

    def add(self, values: Any, groups: Any) -> None:
        """Values [n] and the groups [n] they belong to; all values of a group come in one call."""
        _, place, counts = np.unique(groups, return_inverse=True, return_counts=True)
        totals = np.bincount(place, np.asarray(values, np.float64), len(counts))
        self.groups += len(counts)
        self.count += int(counts.sum())
        self.total += float(totals.sum())
        products = totals @ totals, totals @ counts, counts @ counts
        self.squares = tuple(map(sum, zip(self.squares, map(float, products), strict=True)))  # type: ignore[assignment]

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def half_width(self) -> float:
        """Half the width of the interval; infinite below two groups."""
        if self.groups < 2:
            return float("inf")
        totals, products, counts = self.squares
        spread = max(0.0, totals - 2 * self.mean * products + self.mean**2 * counts)
        return Z95 * sqrt(spread * self.groups / (self.groups - 1)) / self.count
