"""Beliefs: worlds fit what a View says and are drawn evenly, weights are Bayes' rule, and nothing looks at the true hands."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import comb
from random import Random

import numpy as np
import pytest

from games.variants import VARIANTS, variant_name
from shangyou import agents, games
from shangyou.engines import reference
from shangyou.games import PASS, BadInput
from shangyou.search.beliefs import (
    PolicyJudge,
    effective,
    even_worlds,
    known_cards,
    log_chance,
    log_prior,
    normalised,
    past_turns,
)  # fmt: skip


def positions(name, rules, deals=2, every=7):
    """Points of random games, in the middle of play."""
    game, rng = games.load(name, **rules), Random(5)
    for index in range(deals):
        state, turns = reference.deal(game, 3, index), 0
        while not state.over:
            if state.bidding:
                state = reference.bid(state, rng.choice(reference.legal_bids(state)))
                continue
            if turns and turns % every == 0:
                yield state
            state, turns = reference.step(state, rng.choice(reference.legal(state).tolist())), turns + 1


def even_values(views, legals):
    return [np.zeros(len(legal)) for legal in legals]


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_every_world_fits_the_view_and_every_past_play(variant):
    seen = 0
    for state in positions(*variant):
        view, deck = reference.view(state), state.game.deck
        worlds = even_worlds(view, 8, np.random.default_rng(2))
        for world in worlds.tolist():
            hands = [deck.from_words(words) for words in world]
            assert hands[0] == view.hand
            assert [deck.size(hand) for hand in hands] == list(view.left)
            assert deck.holds(view.unseen, sum(hands[1:]))
            assert all(deck.holds(hand, known) for hand, known in zip(hands, known_cards(view), strict=True))
            turns = past_turns(view, world)  # the reference engine puts down every play of the history, or raises
            assert [(turn.seat, turn.play) for turn in turns] == [(t.seat, t.play) for t in view.history if t.seat]
        assert np.isfinite(PolicyJudge(even_values, 0.1).log_weights(view, worlds)).all()
        seen += 1
    assert seen > 3


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_the_true_hands_are_one_of_the_worlds(variant):
    for state in positions(*variant):
        view, game = reference.view(state), state.game
        seats = [(state.turn + i) % game.seats for i in range(game.seats)]
        true = np.array([[game.deck.words(state.hands[seat]) for seat in seats]])
        assert np.isfinite(PolicyJudge(even_values, 0.1).log_weights(view, true)).all()


def test_beliefs_do_not_know_the_hidden_hands():
    """Two states that differ in hidden hands alone have equal views, which is all that these functions take."""
    state = next(positions("zsy2", {}))
    me, other = state.turn, 1 - state.turn
    hidden = state.game.deck.full - sum(state.played) - state.hands[me]
    cards = list(state.game.deck.split(hidden))[::-1][: state.game.deck.size(state.hands[other])]
    hands = tuple(sum(cards) if seat == other else state.hands[seat] for seat in range(2))
    views = [reference.view(one) for one in (state, replace(state, hands=hands))]
    assert state.hands != hands
    assert views[0] == views[1]
    drawn = [even_worlds(view, 16, np.random.default_rng(7)) for view in views]
    assert (drawn[0] == drawn[1]).all()


def test_worlds_are_drawn_evenly():
    """Chi-square over all deals of the unseen cards of the end of a game, equal cards counted by their copies."""
    ends = (one for one in positions("doudizhu", {}, deals=4, every=1) if 4 <= one.game.deck.size(view_of(one).unseen) <= 8)
    state = next(ends)
    view, deck, draws = view_of(state), state.game.deck, 20_000
    known = known_cards(view)
    free = deck.split(view.unseen - sum(known))
    size = view.left[1] - deck.size(known[1])
    ways = Counter(sum(free[i] for i in chosen) + known[1] for chosen in combinations(range(len(free)), size))
    found = Counter(even_worlds(view, draws, np.random.default_rng(11))[:, 1, 0].tolist())
    assert set(found) <= set(ways)
    expected = {hand: draws * n / sum(ways.values()) for hand, n in ways.items()}
    chi_square = sum((found[hand] - n) ** 2 / n for hand, n in expected.items())
    degrees = len(ways) - 1
    assert degrees >= 3
    assert chi_square < degrees + 5 * (2 * degrees) ** 0.5  # far beyond the 99.99th percentile
    assert min(expected.values()) > 5


def view_of(state):
    return reference.view(state)


def test_the_leader_of_zsy4_still_has_the_3_of_spades():
    game = games.load("zsy4")
    state = reference.deal(game, 1)
    three = game.deck.parse("3s")
    play = next(
        row for row in reference.legal(state).tolist() if not game.deck.holds(game.pick(state.hands[state.turn], row), three)
    )
    leader, state = state.turn, reference.step(state, play)
    hands = even_worlds(reference.view(state), 50, np.random.default_rng(1))
    place = (leader - state.turn) % 4
    assert all(game.deck.holds(game.deck.from_words(world[place]), three) for world in hands.tolist())


def test_of_equal_cards_the_one_played_says_how_many_there_were():
    """Bayes' rule by hand: who leads its lowest card and led a 3 had k of them with weight C(free 3s, k), k >= 1."""
    game = games.load("zsy2")
    state = reference.deal(game, 4)
    state = next(
        reference.step(one, int(reference.legal(one)[0]))
        for one in (reference.deal(game, 4, index) for index in range(50))
        if game.deck.copies(one.hands[one.turn], 0) and not game.deck.copies(one.hands[1 - one.turn], 0)
    )
    view = reference.view(state)
    assert view.last == 1  # a single 3
    worlds = even_worlds(view, 4000, np.random.default_rng(3))

    def lowest(views, legals):
        return [-np.arange(len(legal), dtype=float) for legal in legals]

    weights = normalised(PolicyJudge(lowest, 0.001).log_weights(view, worlds))
    left = worlds[:, 1, 0] & 15  # 3s that the leader still has
    unseen, size = game.deck.size(view.unseen) + 1, view.left[1] + 1  # before its play
    exact = np.array([comb(4, k) * comb(unseen - 4, size - k) for k in range(1, 5)], float)
    found = np.array([weights[left == k - 1].sum() for k in range(1, 5)])
    even = np.array([(left == k - 1).mean() for k in range(1, 5)])
    assert np.abs(found - exact / exact.sum()).max() < 0.03
    assert np.abs(even - exact / exact.sum()).max() > 0.1


def test_what_a_good_player_would_not_have_done_is_unlikely():
    """A seat that passed on a card although greedy play beats it when it can."""
    greedy = agents.load("greedy")
    judge = PolicyJudge(lambda views, legals: [greedy.values(v, legal) for v, legal in zip(views, legals, strict=True)], 1.0)
    state = next(one for one in positions("doudizhu", {}, deals=6, every=3) if any(t.play == PASS for t in one.history))
    view = reference.view(state)
    weights = normalised(judge.log_weights(view, even_worlds(view, 64, np.random.default_rng(1))))
    assert weights.sum() == pytest.approx(1)
    assert 1 <= effective(weights) < 60


def test_a_position_without_a_history_has_even_worlds():
    state = next(positions("doudizhu", {}))
    view = replace(reference.view(state), history=())
    hands = even_worlds(view, 12, np.random.default_rng(1))
    assert (PolicyJudge(even_values, 0.1).log_weights(view, hands) == 0).all()
    assert (log_prior(view, hands) == 0).all()


def test_chances_are_a_softmax_that_rules_nothing_out():
    values = np.array([0.5, 0.5, 0.1])
    chances = [np.exp(log_chance(values, place, 0.1)) for place in range(3)]
    assert sum(chances) == pytest.approx(1)
    assert chances[0] == chances[1] > chances[2] > 0.003


def test_impossible_sizes_are_an_error():
    view = reference.view(next(positions("doudizhu", {})))
    with pytest.raises(BadInput, match="cards in other hands"):
        even_worlds(replace(view, left=(view.left[0], 20, 20)), 4, np.random.default_rng(1))
