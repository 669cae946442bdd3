"""Trained nets as a stage keeps them: by name, a spec and its weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

import torch

from shangyou.agents.batch.ensemble import FIXED, PanelAgent, Style
from shangyou.lab.workshop import Lab
from shangyou.nets.paper_nets import NetSpec, Panel, Stack
from shangyou.training.learner import Learner

KeptNets = dict[str, dict[str, Any]]


def keep_nets(learner: Learner) -> KeptNets:
    kept = {}
    for name, (lane, place) in learner.place.items():
        weights = [weight[place].detach().cpu().clone() for weight in lane.parameters]
        kept[name] = {"spec": asdict(lane.stack.specs[place]), "weights": weights}
    return kept


def spec_of(kept: dict[str, Any]) -> NetSpec:
    said = kept["spec"]
    return NetSpec(**{**said, "hidden": tuple(said["hidden"]), "convs": tuple(tuple(conv) for conv in said["convs"])})


@torch.no_grad()
def go_on_from(learner: Learner, name: str, kept: dict[str, Any]) -> None:
    """Let a net of the learner begin with the weights of a kept one."""
    lane, place = learner.place[name]
    for weight, was in zip(lane.parameters, kept["weights"], strict=True):
        weight[place] = was.to(weight.device)


@torch.no_grad()
def panel_of(lab: Lab, nets: KeptNets, names: Sequence[str], how: str = "mean") -> Panel:
    """Nets of one shape share a stack."""
    shapes: dict[NetSpec, list[str]] = {}
    for name in names:
        shapes.setdefault(spec_of(nets[name]).shape, []).append(name)
    stacks = []
    for members in shapes.values():
        stack = Stack(lab.game, [spec_of(nets[name]) for name in members])
        for place, name in enumerate(members):
            for weight, kept in zip(stack.parameters(), nets[name]["weights"], strict=True):
                weight[place] = kept
        stacks.append(stack.to(lab.device))
    return Panel(stacks, how)


def fingerprint(panel: Panel) -> str:
    """The same for the same weights."""
    found = sha256()
    for weight in panel.parameters():
        found.update(weight.detach().cpu().numpy().tobytes())
    return found.hexdigest()[:16]


def player(lab: Lab, nets: KeptNets, names: str | Sequence[str], style: Style = FIXED, how: str = "mean") -> PanelAgent:
    """One net by its name, or several joined."""
    members = [names] if isinstance(names, str) else list(names)
    label = members[0] if len(members) == 1 else f"{how}{len(members)}"
    return PanelAgent(lab.game, panel_of(lab, nets, members, how), style, label, seed=lab.seed)
