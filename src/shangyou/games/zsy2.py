"""zsy2: simplified two-player ZhengShangYou, the game of Leon Lin's Deep ZSY and Battle Royale."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from shangyou.games.cards import SUITED_RANKS, Deck
from shangyou.games.game import Ending, Game
from shangyou.games.rules import Rules, choice, switch
from shangyou.games.table import Groups, Play, PlayTable, bombs, equals


@dataclass(frozen=True)
class Zsy2Rules(Rules):
    game: ClassVar[str] = "zsy2"

    cards_each: int = choice(18, "cards dealt to each player; the rest of the pack stays hidden", range(1, 21))
    shortest_chain: int = choice(2, "links a chain needs", range(2, 10))
    two_in_chain: bool = switch(True, "2 may be a link of a chain")
    first_lead: str = choice("coin", "who leads first: a coin decides, or seat 0", ("coin", "seat0"))


class Zsy2(Game):
    name = "zsy2"
    seats = 2
    outs_to_end = 1
    deck = Deck()

    def __init__(self, rules: Zsy2Rules) -> None:
        self.rules: Zsy2Rules = rules
        self.table = build_table(rules.cards_each, rules.shortest_chain, rules.two_in_chain)
        self.first_by = "random" if rules.first_lead == "coin" else "seat0"

    def hand_sizes(self, first: int) -> tuple[int, ...]:
        return (self.rules.cards_each,) * 2

    def scores(self, ending: Ending) -> tuple[int, ...]:
        return (1, -1) if ending.out[0] == 0 else (-1, 1)


@lru_cache(maxsize=16)  # anybody may ask a server for any rules
def build_table(most_cards: int, shortest_chain: int, two_in_chain: bool) -> PlayTable:
    plays = [*equals("single", 1, 15), *equals("pair", 2, 13), *equals("triple", 3, 13)]
    for start in SUITED_RANKS:
        plays += _chains((), start, most_cards, shortest_chain, 13 if two_in_chain else 12)
    plays += bombs(4)
    return PlayTable(Deck(), (play for play in plays if sum(count for _, count in play.groups) <= most_cards))


def _chains(links: Groups, rank: int, room: int, shortest: int, end: int) -> Iterator[Play]:
    """Every chain that goes on from `links` with a link at `rank`, within `room` more cards."""
    if rank >= end:
        return
    for count in (2, 3, 4):
        if count > room:
            return
        chain = (*links, (rank, count))
        if len(chain) >= shortest:
            shape = "-".join(str(n) for _, n in chain)
            yield Play("chain", f"chain {shape}", chain, strength=chain[0][0])
        yield from _chains(chain, rank + 1, room - count, shortest, end)
