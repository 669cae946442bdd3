"""What a model and whoever asks it agree on. Without torch: a machine that only plays reads this too."""

from __future__ import annotations

ENCODING = 1
"""Grows whenever the same position would be told to a net in other numbers."""

AIMS = ("win", "points")
"""What a seat plays for. A win is worth the same however many bombs were played; points are not."""
WIN, POINTS = range(2)

WORTH_OF_A_POINT = 1e-4
"""In win chance, to a seat that plays to win: nothing beside a real difference, but it tells apart plays that win alike, and
gives a seat that can no longer win something to play for."""

NO_BID = -1
"""What a net that bids is told of a seat that has not bid yet."""
