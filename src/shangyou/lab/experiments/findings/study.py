"""What all findings share: the populations they compare, how a claim is measured, and the page it is written on."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import FIXED, Style
from shangyou.evaluation.intervals import Rate, student_half_width
from shangyou.lab.experiments.discordance import compare_choices
from shangyou.lab.old_dqn import baselines
from shangyou.lab.page import Page
from shangyou.lab.populations import SEEDS, Trained, round_robin_populations
from shangyou.lab.rates import Rates, against, duels, mean_rate
from shangyou.lab.stages import Context

DEALS = {"smoke": 2, "small": 50, "paper": 500}  # of every pair of nets in a finding
EVEN = 0.5


class Claim(NamedTuple):
    """That one side is stronger than another."""

    rate: Rate  # over all seeds
    by_seed: tuple[float, ...]

    @classmethod
    def of(cls, won: Sequence[Tensor]) -> Self:
        """From what the first side won of each deal, seed by seed."""
        return cls(Rate.of(torch.cat([deals.flatten() for deals in won])), tuple(deals.mean().item() for deals in won))

    def __str__(self) -> str:
        return f"{self.rate}" + (f" ({self.seeds} by seed)" if len(self.by_seed) > 1 else "")

    @property
    def seeds(self) -> str:
        return ", ".join(f"{mean:.3f}" for mean in self.by_seed)

    @property
    def over_seeds(self) -> float | None:
        """Half the width of Student's interval, if there are several seeds: nets of another seed would differ, too."""
        return student_half_width(self.by_seed) if len(self.by_seed) > 1 else None

    @property
    def verdict(self) -> str:
        """Both intervals must agree. One seed decides about its own nets only."""
        beyond = max(self.rate.half_width, self.over_seeds or 0.0)
        if abs(self.rate.mean - EVEN) <= beyond:
            return "undecided"
        answer = "yes" if self.rate.mean > EVEN else "no, the second"
        return answer if self.over_seeds is not None else f"{answer}, in one seed"


class Side(NamedTuple):
    """Populations, one a seed, and a word for how they were trained or play."""

    word: str
    populations: Sequence[Trained]
    style: Style = FIXED


class Study:
    """One run of all findings: its populations, and the page."""

    def __init__(self, ctx: Context, page: Page) -> None:
        self.ctx, self.page, self.deals = ctx, page, DEALS[ctx.scale]
        self.baselines, self.seeds = baselines(ctx), range(SEEDS[ctx.scale])
        self.claims: dict[str, Claim] = {}  # by who against whom
        self.populations = cache(partial(round_robin_populations, ctx))  # by their loss; read from disk once

    def claim(self, words: str, won: Sequence[Tensor]) -> str:
        """A share won as text, over all seeds and of each; repeated beside the others at the end."""
        self.claims[words] = Claim.of(won)
        return str(self.claims[words])

    def choices(self, loss: str) -> list[dict[str, Any]]:
        """What the nets of every seed would choose, each population in the positions of its own games."""
        return [compare_choices(self.ctx, f"finding-choices-{loss}-{one.seed}", one) for one in self.populations(loss)]

    def measure(self, stage: str, players: Mapping[str, BatchAgent], seed: int = 0) -> Rates:
        """Against the baselines, on deals of this population seed, which is added to the names."""
        deal_seed = self.ctx.deal_seed(20, seed)
        rates = against(self.ctx, f"finding-{stage}-{seed}", players, self.baselines, self.deals, deal_seed)
        return {f"{name} {seed}": row for name, row in rates.items()}

    def duel(self, stage: str, players: Mapping[str, BatchAgent], pairs: Sequence[tuple[str, str]], seed: int = 0) -> Tensor:
        """[pairs, deals] what the first of each pair won, on deals of this population seed."""
        won = duels(self.ctx, f"finding-{stage}-duel-{seed}", players, pairs, self.deals, self.ctx.deal_seed(21, seed))
        return torch.stack(list(won.values()))

    def paired_match(self, stage: str, one: Side, other: Side) -> tuple[list[Tensor], Rates]:
        """Each net of one side against its twin of the other: what it won, seed by seed; and all against the baselines."""
        won, rates = [], Rates()
        for both in zip(one.populations, other.populations, strict=True):
            players = {
                f"{side.word} {name}": agent
                for side, trained in zip((one, other), both, strict=True)
                for name, agent in trained.singles(self.ctx, side.style).items()
            }
            pairs = [(f"{one.word} {name}", f"{other.word} {name}") for name in both[0].nets]
            won.append(self.duel(stage, players, pairs, both[0].seed))
            rates |= self.measure(stage, players, both[0].seed)
        return won, rates

    def table(self, rates: Rates, groups: Mapping[str, str]) -> None:
        """The mean over the agents whose names match each group's pattern, against the baselines."""
        rows = []
        for label, pattern in groups.items():
            members = [row for name, row in rates.items() if fnmatchcase(name, pattern)]
            rows.append([label, len(members), *(mean_rate([row[who] for row in members]) for who in self.baselines)])
        self.page.table(["mean of", "agents", *(f"against {who}" for who in self.baselines)], rows)
