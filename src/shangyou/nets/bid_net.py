"""The net that bids: the expected points of every bid, for a hand as it was dealt and the bids made so far.

n hands, S seats, K possible bids (0 is to pass).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import Game
from shangyou.nets.encoding import Encoder
from shangyou.nets.net import Net
from shangyou.nets.spec import NO_BID


class BidNet(Net):
    kind, answers = "bids", ("points",)

    def __init__(self, game: Game, width: int = 256) -> None:
        super().__init__()
        self.seats, self.choices = game.seats, max(game.allowed_bids(())) + 1
        self.encoder = Encoder(game, turns=0)
        after = [[bid in game.allowed_bids((highest,)) for bid in range(self.choices)] for highest in range(self.choices)]
        self.after = nn.Buffer(torch.tensor(after), persistent=False)  # [K, K] by the highest bid so far
        inputs = self.encoder.set_width + self.seats * (self.choices + 1)
        self.layers = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, self.choices)
        )

    def example(self) -> dict[str, tuple[str, Tensor]]:
        shapes = {"hand": (3, self.encoder.words), "bids": (3, self.seats)}
        return {name: ("hands", torch.zeros(shape, dtype=torch.int64)) for name, shape in shapes.items()}

    def run(self, *inputs: Tensor) -> Tensor:
        return self(*inputs)  # type: ignore[no-any-return]

    def forward(self, hand: Tensor, bids: Tensor) -> Tensor:
        """[n, K] expected points. hand [n, W]; bids [n, S] by seat, relative to the bidder, NO_BID where there is none yet."""
        made = functional.one_hot((bids - NO_BID).long(), self.choices + 1).flatten(1)
        inputs = torch.cat([self.encoder.card_set(hand).float(), made.float()], 1)
        return self.layers(inputs)  # type: ignore[no-any-return]

    def allowed(self, bids: Tensor) -> Tensor:
        """[n, K] bool which bids may follow bids [n, S]."""
        return self.after[bids.max(1).values.clamp(min=0)]
