"""Random, greedy and the papers' greedy: what each does in known positions."""

from dataclasses import replace

import numpy as np
import pytest

from shangyou import agents, games
from shangyou.agents import play_game
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import PASS, BadInput


def choice(agent, game_name, hand, last="", **rules):
    """The label of what an agent plays from a hand, to lead or on a play."""
    game = games.load(game_name, **rules)
    held = game.deck.parse(hand)
    row = game.table.find(game.deck.parse(last)) if last else PASS
    seen = View(game, held, game.deck.full - held, (0,) * game.seats, (1,) * game.seats, last=row)
    legal = game.table.held(held, game.table.answers(row))
    return game.table.labels[agents.load(agent).act(seen, legal)]


@pytest.mark.parametrize(
    ("game", "hand", "last", "played"),
    [
        ("zsy2", "34455", "", "3"),
        ("zsy2", "334455K", "", "334455"),
        ("zsy2", "3333K", "", "333"),
        ("zsy2", "33335", "K", "3333"),
        ("zsy2", "3333A", "K", "A"),
        ("zsy2", "345", "K", "pass"),
        ("doudizhu", "34567999", "", "34567"),
        ("doudizhu", "3999", "", "9993"),
        ("doudizhu", "4479", "3", "4"),
        ("doudizhu", "44445", "333K", "4445"),
        ("zsy4", "3s4s5s5h", "", "345"),
        ("zsy4", "3s4s5s", "", "345♠"),
    ],
)
def test_greedy(game, hand, last, played):
    assert choice("greedy", game, hand, last) == played


@pytest.mark.parametrize(
    ("hand", "last", "played"),
    [
        ("34455", "", "4"),  # the second-lowest rank, as a single
        ("33", "", "33"),
        ("3", "", "3"),
        ("3333", "", "33"),
        ("3456", "4", "5"),
        ("33335", "K", "3333"),
        ("345", "K", "pass"),
        ("3333556677", "4455", "5566"),
    ],
)
def test_the_papers_greedy(hand, last, played):
    assert choice("paper-greedy", "zsy2", hand, last) == played


def test_greedy_never_passes_when_it_can_play():
    game = games.load("doudizhu")
    for index in range(20):
        finished, state = play_game(game, [agents.load("greedy")] * 3, 5, index), reference.deal(game, 5, index)
        for turn in finished.history:
            assert turn.play != PASS or reference.legal(state).tolist() == [PASS]
            state = reference.step(state, turn.play)


def test_random_is_uniform_over_the_legal_plays():
    """8 plays, 8,000 deals: 1,000 each, standard deviation 30."""
    game = games.load("zsy2")
    agent, legal = agents.load("random", seed=3), np.arange(1, 9, dtype=np.int32)
    seen = [reference.view(reference.deal(game, 0, index)) for index in range(8000)]
    counts = np.bincount([agent.act(view, legal) for view in seen])[1:]
    assert np.abs(counts - 1000).max() < 150


def test_random_draws_anew_with_every_turn_and_seed():
    """The same hand, 200 turns, 200 seeds: 25 times each of 8 plays, standard deviation 4.7."""
    game, legal = games.load("zsy2"), np.arange(1, 9, dtype=np.int32)
    seen = View(game, game.deck.full, 0, (0, 0), (18, 18))
    turns = [replace(seen, history=(reference.Turn(0, PASS, 0),) * turn) for turn in range(200)]
    by_turn = np.bincount([agents.load("random", seed=3).act(view, legal) for view in turns])[1:]
    by_seed = np.bincount([agents.load("random", seed=seed).act(seen, legal) for seed in range(200)])[1:]
    assert max(np.abs(by_turn - 25).max(), np.abs(by_seed - 25).max()) < 20


def test_random_tells_by_no_bid_what_it_will_play():
    """Four bids and four plays, 4,000 deals: 250 for each two of them, standard deviation 15."""
    game, legal = games.load("doudizhu", bidding=True), np.arange(4, dtype=np.int32)
    agent, met = agents.load("random", seed=3), np.zeros((4, 4), np.int64)
    for index in range(4000):
        seen = reference.view(reference.deal(game, 0, index))
        met[agent.bid(seen, (0, 1, 2, 3)), agent.act(seen, legal)] += 1
    assert np.abs(met - 250).max() < 75


def test_random_has_no_memory():
    state = reference.deal(games.load("zsy4", decks=2), 1)
    agent, other = agents.load("random", seed=1), agents.load("random", seed=1)
    first = agent.act(reference.view(state), reference.legal(state))
    assert agent.act(reference.view(state), reference.legal(state)) == first
    assert other.act(reference.view(state), reference.legal(state)) == first


def test_agents_are_named_and_bad_names_explained():
    assert "paper-greedy" in agents.names(games.load("zsy2"))
    assert "paper-greedy" not in agents.names(games.load("zsy4"))
    with pytest.raises(BadInput, match="no agent 'alphazero'"):
        agents.load("alphazero")
    with pytest.raises(BadInput, match="plays zsy2 only"):
        agents.load("paper-greedy", games.load("doudizhu"))


def test_a_game_needs_an_agent_for_every_seat():
    with pytest.raises(BadInput, match="3 seats, not 2"):
        play_game(games.load("doudizhu"), [agents.load("random")] * 2, 0)
