"""Bids by control cards and tidiness."""

import pytest

from shangyou import agents, games
from shangyou.agents import take_turn
from shangyou.agents.scripted.bidding import LEAST_WORTH, bid_by_strength, hand_worth
from shangyou.engines import reference
from shangyou.engines.reference import View

GAME = games.load("doudizhu", bidding=True)
MONSTER, GOOD, FAIR, TRASH = "34567888AAAA222SB", "345678TTJJQQKAA2B", "3457899TJQKKAA22S", "3334467889TTJJQKK"


def bid(hand, bids=(0, 1, 2, 3)):
    held = GAME.deck.parse(hand)
    assert GAME.deck.size(held) == 17
    return bid_by_strength(View(GAME, held, GAME.deck.full - held, (0, 0, 0), (17, 17, 17)), bids)


def worth(hand):
    return hand_worth(GAME.deck, GAME.deck.parse(hand))


@pytest.mark.parametrize(("hand", "points"), [(MONSTER, 3), (GOOD, 2), (FAIR, 1), (TRASH, 0)])
def test_bids_what_the_hand_is_worth(hand, points):
    assert bid(hand) == points


def test_never_bids_above_its_worth_to_outbid_another():
    assert bid(GOOD, (0, 3)) == 0
    assert bid(GOOD, (0, 2, 3)) == 2
    assert bid(MONSTER, (0, 3)) == 3
    assert bid(TRASH, (0, 1, 2, 3)) == 0


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("3457899TJQKKAA22B", "3457899TJQKKAA22S"),  # the higher joker
        ("3457899TJQKKAA2SB", "3457899TJQKKAA22S"),  # the rocket
        ("3334567899TJQKKA2", "3344567799TJJKKA2"),  # tidier with equal control cards
        ("33334567899JJQKA2", "33345677899JJQKA2"),  # a bomb
    ],
)
def test_control_cards_bombs_and_tidiness_add_worth(better, worse):
    assert worth(better) > worth(worse)


def test_about_four_hands_in_ten_bid_and_one_in_ten_bids_three():
    worths = [hand_worth(GAME.deck, hand) for index in range(200) for hand in GAME.deal(8, index).hands]
    shares = [sum(found >= least for found in worths) / len(worths) for least in LEAST_WORTH.values()]
    assert 0.33 < shares[0] < 0.52
    assert 0.05 < shares[2] < 0.16


def test_the_landlord_holds_the_hand_that_bid_most():
    for index in range(20):
        state = reference.deal(GAME, 21, index)
        while state.bidding:
            state = take_turn(state, agents.load("rule"))
        assert max(state.bids) == bid(GAME.deck.format(state.start.hands[state.landlord])) > 0
