"""Closure by brute force: of all parts of a small hand, exactly those that are plays are in the list of plays."""

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import recognise
from shangyou import games
from shangyou.games import PASS


@st.composite
def counted_hands(draw):
    """Counts over a few neighbouring ranks, so that chains, planes and kickers are common; at most 11 cards."""
    start = draw(st.integers(0, 9))
    counts, room = {}, 11
    for rank in range(start, min(15, start + 6)):
        counts[rank] = draw(st.integers(0, min(4 if rank < 13 else 1, room)))
        room -= counts[rank]
    return {rank: n for rank, n in counts.items() if n} or {start: 1}


@st.composite
def suited_hands(draw, packs):
    """Cards of a few neighbouring ranks and mostly few suits, so that flushes are common; at most 10 cards."""
    start, suits = draw(st.integers(0, 10)), draw(st.sampled_from([1, 2, 4]))
    kinds = [(rank, suit) for rank in range(start, min(13, start + 5)) for suit in range(suits)] + [(13, 0), (14, 0)]
    return sorted(
        draw(st.lists(st.sampled_from(kinds * packs), min_size=1, max_size=10).map(lambda cards: at_most(cards, packs)))
    )


def at_most(cards, packs):
    return [card for i, card in enumerate(cards) if cards[:i].count(card) < packs]


def parts(counts):
    """Every non-empty part of a hand of counts."""
    for chosen in product(*(range(n + 1) for n in counts.values())):
        part = {rank: n for rank, n in zip(counts, chosen, strict=True) if n}
        if part:
            yield part


@pytest.mark.parametrize(("name", "recognised"), [("zsy2", recognise.zsy2), ("doudizhu", recognise.doudizhu)])
@settings(max_examples=150, deadline=None)
@given(counts=counted_hands())
def test_counted_games(name, recognised, counts):
    game = games.load(name)
    table, hand = game.table, sum(n * game.deck.card(rank) for rank, n in counts.items())
    expected = set()
    for part in parts(counts):
        cards = sum(n * game.deck.card(rank) for rank, n in part.items())
        family, row = recognised(part), table.find(cards)
        assert (None if row is None else table.family[row]) == family
        if row is not None:
            assert game.pick(hand, row) == cards
            expected.add(row)
    assert set(table.held(hand, table.leads).tolist()) == expected


@pytest.mark.parametrize("packs", [1, 2])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_suited_game(packs, data):
    game = games.load("zsy4", decks=packs)
    table, deck = game.table, game.deck
    held = data.draw(suited_hands(packs))
    hand = sum(deck.card(*card) for card in held)
    expected = set()
    for size in range(1, len(held) + 1):
        for part in set(combinations(held, size)):
            family, row = recognise.zsy4(list(part), packs), table.find(sum(deck.card(*card) for card in part))
            assert (None if row is None else table.family[row]) == family
            expected |= {row} - {None}
    listed = table.held(hand, table.leads).tolist()
    assert set(listed) == expected
    for row in listed:
        picked = game.pick(hand, row)
        assert deck.holds(hand, picked)
        assert table.find(picked) == row


@settings(max_examples=300, deadline=None)
@given(counts=counted_hands(), last=st.integers(1, 27_471))
def test_followers_are_the_held_plays_that_beat(counts, last):
    game = games.load("doudizhu")
    hand = sum(n * game.deck.card(rank) for rank, n in counts.items())
    leads = game.table.held(hand, game.table.leads).tolist()
    follows = game.table.held(hand, game.table.answers(last)).tolist()
    assert follows == [PASS] + [row for row in leads if game.table.beats(row, last)]


def test_the_recogniser_knows_the_plays_of_the_table():
    """Guards the guard: the second telling of the rules names every play as the table does."""
    table = games.load("doudizhu").table
    rows = range(1, len(table), 7)  # a sample keeps this fast
    assert [recognise.doudizhu(dict(table.groups[row])) for row in rows] == [table.family[row] for row in rows]
