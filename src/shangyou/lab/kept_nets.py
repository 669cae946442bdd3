"""Trained nets as a stage keeps them: by name, a spec and its weights."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import torch

from shangyou.agents.batch.ensemble import FIXED, PanelAgent, Style
from shangyou.lab.workshop import Lab
from shangyou.nets import paper_nets
from shangyou.nets.paper_nets import Panel, spec_of
from shangyou.nets.paper_nets import StoredNets as KeptNets
from shangyou.training.learner import Learner

__all__ = ["KeptNets", "fingerprint", "go_on_from", "keep_nets", "panel_of", "player", "spec_of"]

keep_nets = Learner.nets


@torch.no_grad()
def go_on_from(learner: Learner, name: str, kept: dict[str, Any]) -> None:
    """Let a net of the learner begin with the weights of a kept one."""
    lane, place = learner.place[name]
    for weight, was in zip(lane.parameters, kept["weights"], strict=True):
        weight[place] = was.to(weight.device)


def panel_of(lab: Lab, nets: KeptNets, names: Sequence[str], how: str = "mean") -> Panel:
    return paper_nets.panel_of(lab.game, nets, names, how, lab.device)


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
