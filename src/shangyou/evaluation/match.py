"""A match of two agents over duplicate deals: win rate and points with intervals from paired deals.

match = evaluate(games.load("doudizhu"), by_name("rule"), by_name("greedy"), deals=1000, seed=1, workers=2)
match.total.win.mean, match.total.win.half_width
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from shangyou.agents.seating import even_share
from shangyou.evaluation.backends import Contestant, Ints, deals_at_once
from shangyou.evaluation.duplicate import Bools, Floats, Matchup, PlayedDeals
from shangyou.evaluation.intervals import RunningMean
from shangyou.evaluation.play_deals import PlayDuplicate
from shangyou.evaluation.sprt import Sprt, Verdict
from shangyou.games import BadInput, Deal, Game
from shangyou.workers import CHUNKS_EACH, Workers, count_of, do_chunks

BLOCK = 64  # deals after which an SPRT is asked and progress is shown
SPRT_BLOCKS = 8  # at most, played together where a test may stop the match


@dataclass
class Score:
    """Win rate and points a game. The games of a deal share their cards and are not independent, so every deal is one value:
    the mean of its games."""

    win: RunningMean = field(default_factory=RunningMean)
    points: RunningMean = field(default_factory=RunningMean)

    def add(self, win: Floats, points: Ints, counted: Bools | None = None) -> None:
        """Games of deals [D, G], or those of them that are `counted` [D, G]; a deal without any is left out."""
        weight = np.ones_like(win) if counted is None else counted.astype(np.float64)
        games = weight.sum(1)
        some = games > 0
        self.win.add((win * weight).sum(1)[some] / games[some])
        self.points.add((points * weight).sum(1)[some] / games[some])

    @property
    def win_interval(self) -> tuple[float, float]:
        low, high = self.win.interval
        return max(0.0, low), min(1.0, high)


@dataclass
class Match:
    """The games of A against B so far, and their results for A."""

    game: Game
    a: str
    b: str
    seed: int
    sprt: Sprt | None = None
    parts: list[PlayedDeals] = field(default_factory=list)
    total: Score = field(default_factory=Score)
    by_role: defaultdict[str, Score] = field(default_factory=lambda: defaultdict(Score))

    def add(self, played: PlayedDeals) -> None:
        self.parts.append(played)
        self.total.add(played.win, played.points)
        for role, (counted, win, points) in played.by_role().items():
            self.by_role[role].add(win, points, counted)

    @property
    def played(self) -> PlayedDeals:
        """All deals so far, at least one."""
        return PlayedDeals.joined(self.parts)

    @property
    def deals(self) -> int:
        return sum(map(len, self.parts))

    @property
    def games(self) -> int:
        return sum(part.games for part in self.parts)

    @property
    def even(self) -> float:
        """The win rate of equals."""
        return even_share(self.game)

    @property
    def verdict(self) -> Verdict:
        return self.sprt.verdict(self.total.win) if self.sprt else Verdict.UNDECIDED


def evaluate(
    game: Game,
    a: Contestant,
    b: Contestant,
    deals: int,
    seed: int,
    *,
    mirrored: bool = False,
    sprt: Sprt | None = None,
    workers: Workers = 1,
    given: Sequence[Deal] = (),
    after_each: Callable[[Match], None] = lambda match: None,
) -> Match:
    """Play deals 0..deals-1 of `seed`, or of those given, in duplicate, or as many blocks of them as the SPRT on A's win rate
    needs.

    After every block `after_each` gets the match so far, which is the result if the caller is interrupted.
    """
    if given and deals > len(given):
        raise BadInput(f"deals {deals}: only {len(given)} are given")
    match = Match(game, a.name, b.name, seed, sprt)
    at_once = min(deals_at_once(game, (a, b)), SPRT_BLOCKS * BLOCK if sprt else deals)
    chunks = [Matchup(0, 1, numbers) for numbers in chunks_of(deals, at_once, count_of(workers))]
    work = PlayDuplicate(game, (a, b), seed, mirrored, given)
    with closing(do_chunks(work, chunks, workers)) as played:
        for chunk in played:
            for block in blocks_of(chunk):
                match.add(block)
                after_each(match)
                if match.verdict != Verdict.UNDECIDED:
                    return match
    return match


def chunks_of(deals: int, at_once: int, workers: int = 1) -> list[range]:
    """The numbers of the deals, cut into ranges of whole blocks that are played together; several for each worker."""
    if deals < 1:
        raise BadInput(f"deals {deals}: at least one is needed")
    share = deals if workers == 1 else deals // (CHUNKS_EACH * workers)
    chunk = max(1, min(at_once, share) // BLOCK) * BLOCK
    return [range(start, min(start + chunk, deals)) for start in range(0, deals, chunk)]


def blocks_of(played: PlayedDeals) -> list[PlayedDeals]:
    return [played[start : start + BLOCK] for start in range(0, len(played), BLOCK)]
