"""Plays uniformly at random: the baseline for every other agent."""

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.engines.reference import View
from shangyou.games import Rows
from shangyou.games.shuffle import hash_choice, seed_key


class RandomAgent(Agent):
    """Uniform over the legal plays, a pass being one of them, and over the allowed bids.

    Its choice is a hash of its seed and of what it sees, so it is the same in the same position, here and in a batch of games.
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.key = seed_key(seed)

    def values(self, view: View, legal: Rows) -> Values:
        return np.where(np.arange(len(legal)) == self._draw(view, len(view.history), len(legal)), 1.0, 0.0)

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        """Bids have turn numbers below 0: with the number of a later turn, a bid would reveal the play of that turn."""
        return bids[self._draw(view, len(view.bids) - view.game.seats, len(bids))]

    def double(self, view: View) -> bool:
        """Its turn numbers are below those of bids."""
        return self._draw(view, len(view.bids) - 3 * view.game.seats, 2) == 1

    def _draw(self, view: View, turns: int, choices: int) -> int:
        return hash_choice(self.key, turns, view.game.deck.words(view.hand), choices)
