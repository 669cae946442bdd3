"""Trained nets as a stage keeps them: by name, a spec and its weights."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import torch

from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent, Style
from shangyou.lab.workshop import Lab
from shangyou.nets import papers
from shangyou.nets.papers import Ensemble, spec_of
from shangyou.nets.papers import StoredNets as KeptNets
from shangyou.training.learner import Learner

__all__ = ["KeptNets", "ensemble_of", "fingerprint", "go_on_from", "keep_nets", "player", "spec_of"]

keep_nets = Learner.nets


@torch.no_grad()
def go_on_from(learner: Learner, name: str, kept: dict[str, Any]) -> None:
    """Let a net of the learner begin with the weights of a kept one."""
    optimizer, place = learner.place[name]
    for weight, was in zip(optimizer.parameters, kept["weights"], strict=True):
        weight[place] = was.to(weight.device)


def ensemble_of(lab: Lab, nets: KeptNets, names: Sequence[str], how: str = "mean") -> Ensemble:
    return papers.ensemble_of(lab.game, nets, names, how, lab.device)


def fingerprint(panel: Ensemble) -> str:
    """The same for the same weights."""
    found = sha256()
    for weight in panel.parameters():
        found.update(weight.detach().cpu().numpy().tobytes())
    return found.hexdigest()[:16]


def player(lab: Lab, nets: KeptNets, names: str | Sequence[str], style: Style = FIXED, how: str = "mean") -> EnsembleAgent:
    """One net by its name, or several joined."""
    members = [names] if isinstance(names, str) else list(names)
    label = members[0] if len(members) == 1 else f"{how}{len(members)}"
    return EnsembleAgent(lab.game, ensemble_of(lab, nets, members, how), style, label, seed=lab.seed)
