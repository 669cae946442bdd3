"""Plays uniformly at random: the yardstick every other agent must pass."""

from __future__ import annotations

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.engines.reference import View
from shangyou.games import Rows


class RandomAgent(Agent):
    """Uniform over the legal plays, a pass being one of them, and over the allowed bids."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)

    def values(self, view: View, legal: Rows) -> Values:
        return self.generator.random(len(legal))

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        return int(self.generator.choice(bids))
