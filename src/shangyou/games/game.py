"""What a climbing game is, besides its table: how cards are dealt, when it ends, what it pays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np

from shangyou.games.cards import Cards, Deck
from shangyou.games.errors import BadInput
from shangyou.games.rules import Rules
from shangyou.games.shuffle import Stream
from shangyou.games.table import PlayTable

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards as dealt."""

    hands: tuple[Cards, ...]  # [S]
    first: int  # the seat that acts first: leads, or bids where there is bidding
    public: Cards = 0  # doudizhu's three cards, seen by all, that go to the landlord
    hidden: Cards = 0  # cards nobody gets


@dataclass(frozen=True, slots=True)
class Ending:
    """What a finished game is paid by."""

    out: tuple[int, ...]  # seats in the order in which they got rid of their cards
    bombs: int  # bombs played, a rocket counted in
    plays: tuple[int, ...]  # [S] how often each seat put cards down
    landlord: int = NOBODY
    bid: int = 0


class Game(ABC):
    """A game under given rules. Immutable; two games made from equal rules share one table."""

    name: ClassVar[str]
    seats: ClassVar[int]
    outs_to_end: ClassVar[int]  # the game ends when so many seats are out of cards
    rules: Rules
    deck: Deck
    table: PlayTable

    # -- what each game says for itself ---------------------------------------------------------------------------

    @abstractmethod
    def hand_sizes(self, first: int) -> tuple[int, ...]:
        """Cards dealt to each seat, where `first` is the seat served first, `[S]`."""

    @abstractmethod
    def first_to_act(self, hands: tuple[Cards, ...], served_first: int, stream: Stream) -> int:
        """The seat that leads (or bids) first."""

    @abstractmethod
    def scores(self, ending: Ending) -> tuple[int, ...]:
        """Points of each seat, zero in sum, `[S]`."""

    @abstractmethod
    def winners(self, out: tuple[int, ...], landlord: int) -> tuple[int, ...]:
        """The seats that have won once the seats `out` are out of cards, in that order."""

    @property
    def has_bidding(self) -> bool:
        return False

    @property
    def pass_is_final(self) -> bool:
        """Whether a seat that passed must wait until the round is over."""
        return False

    def allowed_bids(self, bids: tuple[int, ...]) -> tuple[int, ...]:
        """What the next seat may bid after `bids`; nothing once bidding is closed."""
        return ()

    def first_landlord(self) -> int:
        """The seat that plays alone from the start, or NOBODY."""
        return NOBODY

    def pick(self, hand: Cards, play: int) -> Cards:
        """The cards of `hand` that `play` puts down."""
        return int(self.table.cards[play])

    # -- dealing --------------------------------------------------------------------------------------------------

    public_size: ClassVar[int] = 0

    @cached_property
    def largest_hand(self) -> int:
        return max(self.hand_sizes(0)) + self.public_size

    def deal(self, seed: int, index: int = 0) -> Deal:
        """Deal number `index` of `seed`: the same on every machine and in every engine."""
        check_seed(seed)
        stream = Stream(seed, index)
        total = sum(self.hand_sizes(0)) + self.public_size
        pile = stream.draw(self.deck.cards, min(total, len(self.deck.cards) - 1))  # the last card needs no draw
        served_first = self._served_first(stream)
        *hands, public, hidden = self._split(pile, self.hand_sizes(served_first))
        return Deal(tuple(hands), self.first_to_act(tuple(hands), served_first, stream), public, hidden)

    def _served_first(self, stream: Stream) -> int:
        """Who gets the odd cards, where hands differ in size."""
        return stream.below(self.seats) if len(set(self.hand_sizes(0))) > 1 else 0

    def _split(self, pile: list[int], sizes: tuple[int, ...]) -> list[Cards]:
        cuts = [*np.cumsum([0, *sizes, self.public_size]).tolist(), len(pile)]
        return [sum(pile[a:b]) for a, b in pairwise(cuts)]

    def make_deal(self, hands: tuple[Cards, ...], public: Cards = 0, first: int | None = None) -> Deal:
        """A deal from given hands, checked; the error says which cards are wrong."""
        deck, size, text = self.deck, self.deck.size, self.deck.format
        if len(hands) != self.seats:
            raise BadInput(f"{self.name} has {self.seats} hands, not {len(hands)}")
        rest = deck.full
        for name, part in [*((f"hand {seat}", hand) for seat, hand in enumerate(hands)), ("public cards", public)]:
            if not deck.holds(rest, part):
                raise BadInput(
                    f"{self.name} deal: {name} {text(part)} has {text(deck.missing(rest, part))} too many for the deck"
                )
            rest -= part
        sizes = tuple(map(size, hands))
        if sizes not in {self.hand_sizes(served) for served in range(self.seats)} or size(public) != self.public_size:
            given = ", ".join(map(str, (*sizes, *([size(public)] if self.public_size or public else []))))
            wanted = ", ".join(map(str, (*self.hand_sizes(0), *([self.public_size] if self.public_size else []))))
            raise BadInput(f"{self.name} deal: hands of {given} cards; it deals {wanted}")
        return Deal(hands, self._checked_first(hands, first), public, rest)

    def _checked_first(self, hands: tuple[Cards, ...], first: int | None) -> int:
        allowed = self.may_act_first(hands)
        if first is None:
            return allowed[0]
        if first not in allowed:
            raise BadInput(f"{self.name} deal: seat {first!r} may not act first; {' or '.join(map(str, allowed))} may")
        return first

    def may_act_first(self, hands: tuple[Cards, ...]) -> tuple[int, ...]:
        """The seats that could have been given the first turn with these hands."""
        return tuple(range(self.seats))

    @cached_property
    def number_of_deals(self) -> int:
        """How many different deals there are, by hands (and public cards), whoever acts first."""
        ways_to_serve = len({self.hand_sizes(served) for served in range(self.seats)})
        return ways_to_serve * count_deals(list(self.deck.kinds.values()), (*self.hand_sizes(0), self.public_size))


def count_deals(copies: list[int], sizes: tuple[int, ...]) -> int:
    """Ways to deal hands of these sizes from kinds of cards with these many equal copies: a coefficient of a product.

    `ways[a, b, ...]` counts the ways to have dealt a, b, ... cards so far; each kind multiplies it by the polynomial
    of all splits of its copies. Where all cards are dealt, the last hand is what is left and needs no axis.
    """
    if sum(sizes) == sum(copies):
        sizes = sizes[:-1]
    sizes = tuple(size for size in sizes if size)
    ways = np.zeros([size + 1 for size in sizes], object)
    ways[(0,) * len(sizes)] = 1
    for held in copies:
        splits = [split for split in np.ndindex(*[held + 1] * len(sizes)) if sum(split) <= held]
        total = np.zeros_like(ways)
        for split in splits:
            if all(n <= size for n, size in zip(split, sizes, strict=True)):
                total[tuple(slice(n, None) for n in split)] += ways[
                    tuple(slice(0, size + 1 - n) for n, size in zip(split, sizes, strict=True))
                ]
        ways = total
    return int(ways[sizes])


def check_seed(seed: int) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 63:
        raise BadInput(f"seed {seed!r} is not a whole number from 0 to 2**63 - 1")
