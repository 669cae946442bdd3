"""The Bid Module of the DeepRocket paper: bid by control cards and by the number of groups in the hand; doubling too."""

from typing import NamedTuple

from shangyou.agents.scripted.groups import fewest_turns
from shangyou.engines.reference import View
from shangyou.games import Cards, Deck
from shangyou.games.cards import ACE, BIG_JOKER, SMALL_JOKER, TWO


class Weights(NamedTuple):
    """What is in a hand, in twentieths of a point at base 1."""

    big_joker: int
    small_joker: int
    two: int  # each
    ace: int
    bomb: int  # each; both jokers add no more than one by one
    turn: int  # each group the hand splits into


BIDDER = Weights(big_joker=26, small_joker=18, two=6, ace=7, bomb=10, turn=-4)
LEAST_WORTH = {1: 4, 2: 14, 3: 24}  # what a hand must be worth for a bid

LANDLORD = Weights(big_joker=54, small_joker=42, two=15, ace=7, bomb=27, turn=-11)
PEASANT = Weights(big_joker=13, small_joker=10, two=4, ace=2, bomb=17, turn=-2)
AGAINST = Weights(big_joker=-12, small_joker=-15, two=-3, ace=0, bomb=0, turn=0)  # the public cards, to a peasant
ANY_PEASANT, EACH_POINT_BID = 7, -5  # to a peasant: a landlord who bids high holds good cards
LEAST_TO_DOUBLE = 6


def bid_by_strength(view: View, bids: tuple[int, ...]) -> int:
    """The highest allowed bid not above what the hand is worth."""
    worth = hand_worth(view.game.deck, view.hand)
    return max(bid for bid in bids if bid == 0 or worth >= LEAST_WORTH[bid])


class BidsByStrength:
    """For agents that bid by `bid_by_strength`: `class MyAgent(BidsByStrength, Agent)`."""

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        return bid_by_strength(view, bids)


def double_by_strength(view: View) -> bool:
    """Whether the landlord, or a peasant, expects points of its hand: how every agent doubles that does not say otherwise.

    The weights are a linear fit to the points of landlords and of peasants in 15,000 deals of the champion with itself,
    with and without bidding, rounded. `bench/doubling.py` measures what it gains.
    """
    deck, worth = view.game.deck, hand_worth(view.game.deck, view.hand, PEASANT if view.role else LANDLORD)
    if view.role:
        worth += hand_worth(deck, view.public, AGAINST) + ANY_PEASANT + EACH_POINT_BID * max(view.auction.values(), default=0)
    return worth >= LEAST_TO_DOUBLE


def hand_worth(deck: Deck, hand: Cards, weights: Weights = BIDDER) -> int:
    """What a landlord with these 17 cards expects, in twentieths of a point at base 1, three more cards to come.

    The weights of a bidder are a linear fit to the landlord's points in 4,000 deals with the rule agent in all seats, rounded.
    On 4,000 other deals, the landlord's mean points at base 1 (95% interval) and share of games won, by its bid:

        bid    hands   points          won
        0      57%     -0.56 +- 0.11   0.40
        1      19%     +0.38 +- 0.17   0.58
        2      13%     +0.67 +- 0.25   0.63
        3      10%     +1.77 +- 0.30   0.74
    """
    counts = deck.counts(hand)
    jokers = weights.big_joker * counts[BIG_JOKER] + weights.small_joker * counts[SMALL_JOKER]
    control = jokers + weights.two * counts[TWO] + weights.ace * counts[ACE]
    return control + weights.bomb * counts.count(4) + weights.turn * fewest_turns(hand)
