"""What a net is to those who export, prune and compare it, whatever is inside.

n positions or hands, N pairs of position and play.
"""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from shangyou.nets.encoding import Encoder
from shangyou.nets.inputs import Inputs


class Net(nn.Module):
    """A net with an encoder of its own, so that a model made of it is asked with packed cards."""

    kind: ClassVar[str] = "value"  # of the model: value, it plays; bids, it bids
    answers: ClassVar[tuple[str, ...]] = ("win", "points")
    encoder: Encoder

    @property
    def turns(self) -> int:
        """How many past plays it reads."""
        return self.encoder.turns

    @property
    def prunable(self) -> bool:
        """Whether units that never fire can be left out (`nets/pruning.py`)."""
        return False

    def example(self) -> dict[str, tuple[str, Tensor]]:
        """By name every input of its model in order: what its first dimension counts, and a value of the right shape."""
        n, seats, words, turns = 3, self.encoder.seats, self.encoder.words, self.turns
        shapes = {"hand": (n, words), "unseen": (n, words), "played": (n, seats, words), "left": (n, seats)}
        shapes |= {"passed": (n, seats), "history": (n, turns), "history_by": (n, turns)}
        seen = {name: torch.zeros(shapes.get(name, (n,)), dtype=torch.int64) for name in Inputs._fields}
        pairs = {"rows": torch.tensor([0, 0, 1, 2, 2]), "plays": torch.zeros(5, dtype=torch.int64)}
        return {name: ("positions", value) for name, value in seen.items()} | {
            name: ("pairs", value) for name, value in pairs.items()
        }

    def run(self, *inputs: Tensor) -> Any:
        """Its answers to the inputs of `example`."""
        *seen, rows, plays = inputs
        return self(Inputs(*seen), rows, plays)
