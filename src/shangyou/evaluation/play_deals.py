"""Games of an evaluation as work in chunks, for processes or a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shangyou.evaluation.backends import BidsMade, Contestant, Results, make_backend
from shangyou.evaluation.duplicate import Matchup, PlayedDeals, play_matchups
from shangyou.games import Deal, Game


@dataclass(frozen=True)
class PlayDuplicate:
    """Deals of two of the contestants in duplicate, as a `Matchup` says which."""

    game: Game
    contestants: Sequence[Contestant]
    seed: int
    mirrored: bool
    given: Sequence[Deal] = ()

    @property
    def agents(self) -> Iterable[str]:
        return [contestant.name for contestant in self.contestants]

    def start(self) -> Callable[[Matchup], PlayedDeals]:
        backend = make_backend(self.game, self.contestants, self.seed, self.given)
        return lambda chunk: play_matchups(backend, [chunk], self.mirrored)[0]


@dataclass(frozen=True)
class PlaySeats:
    """Deals once each, a contestant on every seat; with the bids that were made."""

    game: Game
    contestants: Sequence[Contestant]
    seed: int

    @property
    def agents(self) -> Iterable[str]:
        return [contestant.name for contestant in self.contestants]

    def start(self) -> Callable[[range], tuple[Results, list[BidsMade]]]:
        backend = make_backend(self.game, self.contestants, self.seed)

        def play(numbers: range) -> tuple[Results, list[BidsMade]]:
            seats, bids = np.tile(np.arange(self.game.seats), (len(numbers), 1)), list[BidsMade]()
            return backend.play(seats, np.asarray(numbers), bids.append), bids

        return play
