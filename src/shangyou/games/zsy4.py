"""zsy4: four-player ZhengShangYou with straights and suits."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from shangyou.games.cards import Deck
from shangyou.games.game import Ending, Game
from shangyou.games.rules import Rules, choice, switch
from shangyou.games.table import ANY, MIXED, Groups, Play, PlayTable, bombs, equals, runs

POINTS = {"places": (3, 1, -1, -3), "winner": (3, -1, -1, -1)}
FLUSH = 100  # added to the strength of a flush: above every plain straight of its length


@dataclass(frozen=True)
class Zsy4Rules(Rules):
    game: ClassVar[str] = "zsy4"

    decks: int = choice(1, "packs of 54 cards", range(1, 3))
    shortest_straight: int = choice(3, "ranks a straight of any kind needs", range(3, 13))
    two_in_straight: bool = switch(False, "2 may end a straight")
    flush_is_higher: bool = switch(True, "a straight of one suit beats every mixed one of its length")
    joker_pairs: bool = switch(True, "with two packs, two equal jokers are a pair")
    first_lead: str = choice(
        "spade3", "who leads first: the holder of the 3 of spades, or a random seat", ("spade3", "random"), {"lot": "random"}
    )
    points: str = choice("places", "pay 3 1 -1 -3 by place, or 3 to the first from the others", ("places", "winner"))
    pass_is_final: bool = switch(False, "a seat that passed waits until the round is over")


class Zsy4(Game):
    name = "zsy4"
    seats = 4
    outs_to_end = 3

    def __init__(self, rules: Zsy4Rules) -> None:
        self.rules: Zsy4Rules = rules
        self.table = build_table(
            rules.decks, rules.shortest_straight, rules.two_in_straight, rules.flush_is_higher, rules.joker_pairs
        )
        self.deck = self.table.deck
        self.pass_is_final = rules.pass_is_final
        self.first_by = "spade3" if rules.first_lead == "spade3" else "random"
        self.run_ranks = 13 if rules.two_in_straight else 12

    def hand_sizes(self, first: int) -> tuple[int, ...]:
        cards = 54 * self.rules.decks
        return tuple(cards // 4 + ((seat - first) % 4 < cards % 4) for seat in range(4))

    def scores(self, ending: Ending) -> tuple[int, ...]:
        last = set(range(4)) - set(ending.out)
        places = [*ending.out, *last]
        return tuple(POINTS[self.rules.points][places.index(seat)] for seat in range(4))


@lru_cache(maxsize=16)  # anybody may ask a server for any rules
def build_table(packs: int, shortest: int, two_in_straight: bool, flush_is_higher: bool, joker_pairs: bool) -> PlayTable:
    most_cards = -(-54 * packs // 4)  # the larger hand
    end = 13 if two_in_straight else 12
    pairs = 15 if packs == 2 and joker_pairs else 13
    plays = [*equals("single", 1, 15), *equals("pair", 2, pairs), *equals("triple", 3, 13)]
    for name, count in (("straight", 1), ("double-straight", 2), ("triple-straight", 3)):
        shapes = list(runs(count, range(shortest, min(end, most_cards // count) + 1), end))
        can_flush = flush_is_higher and count <= packs  # a flush pair is two equal cards
        plays += [_straight(name, name, run, 0, MIXED if can_flush else ANY) for run in shapes]
        if can_flush:
            plays += [_straight(f"flush-{name}", name, run, FLUSH, suit) for run in shapes for suit in range(4)]
    for count in range(4, 4 * packs + 1):
        plays += bombs(count, "bomb" if packs == 1 else f"bomb x{count}")
    return PlayTable(Deck(packs, suited=True), plays)


def _straight(family: str, name: str, run: Groups, bonus: int, suit: int) -> Play:
    return Play(family, f"{name} x{len(run)}", run, strength=run[0][0] + bonus, suit=suit)
