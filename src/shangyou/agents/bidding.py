"""The Bid Module of the DeepRocket paper: bid by control cards and tidiness."""

from __future__ import annotations

from shangyou.engines.reference import View


def bid_by_strength(view: View, bids: tuple[int, ...]) -> int:
    """The highest allowed bid not above what the hand is worth."""
    raise NotImplementedError
