"""Many games between fixed seats: who wins how often, for how many points, and how long it takes."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from shangyou.evaluation.backends import BidsMade, Contestant, Ints, Results, deals_at_once
from shangyou.evaluation.intervals import RunningMean, share_interval
from shangyou.evaluation.match import Score, chunks_of
from shangyou.evaluation.play_deals import PlaySeats
from shangyou.games import BadInput, Game
from shangyou.workers import Workers, count_of, do_chunks


class SeatScore(Score):
    """Win rate and points of one seat, where every game is a deal of its own."""

    @property
    def win_interval(self) -> tuple[float, float]:
        return share_interval(round(self.win.total), self.win.count)


@dataclass
class Simulation:
    """The games so far."""

    agents: list[str]  # [S]
    seats: list[SeatScore]  # [S]
    bids: dict[str, Ints] = field(compare=False)  # by agent, [S, points] how often it bid so many as first, second, ... to bid
    turns: RunningMean = field(default_factory=RunningMean)  # plays and passes of each game

    @property
    def games(self) -> int:
        return self.turns.count

    def add(self, results: Results) -> None:
        for seat, score in enumerate(self.seats):
            score.add(results.won[:, [seat]].astype(np.float64), results.scores[:, [seat]])
        self.turns.add(results.turns)

    def add_bids(self, made: BidsMade) -> None:
        for seat, agent in enumerate(self.agents):
            mine = made.agents == seat
            np.add.at(self.bids[agent], (made.turns[mine], made.points[mine]), 1)


def fill_seats(names: Sequence[str], seats: int) -> list[str]:
    """A name for every seat; the last one named takes the seats that are left."""
    if not 1 <= len(names) <= seats:
        raise BadInput(f"{len(names)} agents for {seats} seats: name 1 to {seats}, the last takes the seats that are left")
    return [*names, *[names[-1]] * (seats - len(names))]


def simulate(
    game: Game,
    players: Sequence[Contestant],
    games: int,
    seed: int,
    after_each: Callable[[Simulation], None] = lambda _: None,
    workers: Workers = 1,
) -> Simulation:
    """Play deals 0..games-1 of `seed`. After every chunk `after_each` gets the games so far."""
    if games < 1:
        raise BadInput(f"games {games}: at least one is needed")
    names, bids = [player.name for player in players], game.allowed_bids(()) if game.has_bidding else ()
    counts = {name: np.zeros((game.seats, max(bids) + 1), np.int64) for name in names if bids}
    result = Simulation(names, [SeatScore() for _ in players], counts)
    chunks = chunks_of(games, deals_at_once(game, players), count_of(workers))
    with closing(do_chunks(PlaySeats(game, players, seed), chunks, workers)) as played:
        for results, heard in played:
            result.add(results)
            for made in heard:
                result.add_bids(made)
            after_each(result)
    return result
