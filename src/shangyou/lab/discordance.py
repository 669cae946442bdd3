"""Battle Royale's Experiment 3: how alike the nets of Experiment 2 value plays, and how often they choose differently.

K nets, N legal plays in n positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement, permutations
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.batch.ensemble import EnsembleAgent, Style, first_listed
from shangyou.agents.batch.play import Decision, play
from shangyou.lab import printed
from shangyou.lab.figures import heat_map
from shangyou.lab.kept_nets import player
from shangyou.lab.page import Page
from shangyou.lab.populations import Trained, round_robin_population
from shangyou.lab.workshop import Lab

GAMES = {"paper": 100, "smoke": 2}  # of every two nets, and of each with itself


@dataclass
class Tally:
    """Sums over all positions with a choice."""

    positions: int
    cosine: Tensor  # [K, K] float64
    different: Tensor  # [K, K] int64
    ties: Tensor  # [K] int64 positions in which the best value is not one play's alone

    def add(self, nets: list[EnsembleAgent], decision: Decision) -> None:
        """What all nets think of the positions with a choice."""
        view, legal = decision.seen, decision.choices
        if not len(legal.plays):
            return
        values = torch.stack([net.values(view, legal) for net in nets])  # [K, N]
        choices = torch.stack([first_listed(row, view, legal, net.game.table) for net, row in zip(nets, values, strict=True)])
        self.positions += choices.shape[1]
        self.cosine += cosines(values, legal.counts)
        self.different += (choices[:, None] != choices).sum(2)  # choices are [K, n]
        best = values.gather(1, choices)[:, legal.rows]  # [K, N]
        self.ties += (torch.segment_reduce((values == best).double().T, "sum", lengths=legal.counts, axis=0) > 1).sum(0)


def cosines(values: Tensor, counts: Tensor) -> Tensor:
    """[K, K] the sum over positions of the cosines between what two nets say of their plays."""
    values = values.double()
    places = list(combinations_with_replacement(range(len(values)), 2))
    products = torch.stack([values[a] * values[b] for a, b in places], 1)  # [N, pairs]
    dots = torch.segment_reduce(products, "sum", lengths=counts, axis=0)  # [n, pairs]
    lengths = torch.stack([dots[:, places.index((a, a))].clamp(min=1e-300).sqrt() for a in range(len(values))], 1)
    sums = values.new_zeros(len(values), len(values))
    for i, (a, b) in enumerate(places):
        sums[a, b] = sums[b, a] = (dots[:, i] / (lengths[:, a] * lengths[:, b])).sum()
    return sums


def observed(lab: Lab, stage: str, trained: Trained) -> dict[str, Any]:
    """Games, positions, and means over positions: `cosine` [K, K], `different` [K, K] and `ties` [K]."""
    settings = {"games": GAMES[lab.scale], "nets": list(trained.nets)}
    return lab.stage(stage, settings, lambda: _observe(lab, trained))


def _observe(lab: Lab, trained: Trained) -> dict[str, Any]:
    names = list(trained.nets)
    nets = [player(lab, trained.nets, name, Style("first")) for name in names]
    k, device = len(nets), lab.device
    tally = Tally(0, torch.zeros(k, k, dtype=torch.float64, device=device), *(
        torch.zeros(shape, dtype=torch.int64, device=device) for shape in ((k, k), (k,))
    ))  # fmt: skip
    seats = torch.tensor(list(combinations_with_replacement(range(k), 2)), device=device).repeat(GAMES[lab.scale], 1)
    play(lab.engine, nets, seats, lab.engine.deal(len(seats), lab.seed + 8), partial(tally.add, nets))
    return {
        "games": len(seats),
        "positions": tally.positions,
        "cosine": (tally.cosine / tally.positions).cpu(),
        "different": (tally.different / tally.positions).cpu(),
        "ties": (tally.ties / tally.positions).cpu(),
    }


def run(lab: Lab, results: Path) -> Page:
    trained = round_robin_population(lab)
    names = list(trained.nets)
    found = observed(lab, "discordance", trained)
    page = Page(lab, "discordance", "Battle Royale, Experiment 3: discordance", results)
    page.say(
        f"All twelve nets of Experiment 2 look at every position with a choice of {found['games']:,} games, of every two nets "
        f"and of each with itself: {found['positions']:,} positions (the paper: 78 games, 1,828). Cosine similarity is "
        "between the vectors of values of the legal plays; different is the share of positions in which two nets prefer "
        f"different plays. The paper on its ConvNets: {printed.DIFFERENT_CHOICES_OF_CONVNETS}."
    )
    groups = {"dense, dense": ("Dense", "Dense"), "conv, conv": ("Conv", "Conv"), "dense, conv": ("Dense", "Conv")}
    rows = [
        [label, _mean(found["cosine"], names, *kinds), _mean(found["different"], names, *kinds)]
        for label, kinds in groups.items()
    ]
    page.table(["pairs of nets", "cosine similarity", "different choices"], rows)
    page.heading("Ties")
    page.say(
        "The share of positions in which the highest value, in float32, is shared by several plays; the first of the list is "
        "then played."
    )
    page.table(["net", "ties"], [[name, share] for name, share in zip(names, found["ties"].tolist(), strict=True)])
    page.figure("cosine", heat_map("cosine similarity", names, found["cosine"].tolist()))
    page.figure("different", heat_map("share of different choices", names, found["different"].tolist()))
    return page


def _mean(cells: Tensor, names: list[str], one: str, other: str) -> float:
    """Over all pairs of two kinds of nets, but not of a net with itself."""
    pairs = [(a, b) for a, b in permutations(range(len(names)), 2) if names[a].startswith(one) and names[b].startswith(other)]
    return sum(cells[pair].item() for pair in pairs) / len(pairs)
