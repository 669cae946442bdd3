"""Intervals against values from the literature and by hand."""

import numpy as np
import pytest

from shangyou.evaluation.intervals import Z95, ClusteredMean, RunningMean, share_interval


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_as_newcombe_prints_it(wins, games, low, high):
    assert share_interval(wins, games) == pytest.approx((low, high), abs=5e-5)


def test_no_games_say_nothing():
    assert share_interval(0, 0) == (0.0, 1.0)
    assert RunningMean().half_width == RunningMean.of([1.0]).half_width == float("inf")


def test_mean_half_width_by_hand():
    """1, 2, 3, 4: variance 5/3, standard error sqrt(5/12)."""
    assert RunningMean.of([1, 2, 3, 4]).half_width == pytest.approx(1.959964 * (5 / 12) ** 0.5, rel=1e-6)


def test_a_running_mean_by_hand():
    running = RunningMean()
    assert (running.mean, running.squared_distance(2)) == (0, 0)
    for value in (1, 2, 3, 4):
        running.add(value)
    assert running.mean == 2.5
    assert running == RunningMean.of([1, 2, 3, 4])
    assert running.squared_distance(2.5) == 1.25
    assert running.squared_distance(0) == 7.5


def test_a_mean_over_groups_knows_that_values_of_a_group_go_together():
    """Groups of equal values are as uncertain as single values; groups of one value are what `RunningMean` has."""
    rng = np.random.default_rng(1)
    values = rng.random(500)
    one, four = ClusteredMean(), ClusteredMean()
    one.add(values, np.arange(500))
    four.add(np.repeat(values[:300], 4), np.repeat(np.arange(300), 4))
    four.add(np.repeat(values[300:], 4), np.repeat(np.arange(200), 4))  # numbers count within a call
    assert (one.groups, one.count, four.groups, four.count) == (500, 500, 500, 2000)
    plain = RunningMean.of(values)
    for mean in (one, four):
        assert mean.mean == pytest.approx(plain.mean)
        assert mean.half_width == pytest.approx(plain.half_width)


def test_a_mean_over_groups_by_hand():
    """Groups (1, 1, 0) and (0): mean 1/2, sums less what the mean expects 1/2 and -1/2."""
    mean = ClusteredMean()
    mean.add([1, 1, 0, 0], [7, 7, 7, 8])
    assert mean.mean == 0.5
    assert mean.half_width == pytest.approx(Z95 * np.sqrt((0.25 + 0.25) * 2) / 4)
    assert ClusteredMean().half_width == float("inf")
