"""What the batch engine cannot play is refused with the row or the rule, never played wrong."""

import re

import pytest

from engines.toy_games import ToyGame
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput, Deck
from shangyou.games.doudizhu import Doudizhu, DoudizhuRules
from shangyou.games.table import Play, bombs, equals

SINGLES = list(equals("single", 1, 15))


def refused(game, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        BatchEngine(game)


@pytest.mark.parametrize(
    ("plays", "deck", "message"),
    [
        ([*bombs(4), *SINGLES], Deck(), "row 14 (3): it is no bomb, yet stands after bombs"),
        (
            [Play("triple", "bomb", ((12, 3),), strength=99), *bombs(4)],
            Deck(),
            "row 1 (222): it is stronger than the bomb 3333, yet of no higher tier",
        ),
        (
            [*SINGLES, *(Play("bomb", "bomb", ((rank, 4),), strength=rank, bomb=20 - rank) for rank in range(13))],
            Deck(),
            "row 17 (4444): it is stronger than the bomb 3333, yet of no higher tier",
        ),
        ([*SINGLES, Play("low", "low", ((0, 2),), bomb=-1)], Deck(), "row 16 (33): it has a bomb tier below 0"),
        (
            [*SINGLES, Play("eight+solo", "eight+solo", ((0, 8), (1, 1)))],
            Deck(packs=2),
            "row 16 (333333334): it needs more than 7 cards of a rank beside others",
        ),
        ([*SINGLES, *equals("nine", 9, 1)], Deck(packs=2), "row 16 (333333333): it needs more than 8 of a rank"),
        ([*SINGLES, Play("four", "four", ((0, 3), (0, 1)))], Deck(), "row 16 (3333): it has a rank in two groups"),
        ([*SINGLES, Play("two", "two", ((0, 2), (1, 0)))], Deck(), "row 16 (33): it has a group of no cards"),
        ([*SINGLES, Play("none", "none", ())], Deck(), "row 16 (): it has no cards"),
        ([*SINGLES, Play("flush", "flush", ((0, 1),), suit=2)], Deck(), "row 16 (3♣): it asks for suits, which its deck lacks"),
        (
            [Play("pair", "low pair", ((0, 2),)), Play("pair", "pair", ((0, 2),))],
            Deck(),
            "row 2 (33): it does not come after the row before it in the order of groups",
        ),
    ],
)
def test_a_table_is_refused_with_the_row(plays, deck, message):
    refused(ToyGame(plays, deck), f"the batch engine cannot play {message}")


@pytest.mark.parametrize(
    ("deck", "rules", "message"),
    [
        (Deck(packs=3), {}, "it has 3 packs, more than 2"),
        (Deck(), {"seats": 40, "hand_sizes": lambda self, first: (1,) * 40}, "it has 40 seats, not 2..31"),
        (Deck(), {"outs_to_end": 4}, "outs_to_end is 4, not 1..3"),
        (Deck(), {"hand_sizes": lambda self, first: (18, 18, 19)}, "hands of (18, 18, 19) and 0 public cards cannot be dealt"),
        (
            Deck(packs=2, suited=True),
            {"public_size": 3, "hand_sizes": lambda self, first: (9, 9, 9)},
            "public cards of two packs",
        ),
        (Deck(), {"first_by": "spade3"}, "first_by is spade3, but its cards have no suits"),
        (Deck(), {"pick": lambda self, hand, play: 0}, "Odd has its own `pick`"),
        (Deck(), {"is_over": lambda self, out, landlord: True}, "Odd has its own `is_over`"),
    ],
)
def test_a_rule_is_refused(deck, rules, message):
    refused(type("Odd", (ToyGame,), rules)(SINGLES, deck), f"toy: the batch engine cannot play it, since {message}")


class BidsTwice(Doudizhu):
    def allowed_bids(self, bids):
        return super().allowed_bids(bids[3:]) if len(bids) >= 3 and max(bids) < 3 else super().allowed_bids(bids)


def test_doubling_is_refused():
    for rules in (DoudizhuRules(doubling=True), DoudizhuRules(bidding=True, doubling=True)):
        refused(Doudizhu(rules), "doudizhu: the batch engine cannot play it, since the rule doubling is on")


def test_other_bidding_is_refused():
    refused(BidsTwice(DoudizhuRules(bidding=True)), "it allows (0, 1, 2, 3), not ()")
