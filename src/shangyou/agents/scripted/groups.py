"""Splitting a Dou Dizhu hand into few groups.

A group is the part of a play that is compared: solo, pair, trio, bomb, rocket, or a chain of the first three. Kickers
are no groups: every trio of a split takes one solo or pair with it, and the cheapest split after that is taken. The
caller gives the cost of a group; at one each, the cost of a split is the number of turns it takes.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from operator import attrgetter
from typing import NamedTuple

from shangyou.games import Cards
from shangyou.games.cards import ACE, BIG_JOKER, SMALL_JOKER

SHORTEST_CHAIN = {1: 5, 2: 3, 3: 2}  # by cards of each rank
LARGEST_HAND = 20
GUARD = sum(8 << 4 * rank for rank in range(15))  # the bit of each lane that no count reaches
JOKERS = (1 << 4 * SMALL_JOKER) + (1 << 4 * BIG_JOKER)


class Group(NamedTuple):
    """`copies` cards of each of `length` ranks from `low` up. Both jokers are a group too, as if they were a chain."""

    copies: int
    low: int
    length: int = 1

    @property
    def size(self) -> int:
        return self.copies * self.length

    @property
    def cards(self) -> Cards:
        return sum(self.copies << 4 * rank for rank in range(self.low, self.low + self.length))

    @property
    def is_bomb(self) -> bool:
        return self.copies == 4 or self == ROCKET


ROCKET = Group(1, SMALL_JOKER, 2)


@cache
def main_group(groups: tuple[tuple[int, int], ...]) -> Group:
    """The group by which a play is compared: its (rank, count) pairs without the kickers, which come last."""
    low, count = groups[0]
    length = 1
    while length < len(groups) and groups[length] == (low + length, count) and low + length != ACE + 1:
        length += 1
    return Group(count, low, length)


class Split(NamedTuple):
    """A hand as groups, less the solos and pairs that trios take along."""

    cost: float
    groups: tuple[Group, ...]


Chains = tuple[tuple[Cards, Group], ...]  # each with its cards; taken in this order, so that no set of them is tried twice


@cache
def _all_chains() -> Chains:
    groups = [
        Group(count, low, length)
        for count, shortest in SHORTEST_CHAIN.items()
        for low in range(ACE)
        for length in range(shortest, min(ACE + 1 - low, LARGEST_HAND // count) + 1)
    ]
    return tuple((group.cards, group) for group in groups)


def _fits(hand: Cards, chains: Chains) -> Chains:
    guarded = hand | GUARD
    return tuple([chain for chain in chains if (guarded - chain[0]) & GUARD == GUARD])


class Splitter:
    """Finds the cheapest split of a hand and of the hands left after plays, and caches the parts these have in common.

    Its own methods are cached in plain dicts: functools.cache would make a reference cycle for every decision.
    """

    def __init__(self, hand: Cards, cost: Callable[[Group], float]) -> None:
        self.cost = cache(cost)
        self._chains = _fits(hand, _all_chains())
        self._of_rank: dict[tuple[int, int], Split] = {}
        self._without_chains: dict[tuple[Cards, int], Split] = {}
        self._found: dict[tuple[Cards, Cards, int], Split] = {}

    def split(self, hand: Cards) -> Split:
        return self._cheapest(hand, _fits(hand, self._chains), 0)

    def _cheapest(self, hand: Cards, chains: Chains, kickers: int) -> Split:
        """The best of no more chains, or one of `chains` and then those that come after it."""
        key = hand, chains[0][0] if chains else 0, kickers
        if key in self._found:
            return self._found[key]
        best = self._split_ranks(hand, kickers)
        for i, (cards, group) in enumerate(chains):
            rest = hand - cards
            taken = kickers + group.length * (group.copies == 3)
            after = self._cheapest(rest, _fits(rest, chains[i:]), taken)
            cost = after.cost + self.cost(group)
            if cost < best.cost:
                best = Split(cost, (group, *after.groups))
        self._found[key] = best
        return best

    def _split_ranks(self, hand: Cards, kickers: int) -> Split:
        """Rank by rank, no chains; kickers are the dearest of the solos and pairs."""
        key = hand, kickers
        if key not in self._without_chains:
            parts = self._ranks_apart(hand)
            groups = [group for part in parts for group in part.groups]
            total = sum(part.cost for part in parts)
            kickers += sum(group.copies == 3 for group in groups)
            for group in self._dearest(groups, kickers):
                groups.remove(group)
                total -= self.cost(group)
            self._without_chains[key] = Split(total, tuple(groups))
        return self._without_chains[key]

    def _ranks_apart(self, hand: Cards) -> list[Split]:
        parts = []
        if hand & JOKERS == JOKERS:
            parts.append(self._split_jokers())
            hand -= JOKERS
        rank = 0
        while hand:
            if hand & 15:
                parts.append(self._split_rank(rank, hand & 15))
            hand >>= 4
            rank += 1
        return parts

    def _dearest(self, groups: list[Group], number: int) -> list[Group]:
        """The solos and pairs of the highest costs, to be played as kickers."""
        if not number:
            return []
        return sorted((group for group in groups if group.copies < 3 and self.cost(group) > 0), key=self.cost)[-number:]

    def _split_jokers(self) -> Split:
        small, big = Group(1, SMALL_JOKER), Group(1, BIG_JOKER)
        apart = Split(self.cost(small) + self.cost(big), (small, big))
        return min(Split(self.cost(ROCKET), (ROCKET,)), apart, key=attrgetter("cost"))

    def _split_rank(self, rank: int, count: int) -> Split:
        """The cheapest way to play equal cards: together or in parts."""
        key = rank, count
        if key not in self._of_rank:
            together = Split(self.cost(Group(count, rank)), (Group(count, rank),))
            parts = [(self._split_rank(rank, part), self._split_rank(rank, count - part)) for part in range(1, count // 2 + 1)]
            apart = [Split(a.cost + b.cost, a.groups + b.groups) for a, b in parts]
            self._of_rank[key] = min([together, *apart], key=attrgetter("cost"))
        return self._of_rank[key]


@lru_cache(maxsize=1 << 16)
def fewest_turns(hand: Cards) -> int:
    """The smallest number of groups that a hand can be split into."""
    return len(Splitter(hand, lambda group: 1.0).split(hand).groups)
