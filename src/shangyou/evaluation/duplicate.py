"""Duplicate play: a deal is played several times with the seats swapped, so that both sides hold the same cards.

A and B are the two that are compared; everything is told from A's side. S seats.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from shangyou.agents import Agent, play_many
from shangyou.agents.seating import Seating, changed, seatings
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, Game


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one game ended."""

    mine: Seating
    landlord: int
    winners: tuple[int, ...]
    places: tuple[int, ...]  # [S]
    scores: tuple[int, ...]  # [S]

    @classmethod
    def of(cls, state: State, mine: Seating) -> Outcome:
        return cls(mine, state.landlord, state.winners, state.places, state.scores)

    @property
    def from_other_side(self) -> Outcome:
        return replace(self, mine=changed(self.mine))

    @property
    def win(self) -> float:
        """The share of A's seats that won; with a landlord, the mean of that and of the share of B's seats that lost,
        which differs only where bidding has put A and B on one side."""
        won = self._share_won(self._seats(True))
        return won if self.landlord == NOBODY else (won + 1 - self._share_won(self._seats(False))) / 2

    @property
    def points(self) -> int:
        """What A's seats were paid together."""
        return self._paid(self._seats(True))

    @property
    def by_role(self) -> dict[str, tuple[float, int]]:
        """Share won and points of A's seats in each role that A has in this game; nothing where all are alike."""
        mine = self._seats(True)
        if self.landlord != NOBODY:
            roles = {"landlord": [self.landlord], "peasants": [seat for seat in range(len(self.mine)) if seat != self.landlord]}
        else:
            roles = {} if len(self.mine) == 2 else {"alone" if len(mine) == 1 else "three": mine}
        held = {role: [seat for seat in seats if self.mine[seat]] for role, seats in roles.items()}
        return {role: (self._share_won(seats), self._paid(seats)) for role, seats in held.items() if seats}

    def _seats(self, mine: bool) -> list[int]:
        return [seat for seat, sits in enumerate(self.mine) if sits == mine]

    def _share_won(self, seats: list[int]) -> float:
        return sum(seat in self.winners for seat in seats) / len(seats)

    def _paid(self, seats: list[int]) -> int:
        return sum(self.scores[seat] for seat in seats)


PlayedDeal = tuple[Outcome, ...]
"""All games of one deal, one to each of its `seatings`."""


def play_deals(game: Game, a: Agent, b: Agent, seed: int, indices: range, mirrored: bool = False) -> list[PlayedDeal]:
    """Play these deals of `seed`, all their games interleaved."""
    tables = [(index, seating) for index in indices for seating in seatings(game, mirrored)]
    dealt = {index: reference.deal(game, seed, index) for index in indices}
    players = [[a if mine else b for mine in seating] for _, seating in tables]
    ends = play_many([dealt[index] for index, _ in tables], players)
    outcomes: dict[int, list[Outcome]] = {index: [] for index in indices}
    for (index, seating), end in zip(tables, ends, strict=True):
        outcomes[index].append(Outcome.of(end, seating))
    return [tuple(games) for games in outcomes.values()]
