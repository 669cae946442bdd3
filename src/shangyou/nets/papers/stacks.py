"""Nets of one shape as one module, their weights side by side, so that many learn at the cost of few kernel launches.

K nets of a stack, N pairs of position and play. The first two convolutions are looked up (`conv_lookup.py`); others are
products of windows with a matrix for each net (`convolutions.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.nets.encoding import RANKS
from shangyou.nets.papers.conv_lookup import TILE, LookUp, all_patches, answers_of, look_up, triple_contributions
from shangyou.nets.papers.convolutions import convolve, rectified
from shangyou.nets.papers.encoding import COLUMNS, ROWS, EncodedBatch
from shangyou.nets.papers.specs import NetSpec


class PairNet(nn.Module):
    """K nets that estimate the win chance of plays: `forward(encoded)` gives [K, N] logits."""

    game: Game
    spec: NetSpec
    nets: int  # K
    numbers_held: int  # about how many numbers one pair takes in memory during `forward`

    def freeze(self) -> None:
        """Precompute what can be, for play: the weights do not change from now on."""


class Stack(PairNet):
    """K nets of one shape. Weights are [K, in, out], biases [K, 1, out]."""

    slopes: Tensor
    patches: Tensor
    answers: Tensor | None  # of the first two convolutions, once frozen

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
        """Fan in and fan out of every layer in order, and both as Glorot's initialisation counts them."""
        layers: list[tuple[int, int, tuple[int, int]]] = []
        rows, columns, channels = ROWS, COLUMNS, 1
        for width, out in self.spec.convs:
            height = min(TILE, rows)
            layers.append((height * width * channels, out, (height * width * channels, height * width * out)))
            rows, columns, channels = rows - height + 1, columns - width + 1, out
        if self.spec.lstm:
            turn_and_state = ROWS * RANKS + self.game.seats + self.spec.lstm
            layers.append((turn_and_state, 4 * self.spec.lstm, (turn_and_state, 4 * self.spec.lstm)))
        widths = [rows * columns * channels + self.spec.lstm, *self.spec.hidden, 1]
        return layers + [(a, b, (a, b)) for a, b in pairwise(widths)]

    def forward(self, encoded: EncodedBatch) -> Tensor:
        """[K, N] logits of winning."""
        layers = list(zip(self.weights, self.biases, strict=True))
        convs, dense = len(self.spec.convs), len(self.spec.hidden)
        x = self._convolved(encoded, layers[:convs]) if convs else encoded.array.flatten(-2).expand(self.nets, -1, -1)
        if self.spec.lstm:
            assert encoded.past is not None
            x = torch.cat([x, self._remember(encoded.past, *layers[convs])], 2)
        hidden, (weight, bias) = layers[-dense - 1 : -1], layers[-1]
        for place, (w, b) in enumerate(hidden, 1):
            x = torch.baddbmm(b, x, w)
            x = torch.sigmoid(x) if place == dense and self.spec.last == "sigmoid" else rectified(x, self.slopes)
            x = functional.dropout(x, self.spec.dropout, self.training) if self.spec.dropout else x
        with torch.autocast(x.device.type, enabled=False):  # plays differ by little
            return torch.baddbmm(bias, x.float(), weight).squeeze(2)

    def _convolved(self, encoded: EncodedBatch, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
        """[K, N, positions * channels] after the convolutions."""
        x = self._first_two(encoded, layers[:2])  # [K, N, positions, channels]
        for weight, bias in layers[2:]:
            x = convolve(x, weight, bias, self.slopes)
        return x.flatten(2)

    def _first_two(self, encoded: EncodedBatch, layers: list[tuple[Tensor, Tensor]]) -> Tensor:
        if self.answers is not None:
            return look_up(self.answers, encoded.windows)
        with torch.autocast(self.slopes.device.type, enabled=False):  # little work
            contributions = triple_contributions(self.patches, layers, self.slopes)
            if contributions.requires_grad:
                return LookUp.apply(contributions, self.slopes, encoded)  # type: ignore[no-any-return, no-untyped-call]
            return look_up(answers_of(contributions, self.slopes).to(encoded.dtype), encoded.windows)

    @torch.no_grad()
    def freeze(self) -> None:
        if self.spec.convs:
            layers = list(zip(self.weights, self.biases, strict=True))[:2]
            self.answers = answers_of(triple_contributions(self.patches, layers, self.slopes), self.slopes)

    def _remember(self, past: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """[K, N, units] the last state of an LSTM over the sequence [N, T, width], from the oldest turn to the latest."""
        units = self.spec.lstm
        of_input, of_state = weight[:, : past.shape[2]], weight[:, past.shape[2] :]
        state = memory = past.new_zeros(self.nets, past.shape[0], units)
        for play in past.flip(1).unbind(1):
            gates = torch.baddbmm(bias, play[None].expand(self.nets, -1, -1), of_input) + torch.bmm(state, of_state)
            let_in, forget, let_out, new = gates.chunk(4, 2)
            memory = torch.sigmoid(forget + 1) * memory + torch.sigmoid(let_in) * torch.tanh(new)
            state = torch.sigmoid(let_out) * torch.tanh(memory)
        return state

    def pick(self, places: Sequence[int]) -> Stack:
        """A new stack with copies of the nets at these places."""
        return self.joined([self], places)

    @classmethod
    @torch.no_grad()
    def joined(cls, stacks: Sequence[Stack], places: Sequence[int] | None = None) -> Stack:
        """A new stack with copies of all nets of several stacks, or of those at these places among them."""
        first, specs = stacks[0], [spec for stack in stacks for spec in stack.specs]
        places = range(len(specs)) if places is None else places
        which = torch.tensor(places, device=first.slopes.device)
        with torch.device("meta"):  # its weights are overwritten and need not be drawn
            stack = cls(first.game, [specs[i] for i in places])
        stack.to_empty(device=which.device)
        for mine, *theirs in zip(stack.parameters(), *(other.parameters() for other in stacks), strict=True):
            mine.copy_(torch.cat(theirs)[which])
        stack.slopes, stack.patches = torch.cat([other.slopes for other in stacks])[which], first.patches
        return stack.train(first.training)
