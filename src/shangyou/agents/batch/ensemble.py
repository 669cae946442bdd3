"""Agents that play a batch of games by ensembles of the papers' nets. A `Style` says how they choose and explore.

n games to decide in, N legal plays in all, K nets of an ensemble.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.agents.batch.agent import BatchAgent, first_best, is_best
from shangyou.agents.batch.exploring import gumbel
from shangyou.engines.batch import Legal, View
from shangyou.games import PASS, BadInput, Game, PlayTable
from shangyou.nets.inputs import inputs_of
from shangyou.nets.papers import Ensemble, Stack
from shangyou.nets.papers.encoding import Pairs
from shangyou.nets.spec import WIN

TIES = ("logit", "first")
SAMPLING = ("uniform", "value")
NUMBERS_AT_ONCE = {"cpu": 1 << 26, "cuda": 1 << 32}  # 17 GB of float32


@dataclass(frozen=True)
class Style:
    """How a play is chosen from the answers of nets."""

    ties: str = "logit"  # between chances equal in float32, what to prefer: the higher logit, or the first of the papers' list
    epsilon: float = 0.0  # share of random decisions
    sampling: str = "uniform"  # of random plays: all equally likely, or in proportion to their values
    blank: bool = False  # encode the cards played before the first moves as plain zeros, as the agents of 2018 did

    def __post_init__(self) -> None:
        if self.ties not in TIES or self.sampling not in SAMPLING:
            raise BadInput(f"style {self}: ties are {' or '.join(TIES)}, sampling is {' or '.join(SAMPLING)}")


AS_PRINTED = Style(ties="first")
FIXED = Style()


class EnsembleAgent(BatchAgent):
    """Plays by an ensemble of nets."""

    def __init__(self, game: Game, ensemble: Ensemble, style: Style = FIXED, name: str = "ensemble", seed: int = 0) -> None:
        super().__init__(game)
        self.ensemble, self.style, self.name = ensemble.eval().requires_grad_(False), style, name
        ensemble.freeze()
        device = next(ensemble.parameters()).device
        self.generator = torch.Generator(device).manual_seed(seed)
        self.at_once = max(1, NUMBERS_AT_ONCE[device.type] // ensemble.numbers_held)

    @torch.no_grad()
    def logits(self, view: View, legal: Legal) -> Tensor:
        """[K, N] float32."""
        parts = [self.ensemble.logits(self.pairs(view, legal, part)) for part in self.parts(len(legal.plays))]
        return torch.cat(parts, 1)

    def parts(self, pairs: int) -> Iterator[slice]:
        """All pairs, cut into slices that fit into memory."""
        return (slice(start, start + self.at_once) for start in range(0, pairs, self.at_once))

    def pairs(self, view: View, legal: Legal, places: slice | Tensor) -> Pairs:
        """Some of the legal plays, with the positions they are made in."""
        rows, seen = legal.rows[places], inputs_of(view, torch.full_like(view.last, WIN))
        pairs = self.ensemble.encoder.pairs(seen, rows, legal.plays[places].long())
        if self.style.blank:  # my cards before my first move, the opponent's before any
            pairs = pairs._replace(blank=torch.stack([view.turns < 2, view.turns < 1], 1)[rows])
        return pairs

    def values(self, view: View, legal: Legal) -> Tensor:
        return self.joined(self.logits(view, legal))

    def joined(self, logits: Tensor) -> Tensor:
        """[N] the values of plays, from the logits of the nets [K, N]."""
        if self.style.ties == "first":
            return self.ensemble.joined(torch.sigmoid(logits))
        alike = len(logits) == 1 or self.ensemble.how != "mean"  # what is least as a logit is least as a chance
        return self.ensemble.joined(logits) if alike else mean_logit(logits)

    def act(self, view: View, legal: Legal) -> Tensor:
        return legal.plays[self.choose(view, legal, self.values(view, legal))]

    def choose(self, view: View, legal: Legal, values: Tensor) -> Tensor:
        """[n] the places in `legal` of the plays chosen for these values [N]."""
        by_list = self.style.ties == "first"
        best = first_listed(values, view, legal, self.game.table) if by_list else first_best(values, legal)
        if not self.style.epsilon:
            return best
        explores = torch.rand(len(best), generator=self.generator, device=best.device) < self.style.epsilon
        return torch.where(explores, self._drawn(legal, values), best)

    def _drawn(self, legal: Legal, values: Tensor) -> Tensor:
        """[n] the places in `legal` of random plays."""
        noise = torch.rand(len(values), generator=self.generator, device=values.device).clamp(1e-12, 1 - 1e-7)
        if self.style.sampling == "uniform":
            return first_best(noise, legal)
        chances = values if self.style.ties == "first" else torch.sigmoid(values)
        return first_best(chances.double().clamp(min=1e-30).log() + gumbel(noise.double()), legal)

    @property
    def group(self) -> object:
        """Equal for single nets of one shape that play in one style and do not read past plays."""
        stack = self.ensemble.stacks[0]
        alone = self.ensemble.nets == 1 and isinstance(stack, Stack) and not stack.spec.turns
        return (stack.spec.shape, self.style) if alone else self

    def together(self, members: Sequence[BatchAgent]) -> BatchAgent:
        return self if len(members) == 1 else StackedAgents([member for member in members if isinstance(member, EnsembleAgent)])


class StackedAgents(EnsembleAgent):
    """Agents of one net each, all of one shape and style, asked at once: on a GPU a few large calls are faster than many small
    ones. Their random choices are drawn from the generator of the first."""

    def __init__(self, members: Sequence[EnsembleAgent]) -> None:
        first = members[0]
        stacks = [stack for member in members for stack in member.ensemble.stacks if isinstance(stack, Stack)]
        super().__init__(first.game, Ensemble([Stack.joined(stacks)], encoder=first.ensemble.encoder), first.style, "stacked")
        self.generator = first.generator

    def act_each(self, view: View, legal: Legal, games: Tensor, ends: Sequence[int]) -> Tensor:
        return legal.plays[self.choose(view, legal, self._own_values(view, legal, ends))]

    @torch.no_grad()
    def _own_values(self, view: View, legal: Legal, ends: Sequence[int]) -> Tensor:
        """[N] the value of every play by the member whose game it is. All are asked about as many as the one with most."""
        starts = [0, *ends[:-1]]
        most, device = max(end - start for start, end in zip(starts, ends, strict=True)), legal.plays.device
        first = torch.tensor(starts, device=device)[:, None]
        logits = torch.empty(self.ensemble.nets, most, device=device)
        for part in self.parts(most):
            places = (first + torch.arange(most, device=device)[part]).clamp(max=ends[-1] - 1)
            logits[:, part] = self.ensemble.logits(self.pairs(view, legal, places.flatten()), apart=True)
        whose = torch.bucketize(torch.arange(ends[-1], device=device), first[1:, 0], right=True)
        own = torch.arange(ends[-1], device=device) - first[whose, 0] + whose * most
        return self.joined(logits.flatten()[None, own])

    def values(self, view: View, legal: Legal) -> Tensor:
        raise TypeError("agents asked together answer `act_each`: whose game it is decides who values its plays")


def mean_logit(logits: Tensor) -> Tensor:
    """[N] the logit of the mean chance, exact where every chance rounds to 0 or 1."""
    won, lost = functional.logsigmoid(logits.double()), functional.logsigmoid(-logits.double())
    return torch.logsumexp(won, 0) - torch.logsumexp(lost, 0)


def first_listed(values: Tensor, view: View, legal: Legal, table: PlayTable) -> Tensor:
    """[n] the places in `legal` of the best plays; among equals the first of the papers' list."""
    plays = legal.plays.long()
    order = torch.where((view.last == PASS)[legal.rows], _lead_order(table, plays.device)[plays], plays)
    return first_best(torch.where(is_best(values, legal), -order.double(), -torch.inf), legal)


@cache
def _lead_order(table: PlayTable, device: torch.device) -> Tensor:
    """[P] the place of every play in the papers' list for a leader: by groups, their sizes, their lowest rank.

    A follower's list is in the order of our rows: pass, the asked shape from low to high, bombs.
    """
    keys = [(len(groups), [count for _, count in groups], [rank for rank, _ in groups[:1]]) for groups in table.groups]
    order = torch.empty(len(keys), dtype=torch.int64)
    order[torch.tensor(sorted(range(len(keys)), key=lambda row: keys[row]))] = torch.arange(len(keys))
    return order.to(device)
