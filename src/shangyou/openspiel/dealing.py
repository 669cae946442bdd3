"""A deal as a sequence of chance outcomes with their probabilities.

Who gets the odd cards, if hands differ in size; then each hand from its lowest card to its highest, so that a deal is one
sequence and not one for every order of its cards; then the public cards; then who acts first. Cards that come last are what
is left and are no outcomes, as in `Game.deal`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import comb

from shangyou.games import BadInput, Cards, Deal, Game
from shangyou.spaces import copies

Outcomes = list[tuple[int, float]]
Kinds = tuple[int, ...]  # of cards, as numbers 0, 1, ... in the order of `Deck.kinds`


@dataclass(frozen=True)
class Dealing:
    """The cards dealt so far, from the cards of `pack`: all of the deck, or fewer."""

    game: Game
    pack: Cards
    served: int | None = None  # who is served first and gets an odd card
    dealt: tuple[Kinds, ...] = ((),)  # the hands, then the public cards; the last of them is being dealt
    first: int | None = None

    @classmethod
    def start(cls, game: Game, pack: Cards) -> Dealing:
        """Nothing dealt yet."""
        odd = len({game.hand_sizes(served) for served in range(game.seats)}) > 1
        needed, given = sum(game.hand_sizes(0)) + game.public_size, game.deck.size(pack)
        if given < needed:
            raise BadInput(f"pack {game.deck.format(pack)}: {given} cards, and {game.name} deals {needed}")
        return cls(game, pack, None if odd else 0)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Of the hands, then of the public cards, where there are any."""
        sizes = *self.game.hand_sizes(self.served or 0), self.game.public_size
        return sizes if sizes[-1] else sizes[:-1]

    @cached_property
    def left(self) -> list[int]:
        """[kinds] cards of each kind that are still in the pack."""
        left = list(copies(self.game, self.pack))
        for kind in (kind for kinds in self.dealt for kind in kinds):
            left[kind] -= 1
        return left

    @cached_property
    def able(self) -> tuple[int, ...]:
        """The seats that may act first, once the hands are dealt."""
        return self.game.may_act_first(self._hands[: self.game.seats])

    @cached_property
    def deal(self) -> Deal | None:
        """The deal, if it is complete."""
        if self.first is None:
            return None
        hands, public = self._hands[: self.game.seats], sum(self._hands[self.game.seats :])
        return Deal(hands, self.first, public, self.pack - sum(hands) - public)

    @cached_property
    def _hands(self) -> tuple[Cards, ...]:
        cards = [self.game.deck.card(*kind) for kind in self.game.deck.kinds]
        return tuple(sum(cards[kind] for kind in kinds) for kinds in self.dealt)

    def outcomes(self) -> Outcomes:
        """The next outcomes: a seat, a kind of card, or a seat again."""
        if self.served is None:
            return [(seat, 1 / self.game.seats) for seat in range(self.game.seats)]
        if len(self.dealt) > len(self.sizes):
            return [(seat, 1 / len(self.able)) for seat in self.able]
        hand = self.dealt[-1]
        return next_kinds(self.left, hand, self.sizes[len(self.dealt) - 1] - len(hand))

    def after(self, outcome: int) -> Dealing:
        if self.served is None:
            return replace(self, served=outcome)
        if len(self.dealt) > len(self.sizes):
            return replace(self, first=outcome)
        return replace(self, dealt=(*self.dealt[:-1], (*self.dealt[-1], outcome)))._settled()

    def _settled(self) -> Dealing:
        """On to the next hand, the rest of the pack, and the seat that acts first, where nothing is left to chance."""
        if len(self.dealt[-1]) < self.sizes[len(self.dealt) - 1]:
            return self
        moved = replace(self, dealt=(*self.dealt, ()))
        if len(moved.dealt) == len(self.sizes) and sum(moved.left) == self.sizes[-1]:
            rest = tuple(kind for kind, number in enumerate(moved.left) for _ in range(number))
            moved = replace(moved, dealt=(*self.dealt, rest, ()))
        if len(moved.dealt) <= len(self.sizes):
            return moved
        return replace(moved, first=moved.able[0]) if len(moved.able) == 1 else moved

    def path(self, deal: Deal) -> list[int]:
        """The outcomes from here to a deal."""
        point, outcomes = self, []
        while point.deal is None:
            outcomes.append(point._towards(deal))
            point = point.after(outcomes[-1])
        return outcomes

    def _towards(self, deal: Deal) -> int:
        if self.served is None:
            sizes = tuple(map(self.game.deck.size, deal.hands))
            return next(seat for seat in range(self.game.seats) if self.game.hand_sizes(seat) == sizes)
        if len(self.dealt) > len(self.sizes):
            return deal.first
        held = copies(self.game, (*deal.hands, deal.public)[len(self.dealt) - 1])
        return next(kind for kind, number in enumerate(held) if number > self.dealt[-1].count(kind))


def next_kinds(left: list[int], hand: Kinds, missing: int) -> Outcomes:
    """The next card of a hand dealt from low to high, `missing` cards from complete, and the probability of each kind."""
    low = hand[-1] if hand else 0
    so_far = hand.count(low)
    most = left[low] + so_far  # copies that the hand could have had
    above = list(accumulate(reversed(left)))[::-1]  # [kinds] cards of this kind or a higher one
    higher = [*above[1:], 0]  # [kinds] cards of higher kinds
    more = range(1, min(most - so_far, missing) + 1)  # further copies of the lowest kind open
    ways = {low: sum(comb(most, so_far + n) * comb(higher[low], missing - n) for n in more)}
    for kind in range(low + 1, len(left)):
        ways[kind] = comb(most, so_far) * (comb(above[kind], missing) - comb(higher[kind], missing))
    total = sum(ways.values())
    return [(kind, number / total) for kind, number in ways.items() if number]
