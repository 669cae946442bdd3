"""Many games between fixed seats: who wins how often, for how many points, and how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from shangyou.evaluation.backends import Contestant, Ints, Results, deals_at_once, make_backend
from shangyou.evaluation.duplicate import Bools
from shangyou.evaluation.intervals import RunningMean, share_interval
from shangyou.evaluation.match import chunks_of
from shangyou.games import BadInput, Game


@dataclass
class SeatTally:
    """What one seat made of the games so far."""

    agent: str
    wins: int = 0
    scores: RunningMean = field(default_factory=RunningMean)

    def add(self, won: Bools, scores: Ints) -> None:
        self.wins += int(won.sum())
        self.scores.add(scores)

    @property
    def games(self) -> int:
        return self.scores.count

    @property
    def points(self) -> float:
        return self.scores.total

    @property
    def win_rate(self) -> float:
        return self.wins / self.games if self.games else 0.0

    @property
    def win_interval(self) -> tuple[float, float]:
        return share_interval(self.wins, self.games)

    @property
    def mean_score(self) -> float:
        return self.scores.mean

    @property
    def score_half_width(self) -> float:
        return self.scores.half_width


@dataclass
class Tally:
    """All seats together."""

    seats: list[SeatTally]
    lengths: RunningMean = field(default_factory=RunningMean)

    @property
    def games(self) -> int:
        return self.seats[0].games

    def add(self, results: Results) -> None:
        for seat, tally in enumerate(self.seats):
            tally.add(results.won[:, seat], results.scores[:, seat])
        self.lengths.add(results.turns)

    @property
    def mean_length(self) -> float:
        """Plays and passes a game."""
        return self.lengths.mean

    @property
    def length_half_width(self) -> float:
        return self.lengths.half_width


def fill_seats(names: Sequence[str], seats: int) -> list[str]:
    """A name for every seat; the last one named takes the seats that are left."""
    if not 1 <= len(names) <= seats:
        raise BadInput(f"{len(names)} agents for {seats} seats: name 1 to {seats}, the last takes the seats that are left")
    return [*names, *[names[-1]] * (seats - len(names))]


def simulate(
    game: Game, players: Sequence[Contestant], games: int, seed: int, after_each: Callable[[Tally], None] = lambda tally: None
) -> Tally:
    """Play deals 0..games-1 of `seed`. Interrupting keeps what was played: `after_each` sees the running tally."""
    if games < 1:
        raise BadInput(f"games {games}: at least one is needed")
    tally, backend = Tally([SeatTally(player.name) for player in players]), make_backend(game, players, seed)
    for numbers in chunks_of(games, deals_at_once(players)):
        tally.add(backend.play(np.tile(np.arange(game.seats), (len(numbers), 1)), np.asarray(numbers)))
        after_each(tally)
    return tally
