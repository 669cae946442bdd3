"""What a climbing game is, besides its table: dealing, sides, endings, leads, scores."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import ClassVar, Literal

import numpy as np

from shangyou.games import suits
from shangyou.games.cards import Cards, Deck
from shangyou.games.errors import BadInput, Why
from shangyou.games.rules import Rules
from shangyou.games.shuffle import Stream
from shangyou.games.table import PlayTable

NOBODY = -1

Phase = Literal["bid", "double", "play"]
"""What is due: a bid for landlord, a seat's word on whether it doubles, or a play."""

PLAYS_COUNTED = 2  # what an ending counts a seat's plays up to: rules ask for none, one or more


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards as dealt."""

    hands: tuple[Cards, ...]  # [S]
    first: int  # the seat that acts first: leads, or bids where there is bidding
    public: Cards = 0  # doudizhu's three cards, seen by all, that go to the landlord
    hidden: Cards = 0  # cards nobody gets


@dataclass(frozen=True, slots=True)
class Ending:
    """What the scores of a finished game depend on."""

    out: tuple[int, ...]  # seats in the order in which they got rid of their cards
    bombs: int  # bombs played, rockets included
    plays: tuple[int, ...]  # [S] how often each seat put cards down, counted up to PLAYS_COUNTED
    landlord: int = NOBODY
    bid: int = 0
    doubled: frozenset[int] = frozenset()  # the seats that doubled


class Game(ABC):
    """A game under given rules. Immutable; two games made from equal rules share one table."""

    name: ClassVar[str]
    seats: ClassVar[int]
    outs_to_end: ClassVar[int]  # a deal ends when so many seats are out of cards
    ends_with_side: bool = False  # it also ends when all seats of one side are
    lead_passes_to: Literal["next", "partner"] = "next"  # whom the lead passes to when the winner of a round is out of cards
    side_names: ClassVar[tuple[str, ...]] = ()  # by number of the side, where sides have parts of their own to play
    public_size: ClassVar[int] = 0  # cards shown to all that go to the landlord
    first_by: Literal["seat0", "random", "spade3"]  # who leads (or bids) first; `spade3`: a random holder of the 3 of spades
    has_bidding: bool = False  # for landlord
    has_doubling: bool = False  # seats say before the first play whether they double
    pass_is_final: bool = False  # whether a seat that passed must wait until the round is over
    run_ranks: int = 12  # how many ranks, from 3 up, straights run over; what `pick` needs to know of them
    rules: Rules
    deck: Deck
    table: PlayTable

    # -- what each game says for itself ---------------------------------------------------------------------------

    @abstractmethod
    def hand_sizes(self, first: int) -> tuple[int, ...]:
        """Cards dealt to each seat, where `first` is the seat served first, `[S]`."""

    @abstractmethod
    def scores(self, ending: Ending) -> tuple[int, ...]:
        """Points of each seat, zero in sum, `[S]`."""

    def sides(self, landlord: int = NOBODY) -> tuple[int, ...]:
        """The number of each seat's side, `[S]`: the seats of a side win and lose together. By default each seat is alone."""
        return tuple(range(self.seats))

    def winners(self, out: tuple[int, ...], landlord: int) -> tuple[int, ...]:
        """The seats that have won once the seats `out` are out of cards, in that order: the side of the first."""
        sides = self.sides(landlord)
        return tuple(seat for seat in range(self.seats) if sides[seat] == sides[out[0]])

    def allowed_bids(self, bids: tuple[int, ...]) -> tuple[int, ...]:
        """What the next seat may say after `bids`, all that was said before the first play; nothing once that is due."""
        return ()

    def auction(self, bids: tuple[int, ...]) -> tuple[int, ...]:
        """The bids for landlord among `bids`; those after them say who doubles."""
        return bids

    def phase(self, bids: tuple[int, ...]) -> Phase:
        """What is due after `bids`."""
        return "bid" if self.allowed_bids(bids) else "play"

    def first_landlord(self) -> int:
        """The seat that plays alone from the start, or NOBODY."""
        return NOBODY

    def multiplier(self, bombs: int) -> int:
        """What so many bombs multiply the points by."""
        return 1

    def stake(self, bid: int, bombs: int, doublings: int = 0) -> int:
        """The points played for after the highest bid so far, so many bombs, and so many seats that doubled them."""
        return self.multiplier(bombs) << doublings

    @cached_property
    def place_points(self) -> tuple[int, ...]:
        """The points of every place where each place is paid by as much less as the next, and () in other games."""
        if self.seats == 2 or len(set(self.sides(0))) < self.seats:
            return ()
        points = self.scores(Ending(out=tuple(range(self.seats - 1)), bombs=0, plays=(1,) * self.seats))
        steps = {first - second for first, second in pairwise(points)}
        return points if len(steps) == 1 and 0 not in steps else ()

    def pick(self, hand: Cards, play: int) -> Cards:
        """The cards of `hand` that `play` puts down."""
        if self.deck.suited:
            return suits.pick(self.table, hand, play, self.run_ranks)
        return int(self.table.cards[play])

    # -- before the first play ------------------------------------------------------------------------------------

    def landlord(self, first: int, bids: tuple[int, ...]) -> int:
        """Who is landlord after `bids`, of which seat `first` made the first: the first to bid the most, or NOBODY."""
        if not self.has_bidding:
            return self.first_landlord()
        made = self.auction(bids)
        return NOBODY if self.phase(bids) == "bid" or not any(made) else (first + made.index(max(made))) % self.seats

    def bidders(self, first: int, bids: tuple[int, ...]) -> tuple[int, ...]:
        """The seat behind each of `bids`: for landlord in turn from `first`, then in turn from the seat after the landlord."""
        made, after = len(self.auction(bids)), self.landlord(first, bids) + 1
        return tuple((first + i if i < made else after + i - made) % self.seats for i in range(len(bids)))

    # -- endings and leads ----------------------------------------------------------------------------------------

    def is_over(self, out: tuple[int, ...], landlord: int) -> bool:
        """Whether a deal has ended once the seats `out` are out of cards."""
        return len(out) >= self.outs_to_end or (self.ends_with_side and self._has_side(out, landlord))

    def _has_side(self, out: tuple[int, ...], landlord: int) -> bool:
        sides = self.sides(landlord)
        return len({side for seat, side in enumerate(sides) if seat not in out}) < len(set(sides))

    def lead_order(self, winner: int, landlord: int) -> list[int]:
        """All seats in the order in which they get the lead after `winner` won a round: the first that has cards leads."""
        sides, around = self.sides(landlord), [(winner + i) % self.seats for i in range(self.seats)]
        return around if self.lead_passes_to == "next" else sorted(around, key=lambda seat: sides[seat] != sides[winner])

    # -- dealing --------------------------------------------------------------------------------------------------

    @cached_property
    def largest_hand(self) -> int:
        return max(self.hand_sizes(0)) + self.public_size

    def deal(self, seed: int, index: int = 0) -> Deal:
        """Deal number `index` of `seed`: the same on every machine and in every engine.

        Drawn are the hands of seats 1, 2, ..., then the public cards, then seat 0's; whatever comes last of these and
        of the hidden cards is what is left in the pile, and needs no draw.
        """
        check_seed(seed)
        stream = Stream(seed, index)
        served_first = stream.below(self.seats) if len(set(self.hand_sizes(0))) > 1 else 0  # who gets the odd cards
        sizes = self.hand_sizes(served_first)
        parts = [*sizes[1:], self.public_size, sizes[0]]
        drawn = sum(parts) if sum(parts) < len(self.deck.cards) else sum(parts[:-1])
        pile = stream.draw(self.deck.cards, drawn)
        cuts = [0, *accumulate(parts), len(pile)]
        *others, public, mine, hidden = (sum(pile[a:b]) for a, b in pairwise(cuts))
        hands = (mine, *others)
        able = self.may_act_first(hands)
        first = able[stream.below(len(able))] if len(able) > 1 else able[0]
        return Deal(hands, first, public, hidden)

    def make_deal(self, hands: tuple[Cards, ...], public: Cards = 0, first: int | None = None) -> Deal:
        """A deal from given hands, checked; the error says which cards are wrong."""
        deck, size, text = self.deck, self.deck.size, self.deck.format
        if len(hands) != self.seats:
            raise BadInput(Why.hands_number(game=self.name, seats=self.seats, n=len(hands)))
        hidden = deck.full
        for which, part in [*((Why.hand_of(seat=seat), hand) for seat, hand in enumerate(hands)), (Why.public_cards(), public)]:
            if not deck.holds(hidden, part):
                over = text(deck.missing(hidden, part))
                raise BadInput(Why.deal_too_many(game=self.name, which=which, cards=text(part), over=over))
            hidden -= part
        sizes = tuple(map(size, hands))
        if sizes not in {self.hand_sizes(served) for served in range(self.seats)} or size(public) != self.public_size:
            given = [*sizes, *([size(public)] if self.public_size or public else [])]
            wanted = [*self.hand_sizes(0), *([self.public_size] if self.public_size else [])]
            raise BadInput(Why.deal_sizes(game=self.name, sizes=given, wanted=wanted))
        allowed = self.may_act_first(hands)
        if first not in (None, *allowed):
            raise BadInput(Why.deal_first(game=self.name, seat=first, options=allowed))
        return Deal(hands, allowed[0] if first is None else first, public, hidden)

    def may_act_first(self, hands: tuple[Cards, ...]) -> tuple[int, ...]:
        """The seats that could have been given the first turn with these hands."""
        if self.first_by == "seat0":
            return (0,)
        return tuple(seat for seat in range(self.seats) if self.first_by == "random" or self.deck.copies(hands[seat], 0, 0))

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
        total = np.zeros_like(ways)
        for split in np.ndindex(*(min(held, size) + 1 for size in sizes)):
            if sum(split) <= held:
                before = tuple(slice(size + 1 - n) for n, size in zip(split, sizes, strict=True))
                total[tuple(slice(n, None) for n in split)] += ways[before]
        ways = total
    return int(ways[sizes])


def check_seed(seed: int) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 1 << 63:
        raise BadInput(Why.no_seed(seed=seed))
