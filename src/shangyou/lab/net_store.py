"""Trained nets as a stage stores them, a spec and weights by name, and the agents made of them."""

from collections.abc import Sequence
from hashlib import sha256

from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent, Style
from shangyou.lab.stages import Context
from shangyou.nets import papers
from shangyou.nets.papers import Ensemble, StoredNets


def ensemble_of(ctx: Context, nets: StoredNets, names: Sequence[str], how: str = "mean") -> Ensemble:
    return papers.ensemble_of(ctx.game, nets, names, how, ctx.device)


def fingerprint(ensemble: Ensemble) -> str:
    """The same for the same weights."""
    digest = sha256()
    for weight in ensemble.parameters():
        digest.update(weight.detach().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


def player(
    ctx: Context, nets: StoredNets, names: str | Sequence[str], style: Style = FIXED, how: str = "mean"
) -> EnsembleAgent:
    """One net by its name, or several joined."""
    members = [names] if isinstance(names, str) else list(names)
    label = members[0] if len(members) == 1 else f"{how}{len(members)}"
    return EnsembleAgent(ctx.game, ensemble_of(ctx, nets, members, how), style, label, seed=ctx.seed)
