"""What a model and whoever asks it agree on. Without torch: a machine that only plays reads this too."""

from typing import TypeVar

ENCODING = 1
"""Grows whenever the same position is encoded in other numbers."""

OBJECTIVES = ("win", "points")
"""What a seat plays for. A win is worth the same however many bombs were played; points are not."""
WIN, POINTS = range(2)

POINT_UTILITY = 1e-4
"""In win chance, to a seat that plays to win: nothing beside a real difference, but it tells apart plays that win alike, and
gives a seat that can no longer win something to play for."""

Values = TypeVar("Values")  # numpy's arrays or torch's tensors


def winner_utility(win: Values, points: Values) -> Values:
    """What a seat that plays to win chooses by, from win chances and points.

    Points count from one lost: in a game for two that is lost almost surely the little chances are not rounded away then.
    """
    return win + POINT_UTILITY * (points + 1)  # type: ignore[operator, no-any-return]


NO_BID = -1
"""The input of a net that bids for a seat that has not bid yet."""
