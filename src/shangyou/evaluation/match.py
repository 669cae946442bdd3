"""A match of two agents over duplicate deals: win rate and points with intervals from paired deals.

match = play_match(games.load("doudizhu"), by_name("rule"), by_name("greedy"), deals=1000, seed=1, workers=2)
match.total.win.mean, match.total.win.half_width
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from math import fsum

from shangyou.agents.seating import even_share
from shangyou.evaluation.crew import Chunk, Contestant, play_chunks
from shangyou.evaluation.duplicate import PlayedDeal
from shangyou.evaluation.intervals import RunningMean
from shangyou.evaluation.sprt import Sprt, Verdict
from shangyou.games import BadInput, Game

CHUNK = 64  # deals played together: enough for a net to be asked about many positions at once


@dataclass
class Score:
    """Win rate and points a game, a value for every deal: the games of a deal share their cards, so they are no
    independent witnesses, and the interval is that of the deals' means."""

    win: RunningMean = field(default_factory=RunningMean)
    points: RunningMean = field(default_factory=RunningMean)

    def add(self, games: Iterable[tuple[float, float]]) -> None:
        """The win and the points of every game of a deal; a deal without any says nothing."""
        wins, points = zip(*games, strict=True)
        self.win.add(fsum(wins) / len(wins))
        self.points.add(fsum(points) / len(points))

    @property
    def win_interval(self) -> tuple[float, float]:
        return max(0.0, self.win.mean - self.win.half_width), min(1.0, self.win.mean + self.win.half_width)


@dataclass
class Match:
    """What A made of its games against B."""

    game: Game
    a: str
    b: str
    seed: int
    sprt: Sprt | None = None
    played: list[PlayedDeal] = field(default_factory=list)
    total: Score = field(default_factory=Score)
    by_role: defaultdict[str, Score] = field(default_factory=lambda: defaultdict(Score))

    def add(self, deal: PlayedDeal) -> None:
        self.played.append(deal)
        self.total.add(results_of(deal))
        roles = [outcome.by_role for outcome in deal]
        for role in sorted({role for held in roles for role in held}):
            self.by_role[role].add(held[role] for held in roles if role in held)

    @property
    def deals(self) -> int:
        return len(self.played)

    @property
    def games(self) -> int:
        return sum(map(len, self.played))

    @property
    def even(self) -> float:
        """The win rate of equals."""
        return even_share(self.game)

    @property
    def verdict(self) -> Verdict:
        return self.sprt.verdict(self.total.win) if self.sprt else Verdict.UNDECIDED


def results_of(deal: PlayedDeal) -> list[tuple[float, float]]:
    """A's win and points in every game of a deal."""
    return [(outcome.win, outcome.points) for outcome in deal]


def play_match(
    game: Game,
    a: Contestant,
    b: Contestant,
    deals: int,
    seed: int,
    *,
    mirrored: bool = False,
    sprt: Sprt | None = None,
    workers: int = 1,
    after_each: Callable[[Match], None] = lambda match: None,
) -> Match:
    """Play deals 0..deals-1 of `seed`, or as many as the SPRT on A's win rate needs.

    After every chunk `after_each` sees the match so far, so that interrupting keeps what was played.
    """
    match = Match(game, a.name, b.name, seed, sprt)
    chunks = [Chunk(0, 1, indices) for indices in chunks_of(deals)]
    with closing(play_chunks(game, (a, b), chunks, seed, mirrored, workers)) as played:
        for chunk in played:
            for deal in chunk:
                match.add(deal)
            after_each(match)
            if match.verdict != Verdict.UNDECIDED:
                break
    return match


def chunks_of(deals: int) -> list[range]:
    """The numbers of the deals, cut into pieces."""
    if deals < 1:
        raise BadInput(f"deals {deals}: at least one is needed")
    return [range(start, min(start + CHUNK, deals)) for start in range(0, deals, CHUNK)]
