"""A rule-based Dou Dizhu player, the kind of opponent the DeepRocket paper measures against.

The unit of all values is a turn. A hand costs one turn for each group it must still lead, less for groups that hold the
lead; the value of a play depends on the hand it leaves and on who leads next. The usual rules of thumb follow: split the
hand into few groups, lead low ones first, save control cards and bombs, do not beat the partner, block an enemy who is
about to go out, and go out as soon as the groups left cannot be beaten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, log, prod

import numpy as np

from shangyou.agents.agent import Agent, Values
from shangyou.agents.scripted.bidding import BidsByStrength
from shangyou.agents.scripted.groups import ROCKET, Group, Split, Splitter, main_group
from shangyou.engines.reference import View
from shangyou.games import PASS, Cards, Rows
from shangyou.games.cards import ACE, BIG_JOKER, SMALL_JOKER, TWO

GO_OUT = 100.0  # above every other value
GROUPS_IN_SIGHT = 6  # with more groups left, going out in one go is not worth looking for


@dataclass(frozen=True)
class Weights:
    """Weights in turns, tuned over thousands of games against itself, greedy and RLCard's rule agent."""

    low: float = 0.5  # how much worse a 3 is than an ace: there is less it can be put on
    control: float = 1.9  # a solo, pair or trio that will hold the lead: it can take it, too
    chain_control: float = 0.85  # a chain that will hold: it saves its own turn, but seldom takes the lead
    bomb: float = 2.6
    rocket: float = 3.4  # more than its jokers one by one, so that it stays whole
    lead: float = 0.8  # to lead next
    partner_lead: float = 1.05  # that the partner does
    win: float = 6.5  # to be sure to go out
    loss: float = 7.0  # that an enemy goes out
    near: float = 1.1  # that an enemy with two cards leads; the fewer cards, the nearer ...
    near_cards: float = 7.0  # ... and nothing from so many cards above two
    last_two: float = 0.9  # the last two cards count so much more
    willing: float = 0.8  # how likely one who can beat a play does
    willing_high: float = 0.6  # the same if it takes a 2, a joker or a bomb
    partner_far: float = 0.4  # chance left to the partner if the landlord acts before


class Holder:
    """One of the other seats, and how likely it holds what beats a play. Ranks are taken as independent."""

    def __init__(self, left: int, known: list[int], hidden: list[int]) -> None:
        self.left = left
        share = (left - sum(known)) / max(1, sum(hidden))
        self.has = [
            [_at_least(need - known[rank], hidden[rank], share) for rank in range(15)] for need in range(5)
        ]  # [5, R] chance to have so many of a rank

    def beats(self, group: Group, size: int, willing: float, willing_high: float) -> float:
        """Chance that this seat beats a play with that main group, and of that size in all."""
        unbeaten = 1.0
        for top, chance in self._higher(group) if size <= self.left else ():
            unbeaten *= 1 - chance * (willing if top < TWO else willing_high)
        for chance in self._bombs(group):
            unbeaten *= 1 - chance * willing_high
        return 1 - unbeaten

    def _higher(self, group: Group) -> list[tuple[int, float]]:
        """The top rank of every higher group of the pattern, with the chance to have it."""
        if group.is_bomb:
            return []
        highest = ACE if group.length > 1 else BIG_JOKER if group.copies == 1 else TWO
        has, length = self.has[group.copies], group.length
        lows = range(group.low + 1, highest - length + 2)
        return [(low + length - 1, prod(has[low : low + length])) for low in lows]

    def _bombs(self, group: Group) -> list[float]:
        """The chance of every bomb that beats the group."""
        if group == ROCKET or self.left < ROCKET.size:
            return []
        weakest = group.low + 1 if group.is_bomb else 0
        fours = self.has[4][weakest : TWO + 1] if self.left >= 4 else []
        return [*filter(None, fours), self.has[1][SMALL_JOKER] * self.has[1][BIG_JOKER]]


@cache
def _at_least(need: int, cards: int, share: float) -> float:
    """Chance that a seat with this share of the hidden cards has `need` of `cards` equal ones."""
    if need <= 0:
        return 1.0
    return sum(comb(cards, n) * share**n * (1 - share) ** (cards - n) for n in range(need, cards + 1))


class Odds:
    """Chances of what the other seats hold, from the unseen and the public cards, and the costs of groups that follow."""

    def __init__(self, view: View, weights: Weights) -> None:
        self.weights = weights
        self.partner = 3 - view.landlord if view.landlord else None
        self.enemies = [seat for seat in (1, 2) if seat != self.partner]
        self.holders = _holders(view)
        self._unbeaten: dict[tuple[Group, int, bool], float] = {}

    def beats(self, seat: int, group: Group, size: int, able: bool = False) -> float:
        """Chance that a seat will beat a play, given how often those who can do; with `able`, that it can."""
        willing = (1.0, 1.0) if able else (self.weights.willing, self.weights.willing_high)
        return self.holders[seat].beats(group, size, *willing)

    def hold(self, group: Group, size: int, able: bool = False) -> float:
        """Chance that no enemy beats a play; with `able`, that none can: 1 only if the unseen cards rule it out."""
        key = group, size, able
        if key not in self._unbeaten:
            self._unbeaten[key] = prod(1 - self.beats(seat, group, size, able) for seat in self.enemies)
        return self._unbeaten[key]

    def cost(self, group: Group) -> float:
        """A turn, less what control the group has."""
        weights = self.weights
        if group.is_bomb:
            return 1 - (weights.rocket if group == ROCKET else weights.bomb)
        hold = self.hold(group, group.size)
        if group.length > 1:
            return 1 - weights.chain_control * hold
        return 1 + weights.low * (1 - min(group.low, ACE) / ACE) - weights.control * hold

    def doubt(self, group: Group) -> float:
        """Adds up over groups as the chance to hold the lead with all of them multiplies."""
        return 0.01 - log(max(0.01, self.hold(group, group.size, able=True)))


def _holders(view: View) -> dict[int, Holder]:
    counts = view.game.deck.counts
    public, shown = counts(view.public), counts(view.played[view.landlord])
    known = [max(0, dealt - gone) if view.landlord else 0 for dealt, gone in zip(public, shown, strict=True)]
    hidden = [unseen - held for unseen, held in zip(counts(view.unseen), known, strict=True)]
    return {seat: Holder(view.left[seat], known if seat == view.landlord else [0] * 15, hidden) for seat in (1, 2)}


class RuleAgent(BidsByStrength, Agent):
    """The rules at the head of this file. Plays doudizhu only."""

    name = "rule"

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()

    def values(self, view: View, legal: Rows) -> Values:
        if len(legal) == 1:  # nothing to choose, as in two turns of five
            return np.zeros(1)
        turn = TurnEvaluator(view, self.weights)
        return np.array([turn.value(int(play)) for play in legal])


class TurnEvaluator:
    """The value of each play of one turn: what the hand would cost after it, and who would lead."""

    def __init__(self, view: View, weights: Weights) -> None:
        self.view, self.weights, self.table = view, weights, view.game.table
        self.odds = Odds(view, weights)
        self.partner = self.odds.partner
        self.plan = Splitter(view.hand, self.odds.cost)
        self.finish = Splitter(view.hand, self.odds.doubt)
        self.danger = self._danger()

    def value(self, play: int) -> float:
        if play == PASS:
            return -self.plan.split(self.view.hand).cost + self._left_standing()
        rest = self.view.hand - int(self.table.cards[play])
        return self._put_down(play, rest) if rest else GO_OUT

    # -- how near the end is --------------------------------------------------------------------------------------

    def _run_out(self, rest: Cards, split: Split) -> float:
        """Chance to go out from the lead without losing it once; the last group need not hold."""
        if len(split.groups) > GROUPS_IN_SIGHT:
            return 0.0
        sure = sorted(self.odds.hold(group, group.size, able=True) for group in self.finish.split(rest).groups)
        return prod(sure[1:])

    def _danger(self) -> float:
        """What it costs to let an enemy lead."""
        weights, left = self.weights, min(self.view.left[seat] for seat in self.odds.enemies)
        if left == 1:
            return weights.loss
        return weights.near * max(0.0, 1 - (left - 2) / weights.near_cards) + weights.last_two * (left == 2)

    # -- who leads next -------------------------------------------------------------------------------------------

    def _put_down(self, play: int, rest: Cards) -> float:
        """The value of a play that leaves `rest`."""
        weights, split = self.weights, self.plan.split(rest)
        group, size = self._main(play)
        hold = self.odds.hold(group, size)
        value = weights.lead * hold - self.danger * (1 - hold) - split.cost
        value += weights.win * self.odds.hold(group, size, able=True) * self._run_out(rest, split)
        return value + self._goes_out_on(group, size, (1, 2))

    def _left_standing(self) -> float:
        """The value of a pass, apart from the cost of the hand."""
        group, size = self._main(self.view.last)
        if self.view.last_by == self.partner:
            return self._trust_partner(group, size)
        if self.partner != 1:
            return -self.danger
        beaten = self.odds.beats(1, group, size)
        passed_on = self.weights.win * self.odds.beats(1, group, size, able=True) * (self.view.left[1] == size)
        held = self.odds.hold(group, size)
        return self.weights.partner_lead * beaten * held - self.danger * (1 - beaten) + passed_on

    def _trust_partner(self, group: Group, size: int) -> float:
        """The partner's play stands: it leads next, unless the landlord is still to act."""
        if self.partner == 1:
            return self.weights.partner_lead
        hold = self.odds.hold(group, size)
        return self.weights.partner_lead * hold - self.danger * (1 - hold) + self._goes_out_on(group, size, self.odds.enemies)

    def _goes_out_on(self, group: Group, size: int, seats: Sequence[int]) -> float:
        """The value of the chance that one of `seats` with as many cards beats this play with its last ones."""
        value = 0.0
        for seat in (seat for seat in seats if self.view.left[seat] == size):
            chance = self.odds.beats(seat, group, size, able=True)
            if seat == self.partner:
                value += self.weights.win * chance * (1.0 if seat == 1 else self.weights.partner_far)
            else:
                value -= self.weights.loss * chance
        return value

    def _main(self, play: int) -> tuple[Group, int]:
        return main_group(self.table.groups[play]), int(self.table.size[play])
