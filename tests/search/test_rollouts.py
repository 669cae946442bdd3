"""Search: it finds the play that wins, drops what is hopeless, keeps to its budget, and thinks as an agent by name."""

import time
from dataclasses import replace

import numpy as np
import pytest

from cli.running import run as run_command
from shangyou import agents, games
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.search.beliefs import effective, even_worlds, normalised
from shangyou.search.rollouts import Budget, Settings, last_of, think

GAME = games.load("doudizhu")


class Fixed:
    """Wins with given chances, whatever the cards."""

    def __init__(self, chances):
        self.chances, self.rng, self.asked = chances, np.random.default_rng(1), []

    def win(self, view, hands, candidates):
        self.asked += [(tuple(candidates.tolist()), len(hands))]
        chances = np.array([self.chances.get(play, 0.0) for play in candidates.tolist()])
        return self.rng.random((len(candidates), len(hands))) < chances[:, None]


class Skewed:
    """A judge that believes in few worlds."""

    def log_weights(self, view, hands):
        return np.where(hands[:, 1, 0] % 61 < 4, 9.0, 0.0)


@pytest.fixture(scope="module")
def position():
    state = reference.deal(GAME, 2)
    for _ in range(6):
        state = reference.step(state, int(reference.legal(state)[0]))
    return reference.view(state), reference.legal(state)


def test_playouts_outvote_a_prior_that_is_wrong(position):
    view, legal = position
    prior = np.linspace(0.5, 0.4, len(legal))
    player = Fixed({int(legal[2]): 0.9, int(legal[0]): 0.3})
    thought = last_of(think(view, legal, prior, player, Budget(playouts=4000), np.random.default_rng(1)))
    assert thought.rows[thought.best] == legal[2]
    assert thought.done
    assert thought.win[thought.best] == pytest.approx(
        (0.9 * thought.worlds[2] + 256 * prior[2]) / (thought.worlds[2] + 256), abs=0.05
    )


def test_the_prior_decides_what_playouts_leave_open(position):
    view, legal = position
    prior = np.linspace(0.6, 0.1, len(legal))
    player = Fixed(dict.fromkeys(legal.tolist(), 0.5))
    thought = last_of(think(view, legal, prior, player, Budget(playouts=200), np.random.default_rng(1)))
    assert thought.rows[thought.best] == legal[0]


def test_halving_gives_the_close_ones_more_playouts(position):
    view, legal = position
    chances = {int(legal[0]): 0.7, int(legal[1]): 0.65}
    player = Fixed(chances)
    settings = Settings(candidates=4, n0=0.0)
    thought = last_of(
        think(view, legal, np.zeros(len(legal)), player, Budget(playouts=6000), np.random.default_rng(1), None, settings)
    )
    assert thought.alive.sum() == 2
    assert set(thought.rows[thought.alive].tolist()) == set(chances)
    assert thought.worlds[:2].min() > 2 * thought.worlds[2:].max() - 64
    assert all(len(candidates) in (2, 4) for candidates, _ in player.asked)
    assert 6000 <= thought.playouts < 6000 + 2 * 4 * settings.batch


def test_worlds_count_for_what_their_weights_are_worth(position):
    """A judge that believes in one world of sixteen: few are tried, and they count as the even worlds they are worth."""
    view, legal = position
    player, budget = Fixed({}), Budget(playouts=2000)
    weighed = last_of(think(view, legal, np.zeros(len(legal)), player, budget, np.random.default_rng(1), Skewed()))
    tried = sum(worlds for candidates, worlds in player.asked if weighed.rows[0] in candidates)
    assert weighed.worlds[0] == pytest.approx(tried, rel=0.35)
    sample = even_worlds(view, 640, np.random.default_rng(3))
    worth = effective(normalised(Skewed().log_weights(view, sample)))
    assert worth < 0.2 * 640
    assert max(worlds for _, worlds in player.asked) <= 32


def test_a_budget_of_time_is_kept(position):
    view, legal = position
    began = time.perf_counter()
    thought = last_of(think(view, legal, np.zeros(len(legal)), Fixed({}), Budget(seconds=0.2), np.random.default_rng(1)))
    assert 0.2 <= time.perf_counter() - began < 3
    assert thought.playouts > 0


@pytest.mark.parametrize("budget", [{}, {"seconds": 0.0}, {"playouts": 0}, {"seconds": float("nan")}])
def test_a_budget_says_when_to_stop(budget):
    with pytest.raises(BadInput, match="budget"):
        Budget(**budget)


def test_an_agent_that_thinks_by_name(position):
    view, legal = position
    agent, base = (agents.load(name, GAME) for name in ("search@300p:champion/doudizhu", "champion/doudizhu"))
    found, own = agent.estimate(view, legal), base.estimate(view, legal)
    assert found.value.argmax() == int(np.searchsorted(legal, agent.act(view, legal))) or found.win is not None
    assert ((found.win >= 0) & (found.win <= 1)).all()
    assert not np.allclose(found.win, own.win)
    order = np.argsort(-own.win, kind="stable")
    assert found.value.argmax() in order[:6]
    state = reference.deal(GAME, 5)
    while not state.over:
        seen, rows = reference.view(state), reference.legal(state)
        state = reference.step(state, agent.act(seen, rows) if len(state.history) % 9 == 0 else int(rows[-1]))
    assert state.winners


def test_an_agent_without_win_chances_can_be_searched_over(position):
    view, legal = position
    agent = agents.load("search@200p:rule", GAME)
    assert agent.act(view, legal) in legal
    assert agents.suggest(view, agent)[0].play in legal


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("search:", "the agent to search over follows"),
        ("search@soon:champion/doudizhu", "write a time such as 500ms"),
        ("search@0ms:champion/doudizhu", "write a time such as 500ms"),
        ("search:champion/doudizhu:points", "search plays to win"),
        ("search:nobody", "there is no agent"),
    ],
)
def test_names_that_make_no_sense_are_refused(name, reason):
    with pytest.raises(BadInput, match=reason):
        agents.load(name, GAME)


def test_without_numba_it_says_what_is_missing(monkeypatch):
    monkeypatch.setattr("shangyou.agents.searching.find_spec", lambda name: None)
    with pytest.raises(BadInput, match="needs numba"):
        agents.load("search:champion/doudizhu", GAME)


def test_suggest_thinks():
    hand = "3 4 5 66 TT J QQ K A 2 B"
    asked = ["suggest", "doudizhu", "--hand", hand, "--left", "10 10", "--role", "landlord", "--public", "3 4 5", "--played",
             "7 8 9 9 8 Q / 33 44 55 7 / 6 7 8 8 9 9 A"]  # fmt: skip
    assert "search@100p:champion/doudizhu" in run_command(*asked, "--think", "100p").stdout
    refused = run_command(*asked, "--think", "soon", code=2)
    assert "500ms" in refused.stderr


def test_positions_can_be_searched_without_a_history(position):
    view, legal = position
    agent = agents.load("search@100p:champion/doudizhu", GAME)
    assert agent.act(replace(view, history=()), legal) in legal
