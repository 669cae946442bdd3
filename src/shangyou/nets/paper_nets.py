"""The nets of Deep ZSY and Battle Royale, and the recurrent one that both papers wished for.

Nets of one shape are kept as one stack with their weights side by side, so that many learn at the cost of few launches; a net
alone is a stack of one. A `Panel` is what plays: one net, or the least, mean or greatest of several.

K nets of a stack, N pairs of position and play. The first two convolutions are looked up (`nets/windows.py`); others are
products of windows with a matrix for each net (`nets/convolutions.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.nets.convolutions import convolve, rectified
from shangyou.nets.dual import COLUMNS, ROWS, DualEncoder, Pairs, Told, sequence_width
from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net
from shangyou.nets.windows import TILE, LookUp, all_patches, answers_of, look_up, said_of_triples


@dataclass(frozen=True)
class NetSpec:
    """One net: what decides its shape, and what may differ inside a stack."""

    hidden: tuple[int, ...]  # dense layers before the output
    convs: tuple[tuple[int, int], ...] = ()  # (columns, channels); if any, the first two are three by three
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
    """K nets that say how likely plays win: `forward(told)` gives [K, N] logits."""

    game: Game
    spec: NetSpec
    nets: int  # K
    numbers_held: int  # about how many numbers one pair takes in all of the nets while it is looked at

    def settle(self) -> None:
        """Make ready for much play: the weights stay as they are from now on."""


class Stack(PairNet):
    """K nets of one shape. Weights are [K, in, out], biases [K, 1, out]."""

    slopes: Tensor
    patches: Tensor
    answers: Tensor | None  # of the first two convolutions, once settled

    def __init__(self, game: Game, specs: Sequence[NetSpec]) -> None:
        super().__init__()
        self.specs, self.spec, self.game, self.nets = tuple(specs), specs[0], game, len(specs)
        if any(spec.shape != self.spec.shape for spec in specs):
            raise BadInput(f"nets of different shapes do not fit into one stack: {sorted({str(s.shape) for s in specs})}")
        self.numbers_held = len(specs) * (4_000 + 8_000 * bool(self.spec.convs) + 30_000 * bool(self.spec.convs[2:]))
        self.register_buffer("slopes", torch.tensor([spec.slope for spec in specs]), persistent=False)
        self.register_buffer("patches", all_patches() if self.spec.convs else None, persistent=False)
        self.register_buffer("answers", None, persistent=False)
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

    def forward(self, told: Told) -> Tensor:
        """[K, N] logits of winning."""
        layers = list(zip(self.weights, self.biases, strict=True))
        convs, dense = len(self.spec.convs), len(self.spec.hidden)
        x = self._convolved(told, layers[:convs]) if convs else told.array.flatten(-2).expand(self.nets, -1, -1)
        if self.spec.lstm:
            assert told.past is not None
            x = torch.cat([x, self._remember(told.past, *layers[convs])], 2)
        hidden, (weight, bias) = layers[-dense - 1 : -1], layers[-1]
        for place, (w, b) in enumerate(hidden, 1):
            x = torch.baddbmm(b, x, w)
            x = torch.sigmoid(x) if place == dense and self.spec.last == "sigmoid" else rectified(x, self.slopes)
            x = functional.dropout(x, self.spec.dropout, self.training) if self.spec.dropout else x
        with torch.autocast(x.device.type, enabled=False):  # plays differ by little
            return torch.baddbmm(bias, x.float(), weight).squeeze(2)

    def _convolved(self, told: Told, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
        """[K, N, positions * channels] after the convolutions."""
        x = self._first_two(told, layers[:2])  # [K, N, positions, channels]
        for weight, bias in layers[2:]:
            x = convolve(x, weight, bias, self.slopes)
        return x.flatten(2)

    def _first_two(self, told: Told, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
        if self.answers is not None:
            return look_up(self.answers, told.windows)
        with torch.autocast(self.slopes.device.type, enabled=False):  # little work
            said = said_of_triples(self.patches, layers, self.slopes)
            if said.requires_grad:
                return LookUp.apply(said, self.slopes, told)  # type: ignore[no-any-return, no-untyped-call]
            return look_up(answers_of(said, self.slopes).to(told.dtype), told.windows)

    @torch.no_grad()
    def settle(self) -> None:
        if self.spec.convs:
            layers = list(zip(self.weights, self.biases, strict=True))[:2]
            self.answers = answers_of(said_of_triples(self.patches, layers, self.slopes), self.slopes)

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

    @classmethod
    @torch.no_grad()
    def beside(cls, stacks: Sequence[Stack]) -> Stack:
        """A stack of its own of the nets of several, as they are now."""
        first = stacks[0]
        joined = cls._empty(first, [spec for stack in stacks for spec in stack.specs])
        for mine, *theirs in zip(joined.parameters(), *(stack.parameters() for stack in stacks), strict=True):
            torch.cat(theirs, out=mine.data)
        joined.slopes, joined.patches = torch.cat([stack.slopes for stack in stacks]), first.patches
        return joined.train(first.training)

    @torch.no_grad()
    def pick(self, places: Sequence[int]) -> Stack:
        """A stack of its own of some of these nets, as they are now."""
        chosen = self._empty(self, [self.specs[i] for i in places])
        which = torch.tensor(places, device=self.slopes.device)
        for mine, theirs in zip(chosen.parameters(), self.parameters(), strict=True):
            mine.copy_(theirs[which])
        chosen.slopes, chosen.patches = self.slopes[which], self.patches
        return chosen.train(self.training)

    @classmethod
    def _empty(cls, like: Stack, specs: Sequence[NetSpec]) -> Stack:
        """A stack in the same place, whose weights are about to be overwritten and need not be drawn."""
        with torch.device("meta"):
            stack = cls(like.game, specs)
        return stack.to_empty(device=like.slopes.device)


HOW = {"min": torch.amin, "mean": torch.mean, "max": torch.amax}


class Panel(Net):
    """The net that plays: `forward` gives win chances and points as `ValueNet` does."""

    encoder: DualEncoder

    def __init__(self, stacks: Sequence[PairNet], how: str = "mean", encoder: DualEncoder | None = None) -> None:
        """An encoder may be shared with others."""
        super().__init__()
        if how not in HOW:
            raise BadInput(f"how {how!r}: nets are joined by {', '.join(HOW)}")
        self.stacks, self.how = nn.ModuleList(stacks), how
        self.nets = sum(stack.nets for stack in stacks)
        turns = max(stack.spec.turns for stack in stacks)
        self.encoder = encoder or DualEncoder(stacks[0].game, turns).to(next(stacks[0].parameters()).device)
        self.numbers_held = sum(stack.numbers_held for stack in stacks)

    def logits(self, pairs: Pairs, apart: bool = False) -> Tensor:
        """[K, N] of all its nets; or [K, N / K], if each is asked about its own part of the pairs."""
        told = self.encoder.told(pairs)
        told = told.apart(self.nets) if apart else told
        return torch.cat([stack(told) for stack in self.stacks])

    def settle(self) -> None:
        for stack in self.stacks:
            stack.settle()  # type: ignore[operator]

    def joined(self, values: Tensor) -> Tensor:
        """[N] from what its nets say, [K, N]."""
        return values[0] if len(values) == 1 else HOW[self.how](values, 0)  # type: ignore[operator]

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor) -> tuple[Tensor, Tensor]:
        """Win chances [N] and points [N]: a game is won or lost and nothing else.

        The sigmoid is written out, since onnxruntime's own says the same of all logits below -18, and what nets trained with
        the swapped loss think lost lies far below that: all plays would tie.
        """
        win = self.joined(1 / (1 + torch.exp(-self.logits(self.encoder.pairs(seen, rows, plays)))))
        return win, 2 * win - 1


StoredNets = dict[str, dict[str, Any]]
"""Trained nets by name, as they are stored: the spec of each, and its weights."""


def stored_net(stack: Stack, place: int) -> dict[str, Any]:
    return {
        "spec": asdict(stack.specs[place]),
        "weights": [weight[place].detach().cpu().clone() for weight in stack.parameters()],
    }


def spec_of(stored: Mapping[str, Any]) -> NetSpec:
    spec = stored["spec"]
    return NetSpec(**{**spec, "hidden": tuple(spec["hidden"]), "convs": tuple(tuple(conv) for conv in spec["convs"])})


@torch.no_grad()
def panel_of(
    game: Game, nets: StoredNets, names: Sequence[str], how: str = "mean", device: torch.device | str = "cpu"
) -> Panel:
    """Stored nets joined. Nets of one shape share a stack."""
    shapes: dict[NetSpec, list[str]] = {}
    for name in names:
        shapes.setdefault(spec_of(nets[name]).shape, []).append(name)
    stacks = []
    for members in shapes.values():
        stack = Stack(game, [spec_of(nets[name]) for name in members])
        for place, name in enumerate(members):
            for weight, stored in zip(stack.parameters(), nets[name]["weights"], strict=True):
                weight[place] = stored
        stacks.append(stack.to(device))
    return Panel(stacks, how)
