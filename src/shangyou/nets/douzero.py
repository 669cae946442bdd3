"""DouZero's nets (Zha et al. 2021): one for each role of doudizhu, which gives the reward to expect of a play.

What a net reads is what its authors' reads, in another order: sets of 54 numbers, cards left and bombs as one of so many, and
the last 15 moves as five steps of three moves each for an LSTM.

n positions, N pairs of position and play.
"""

from dataclasses import dataclass
from typing import ClassVar, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.games.cards import SUITED_RANKS
from shangyou.nets.encoding import Encoder
from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net

ROLES = ("landlord", "peasant after it", "peasant before it")
MOVES, MOVES_A_STEP = 15, 3
CARDS = 54
BOMBS = 15  # more than 14 count as 14
HIDDEN_LAYERS = 5  # and one that answers
PAIRS_AT_ONCE = 1 << 19  # more would only take memory


@dataclass(frozen=True)
class Size:
    """Theirs, unless it is to be smaller for a test."""

    units: int = 128  # of the LSTM
    width: int = 512  # of the layers


class RoleEncoder(Encoder):
    """A number for every card of a set: whether there are one, two, three or four of its rank."""

    def __init__(self, game: Game) -> None:
        if game.name != "doudizhu":
            raise BadInput(f"douzero: its nets are for the three roles of doudizhu; {game.name} has none")
        super().__init__(game, MOVES)
        copies = [self.copies if rank in SUITED_RANKS else 1 for rank in range(len(self.shifts))]
        places = [rank * self.copies + copy for rank, held in enumerate(copies) for copy in range(held)]
        self.places = nn.Buffer(torch.tensor(places), persistent=False)  # [54]
        largest, others = game.largest_hand, game.largest_hand - game.public_size
        self.most_left = {0: largest, 1: others, 2: others}  # by role

    def role(self, landlord: Tensor) -> Tensor:
        """[n] an index into ROLES, of the seat to act, from the landlord as it sees it."""
        return (self.seats - landlord.long()) % self.seats

    def cards(self, packed: Tensor) -> Tensor:
        """[..., W] packed to [..., 54]."""
        return self.card_set(packed)[..., self.places]

    def cards_of_plays(self, plays: Tensor) -> Tensor:
        """[...] rows of the table to [..., 54]."""
        return self.more_than_of_plays(plays)[..., self.places]

    def width_of(self, role: int) -> int:
        """How many numbers of a position the net of a role reads, past moves aside."""
        others = [other for other in range(self.seats) if other != role]
        return (5 if role == 0 else 7) * CARDS + sum(self.most_left[other] for other in others) + BOMBS

    def position(self, seen: Inputs, role: int, dtype: torch.dtype) -> Tensor:
        """[n, w] positions in which the seat to act has this role."""
        others = [(other, (other - role) % self.seats) for other in range(self.seats) if other != role]
        sets = [self.cards(seen.hand), self.cards(seen.unseen), self.cards_of_plays(seen.last.long())]
        sets += [self.cards(seen.played[:, seat]) for _, seat in others]
        if role != 0:
            sets += [self.cards_of_plays(self.latest_of(seen, seat)) for _, seat in others]
        left = [one_of(seen.left[:, seat] - 1, self.most_left[other]) for other, seat in others]
        return torch.cat([part.to(dtype) for part in (*sets, *left, one_of(seen.bombs, BOMBS))], 1)

    def latest_of(self, seen: Inputs, seat: int) -> Tensor:
        """[n] the latest move of a seat, a row of the table; PASS if it has made none."""
        plays, by = seen.history[:, :MOVES].long(), seen.history_by[:, :MOVES] == seat
        return plays.gather(1, by.long().argmax(1, keepdim=True))[:, 0] * by.any(1)

    def moves(self, seen: Inputs, dtype: torch.dtype) -> Tensor:
        """[n, 5, 162] the last moves, the oldest first; zeros where there were not yet so many."""
        plays = seen.history[:, :MOVES].long().flip(1)
        return self.cards_of_plays(plays).to(dtype).reshape(-1, MOVES // MOVES_A_STEP, MOVES_A_STEP * CARDS)


def one_of(number: Tensor, choices: int) -> Tensor:
    """[n, choices] one-hot."""
    return functional.one_hot(number.long().clamp(0, choices - 1), choices)


class Lstm(nn.Module):
    """torch's LSTM of one layer, written out: a loop of plain products compiles and exports for any number of positions."""

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(inputs, units)

    def forward(self, steps: Tensor) -> Tensor:
        """[n, units] its last output, from steps [n, T, inputs]."""
        cell = self.cell
        of_steps = functional.linear(steps, cell.weight_ih, cell.bias_ih).unbind(1)
        output = memory = steps.new_zeros(steps.shape[0], cell.hidden_size)
        for of_step in of_steps:
            let_in, keep, new, let_out = (of_step + functional.linear(output, cell.weight_hh, cell.bias_hh)).chunk(4, 1)
            memory = torch.sigmoid(keep) * memory + torch.sigmoid(let_in) * torch.tanh(new)
            output = torch.sigmoid(let_out) * torch.tanh(memory)
        return output


class RoleNet(nn.Module):
    """An LSTM over past moves and six dense layers. The first one's product is split, so that a position is read once."""

    def __init__(self, encoder: RoleEncoder, role: int, size: Size) -> None:
        super().__init__()
        self.encoder, self.role = encoder, role
        self.lstm = Lstm(MOVES_A_STEP * CARDS, size.units)
        self.first = nn.Linear(size.units + encoder.width_of(role) + CARDS, size.width)
        self.layers = nn.ModuleList(nn.Linear(size.width, size.width) for _ in range(HIDDEN_LAYERS - 1))
        self.answer = nn.Linear(size.width, 1)

    def position(self, seen: Inputs) -> Tensor:
        """[n, width] what the first layer makes of positions."""
        dtype = self.first.weight.dtype
        past = self.lstm(self.encoder.moves(seen, dtype))
        read = torch.cat([past, self.encoder.position(seen, self.role, dtype).to(past.dtype)], 1)
        return functional.linear(read, self.first.weight[:, :-CARDS], self.first.bias)

    def of_pairs(self, position: Tensor, rows: Tensor, plays: Tensor) -> Tensor:
        """[N] the reward expected of plays [N] in positions rows [N], from position [n, width]."""
        return self.rewards(position[rows], plays)

    def rewards(self, position: Tensor, plays: Tensor) -> Tensor:
        """[N] of plays [N], each with the row of `position` [N, width] that is its own."""
        cards = self.encoder.cards_of_plays(plays).to(position.dtype)
        x = functional.relu(position + functional.linear(cards, self.first.weight[:, -CARDS:]))
        for layer in self.layers:
            x = functional.relu(layer(x))
        return (x.float() * self.answer.weight[0].float()).sum(1) + self.answer.bias[0]  # plays differ by little

    def forward(self, seen: Inputs, plays: Tensor) -> Tensor:
        """[n] of one play in each position."""
        return self.rewards(self.position(seen), plays)


class DouZeroNet(Net):
    """`forward` gives the reward expected of N pairs of position and play, each by the net of the role of the seat to act."""

    answers: ClassVar = ("value",)

    def __init__(self, game: Game, size: Size) -> None:
        super().__init__()
        self.encoder: RoleEncoder = RoleEncoder(game)
        self.roles = nn.ModuleList(RoleNet(self.encoder, role, size) for role in range(len(ROLES)))

    def to_bf16(self) -> Self:
        self.bfloat16()
        for role in range(len(ROLES)):
            self.net_of(role).answer.float()
        return self

    def net_of(self, role: int) -> RoleNet:
        return self.roles[role]  # type: ignore[return-value]

    def of_role(self, seen: Inputs, rows: Tensor, plays: Tensor, role: int) -> Tensor:
        """[N] for positions that all have this role."""
        net = self.net_of(role)
        position, parts = (
            net.position(seen),
            zip(torch.split(rows, PAIRS_AT_ONCE), torch.split(plays, PAIRS_AT_ONCE), strict=True),
        )
        return torch.cat([net.of_pairs(position, *part) for part in parts])

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor) -> Tensor:
        role = self.encoder.role(seen.landlord)
        if torch.compiler.is_exporting():  # a model computes all three, since it cannot choose
            nets = [self.net_of(number) for number in range(len(ROLES))]
            answers = torch.stack([net.of_pairs(net.position(seen), rows, plays) for net in nets], 1)
            return answers.gather(1, role[rows][:, None])[:, 0]
        if len(found := torch.unique(role).tolist()) == 1:  # as in all games that are played in step
            return self.of_role(seen, rows, plays, found[0])
        values = torch.zeros(len(plays), device=plays.device)
        for number in found:
            own, pairs = torch.nonzero(role == number)[:, 0], torch.nonzero(role[rows] == number)[:, 0]
            place = torch.zeros_like(role).scatter_(0, own, torch.arange(len(own), device=own.device))
            values = values.index_copy(0, pairs, self.of_role(seen.at(own), place[rows[pairs]], plays[pairs], number))
        return values
