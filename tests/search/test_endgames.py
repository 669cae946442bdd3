"""Worlds with few cards answered by the solver: the same as plain minimax; playouts answer the rest."""

from random import Random

import numpy as np
import pytest

from games.variants import VARIANTS, variant_name
from search.minimax import TooLarge, minimax
from shangyou import games
from shangyou.engines import reference
from shangyou.search import endgames
from shangyou.search.endgames import EndgamePlayer, solvable, state_of


class Never:
    """Asked about what the solver leaves open; says that nobody wins, and counts the worlds."""

    def __init__(self):
        self.worlds = []

    def win(self, view, hands, candidates):
        self.worlds.append(len(hands))
        return np.zeros((len(candidates), len(hands)), bool)


def random_states(game, rng, number):
    """All states of random games that are neither over nor before the first play."""
    for index in range(number):
        state = reference.deal(game, 5, index)
        while not state.over:
            if state.bidding:
                state = reference.bid(state, rng.choice(reference.legal_bids(state)))
                continue
            yield state
            state = reference.step(state, rng.choice(reference.legal(state).tolist()))


def true_world(state):
    """[1, S, W] the hands as the seat to act would have them."""
    seats = state.game.seats
    return np.array([[state.game.deck.words(state.hands[(state.turn + i) % seats]) for i in range(seats)]], np.int64)


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one[0] != "zsy4"], ids=variant_name)
def test_a_view_and_all_hands_are_a_state(variant):
    name, rules = variant
    for state in random_states(games.load(name, **rules), Random(1), 3):
        view, seats = reference.view(state), state.game.seats
        again = state_of(view, [state.hands[(state.turn + i) % seats] for i in range(seats)])
        assert reference.legal(again).tolist() == reference.legal(state).tolist()
        row = int(reference.legal(state)[-1])
        one, other = reference.step(state, row), reference.step(again, row)
        assert one.over == other.over
        assert {(seat - state.turn) % seats for seat in one.winners} == set(other.winners)
        if not one.over:
            assert (one.turn - state.turn) % seats == other.turn
            assert reference.legal(one).tolist() == reference.legal(other).tolist()


@pytest.mark.parametrize("name", ["zsy2", "doudizhu"])
def test_small_worlds_are_minimax(name):
    game, asked, answers = games.load(name), 0, set()
    player = EndgamePlayer(Never())
    for state in random_states(game, Random(2), 60):
        if sum(map(game.deck.size, state.hands)) > 7 or not all(state.hands):
            continue
        legal, view = reference.legal(state), reference.view(state)
        won = player.win(view, true_world(state), legal)[:, 0]
        for row, found in zip(legal.tolist(), won.tolist(), strict=True):
            after = reference.step(state, row)
            try:
                best = state.turn in after.winners if after.over else minimax(after, state.turn, "win") == 1
            except TooLarge:
                continue
            assert found == best, (state, row)
            asked += 1
            answers.add(found)
    assert asked > 100
    assert answers == {True, False}
    assert player.player.worlds == []


def test_what_takes_too_many_positions_is_played_out(monkeypatch):
    monkeypatch.setattr(endgames, "NODES", 1)
    game = games.load("doudizhu")
    state = next(one for one in random_states(game, Random(3), 20) if max(map(game.deck.size, one.hands)) == 6)
    other, legal = Never(), reference.legal(state)
    player = EndgamePlayer(other)
    won = player.win(reference.view(state), np.repeat(true_world(state), 3, 0), legal)
    assert other.worlds == [3]
    assert 0 <= player.solved < won.size  # only what ends at once is known


@pytest.mark.parametrize(("name", "rules"), [("zsy2", {}), ("zsy4", {}), ("zsy4", {"decks": 2})])
def test_large_hands_and_three_adversaries_are_played_out(name, rules):
    game, other = games.load(name, **rules), Never()
    state = reference.deal(game, 1)
    EndgamePlayer(other).win(reference.view(state), np.repeat(true_world(state), 2, 0), reference.legal(state)[:2])
    assert other.worlds == [2]
    assert solvable(game, state.landlord) == (name == "zsy2")
