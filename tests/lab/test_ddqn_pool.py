"""When a row of ddqn-pool is called better or worse than the base, and when a claim of the project holds."""

import pytest

from shangyou.lab.experiments.ddqn_pool import _judged
from shangyou.lab.experiments.ddqn_pool.results import compared
from shangyou.lab.experiments.ddqn_pool.rows import BASE


def results(**shares):
    return {row: [{"first": share} for share in seeds] for row, seeds in {BASE: shares.pop(BASE), **shares}.items()}


def test_a_row_is_decided_where_seeds_and_games_agree():
    found = compared(results(base=[0.40, 0.41, 0.39], row=[0.45, 0.47, 0.44]), "row", 20_000)
    assert found.mean == pytest.approx(0.16 / 3)
    assert found.half_width == found.over_seeds > found.over_games
    assert found.verdict == "better"
    worse = compared(results(base=[0.45, 0.47, 0.44], row=[0.40, 0.41, 0.39]), "row", 20_000)
    assert (worse.verdict, worse.mean) == ("worse", -found.mean)


def test_seeds_that_agree_by_chance_decide_nothing():
    """Three equal gains have no spread, but a hundred games cannot tell 0.40 from 0.41."""
    found = compared(results(base=[0.40, 0.40, 0.40], row=[0.41, 0.41, 0.41]), "row", 100)
    assert found.over_seeds == pytest.approx(0, abs=1e-12)
    assert found.verdict == "undecided"
    assert found.half_width == found.over_games == pytest.approx(1.96 * (2 * 0.24 / 300) ** 0.5, rel=0.01)


def test_one_seed_decides_nothing():
    found = compared(results(base=[0.3], row=[0.9]), "row", 10_000)
    assert found.verdict == "undecided"
    assert str(found) == "+0.600"
    low, high = found.interval
    assert 0.58 < low < 0.6 < high < 0.62


def test_a_claim_holds_if_the_row_is_where_it_should_be():
    assert _judged(["better", "better"], True) == "yes"
    assert _judged(["better", "better"], False) == "no"
    assert _judged(["worse", "worse"], False) == "yes"
    assert _judged(["undecided", "undecided"], True) == "undecided"
    assert _judged(["better", "undecided"], True) == "greedy: yes; champions: undecided"
