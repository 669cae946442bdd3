"""The net that infers hidden hands: scores of how many cards of each rank the other seats hold, from what a seat sees.

n positions, S seats, W words a set of cards, J splits, R ranks, K = 1 + copies of a rank (`nets/splits.py`).
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.nets import splits
from shangyou.nets.encoding import RANKS, Encoder
from shangyou.nets.history import FLAT, HISTORIES
from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net
from shangyou.nets.splits import BOUND, Hidden
from shangyou.nets.value_net import Residual


@dataclass(frozen=True)
class Size:
    """How large the net is, and how far it looks back."""

    width: int = 768
    depth: int = 2  # residual layers after the first
    turns: int = 18  # past plays shown to the net
    history: str = FLAT  # how they are shown: flat, gru, lstm or attention

    def __post_init__(self) -> None:
        if self.history not in HISTORIES:
            raise BadInput(f"history {self.history!r}: there are {', '.join(HISTORIES)}")


class HandNet(Net):
    """`forward` gives the scores of n positions. Before training they are 0: every split is equally likely."""

    kind, answers = "hands", ("scores",)

    def __init__(self, game: Game, size: Size) -> None:
        super().__init__()
        self.encoder = Encoder(game, size.turns, size.history)
        self.shape, self.most = (splits.splits_of(game), RANKS, self.encoder.copies + 1), game.largest_hand
        self.look = nn.Linear(self.encoder.width, size.width)
        self.trunk = nn.Sequential(*(Residual(size.width, norm=False) for _ in range(size.depth)))
        self.answer = nn.Linear(size.width, self.shape[0] * self.shape[1] * self.shape[2])
        nn.init.zeros_(self.answer.weight)
        nn.init.zeros_(self.answer.bias)

    def example(self) -> dict[str, tuple[str, Tensor]]:
        return {name: value for name, value in super().example().items() if value[0] == "positions"}

    def forward(self, seen: Inputs) -> Tensor:
        """[n, J, R, K] scores; 0 before the first play, when nothing can be inferred."""
        x = self.trunk(functional.relu(self.look(self.encoder.state(seen, self.look.weight.dtype))))
        begun = (seen.played != 0).flatten(1).any(1)
        scores: Tensor = BOUND * torch.tanh(self.answer(x).float() / BOUND) * begun[:, None]
        return scores.reshape(-1, *self.shape)

    def hidden(self, seen: Inputs) -> Hidden:
        """What is known of the cards that the seats do not see."""
        counts = self.encoder.counts
        public = self.encoder.nibbles(seen.public)
        return splits.hidden_cards(counts(seen.unseen), public, counts(seen.played), seen.landlord, seen.left, torch)

    def taken(self, hidden: Hidden, others: Tensor) -> Tensor:
        """[n, J, R] what the true hands of seats 1, 2, ... [n, S - 1, W] have of the free cards."""
        free: Tensor = self.encoder.counts(others) - hidden.known
        return free[:, : self.shape[0]]

    def log_likelihood(self, scores: Tensor, seen: Inputs, others: Tensor) -> Tensor:
        """[n] log P of the ranks of the true hands of seats 1, 2, ... [n, S - 1, W]."""
        hidden = self.hidden(seen)
        found: Tensor = splits.log_likelihood(scores.double(), hidden, self.taken(hidden, others), self.most, torch)
        return found
