"""Random, greedy and the papers' greedy: what each does in known positions."""

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
    """8 plays, 8,000 draws: 1,000 each, standard deviation 30."""
    game = games.load("zsy2")
    agent, legal = agents.load("random", seed=3), np.arange(1, 9, dtype=np.int32)
    seen = View(game, game.deck.full, 0, (0, 0), (18, 18))
    counts = np.bincount([agent.act(seen, legal) for _ in range(8000)])[1:]
    assert np.abs(counts - 1000).max() < 150


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
