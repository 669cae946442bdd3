"""Card sets as integers and as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shangyou.games import BadInput, Deck

DECKS = [Deck(), Deck(suited=True), Deck(packs=2, suited=True)]


@st.composite
def cards_of(draw, deck):
    picked = draw(st.lists(st.sampled_from(range(len(deck.cards))), unique=True, max_size=27))
    return [deck.cards[i] for i in picked]


@pytest.mark.parametrize("deck", DECKS)
def test_a_pack_has_54_cards(deck):
    assert len(deck.cards) == 54 * deck.packs
    assert deck.counts(deck.full) == [4 * deck.packs] * 13 + [deck.packs] * 2


@pytest.mark.parametrize("deck", DECKS)
@given(data=st.data())
def test_sums_of_cards_count_print_and_parse(deck, data):
    picked = data.draw(cards_of(deck))
    cards = sum(picked)
    assert deck.size(cards) == len(picked)
    assert deck.parse(deck.format(cards)) == cards
    assert deck.parse(deck.format(cards).lower()) == cards
    assert deck.holds(deck.full, cards)
    for card in set(deck.cards):
        held = picked.count(card)
        assert deck.holds(cards, held * card)
        if held < deck.cards.count(card):
            assert not deck.holds(cards, (held + 1) * card)
            assert deck.missing(cards, (held + 1) * card) == card


@pytest.mark.parametrize("deck", DECKS)
@given(data=st.data())
def test_holds_means_nothing_is_missing(deck, data):
    hand, part = sum(data.draw(cards_of(deck))), sum(data.draw(cards_of(deck)))
    assert deck.holds(hand, part) == (deck.missing(hand, part) == 0)


def test_text_is_read_leniently():
    assert Deck().parse("10 10,j Q") == Deck().parse("TTJQ")
    assert Deck(suited=True).parse("3♠ 10h S b") == Deck(suited=True).parse("3sThSB")


@pytest.mark.parametrize(
    ("deck", "text", "complaint"),
    [
        (Deck(), "33333", "more than 4 of 3"),
        (Deck(), "SS", "more than 1 of S"),
        (Deck(), "3x", "'x' is no card"),
        (Deck(suited=True), "3s3s", "more than 1 of 3s"),
        (Deck(packs=2, suited=True), "3s3s3s", "more than 2 of 3s"),
        (Deck(suited=True), "34", "3 needs a suit"),
        (Deck(suited=True), "3", "3 needs a suit"),
    ],
)
def test_bad_text_is_named_with_its_reason(deck, text, complaint):
    with pytest.raises(BadInput, match=complaint) as error:
        deck.parse(text)
    assert repr(text) in str(error.value)
