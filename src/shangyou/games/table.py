"""A climbing game is a table of plays: the rules generate it once, everything else speaks in its row numbers."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from shangyou.games.cards import RANKS, SUIT_SIGNS, Cards, Deck

PASS = 0  # row 0 of every table

ANY, MIXED = -1, -2
"""What a row asks of suits besides a flush's own 0..3: nothing, or that they are not all one."""

Rows = npt.NDArray[np.int32]
"""Row numbers of a table, ascending."""

Groups = tuple[tuple[int, int], ...]
"""(rank, count) pairs: what a play is made of."""


@dataclass(frozen=True, slots=True)
class Play:
    """One row, as a game's rules write it down."""

    family: str  # rows of one family stand together: `plane+solos`
    pattern: str  # what a follower must match: `plane+solos x2`
    groups: Groups  # the main group first, then kickers; no rank twice
    strength: int = 0  # order inside the pattern
    bomb: int = 0  # 0 no bomb; a bomb beats what is no bomb and every lower tier
    suit: int = ANY  # ANY, MIXED, or the suit of a flush

    @property
    def label(self) -> str:
        ranks = "".join(RANKS[rank] * count for rank, count in self.groups)
        return ranks + (SUIT_SIGNS[self.suit] if self.suit >= 0 else "")


def equals(name: str, count: int, ranks: int) -> Iterator[Play]:
    """`count` cards of one rank, for the lowest `ranks` ranks."""
    return (Play(name, name, ((rank, count),), strength=rank) for rank in range(ranks))


def bombs(count: int, pattern: str = "bomb") -> Iterator[Play]:
    """Bombs of `count` equal cards: a higher tier than every bomb of fewer."""
    for rank in range(13):
        yield Play(pattern, pattern, ((rank, count),), strength=rank, bomb=100 * (count - 4) + rank + 1)


def runs(count: int, lengths: range, end: int) -> Iterator[Groups]:
    """Consecutive ranks below `end`, `count` cards of each."""
    for length in lengths:
        for start in range(end - length + 1):
            yield tuple((rank, count) for rank in range(start, start + length))


class PlayTable:
    """Columns over P plays. Rows: PASS, then families in the order given, each sorted by suit and groups.

    Sorted by groups is preorder of the tree in which each further group is a child, so a generator that walks
    such trees meets the rows of a family in row order.
    """

    def __init__(self, deck: Deck, plays: Iterable[Play]) -> None:
        plays = list(plays)
        order = {family: i for i, family in enumerate(dict.fromkeys(play.family for play in plays))}
        plays.sort(key=lambda play: (order[play.family], play.suit, play.groups))
        plays.insert(PASS, Play("pass", "pass", ()))

        self.deck = deck
        self.patterns = list(dict.fromkeys(play.pattern for play in plays))
        number = {pattern: i for i, pattern in enumerate(self.patterns)}
        self.groups = [play.groups for play in plays]
        self.labels = ["pass" if i == PASS else play.label for i, play in enumerate(plays)]
        self.family = [play.family for play in plays]
        self.pattern = np.array([number[play.pattern] for play in plays], np.int32)  # [P]
        self.strength = np.array([play.strength for play in plays], np.int32)  # [P]
        self.bomb = np.array([play.bomb for play in plays], np.int32)  # [P]
        self.suit = np.array([play.suit for play in plays], np.int8)  # [P]
        self.cards = np.array([sum(count << 4 * rank for rank, count in groups) for groups in self.groups], np.int64)  # [P]
        self.need = (self.cards >> 4 * np.arange(15)[:, None] & 15).astype(np.uint8)  # [R, P] cards of each rank
        self.size = self.need.sum(axis=0, dtype=np.int32)  # [P]
        self.bombs = frozenset(np.flatnonzero(self.bomb).tolist())
        self.leads: Rows = np.arange(1, len(plays), dtype=np.int32)
        self._answers: dict[tuple[int, int, int], Rows] = {}

    def __len__(self) -> int:
        return len(self.labels)

    def pattern_of(self, play: int) -> str:
        return self.patterns[int(self.pattern[play])]

    @cached_property
    def family_counts(self) -> dict[str, int]:
        return dict(Counter(self.family))

    @cached_property
    def hash(self) -> str:
        """Names the table's whole content: models and datasets carry it, and a mismatch is an error."""
        digest = hashlib.sha256("\n".join(f"{self.pattern_of(i)}:{label}" for i, label in enumerate(self.labels)).encode())
        for column in (self.cards, self.strength, self.bomb, self.suit):
            digest.update(column.astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def beats(self, a: int, b: int) -> bool:
        """Whether play `a` may be put on play `b`: same pattern and stronger, or a higher bomb."""
        if self.bomb[a] > self.bomb[b]:
            return True
        return bool(self.pattern[a] == self.pattern[b] and self.strength[a] > self.strength[b])

    def may_follow(self, play: int, last: int) -> bool:
        """Whether the rules let `play` come after `last`, where PASS as `last` means to lead."""
        if PASS in (play, last):
            return play != last
        return self.beats(play, last)

    def answers(self, last: int) -> Rows:
        """PASS and every row that beats `last`; after PASS (a lead), every row but PASS."""
        if last == PASS:
            return self.leads
        key = int(self.pattern[last]), int(self.strength[last]), int(self.bomb[last])
        if key not in self._answers:
            stronger = (self.pattern == key[0]) & (self.strength > key[1]) | (self.bomb > key[2])
            stronger[PASS] = True
            self._answers[key] = np.flatnonzero(stronger).astype(np.int32)
        return self._answers[key]

    def held(self, hand: Cards, rows: Rows) -> Rows:
        """Those of `rows` that `hand` has the cards for."""
        have = np.array(self.deck.counts(hand), np.uint8)[:, None]  # [R, 1]
        need = self.need[:, rows] if rows is not self.leads else self.need[:, 1:]  # a view is cheaper than a copy
        suit = self.suit[rows]
        if not self.deck.suited or (suit == ANY).all():
            return np.compress((need <= have).all(axis=0), rows)
        copies = np.array(self.deck.copies_by_suit(hand), np.uint8)  # [R, 4]
        have = np.where(suit >= 0, copies[:, np.maximum(suit, 0)], have)  # a flush is made of its own suit alone
        suits_met = ((need > 0).T @ (copies > 0)).sum(axis=1)  # suits the hand has among the ranks of a row
        return np.compress((need <= have).all(axis=0) & ((suit != MIXED) | (suits_met > 1)), rows)

    def holds(self, hand: Cards, play: int) -> bool:
        """Whether `hand` has the cards for one play."""
        if self.deck.suited:
            return play == PASS or len(self.held(hand, self.leads[play - 1 : play])) == 1
        return self.deck.holds(hand, int(self.cards[play]))

    @cached_property
    def plain(self) -> Rows:
        """The rows without kickers, of two cards and more: one set of ranks for their pattern and strength."""
        keys = np.stack([self.pattern, self.strength], 1)
        _, label = np.unique(keys, axis=0, return_inverse=True)
        made_of = np.unique(np.stack([label.ravel(), self.cards], 1), axis=0)[:, 0]
        return np.flatnonzero((np.bincount(made_of)[label.ravel()] == 1) & (self.size > 1)).astype(np.int32)

    @cached_property
    def _row_of(self) -> dict[tuple[int, int], int]:
        return {(int(cards), int(suit)): row for row, (cards, suit) in enumerate(zip(self.cards, self.suit, strict=True))}

    def find(self, cards: Cards) -> int | None:
        """The row that a set of cards is, or None if it is no play. No cards are PASS."""
        key = sum(count << 4 * rank for rank, count in enumerate(self.deck.counts(cards)))
        row = self._row_of.get((key, ANY))
        return row if row is not None else self._row_of.get((key, self._suit_of(cards)))

    def _suit_of(self, cards: Cards) -> int:
        held = [any(copies) for copies in zip(*self.deck.copies_by_suit(cards), strict=True)]
        return held.index(True) if sum(held) == 1 else MIXED

    def rows_with(self, ranks: Cards) -> list[int]:
        """The rows made of these ranks, cards of a deck without suits, whatever their suits."""
        return [row for suit in (ANY, MIXED, 0, 1, 2, 3) if (row := self._row_of.get((ranks, suit))) is not None]
