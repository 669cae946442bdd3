"""Duplicate matches: exactly even with oneself, the same whoever plays them, intervals from deals."""

from math import sqrt
from statistics import mean, stdev

import numpy as np
import pytest

from games.variants import VARIANTS, variant_name
from shangyou import games
from shangyou.agents.scripted.greedy import GreedyAgent
from shangyou.evaluation import match as module
from shangyou.evaluation.backends import Contestant, by_name
from shangyou.evaluation.match import evaluate
from shangyou.evaluation.sprt import Sprt, Verdict
from shangyou.games import BadInput

GREEDY, RANDOM = by_name("greedy"), by_name("random", seed=1)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 8)


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
@pytest.mark.parametrize("mirrored", [False, True], ids=["plain", "mirrored"])
def test_an_agent_against_itself_is_exactly_even(variant, mirrored):
    name, rules = variant
    game = games.load(name, **rules)
    match = evaluate(game, GREEDY, GREEDY, deals=4, seed=3, mirrored=mirrored)
    assert match.total.win.mean == match.even
    assert match.total.points.mean == 0
    assert match.total.win.half_width == match.total.points.half_width == 0
    assert match.total.win_interval == (match.even, match.even)


def test_the_roles_of_an_agent_against_itself_cancel():
    match = evaluate(games.load("doudizhu"), GREEDY, GREEDY, deals=20, seed=3)
    landlord, peasants = match.by_role["landlord"], match.by_role["peasants"]
    assert landlord.win.mean + peasants.win.mean == 1
    assert landlord.points.mean == -peasants.points.mean
    assert landlord.win.half_width > 0


def test_the_interval_is_that_of_the_deals_means():
    match = evaluate(games.load("zsy2"), GREEDY, RANDOM, deals=40, seed=3)
    means = match.played.points.mean(1).tolist()
    assert match.deals == 40
    assert match.games == 80
    assert match.total.points.mean == pytest.approx(mean(means))
    assert match.total.points.half_width == pytest.approx(1.959964 * stdev(means) / sqrt(40), rel=1e-6)


def test_win_rate_is_the_mean_of_both_roles():
    """As DouZero's WP; and ADP counts the whole side, twice what a peasant is paid."""
    match = evaluate(games.load("doudizhu"), GREEDY, RANDOM, deals=30, seed=3)
    roles = match.by_role.values()
    assert match.total.win.mean == pytest.approx(mean(role.win.mean for role in roles))
    assert match.total.points.mean == pytest.approx(mean(role.points.mean for role in roles))
    assert match.total.win.mean > 0.8
    assert set(abs(match.played.points).flatten().tolist()) <= {2 << bombs for bombs in range(10)}


def test_alone_against_three():
    match = evaluate(games.load("zsy4"), GREEDY, RANDOM, deals=6, seed=3, mirrored=True)
    first_out = match.played.won[:, :4].argmax(-1)  # [deals, A alone in each seat]
    assert match.by_role["alone"].win.mean == (first_out == np.arange(4)).mean()
    assert match.by_role["three"].win.mean <= 1 / 3
    assert match.total.win.mean > match.even


def test_the_number_of_workers_does_not_matter():
    game = games.load("doudizhu", spring=True)
    alone, together = (evaluate(game, GREEDY, RANDOM, deals=30, seed=3, workers=workers) for workers in (1, 2))
    assert np.array_equal(alone.played.scores, together.played.scores)
    assert alone.total == together.total


def test_a_test_stops_a_match_early_with_any_number_of_workers():
    game, test = games.load("zsy2"), Sprt(0.5, 0.6)
    matches = [evaluate(game, GREEDY, RANDOM, deals=4000, seed=3, sprt=test, workers=workers) for workers in (1, 2)]
    assert matches[0].deals == matches[1].deals <= 64
    assert matches[0].verdict == matches[1].verdict == Verdict.H1
    assert evaluate(game, RANDOM, GREEDY, deals=4000, seed=3, sprt=test).verdict == Verdict.H0
    assert evaluate(game, GREEDY, GREEDY, deals=4000, seed=3, sprt=test).verdict == Verdict.H0


def test_interrupting_keeps_what_was_played():
    seen = []

    def watch(match):
        seen.append(match)
        if match.deals == 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(games.load("zsy2"), GREEDY, RANDOM, deals=1000, seed=3, after_each=watch)
    kept = seen[-1]
    assert kept.total == evaluate(games.load("zsy2"), GREEDY, RANDOM, deals=16, seed=3).total


def test_given_deals_are_played_by_any_number_of_workers():
    game = games.load("doudizhu")
    given = [game.deal(9, number) for number in range(20)]
    alone, together = (evaluate(game, GREEDY, RANDOM, 16, seed=3, given=given, workers=workers) for workers in (1, 2))
    assert alone.total == together.total
    assert np.array_equal(alone.played.scores, evaluate(game, GREEDY, RANDOM, 16, seed=9).played.scores)
    with pytest.raises(BadInput, match="deals 21: only 20 are given"):
        evaluate(game, GREEDY, RANDOM, deals=21, seed=3, given=given)


def test_any_agent_may_play():
    mine = Contestant("mine", lambda game: GreedyAgent())
    match = evaluate(games.load("zsy2"), mine, GREEDY, deals=10, seed=3)
    assert (match.a, match.b, match.total.points.mean) == ("mine", "greedy", 0)


def test_bad_input_is_refused():
    game = games.load("zsy2")
    with pytest.raises(BadInput, match="deals 0"):
        evaluate(game, GREEDY, RANDOM, deals=0, seed=3)
    with pytest.raises(BadInput, match="workers 0"):
        evaluate(game, GREEDY, RANDOM, deals=1, seed=3, workers=0)
    with pytest.raises(BadInput, match="no agent 'nobody'"):
        evaluate(game, GREEDY, by_name("nobody"), deals=1, seed=3, workers=2)


class Fails(GreedyAgent):
    def act(self, view, legal):
        raise BadInput("no idea")


def make_failing(game):
    return Fails()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_agent_that_fails_fails_the_match(workers):
    with pytest.raises(BadInput, match="no idea"):
        evaluate(games.load("zsy2"), Contestant("fails", make_failing), GREEDY, deals=3, seed=1, workers=workers)
