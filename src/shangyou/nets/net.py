"""The interface of nets, for export, pruning and comparison.

n positions or hands, N pairs of position and play.
"""

from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from shangyou.nets.encoding import Encoder
from shangyou.nets.inputs import Inputs
from shangyou.nets.spec import MODEL_NAMES, OBJECTIVES


class Net(nn.Module):
    """A net with its own encoder, so that an exported model takes packed cards as input."""

    kind: ClassVar[str] = "value"  # of the model: value, it plays; bids, it bids
    answers: ClassVar[tuple[str, ...]] = ("win", "points")
    objectives: tuple[str, ...] = OBJECTIVES  # that it can be asked for
    encoder: Encoder

    @property
    def turns(self) -> int:
        """How many past plays it reads."""
        return self.encoder.turns

    @property
    def prunable(self) -> bool:
        """Whether units that never fire can be left out (`nets/pruning.py`)."""
        return False

    def to_bf16(self) -> Self:
        """As a GPU computes it fastest; the last layer stays in float32, since the plays to choose from differ by little."""
        self.bfloat16()
        self.answer.float()
        return self

    def example(self) -> dict[str, tuple[str, Tensor]]:
        """Every input of the exported model by name, in order: what its first dimension counts, and an example value."""
        n, seats, words, turns = 3, self.encoder.seats, self.encoder.words, self.turns
        shapes = {"hand": (n, words), "unseen": (n, words), "played": (n, seats, words), "left": (n, seats)}
        shapes |= {"passed": (n, seats), "history": (n, turns), "history_by": (n, turns), "last_cards": (n, words)}
        zeros = {name: torch.zeros(shapes.get(name, (n,)), dtype=torch.int64) for name in Inputs._fields}
        seen = {MODEL_NAMES.get(name, name): ("positions", value) for name, value in zeros.items()}
        return seen | {"rows": ("pairs", torch.tensor([0, 0, 1, 2, 2])), "plays": ("pairs", torch.zeros(5, dtype=torch.int64))}

    def run(self, *inputs: Tensor) -> Any:
        """The answers of the net to inputs in the order of `example`."""
        fields = len(Inputs._fields)
        return self(Inputs(*inputs[:fields]), *inputs[fields:])
