"""Cards as one integer: a lane of bits per rank, so that playing is subtraction and history is addition.

    rank    B    S    2    A   ...   5    4    3
    lane   14   13   12   11   ...   2    1    0

Three layouts of a lane, one per kind of deck:

    suits do not matter    4 bits   the count of that rank               zsy2, doudizhu
    suits, one pack        4 bits   one bit per suit   d c h s           zsy4
    suits, two packs       8 bits   two bits per suit  dd cc hh ss       zsy4 with decks=2

The first two fill an int64; the third is 120 bits, two int64 words of eight and seven ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from shangyou.games.errors import BadInput, Why

RANKS = "3456789TJQKA2SB"  # low to high; S small (black) joker, B big (red) joker
SUITS = "shcd"  # spades, hearts, clubs, diamonds; no order of strength among them
SUIT_SIGNS = "♠♥♣♦"
ACE, TWO, SMALL_JOKER, BIG_JOKER = 11, 12, 13, 14
SUITED_RANKS = range(13)  # 3..2, four cards a pack; the two jokers have no suit

Cards = int
"""A multiset of cards in the layout of its deck."""

Kind = tuple[int, int]
"""A rank and a suit; the suit is 0 for jokers and where suits do not matter."""


@dataclass(frozen=True)
class Deck:
    """Which cards there are, and how a multiset of them is written as a number and as text."""

    packs: int = 1
    suited: bool = False

    @property
    def lane(self) -> int:
        """Bits per rank."""
        return 4 * self.packs if self.suited else 4

    @property
    def field(self) -> int:
        """Bits per kind of card: enough to count its copies."""
        return self.packs if self.suited else 4

    @cached_property
    def kinds(self) -> dict[Kind, int]:
        """Each kind of card with its number of copies, low to high."""
        suits = range(4) if self.suited else range(1)
        copies = self.packs if self.suited else 4 * self.packs
        plain = {(rank, suit): copies for rank in SUITED_RANKS for suit in suits}
        return plain | {(SMALL_JOKER, 0): self.packs, (BIG_JOKER, 0): self.packs}

    @cached_property
    def cards(self) -> tuple[Cards, ...]:
        """Every single card, in a fixed order: what a shuffle permutes."""
        return self.split(self.full)

    @cached_property
    def full(self) -> Cards:
        return sum(copies * self.card(*kind) for kind, copies in self.kinds.items())

    def card(self, rank: int, suit: int = 0) -> Cards:
        return 1 << (self.lane * rank + self.field * suit)

    def copies(self, cards: Cards, rank: int, suit: int = 0) -> int:
        """How many cards of this kind."""
        return (cards >> (self.lane * rank + self.field * suit)) & ((1 << self.field) - 1)

    def split(self, cards: Cards) -> tuple[Cards, ...]:
        """Every single card of a set, low to high."""
        return tuple(self.card(*kind) for kind in self.kinds for _ in range(self.copies(cards, *kind)))

    @cached_property
    def _lane_fields(self) -> list[tuple[int, ...]]:
        """The copies of each kind in every value a lane can have."""
        mask = (1 << self.field) - 1
        return [tuple((value >> f) & mask for f in range(0, self.lane, self.field)) for value in range(1 << self.lane)]

    @cached_property
    def _lane_sizes(self) -> list[int]:
        return [sum(copies) for copies in self._lane_fields]

    def _lanes(self, cards: Cards) -> list[int]:
        mask = (1 << self.lane) - 1
        return [(cards >> shift) & mask for shift in range(0, 15 * self.lane, self.lane)]

    def counts(self, cards: Cards) -> list[int]:
        """Cards of each rank, `[R]`."""
        return [self._lane_sizes[lane] for lane in self._lanes(cards)]

    def copies_by_suit(self, cards: Cards) -> list[tuple[int, ...]]:
        """Copies of each kind, `[R, 4]` where suits matter, else `[R, 1]`; jokers stand under suit 0."""
        return [self._lane_fields[lane] for lane in self._lanes(cards)]

    def size(self, cards: Cards) -> int:
        return sum(self.counts(cards))

    @cached_property
    def _halves(self) -> tuple[tuple[int, int], ...]:
        """Every second field with a guard bit above it, twice, so that a borrow shows and spreads no further."""
        ones, width = (1 << self.field) - 1, 2 * self.field
        even = sum(ones << f for f in range(0, 15 * self.lane, width))
        guard = sum(1 << (f + self.field) for f in range(0, 15 * self.lane, width))
        return (even, guard), (even << self.field, guard << self.field)

    def holds(self, hand: Cards, part: Cards) -> bool:
        """Whether every card of `part` is in `hand`."""
        return all(((hand & mask | guard) - (part & mask)) & guard == guard for mask, guard in self._halves)

    def missing(self, hand: Cards, part: Cards) -> Cards:
        """The cards of `part` that `hand` does not have."""
        short = {kind: self.copies(part, *kind) - self.copies(hand, *kind) for kind in self.kinds}
        return sum(n * self.card(*kind) for kind, n in short.items() if n > 0)

    def words(self, cards: Cards) -> tuple[int, ...]:
        """The set as int64 words of four bits a rank, for engines on tensors: counts where suits do not matter; else the
        suits held and, with two packs, the suits held twice."""
        if not self.suited or self.packs == 1:
            return (cards,)
        lanes = self.copies_by_suit(cards)
        bits = [(rank, suit, held) for rank, copies in enumerate(lanes) for suit, held in enumerate(copies) if held]
        return tuple(sum(1 << (4 * rank + suit) for rank, suit, held in bits if held > word) for word in range(self.packs))

    def from_words(self, words: Sequence[int]) -> Cards:
        """The inverse of `words`."""
        if not self.suited:
            return words[0]
        copies = {(rank, suit): sum(word >> (4 * rank + suit) & 1 for word in words) for rank, suit in self.kinds}
        return sum(n * self.card(*kind) for kind, n in copies.items())

    def format(self, cards: Cards) -> str:
        """Low to high, e.g. `3345TB`, with suits `3s3h4dTcB`; empty text for no cards."""
        return "".join(self._name(*kind) * self.copies(cards, *kind) for kind in self.kinds)

    def parse(self, text: str) -> Cards:
        """The inverse of `format`; also takes lower case, `10` for T, suit signs, spaces and commas between cards."""
        cards, rest = 0, "".join(text.replace(",", " ").split())
        while rest:
            kind, rest = self._read_card(text, rest)
            if self.copies(cards, *kind) == self.kinds[kind]:
                raise BadInput(Why.too_many_of(cards=text, n=self.kinds[kind], card=self._name(*kind)))
            cards += self.card(*kind)
        return cards

    def _read_card(self, text: str, rest: str) -> tuple[Kind, str]:
        """The kind of card at the head of `rest`, and what follows; `text` is the whole input, for the error."""
        head, rest = ("T", rest[2:]) if rest.startswith("10") else (rest[0], rest[1:])
        rank = RANKS.find(head.upper())
        if rank < 0:
            raise BadInput(Why.no_card(cards=text, sign=head, ranks=" ".join(RANKS)))
        if not self.suited or rank >= SMALL_JOKER:
            return (rank, 0), rest
        suit = max(SUITS.find(rest[:1].lower()), SUIT_SIGNS.find(rest[:1])) if rest else -1
        if suit < 0:
            raise BadInput(Why.needs_suit(cards=text, rank=RANKS[rank], suits=" ".join(SUITS), signs=" ".join(SUIT_SIGNS)))
        return (rank, suit), rest[1:]

    def _name(self, rank: int, suit: int) -> str:
        return RANKS[rank] + (SUITS[suit] if self.suited and rank < SMALL_JOKER else "")
