"""Agents that play as another agent does, and choose some of their plays at random.

n games to decide in, N legal plays in all.
"""

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.engines.batch import Legal, View
from shangyou.games import BadInput


class ExploringAgent(BatchAgent):
    """Plays and bids as `player` does, but for what a subclass chooses at random, by a generator of its own."""

    def __init__(self, player: BatchAgent, device: torch.device) -> None:
        super().__init__(player.game)
        self.player, self.name, self.generator = player, player.name, torch.Generator(device)

    def values(self, view: View, legal: Legal) -> Tensor:
        return self.player.values(view, legal)

    def bid(self, view: View, highest: Tensor) -> Tensor:
        return self.player.bid(view, highest)


class Sampler(ExploringAgent):
    """Draws every play in proportion to exp(win chance / temperature): near 0 the best play, high up any of them.

    What it draws follows from the seed of its generator and the games it is asked about, in their order.
    """

    def __init__(self, player: BatchAgent, device: torch.device, temperature: float = 1.0) -> None:
        super().__init__(player, device)
        if not 0 < temperature < float("inf"):
            raise BadInput(f"temperature {temperature:g}: a number above 0 is needed")
        self.temperature = temperature

    def logits(self, view: View, legal: Legal) -> Tensor:
        """[N] the logarithms of the chances of the plays, but for a constant of each game."""
        return self.player.win_chances(view, legal) / self.temperature

    def values(self, view: View, legal: Legal) -> Tensor:
        """Logits with Gumbel's noise: the greatest of a game is a sample of the softmax."""
        logits = self.logits(view, legal)
        return logits + gumbel(torch.rand(len(logits), generator=self.generator, device=logits.device))


def gumbel(uniform: Tensor) -> Tensor:
    """Noise of Gumbel's distribution from noise between 0 and 1."""
    return -(-uniform.clamp(1e-12, 1 - 1e-7).log()).log()
