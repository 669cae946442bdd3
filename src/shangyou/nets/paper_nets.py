"""The nets of Deep ZSY and Battle Royale, and the recurrent one that both papers wished for.

Nets of one shape are kept as one stack with their weights side by side, so that many learn at the cost of few launches; a net
alone is a stack of one. A `Panel` is what plays: one net, or the least, mean or greatest of several.

K nets of a stack, N pairs of position and play. Convolutions are written as products of windows with a matrix for each net.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.nets.dual import COLUMNS, ROWS, DualEncoder, Pairs, sequence_width
from shangyou.nets.inputs import Inputs

TILE = 3  # rows and columns of the first two convolutions
FILLED = 16  # a window of 9 numbers is filled up to this: a GPU multiplies others at a fraction of its speed


@dataclass(frozen=True)
class NetSpec:
    """One net: what decides its shape, and what may differ inside a stack."""

    hidden: tuple[int, ...]  # dense layers before the output
    convs: tuple[tuple[int, int], ...] = ()  # (columns, channels); the first two are three rows high
    last: str = "relu"  # what comes after the last hidden layer: relu or sigmoid
    lstm: int = 0  # units of a recurrent layer over the past plays
    turns: int = 0  # past plays it is shown
    slope: float = 0.0  # below zero: 0 is ReLU, 0.2 the papers' leaky one
    dropout: float = 0.0  # of every hidden layer, while learning

    @property
    def shape(self) -> NetSpec:
        """Equal for nets that fit into one stack."""
        return replace(self, slope=0.0)

    def thinned(self, by: int) -> NetSpec:
        """The same net with fewer channels and units."""
        convs = tuple((width, -(-out // by)) for width, out in self.convs)
        return replace(self, convs=convs, hidden=tuple(-(-units // by) for units in self.hidden), lstm=-(-self.lstm // by))


def _dense(*hidden: int) -> NetSpec:
    return NetSpec(hidden)


def _conv(*convs: tuple[int, int], last: str = "sigmoid") -> NetSpec:
    return NetSpec((100,), ((3, 32), (3, 64), *convs), last)


def _leaky(spec: NetSpec) -> NetSpec:
    return replace(spec, slope=0.2)


DEEP_Q = replace(_dense(200, 40), dropout=0.5)
OLD_DQN = replace(_dense(400, 40), dropout=0.5)  # models 10 to 16, of which model 13 became the Old DQN
LSTM = NetSpec((200, 40), lstm=64, turns=15)
CONV_LSTM = NetSpec((100,), ((3, 32), (3, 64)), "sigmoid", lstm=64, turns=15)

EXPERIMENT_1 = {  # the dense nets' activations are never read where they were run: all are ReLU
    "DenseNet1": _dense(300, 40),
    "DenseNet2": _dense(300, 40),
    "ConvNet1": _conv(last="relu"),
    "ConvNet2": _conv(),
    "ConvNet3": _leaky(_conv(last="relu")),
}
_THIRD, _FOURTH = (3, 128), (1, 32)
EXPERIMENT_2 = {
    **{f"DenseNet{i}": _dense(300, 40) for i in (1, 2, 3)},
    **{f"DenseNet{i}": _dense(300, 400, 40) for i in (4, 5, 6)},
    "ConvNet1": _conv(),
    "ConvNet2": _leaky(_conv()),
    "ConvNet3": _conv(_THIRD),
    "ConvNet4": _leaky(_conv(_THIRD)),
    "ConvNet5": _conv(_THIRD, _FOURTH),
    "ConvNet6": _leaky(_conv(_THIRD, _FOURTH)),
}
EXPERIMENT_5 = {  # two of each net of Experiment 2
    f"{kind}{2 * i - second}": EXPERIMENT_2[f"{kind}{i}"]
    for kind in ("DenseNet", "ConvNet")
    for i in range(1, 7)
    for second in (1, 0)
}


class PairNet(nn.Module):
    """K nets that say how likely plays win: `forward(pairs)` gives [K, N] logits."""

    game: Game
    spec: NetSpec
    nets: int  # K
    numbers_held: int  # about how many numbers one pair takes in all of the nets while it is looked at


class Stack(PairNet):
    """K nets of one shape. Weights are [K, in, out], biases [K, 1, out]."""

    slopes: Tensor

    def __init__(self, game: Game, specs: Sequence[NetSpec]) -> None:
        super().__init__()
        self.specs, self.spec, self.game, self.nets = tuple(specs), specs[0], game, len(specs)
        if any(spec.shape != self.spec.shape for spec in specs):
            raise BadInput(f"nets of different shapes do not fit into one stack: {sorted({str(s.shape) for s in specs})}")
        self.numbers_held = len(specs) * (64_000 if self.spec.convs else 4_000)
        self.encoder = DualEncoder(game, self.spec.turns)
        self.register_buffer("slopes", torch.tensor([spec.slope for spec in specs]), persistent=False)
        self.weights, self.biases = nn.ParameterList(), nn.ParameterList()
        for fan_in, fan_out, reach in self._layers():
            bound = sqrt(6 / (reach[0] + reach[1]))  # Glorot's, as the papers' framework begins
            weight = torch.empty(len(specs), fan_in, fan_out).uniform_(-bound, bound)
            self.weights.append(nn.Parameter(weight))
            self.biases.append(nn.Parameter(torch.zeros(len(specs), 1, fan_out)))

    def _layers(self) -> list[tuple[int, int, tuple[int, int]]]:
        """Numbers in, numbers out, and what Glorot takes them for, of every layer in the order in which they are used."""
        layers: list[tuple[int, int, tuple[int, int]]] = []
        rows, columns, channels = ROWS, COLUMNS, 1
        for width, out in self.spec.convs:
            height = min(TILE, rows)
            layers.append((height * width * channels, out, (height * width * channels, height * width * out)))
            rows, columns, channels = rows - height + 1, columns - width + 1, out
        if self.spec.lstm:
            told = sequence_width(self.game) + self.spec.lstm
            layers.append((told, 4 * self.spec.lstm, (told, 4 * self.spec.lstm)))
        widths = [rows * columns * channels + self.spec.lstm, *self.spec.hidden, 1]
        return layers + [(a, b, (a, b)) for a, b in pairwise(widths)]

    def forward(self, pairs: Pairs) -> Tensor:
        """[K, N] logits of winning."""
        array = self.encoder.array(pairs).to(self.weights[0].dtype)
        past = None if pairs.past is None else self.encoder.sequence(pairs.past, array.dtype)
        return self.logits(array, past)

    def logits(self, array: Tensor, past: Tensor | None = None) -> Tensor:
        """[K, N] from the array [N, 5, 60] and, for a recurrent net, the sequence [N, T, 77]."""
        layers = list(zip(self.weights, self.biases, strict=True))
        convs, dense = len(self.spec.convs), len(self.spec.hidden)
        x = self._windows(array, layers[:convs]) if convs else array.flatten(1)[None].expand(self.nets, -1, -1)
        if self.spec.lstm:
            assert past is not None
            x = torch.cat([x, self._remember(past, *layers[convs])], 2)
        hidden, (weight, bias) = layers[-dense - 1 : -1], layers[-1]
        for place, (w, b) in enumerate(hidden, 1):
            x = torch.baddbmm(b, x, w)
            x = torch.sigmoid(x) if place == dense and self.spec.last == "sigmoid" else self._rectified(x)
            x = functional.dropout(x, self.spec.dropout, self.training) if self.spec.dropout else x
        with torch.autocast(x.device.type, enabled=False):  # plays differ by little
            return torch.baddbmm(bias, x.float(), weight)[:, :, 0]

    def _rectified(self, x: Tensor) -> Tensor:
        return torch.prelu(x[None], self.slopes.to(x.dtype))[0]  # one kernel, whatever the slope of each net

    def _windows(self, array: Tensor, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
        """[K, N, positions * channels] after the convolutions; rows are folded into channels, columns come before both."""
        (weight, bias), *others = layers
        tiles = array.unfold(1, TILE, 1).unfold(2, TILE, 1)  # [N, 3, 58, 3, 3]
        rows, positions = tiles.shape[1:3]
        filled = FILLED - TILE * TILE
        patches = functional.pad(tiles.transpose(1, 2).flatten(-2), (0, filled)).reshape(1, -1, FILLED)
        x = torch.baddbmm(bias, patches.expand(self.nets, -1, -1), functional.pad(weight, (0, 0, 0, filled)))
        x = self._rectified(x).view(self.nets, -1, positions, rows * weight.shape[2])
        for (width, _), (w, b) in zip(self.spec.convs[1:], others, strict=True):
            positions = x.shape[2] - width + 1
            seen = torch.cat([x[:, :, i : i + positions] for i in range(width)], 3) if width > 1 else x
            x = self._rectified(torch.baddbmm(b, seen.flatten(1, 2), w)).view(self.nets, -1, positions, w.shape[2])
        return x.flatten(2)

    def _remember(self, past: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """[K, N, units] what an LSTM makes of the sequence [N, T, width], told from the oldest to the latest."""
        units = self.spec.lstm
        told, kept = weight[:, : past.shape[2]], weight[:, past.shape[2] :]
        state = memory = past.new_zeros(self.nets, past.shape[0], units)
        for play in past.flip(1).unbind(1):
            gates = torch.baddbmm(bias, play[None].expand(self.nets, -1, -1), told) + torch.bmm(state, kept)
            let_in, forget, let_out, new = gates.chunk(4, 2)
            memory = torch.sigmoid(forget + 1) * memory + torch.sigmoid(let_in) * torch.tanh(new)
            state = torch.sigmoid(let_out) * torch.tanh(memory)
        return state

    @torch.no_grad()
    def pick(self, places: Sequence[int]) -> Stack:
        """A stack of its own of some of these nets, as they are now."""
        chosen = Stack(self.game, [self.specs[i] for i in places]).to(self.slopes.device)
        for mine, theirs in zip(chosen.parameters(), self.parameters(), strict=True):
            mine.copy_(theirs[list(places)])
        return chosen.train(self.training)


HOW = {"min": torch.amin, "mean": torch.mean, "max": torch.amax}


class Panel(nn.Module):
    """The net that plays: `forward` gives win chances and points as `ValueNet` does."""

    def __init__(self, stacks: Sequence[PairNet], how: str = "mean") -> None:
        super().__init__()
        if how not in HOW:
            raise BadInput(f"how {how!r}: nets are joined by {', '.join(HOW)}")
        self.stacks, self.how = nn.ModuleList(stacks), how
        self.nets = sum(stack.nets for stack in stacks)
        self.size = max((stack.spec for stack in stacks), key=lambda spec: spec.turns)
        self.encoder = DualEncoder(stacks[0].game, self.size.turns).to(next(stacks[0].parameters()).device)
        self.numbers_held = sum(stack.numbers_held for stack in stacks)

    def logits(self, pairs: Pairs) -> Tensor:
        """[K, N] of all its nets."""
        return torch.cat([stack(pairs) for stack in self.stacks])

    def joined(self, values: Tensor) -> Tensor:
        """[N] from what its nets say, [K, N]."""
        return values[0] if len(values) == 1 else HOW[self.how](values, 0)  # type: ignore[operator]

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor) -> tuple[Tensor, Tensor]:
        """Win chances [N] and points [N]: a game is won or lost and nothing else."""
        win = self.joined(torch.sigmoid(self.logits(self.encoder.pairs(seen, rows, plays))))
        return win, 2 * win - 1
