"""Many games between fixed seats: who wins how often, for how many points, and how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shangyou.agents import Agent, play_game
from shangyou.engines.reference import State
from shangyou.evaluation.intervals import mean_half_width, share_interval
from shangyou.games import BadInput, Game


@dataclass
class SeatTally:
    """What one seat made of the games so far."""

    agent: str
    games: int = 0
    wins: int = 0
    points: int = 0
    points_squared: int = 0

    def add(self, won: bool, score: int) -> None:
        self.games += 1
        self.wins += won
        self.points += score
        self.points_squared += score * score

    @property
    def win_rate(self) -> float:
        return self.wins / self.games if self.games else 0.0

    @property
    def win_interval(self) -> tuple[float, float]:
        return share_interval(self.wins, self.games)

    @property
    def mean_score(self) -> float:
        return self.points / self.games if self.games else 0.0

    @property
    def score_half_width(self) -> float:
        return mean_half_width(self.points, self.points_squared, self.games)


@dataclass
class Tally:
    """All seats together."""

    seats: list[SeatTally]
    decisions: int = 0
    decisions_squared: int = 0

    @property
    def games(self) -> int:
        return self.seats[0].games

    def add(self, state: State) -> None:
        for seat, tally in enumerate(self.seats):
            tally.add(seat in state.winners, state.scores[seat])
        self.decisions += len(state.history)
        self.decisions_squared += len(state.history) ** 2

    @property
    def mean_length(self) -> float:
        """Plays and passes a game."""
        return self.decisions / self.games if self.games else 0.0

    @property
    def length_half_width(self) -> float:
        return mean_half_width(self.decisions, self.decisions_squared, self.games)


def fill_seats(names: Sequence[str], seats: int) -> list[str]:
    """A name for every seat; the last one named takes the seats that are left."""
    if not 1 <= len(names) <= seats:
        raise BadInput(f"{len(names)} agents for {seats} seats: name 1 to {seats}, the last takes the seats that are left")
    return [*names, *[names[-1]] * (seats - len(names))]


def simulate(
    game: Game, agents: Sequence[Agent], games: int, seed: int, after_each: Callable[[Tally], None] = lambda tally: None
) -> Tally:
    """Play deals 0..games-1 of `seed`. Interrupting keeps what was played: `after_each` sees the running tally."""
    if games < 1:
        raise BadInput(f"games {games}: at least one is needed")
    tally = Tally([SeatTally(agent.name) for agent in agents])
    for index in range(games):
        tally.add(play_game(game, agents, seed, index))
        after_each(tally)
    return tally
