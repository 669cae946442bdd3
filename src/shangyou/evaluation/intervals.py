"""95% intervals: for a share of games won, and for a mean of any values."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

Z95 = 1.959963984540054  # two-sided 95% point of the normal distribution


def share_interval(wins: int, games: int) -> tuple[float, float]:
    """Wilson's score interval, which stays inside 0..1 and is honest near its ends; all of 0..1 without games."""
    if games == 0:
        return 0.0, 1.0
    share, z2 = wins / games, Z95**2 / games
    middle = (share + z2 / 2) / (1 + z2)
    half = Z95 / (1 + z2) * sqrt(share * (1 - share) / games + z2 / (4 * games))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_half_width(total: float, total_of_squares: float, count: int) -> float:
    """Half the width of the normal interval of a mean, from running sums; infinite below two values."""
    if count < 2:
        return float("inf")
    variance = max(0.0, (total_of_squares - total * total / count) / (count - 1))
    return Z95 * sqrt(variance / count)


@dataclass
class RunningMean:
    """The mean of values as they come, and how sure it is. Only sums are kept."""

    count: int = 0
    total: float = 0.0
    total_of_squares: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.total_of_squares += value * value

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    @property
    def half_width(self) -> float:
        return mean_half_width(self.total, self.total_of_squares, self.count)

    def squared_distance(self, point: float) -> float:
        """The mean squared distance of the values from a point; at the mean it is their variance."""
        if self.count == 0:
            return 0.0
        return max(0.0, self.total_of_squares / self.count - 2 * point * self.mean + point * point)
