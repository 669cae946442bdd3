"""Small games whose tables and rules ask more of the batch engine than the games we ship."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from shangyou.games import NOBODY, Deck, Ending, Game, PlayTable, Rules
from shangyou.games.cards import ACE, BIG_JOKER, SMALL_JOKER, SUITED_RANKS, TWO
from shangyou.games.doudizhu import Doudizhu, DoudizhuRules
from shangyou.games.table import MIXED, Play, bombs, equals, runs


@dataclass(frozen=True)
class ToyRules(Rules):
    game: ClassVar[str] = "toy"


class ToyGame(Game):
    """Three seats, all cards dealt, the first out wins a point of each other seat."""

    name = "toy"
    seats = 3
    outs_to_end = 2
    first_by = "random"

    def __init__(self, plays: list[Play], deck: Deck) -> None:
        self.rules = ToyRules()
        self.deck = deck
        self.table = PlayTable(deck, plays)

    def hand_sizes(self, first: int) -> tuple[int, ...]:
        return (len(self.deck.cards) // 3,) * 3

    def scores(self, ending: Ending) -> tuple[int, ...]:
        return tuple(2 if seat == ending.out[0] else -1 for seat in range(self.seats))


def straight_flush_bombs() -> Game:
    """Five of a suit in a row are a bomb above four of a kind: no rank comes more than once in it."""
    shapes = list(runs(1, range(5, 8), 12))
    plays = [*equals("single", 1, 15), *equals("pair", 2, 13)]
    plays += [Play("straight", f"straight x{len(run)}", run, run[0][0], suit=MIXED) for run in shapes]
    plays += bombs(4)
    for run in shapes:
        tier = 100 * len(run) + run[0][0]
        plays += [Play("flush", f"flush x{len(run)}", run, run[0][0], bomb=tier, suit=suit) for suit in range(4)]
    return ToyGame(plays, Deck(suited=True))


def singles_by_suit() -> Game:
    """A single card is beaten by a higher rank, or by the same rank of a later suit; `43` are two cards of unlike suits."""
    plays = [Play("single", "single", ((rank, 1),), 4 * rank + suit, suit=suit) for rank in SUITED_RANKS for suit in range(4)]
    plays += [Play("single", "single", ((joker, 1),), 4 * joker) for joker in (SMALL_JOKER, BIG_JOKER)]
    plays += [Play("unlike", "unlike", ((rank, 1), (rank - 1, 1)), rank, suit=MIXED) for rank in SUITED_RANKS[1:]]
    return ToyGame([*plays, *equals("pair", 2, 13), *bombs(4)], Deck(suited=True))


def level_card() -> Game:
    """The 6 stands between the 2 and the jokers. Straights are natural and have three or five cards; A23 is the lowest."""
    order = [*(rank for rank in range(15) if rank not in (3, SMALL_JOKER, BIG_JOKER)), 3, SMALL_JOKER, BIG_JOKER]
    plays = [
        Play(name, name, ((rank, count),), order.index(rank))
        for count, name, ranks in ((1, "single", 15), (2, "pair", 13), (3, "triple", 13))
        for rank in range(ranks)
    ]
    straights = [*runs(1, range(3, 4), 12), *runs(1, range(5, 6), 12)]
    plays += [Play("straight", f"straight x{len(run)}", run, run[0][0] + 1) for run in straights]
    plays.append(Play("straight", "straight x3", ((0, 1), (ACE, 1), (TWO, 1))))
    plays += [Play("bomb", "bomb", ((rank, 4),), order.index(rank), bomb=1 + order.index(rank)) for rank in SUITED_RANKS]
    return ToyGame(plays, Deck())


def two_packs_without_suits() -> Game:
    """Up to eight of a rank, with and without a card beside them, and a rocket of one joker of each kind."""
    plays = [*equals("single", 1, 15), *equals("pair", 2, 15)]
    for rank in SUITED_RANKS:
        plays += [
            Play("five+solo", "five+solo", ((rank, 5), (other, 1)), strength=rank) for other in range(15) if other != rank
        ]
    for count in range(4, 9):
        plays += bombs(count, f"bomb x{count}")
    plays.append(Play("rocket", "rocket", ((SMALL_JOKER, 1), (BIG_JOKER, 1)), bomb=1000))
    return ToyGame(plays, Deck(packs=2))


class PeasantsTogether(Doudizhu):
    """Both peasants must get rid of their cards to end a deal; without bidding, seat 2 is the landlord."""

    outs_to_end = 3
    ends_with_side = True
    lead_passes_to = "partner"

    def first_landlord(self) -> int:
        return NOBODY if self.rules.bidding else 2


def peasants_together() -> Game:
    return PeasantsTogether(DoudizhuRules())


def peasants_together_with_bidding() -> Game:
    return PeasantsTogether(DoudizhuRules(bidding=True))


TABLES = [straight_flush_bombs, singles_by_suit, level_card, two_packs_without_suits]
RULES = [peasants_together, peasants_together_with_bidding]
