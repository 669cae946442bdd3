"""Duplicate play: a deal is played several times with the seats swapped, so that both sides hold the same cards.

A and B are the two that are compared; all results are A's. D deals, G games of a deal, S seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shangyou.agents.seating import even_share, seatings
from shangyou.evaluation.backends import Backend, Ints
from shangyou.games import NOBODY, Game

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SEATS_HELD = {1: "alone", 2: "two", 3: "three"}


class Matchup(NamedTuple):
    """Two agents of a backend by their numbers, and the deals they play."""

    a: int
    b: int
    deals: range


@dataclass(frozen=True, eq=False)
class PlayedDeals:
    """How the games of D deals ended."""

    game: Game
    mine: Bools  # [G, S] where A sits
    landlord: Ints  # [D, G]
    won: Bools  # [D, G, S]
    places: Ints  # [D, G, S]
    scores: Ints  # [D, G, S]

    def __len__(self) -> int:
        return len(self.won)

    @property
    def games(self) -> int:
        return self.landlord.size

    def __getitem__(self, deals: slice) -> PlayedDeals:
        return PlayedDeals(self.game, self.mine, self.landlord[deals], self.won[deals], self.places[deals], self.scores[deals])

    @classmethod
    def joined(cls, parts: Sequence[PlayedDeals]) -> PlayedDeals:
        """Several parts of one match, at least one."""
        columns = zip(*((part.landlord, part.won, part.places, part.scores) for part in parts), strict=True)
        return cls(parts[0].game, parts[0].mine, *map(np.concatenate, columns))

    @property
    def from_other_side(self) -> PlayedDeals:
        return replace(self, mine=~self.mine)

    @cached_property
    def side(self) -> Ints:
        """[D, G, S] the number of each seat's side."""
        sides: Ints = np.array([self.game.sides(landlord) for landlord in range(NOBODY, self.game.seats)])
        return sides[self.landlord - NOBODY]

    @cached_property
    def win(self) -> Floats:
        """[D, G] the share of A's seats that won; where there are two sides, the mean of that and of the share of B's seats
        that lost, which differs only where bidding has put A and B on one side."""
        won = self._share_won(self.mine)
        if self.game.seats == 2 or even_share(self.game) != 0.5:
            return won
        return (won + 1 - self._share_won(~self.mine)) / 2

    @property
    def points(self) -> Ints:
        """[D, G] what A's seats were paid together."""
        paid: Ints = (self.scores * self.mine).sum(-1)
        return paid

    def by_role(self) -> dict[str, tuple[Bools, Floats, Ints]]:
        """For each role of A: the games in which A has it, the share won and the points there, all [D, G]. Empty in games
        without roles."""
        if self.game.side_names:
            held = {name: self.mine & (self.side == side) for side, name in enumerate(self.game.side_names)}
        elif even_share(self.game) < 0.5:
            seats = self.mine.sum(-1, keepdims=True)  # [G, 1]
            held = {name: np.broadcast_to(self.mine & (seats == count), self.won.shape) for count, name in SEATS_HELD.items()}
        else:
            held = {}
        roles = {role: (seats.any(-1), self._share_won(seats), (self.scores * seats).sum(-1)) for role, seats in held.items()}
        return {role: found for role, found in sorted(roles.items()) if found[0].any()}

    def _share_won(self, seats: Bools) -> Floats:
        """[D, G] the share of these seats [..., S] that won; 0 where there are none."""
        counts = np.broadcast_to(seats.sum(-1), self.landlord.shape)
        shares: Floats = (self.won & seats).sum(-1) / np.maximum(counts, 1)
        return shares


def play_matchups(backend: Backend, matchups: Sequence[Matchup], mirrored: bool = False) -> list[PlayedDeals]:
    """Play all games of all matchups at once."""
    mine = np.array(seatings(backend.game, mirrored))  # [G, S]
    lengths = [len(matchup.deals) for matchup in matchups]
    deals = np.concatenate([np.asarray(matchup.deals) for matchup in matchups])  # [N]
    a, b = (np.repeat([matchup[i] for matchup in matchups], lengths) for i in range(2))  # [N] each
    seats = np.where(mine[:, None, :], a[:, None], b[:, None])  # [G, N, S]
    results = backend.play(seats.reshape(-1, backend.game.seats), np.tile(deals, len(mine)))
    columns = results.landlord, results.won, results.places, results.scores
    by_deal = [column.reshape(len(mine), len(deals), *column.shape[1:]).swapaxes(0, 1) for column in columns]
    parts = zip(*(np.split(column, np.cumsum(lengths)[:-1]) for column in by_deal), strict=True)
    return [PlayedDeals(backend.game, mine, *part) for part in parts]


def play_deals(backend: Backend, deals: range, mirrored: bool = False) -> PlayedDeals:
    """Play deals of the first agent of the backend against the second."""
    return play_matchups(backend, [Matchup(0, 1, deals)], mirrored)[0]
