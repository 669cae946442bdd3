"""Battle Royale's Experiment 3: how alike the nets of Experiment 2 value plays, and how often they choose differently.

K nets, N legal plays in n positions.
"""

from itertools import combinations_with_replacement, permutations
from typing import Any, NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch.ensemble import AS_PRINTED, EnsembleAgent, first_listed
from shangyou.agents.batch.play import Decision, play
from shangyou.engines.batch import Legal, View
from shangyou.lab.figures import heat_map
from shangyou.lab.net_store import player
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import DIFFERENT_CHOICES_OF_CONVNETS
from shangyou.lab.populations import Trained, round_robin_population
from shangyou.lab.stages import ZSY2, Context

TITLE, SETUPS = "Battle Royale, Experiment 3: discordance", ZSY2
GAMES = {"smoke": 2, "small": 10, "paper": 100}  # of every two nets, and of each with itself


class Discordance(NamedTuple):
    """Sums over positions."""

    cosine: Tensor  # [K, K] float64
    different: Tensor  # [K, K] int64
    ties: Tensor  # [K] int64 positions in which the best value is not one play's alone


def discordance(nets: list[EnsembleAgent], view: View, legal: Legal) -> Discordance:
    """How the values and choices of all nets differ in these positions."""
    values = torch.stack([net.values(view, legal) for net in nets])  # [K, N]
    choices = torch.stack([first_listed(row, view, legal, net.game.table) for net, row in zip(nets, values, strict=True)])
    best = values.gather(1, choices)[:, legal.rows]  # [K, N]; choices are [K, n]
    ties = (torch.segment_reduce((values == best).double().T, "sum", lengths=legal.counts, axis=0) > 1).sum(0)
    return Discordance(cosines(values, legal.counts), (choices[:, None] != choices).sum(2), ties)


def cosines(values: Tensor, counts: Tensor) -> Tensor:
    """[K, K] the sum over positions of the cosines between the values that two nets give to the plays.

    Saturated nets value all plays of a position at 0, which has no direction: as in the original they count as all alike.
    """
    values = values.double()
    nothing = torch.segment_reduce(values.abs().T, "max", lengths=counts, axis=0) == 0  # [n, K]
    values = values.masked_fill(torch.repeat_interleave(nothing, counts, 0).T, 1.0)
    places = list(combinations_with_replacement(range(len(values)), 2))
    products = torch.stack([values[a] * values[b] for a, b in places], 1)  # [N, pairs]
    dots = torch.segment_reduce(products, "sum", lengths=counts, axis=0)  # [n, pairs]
    lengths = torch.stack([dots[:, places.index((a, a))].sqrt() for a in range(len(values))], 1)
    sums = values.new_zeros(len(values), len(values))
    for i, (a, b) in enumerate(places):
        sums[a, b] = sums[b, a] = (dots[:, i] / (lengths[:, a] * lengths[:, b])).sum()
    return sums


def compare_choices(ctx: Context, stage: str, trained: Trained) -> dict[str, Any]:
    """Games, positions, and means over positions: `cosine` [K, K], `different` [K, K] and `ties` [K]."""
    settings: dict[str, Any] = {"games": GAMES[ctx.scale], "nets": list(trained.nets), "seed": ctx.deal_seed(8, trained.seed)}
    return ctx.stage(stage, settings, lambda: _compare(ctx, trained, **settings))


def _compare(ctx: Context, trained: Trained, games: int, nets: list[str], seed: int) -> dict[str, Any]:
    agents, parts, counts = [player(ctx, trained.nets, name, AS_PRINTED) for name in nets], list[Discordance](), list[int]()

    def compare(decision: Decision) -> None:
        if len(decision.asked):
            parts.append(discordance(agents, decision.seen, decision.choices))
            counts.append(len(decision.asked))

    seats = torch.tensor(list(combinations_with_replacement(range(len(nets)), 2)), device=ctx.device).repeat(games, 1)
    play(ctx.engine, agents, seats, ctx.engine.deal(len(seats), seed), compare)
    columns = zip(Discordance._fields, zip(*parts, strict=True), strict=True)
    means = {name: (sum(column[1:], column[0]) / sum(counts)).cpu() for name, column in columns}
    return {"games": len(seats), "positions": sum(counts), **means}


def run(ctx: Context, page: Page) -> None:
    trained = round_robin_population(ctx)
    names, seen = list(trained.nets), compare_choices(ctx, "discordance", trained)
    page.text(
        f"All twelve nets of Experiment 2 look at every position with a choice of {seen['games']:,} games, of every two nets "
        f"and of each with itself: {seen['positions']:,} positions (the paper: 78 games, 1,828). Cosine similarity is "
        "between the vectors of values of the legal plays; different is the share of positions in which two nets prefer "
        f"different plays. The paper on its ConvNets: {DIFFERENT_CHOICES_OF_CONVNETS}."
    )
    groups = {"dense, dense": ("Dense", "Dense"), "conv, conv": ("Conv", "Conv"), "dense, conv": ("Dense", "Conv")}
    means = [
        [label, _mean(seen["cosine"], names, *kinds), _mean(seen["different"], names, *kinds)]
        for label, kinds in groups.items()
    ]
    page.table(["pairs of nets", "cosine similarity", "different choices"], means)
    page.heading("Ties")
    page.text(
        "The share of positions in which the highest value, in float32, is shared by several plays; the first of the list is "
        "then played."
    )
    page.table(["net", "ties"], [[name, share] for name, share in zip(names, seen["ties"].tolist(), strict=True)])
    page.figure("cosine", heat_map("cosine similarity", names, seen["cosine"].tolist()))
    page.open(
        "how alike do the nets of Experiment 2 value plays, and how often do they choose differently?",
        f"of its convolutional nets: {DIFFERENT_CHOICES_OF_CONVNETS}.",
        "; ".join(f"{label}: cosine {cosine:.3f}, different choices {different:.3f}" for label, cosine, different in means)
        + ". Much of it is ties, which saturated nets have in up to "
        f"{max(seen['ties'].tolist()):.0%} of the positions.",
        ("different", heat_map("share of different choices", names, seen["different"].tolist())),
    )


def _mean(cells: Tensor, names: list[str], one: str, other: str) -> float:
    """Over all pairs of two kinds of nets, but not of a net with itself."""
    pairs = [(a, b) for a, b in permutations(range(len(names)), 2) if names[a].startswith(one) and names[b].startswith(other)]
    return sum(cells[pair].item() for pair in pairs) / len(pairs)
