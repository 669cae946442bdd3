"""95% intervals: of a share of games won, of a mean of any values, of values in clusters, and of a mean over seeds."""

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


@dataclass
class ClusteredMean:
    """The mean of values that come in independent clusters, as decisions come in games. Only sums are stored.

    The interval is that of a ratio of sums over clusters: what the values of a cluster are off the mean adds up.
    """

    clusters: int = 0
    count: int = 0  # of values
    total: float = 0.0
    total_of_squares: float = 0.0  # these three of the sum x and the number n of the values of each cluster: x * x
    total_of_products: float = 0.0  # x * n
    squared_counts: float = 0.0  # n * n

    def add(self, values: Any, clusters: Any) -> None:
        """Values, and the number of the cluster of each; a cluster is added whole."""
        _, place = np.unique(clusters, return_inverse=True)
        counts, sums = np.bincount(place).astype(np.float64), np.bincount(place, values)
        self.clusters += len(counts)
        self.count += len(place)
        self.total += float(sums.sum())
        self.total_of_squares += float((sums * sums).sum())
        self.total_of_products += float((sums * counts).sum())
        self.squared_counts += float((counts * counts).sum())

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def half_width(self) -> float:
        """Half the width of the interval; infinite below two clusters."""
        if self.clusters < 2:
            return float("inf")
        off = self.total_of_squares - 2 * self.mean * self.total_of_products + self.mean**2 * self.squared_counts
        return Z95 * sqrt(max(0.0, off) * self.clusters / (self.clusters - 1)) / self.count


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
