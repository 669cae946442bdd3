"""The net that plays: one net, or the minimum, mean or maximum of several. And the format of stored nets."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor, nn

from shangyou.games import BadInput, Game
from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net
from shangyou.nets.papers.encoding import DualEncoder, Pairs
from shangyou.nets.papers.specs import NetSpec
from shangyou.nets.papers.stacks import PairNet, Stack

HOW = {"min": torch.amin, "mean": torch.mean, "max": torch.amax}


class Ensemble(Net):
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
        encoded = self.encoder.encoded(pairs)
        encoded = encoded.apart(self.nets) if apart else encoded
        return torch.cat([stack(encoded) for stack in self.stacks])

    def freeze(self) -> None:
        for stack in self.stacks:
            stack.freeze()  # type: ignore[operator]

    def joined(self, values: Tensor) -> Tensor:
        """[N] from the values of its nets [K, N]."""
        return values[0] if len(values) == 1 else HOW[self.how](values, 0)  # type: ignore[operator]

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor) -> tuple[Tensor, Tensor]:
        """Win chances [N] and points [N]: a game is won or lost and nothing else.

        The sigmoid is written out, since onnxruntime's own is the same for all logits below -18, and nets trained with the
        swapped loss give lost positions far lower ones: all plays would tie.
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
def ensemble_of(
    game: Game, nets: StoredNets, names: Sequence[str], how: str = "mean", device: torch.device | str = "cpu"
) -> Ensemble:
    """An ensemble of stored nets. Nets of one shape share a stack."""
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
    return Ensemble(stacks, how)
