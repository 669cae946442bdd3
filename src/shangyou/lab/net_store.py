"""Trained nets as a stage stores them, a spec and weights by name, and the agents made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import torch

from shangyou.agents.batch.ensemble import FIXED, PanelAgent, Style
from shangyou.lab.stages import Context
from shangyou.nets.paper_nets import NetSpec, Panel, Stack
from shangyou.training.learner import Learner

StoredNets = dict[str, dict[str, Any]]


def store_nets(learner: Learner) -> StoredNets:
    stored = {}
    for name, (lane, place) in learner.place.items():
        weights = [weight[place].detach().cpu().clone() for weight in lane.parameters]
        stored[name] = {"spec": asdict(lane.stack.specs[place]), "weights": weights}
    return stored


def spec_of(net: dict[str, Any]) -> NetSpec:
    spec = net["spec"]
    return NetSpec(**{**spec, "hidden": tuple(spec["hidden"]), "convs": tuple(tuple(conv) for conv in spec["convs"])})


@torch.no_grad()
def load_weights(learner: Learner, name: str, net: dict[str, Any]) -> None:
    """Let a net of the learner start from the weights of a stored one."""
    lane, place = learner.place[name]
    for weight, stored in zip(lane.parameters, net["weights"], strict=True):
        weight[place] = stored.to(weight.device)


@torch.no_grad()
def panel_of(ctx: Context, nets: StoredNets, names: Sequence[str], how: str = "mean") -> Panel:
    """Nets of one shape share a stack."""
    shapes: dict[NetSpec, list[str]] = {}
    for name in names:
        shapes.setdefault(spec_of(nets[name]).shape, []).append(name)
    stacks = []
    for members in shapes.values():
        stack = Stack(ctx.game, [spec_of(nets[name]) for name in members])
        for place, name in enumerate(members):
            for weight, stored in zip(stack.parameters(), nets[name]["weights"], strict=True):
                weight[place] = stored
        stacks.append(stack.to(ctx.device))
    return Panel(stacks, how)


def fingerprint(panel: Panel) -> str:
    """The same for the same weights."""
    digest = sha256()
    for weight in panel.parameters():
        digest.update(weight.detach().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def player(ctx: Context, nets: StoredNets, names: str | Sequence[str], style: Style = FIXED, how: str = "mean") -> PanelAgent:
    """One net by its name, or several joined."""
    members = [names] if isinstance(names, str) else list(names)
    label = members[0] if len(members) == 1 else f"{how}{len(members)}"
    return PanelAgent(ctx.game, panel_of(ctx, nets, members, how), style, label, seed=ctx.seed)
