"""Plays uniformly at random: the yardstick every other agent must pass."""

from __future__ import annotations

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.engines.reference import View
from shangyou.games import Rows
from shangyou.games.shuffle import hash_choice, seed_key


class RandomAgent(Agent):
    """Uniform over the legal plays, a pass being one of them, and over the allowed bids.

    It draws by a hash of what it sees, so the same seed in the same position plays the same, here and in a batch of games.
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.key = seed_key(seed)

    def values(self, view: View, legal: Rows) -> Values:
        return np.where(np.arange(len(legal)) == self._draw(view, len(view.history), len(legal)), 1.0, 0.0)

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        """Bids count as turns before turn 0: a bid drawn like a later play would tell which one it is."""
        return bids[self._draw(view, len(view.bids) - view.game.seats, len(bids))]

    def _draw(self, view: View, turns: int, choices: int) -> int:
        return hash_choice(self.key, turns, view.game.deck.words(view.hand), choices)
