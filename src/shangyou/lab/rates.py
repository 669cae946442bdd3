"""Win rates with 95% intervals, from deals played from both sides. Games that were played are a stage."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.evaluation.intervals import Rate, share_interval
from shangyou.lab.stages import Context
from shangyou.training.population import shares_won


class PrintedRate(NamedTuple):
    """A rate as a paper prints it, of so many independent games."""

    mean: float
    games: int

    @property
    def interval(self) -> tuple[float, float]:
        return share_interval(round(self.mean * self.games), self.games)

    def beyond(self, ours: Rate) -> float:
        """How far ours is outside of its interval; below zero if it is inside."""
        low, high = self.interval
        return max(low - ours.mean, ours.mean - high)

    def verdict(self, ours: Rate) -> str:
        beyond = self.beyond(ours)
        if beyond <= 0:
            return "within"
        return f"outside by {beyond:.3f}" + ("; the intervals meet" if beyond <= ours.half_width else "")

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.mean:.3f} ({low:.3f} .. {high:.3f})"


Rates = dict[str, dict[str, Rate]]
"""Of the first against the second."""


def against(
    ctx: Context, stage: str, agents: Mapping[str, BatchAgent], opponents: Mapping[str, BatchAgent], deals: int, seed: int
) -> Rates:
    """Each agent against each opponent."""
    players = {**agents, **{f"against {name}": agent for name, agent in opponents.items()}}
    pairs = [(name, f"against {other}") for name in agents for other in opponents]
    won = duels(ctx, stage, players, pairs, deals, seed)
    return {name: {other: Rate.of(won[name, f"against {other}"]) for other in opponents} for name in agents}


def mean_rate(rates: Sequence[Rate]) -> Rate:
    """Of rates that are taken as independent; agents that play the same deals nearly are."""
    count = len(rates)
    half_width = sum(rate.half_width**2 for rate in rates) ** 0.5 / count
    return Rate(sum(rate.mean for rate in rates) / count, half_width, sum(rate.games for rate in rates))


class RoundRobin(NamedTuple):
    """Every two of some agents against each other."""

    rates: Rates
    average: dict[str, Rate]  # over all others

    @property
    def ranking(self) -> list[str]:
        return sorted(self.average, key=lambda name: -self.average[name].mean)

    @property
    def cells(self) -> list[list[float]]:
        """What rows won of columns, both in the order of the ranking; one half against itself."""
        return [[self.rates[a][b].mean if a != b else 0.5 for b in self.ranking] for a in self.ranking]


def round_robin(ctx: Context, stage: str, agents: Mapping[str, BatchAgent], deals: int, seed: int) -> RoundRobin:
    names = list(agents)
    won = duels(ctx, stage, agents, list(combinations(names, 2)), deals, seed)
    won |= {(b, a): 1 - row for (a, b), row in won.items()}
    others = {a: [b for b in names if b != a] for a in names}
    rates = {a: {b: Rate.of(won[a, b]) for b in others[a]} for a in names}
    return RoundRobin(rates, {a: Rate.of(torch.cat([won[a, b] for b in others[a]])) for a in names})


def duels(
    ctx: Context, stage: str, agents: Mapping[str, BatchAgent], pairs: Sequence[tuple[str, str]], deals: int, seed: int
) -> dict[tuple[str, str], Tensor]:
    """What the first of each pair won of each of its deals, [deals]."""
    names = list(agents)
    places = [(names.index(a), names.index(b)) for a, b in pairs]
    settings = {"pairs": [f"{a} - {b}" for a, b in pairs], "deals": deals, "seed": seed}
    won = ctx.stage(stage, settings, lambda: shares_won(ctx.engine, list(agents.values()), places, deals, seed))
    return dict(zip(pairs, won, strict=True))
