"""What all findings share: the populations they look at, how a claim is measured, and the page it is written on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import FIXED, Style
from shangyou.evaluation.intervals import Rate
from shangyou.lab.claims import Claim
from shangyou.lab.discordance import observed
from shangyou.lab.old_dqn import statics
from shangyou.lab.page import Page
from shangyou.lab.populations import Trained, round_robin_populations, singles
from shangyou.lab.rates import Rates, against, duels
from shangyou.lab.workshop import Lab


@dataclass(frozen=True)
class Args:
    deals: int = 500  # of every pair of nets in a finding
    last_deals: int = 5000  # of the best against the champion and the static agents


SCALES = {"paper": Args(), "smoke": Args(deals=2, last_deals=2)}


class Study:
    """One run of all findings: its populations, and the page."""

    def __init__(self, lab: Lab, page: Page) -> None:
        self.lab, self.page, self.args = lab, page, SCALES[lab.scale]
        self.statics = statics(lab)
        self.claims: dict[str, Claim] = {}  # by who against whom
        self.populations = cache(partial(round_robin_populations, lab))  # by their loss; read from disk once

    def claim(self, words: str, won: Sequence[Tensor]) -> str:
        """A share won as text, over all seeds and of each; to be shown beside the others at the end."""
        self.claims[words] = Claim.of(won)
        return str(self.claims[words])

    def seeded(self, loss: str) -> Iterator[tuple[int, Trained]]:
        return enumerate(self.populations(loss))

    def choices(self, loss: str) -> list[dict[str, Any]]:
        """What the nets of every seed would choose, each population in the positions of its own games."""
        return [observed(self.lab, f"finding-choices-{loss}-{seed}", trained) for seed, trained in self.seeded(loss)]

    def measured(self, stage: str, players: Mapping[str, BatchAgent]) -> Rates:
        """Against the static agents."""
        return against(self.lab, f"finding-{stage}", players, self.statics, self.args.deals, self.lab.seed + 20)

    def duel(self, stage: str, players: Mapping[str, BatchAgent], pairs: Sequence[tuple[str, str]]) -> Tensor:
        """[pairs, deals] what the first of each pair won."""
        found = duels(self.lab, f"finding-{stage}", players, pairs, self.args.deals, self.lab.seed + 21)
        return torch.stack(list(found.values()))

    def rivals(self, stage: str, by_seed: Sequence[tuple[Side, Side]]) -> tuple[list[Tensor], Rates]:
        """The same nets in two ways: what each won in the first way against the second, and all against the static agents."""
        won, rates = [], Rates()
        for seed, (one, other) in enumerate(by_seed):
            players = {f"{side.word} {name}": agent for side in (one, other) for name, agent in side.nets.items()}
            pairs = [(f"{one.word} {name}", f"{other.word} {name}") for name in one.nets]
            won.append(self.duel(f"{stage}-{seed}-duel", players, pairs))
            rates |= numbered(self.measured(f"{stage}-{seed}", players), seed)
        return won, rates

    def table(self, rates: Rates, groups: Mapping[str, str]) -> None:
        """The mean over the agents whose names are like each group's pattern, against the static agents."""
        rows = []
        for label, pattern in groups.items():
            members = [found for name, found in rates.items() if fnmatchcase(name, pattern)]
            rows.append([label, len(members), *(_mean([found[who] for found in members]) for who in self.statics)])
        self.page.table(["mean of", "agents", *(f"against {who}" for who in self.statics)], rows)

    def side(self, word: str, trained: Trained, style: Style = FIXED) -> Side:
        return Side(word, singles(self.lab, trained.nets, style))


class Side(NamedTuple):
    """Nets, and a word for how they were trained or play."""

    word: str
    nets: Mapping[str, BatchAgent]


def numbered(rates: Rates, seed: int) -> Rates:
    return {f"{name} {seed}": found for name, found in rates.items()}


def _mean(rates: Sequence[Rate]) -> Rate:
    """Of rates that are taken as independent; agents play the same deals, so they nearly are."""
    count = len(rates)
    half_width = sum(rate.half_width**2 for rate in rates) ** 0.5 / count
    return Rate(sum(rate.mean for rate in rates) / count, half_width, sum(rate.games for rate in rates))
