"""The net that bids: the points to expect of every bid, for a hand as it was dealt and the bids made so far.

n hands, S seats, K bids there are (0 is to pass).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import Game
from shangyou.nets.encoding import Encoder
from shangyou.nets.spec import NO_BID


class BidNet(nn.Module):
    def __init__(self, game: Game, width: int = 256) -> None:
        super().__init__()
        self.seats, self.choices = game.seats, max(game.allowed_bids(())) + 1
        self.encoder = Encoder(game, turns=0)
        told = self.encoder.set_width + self.seats * (self.choices + 1)
        self.layers = nn.Sequential(
            nn.Linear(told, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, self.choices)
        )

    def forward(self, hand: Tensor, bids: Tensor) -> Tensor:
        """[n, K] points to expect. hand [n, W]; bids [n, S] by seat, relative to the bidder, NO_BID where there is none yet."""
        made = functional.one_hot((bids - NO_BID).long(), self.choices + 1).flatten(1)
        told = torch.cat([self.encoder.card_set(hand).float(), made.float()], 1)
        return self.layers(told)  # type: ignore[no-any-return]


def allowed(bids: Tensor, choices: int) -> Tensor:
    """[n, K] bool which bids may follow bids [n, S]: none, or more than the highest."""
    numbers = torch.arange(choices, device=bids.device)
    return (numbers == 0) | (numbers > bids.max(1).values[:, None])
