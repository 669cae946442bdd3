"""95% intervals: for a share of games won, and for a mean score."""

from __future__ import annotations

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
