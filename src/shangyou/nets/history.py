"""Blocks that summarise past plays for a net, which otherwise reads them concatenated.

n positions, T turns, the latest first. A mask is True for turns that were played; a block ignores the others.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

UNITS = 128  # the width of the output of a block, a multiple of encoding.GRAIN
QUERIES = 4


class Gru(nn.Module):
    """A gated recurrent layer over the turns from the oldest to the latest; its last state.

    Written out: a loop of plain products compiles and exports for any number of positions.
    """

    def __init__(self, turns: int, width: int) -> None:
        super().__init__()
        self.of_turn = nn.Linear(width, 3 * UNITS)
        self.of_state = nn.Linear(UNITS, 3 * UNITS)

    def forward(self, turns: Tensor, mask: Tensor) -> Tensor:
        """[n, UNITS] from turns [n, T, width]; `mask [n, T]` is False for turns to ignore."""
        state = turns.new_zeros(turns.shape[0], UNITS)
        inputs = self.of_turn(turns).unbind(1)
        for turn, was in zip(reversed(inputs), reversed(mask[:, :, None].unbind(1)), strict=True):
            old_reset, old_update, old_new = self.of_state(state).chunk(3, 1)
            reset, update, new = turn.chunk(3, 1)
            new = torch.tanh(new + torch.sigmoid(reset + old_reset) * old_new)
            state = state + torch.sigmoid(update + old_update) * was * (new - state)
        return state


class Lstm(nn.Module):
    """A layer of long short-term memory over the turns from the oldest to the latest; its last output."""

    def __init__(self, turns: int, width: int) -> None:
        super().__init__()
        self.of_turn = nn.Linear(width, 4 * UNITS)
        self.of_state = nn.Linear(UNITS, 4 * UNITS, bias=False)

    def forward(self, turns: Tensor, mask: Tensor) -> Tensor:
        """[n, UNITS] from turns [n, T, width]; `mask [n, T]` is False for turns to ignore."""
        output = cell = turns.new_zeros(turns.shape[0], UNITS)
        inputs = self.of_turn(turns).unbind(1)
        for turn, was in zip(reversed(inputs), reversed(mask[:, :, None].unbind(1)), strict=True):
            let_in, keep, let_out, new = (turn + self.of_state(output)).chunk(4, 1)
            cell_after = torch.sigmoid(keep + 1) * cell + torch.sigmoid(let_in) * torch.tanh(new)  # begins by keeping
            cell = torch.where(was, cell_after, cell)
            output = torch.where(was, torch.sigmoid(let_out) * torch.tanh(cell), output)
        return output


class Attention(nn.Module):
    """Turns by what they are and how long ago, weighed by learned queries; each query reads a share of the units."""

    def __init__(self, turns: int, width: int) -> None:
        super().__init__()
        self.of_turn = nn.Linear(width, UNITS)
        self.place = nn.Parameter(torch.randn(turns, UNITS) / UNITS**0.5)
        self.queries = nn.Linear(UNITS, QUERIES, bias=False)
        self.read = nn.Linear(UNITS, UNITS)

    def forward(self, turns: Tensor, mask: Tensor) -> Tensor:
        """[n, UNITS] from turns [n, T, width]; `mask [n, T]` is False for turns to ignore."""
        known = functional.relu(self.of_turn(turns) + self.place)
        liking = self.queries(known).masked_fill(~mask[:, :, None], -torch.inf)
        weights = torch.softmax(functional.pad(liking, (0, 0, 0, 1)), 1)[:, :-1]  # one more: a query may look at nothing
        read: Tensor = self.read(known).unflatten(2, (QUERIES, -1))
        return (weights[..., None] * read).sum(1).flatten(1)


FLAT = "flat"
BLOCKS = {"gru": Gru, "lstm": Lstm, "attention": Attention}
HISTORIES = (FLAT, *BLOCKS)


def make_block(how: str, turns: int, width: int) -> nn.Module | None:
    """The block for turns of this width; None if the encoder concatenates them, or there are none."""
    return BLOCKS[how](turns, width) if how != FLAT and turns else None
