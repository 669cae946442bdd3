"""A game of two teams, for tests of whatever knows sides: four seats, partners face each other.

A deal ends when both seats of a team are out; who won the last round and is out of cards leaves the lead to the partner. The
team of the first seat out wins: 3 points each if its partner is second, 2 if third, 1 if last.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from shangyou.games import NOBODY, Deck, Ending, Game, PlayTable, Rules
from shangyou.games.rules import choice
from shangyou.games.table import bombs, equals


@dataclass(frozen=True)
class TeamRules(Rules):
    game: ClassVar[str] = "teams"

    cards_each: int = choice(13, "cards dealt to each player", range(1, 14))


class TeamGame(Game):
    name = "teams"
    seats = 4
    outs_to_end = 3
    ends_with_side = True
    lead_passes_to = "partner"
    first_by = "random"
    deck = Deck()

    def __init__(self, rules: TeamRules | None = None) -> None:
        self.rules = rules or TeamRules()
        self.table = build_table()

    def sides(self, landlord: int = NOBODY) -> tuple[int, ...]:
        return (0, 1, 0, 1)

    def hand_sizes(self, first: int) -> tuple[int, ...]:
        return (self.rules.cards_each,) * 4

    def scores(self, ending: Ending) -> tuple[int, ...]:
        partner = (ending.out[0] + 2) % 4
        points = 3 - ending.out[1:].index(partner) if partner in ending.out else 1
        winners = self.winners(ending.out, ending.landlord)
        return tuple(points if seat in winners else -points for seat in range(4))


@cache
def build_table() -> PlayTable:
    return PlayTable(Deck(), [*equals("single", 1, 15), *equals("pair", 2, 13), *equals("triple", 3, 13), *bombs(4)])
