"""A trained net without the units that never fire: the same answers with about half the work.

Training leaves many units below zero in every position there is (docs/training.md); those add nothing. In a pruned net a layer
computes only units that fire, and reads the concatenation of all that fired before it, whose sum a residual layer reads.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net
from shangyou.nets.value_net import ValueNet

SPARE = 0.25  # margin, as a share of the highest value above the mean: a unit may be higher in positions that were not seen


class ActivationStats(NamedTuple):
    """The values of a layer's units before the ReLU, over some pairs of position and play."""

    number: int
    total: Tensor
    highest: Tensor

    @classmethod
    def of(cls, values: Tensor) -> ActivationStats:
        return cls(len(values), values.sum(0), values.amax(0))

    def and_also(self, other: ActivationStats) -> ActivationStats:
        return ActivationStats(self.number + other.number, self.total + other.total, torch.maximum(self.highest, other.highest))

    def firing(self) -> Tensor:
        """The units that fire or may fire, at least one: a layer of a model cannot be empty."""
        reach = self.highest + SPARE * (self.highest - self.total / self.number)
        return torch.nonzero(reach >= min(0.0, reach.max().item()))[:, 0].cpu()


@torch.no_grad()
def activation_stats(net: ValueNet, seen: Inputs, rows: Tensor, plays: Tensor) -> list[ActivationStats]:
    """The statistics of every layer of the trunk, then of the head, over plays [N] in positions rows [N]."""
    looked = net.look(net.encoder.state(seen, net.look.weight.dtype))
    paired = net.paired(net.position(seen)[rows], seen.hand[rows], plays, net.plays(plays))
    return [*_layer_stats(looked, net.trunk), *_layer_stats(paired, net.head)]


def _layer_stats(before: Tensor, layers: nn.Sequential) -> list[ActivationStats]:
    found, x = [ActivationStats.of(before)], functional.relu(before)
    for layer in layers:
        found.append(ActivationStats.of(layer.linear(layer.norm(x))))  # type: ignore[operator]
        x = layer(x)
    return found


class PrunedNet(Net):
    """Answers as `net` does, with only the units that fire: `firing` lists them for every layer, the trunk's first."""

    def __init__(self, net: ValueNet, firing: list[Tensor]) -> None:
        super().__init__()
        if not net.prunable:
            raise ValueError("a net that normalises reads the units that never fire, too")
        self.encoder, self.read, self.objectives = net.encoder, net.read, net.objectives
        trunk, head = firing[: 1 + len(net.trunk)], firing[1 + len(net.trunk) :]
        self.head = _PrunedLayers(net.head, head, net.answer, torch.arange(2))
        self.trunk = _PrunedLayers(net.trunk, trunk, net.to_head, self.head.units)
        self.look = _part(net.look, self.trunk.units)
        self.of_pair = nn.Parameter(torch.cat([net.of_play.weight, net.of_rest.weight], 1).detach().cpu()[self.head.units])

    @property
    def units(self) -> dict[str, list[int]]:
        """The number of units left in every layer."""
        return {"trunk": self.trunk.widths, "head": self.head.widths}

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor) -> tuple[Tensor, Tensor]:
        """Win chances [N] and points [N]."""
        dtype = self.of_pair.dtype
        position = self.trunk(functional.relu(self.look(self.encoder.state(seen, dtype))))
        after = self.encoder.hand_after(self.encoder.counts(seen.hand)[rows], plays)
        pair = torch.cat([self.encoder.play(plays, dtype), after.to(dtype)], 1)
        return self.read(self.head(functional.relu(torch.addmm(position[rows], pair, self.of_pair.T))))


class _PrunedLayers(nn.Module):
    """Residual layers and the one that reads what they add up to, given `units` in that order.

    What the first layer adds is added; what later ones do stays beside it, and whoever reads it counts it twice. So units are
    put in order: those given only, those of the first layer too, those of the first layer only.
    """

    def __init__(self, layers: nn.Sequential, firing: list[Tensor], reader: nn.Linear, read: Tensor) -> None:
        super().__init__()
        given, *fires = firing
        first = fires[0] if fires else given[:0]
        both = torch.isin(given, first)
        self.only_given = int((~both).sum())
        self.units = torch.cat([given[~both], given[both]])
        new = first[~torch.isin(first, given)]
        self.only_first = len(new)
        known, self.layers = self.units, nn.ModuleList()
        for layer, fire in zip(layers, [torch.cat([given[both], new]), *fires[1:]], strict=True):
            self.layers.append(_part(layer.linear, fire, known))  # type: ignore[arg-type]
            known = torch.cat([known, fire if len(self.layers) > 1 else new])
        self.reader = _part(reader, read, known)
        self.widths = [len(fire) for fire in firing]

    def forward(self, x: Tensor) -> Tensor:
        pieces = [x]
        for i, layer in enumerate(self.layers):
            y = functional.relu(_sum(layer, pieces))
            if i == 0:
                pieces = [functional.pad(x, (0, self.only_first)) + functional.pad(y, (self.only_given, 0))]
            else:
                pieces.append(y)
        return _sum(self.reader, pieces)


def _part(linear: nn.Module, units: Tensor, inputs: Tensor | None = None) -> nn.Linear:
    """The layer that gives these units alone and reads these inputs alone, in this order; an input may come twice."""
    assert isinstance(linear, nn.Linear)
    weight = linear.weight.detach().cpu()[units]
    weight = weight if inputs is None else weight[:, inputs]
    part = nn.Linear(weight.shape[1], weight.shape[0])
    part.weight.data, part.bias.data = weight, linear.bias.detach().cpu()[units]
    return part


def _sum(linear: nn.Module, pieces: list[Tensor]) -> Tensor:
    """The output of the layer for the concatenated pieces, computed without concatenating them, which takes longer."""
    assert isinstance(linear, nn.Linear)
    total: Tensor = linear.bias
    end = 0
    for piece in pieces:
        start, end = end, end + piece.shape[1]
        total = torch.addmm(total, piece, linear.weight[:, start:end].T)
    return total
