"""Intervals against values from the literature and by hand."""

import numpy as np
import pytest

from shangyou.evaluation.intervals import ClusteredMean, RunningMean, share_interval


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


def test_a_mean_of_clusters_by_hand():
    """1, 2 | 3 | 5, 7, 9: mean 4.5, the clusters are off by -6, -1.5 and 7.5, in squares 94.5, times 3/2."""
    mean = ClusteredMean()
    mean.add([5, 1, 7, 2, 9], [4, 8, 4, 8, 4])
    mean.add([3], [1])
    assert (mean.clusters, mean.count, mean.mean) == (3, 6, 4.5)
    assert mean.half_width == pytest.approx(1.959964 * (94.5 * 1.5) ** 0.5 / 6, rel=1e-6)


def test_values_of_a_cluster_go_together():
    """Clusters of equal values are as uncertain as single values; clusters of one value are what `RunningMean` has."""
    rng = np.random.default_rng(1)
    values = rng.random(500)
    one, four = ClusteredMean(), ClusteredMean()
    one.add(values, np.arange(500))
    four.add(np.repeat(values[:300], 4), np.repeat(np.arange(300), 4))
    four.add(np.repeat(values[300:], 4), np.repeat(np.arange(200), 4))  # numbers count within a call
    assert (one.clusters, one.count, four.clusters, four.count) == (500, 500, 500, 2000)
    plain = RunningMean.of(values)
    for mean in (one, four):
        assert mean.mean == pytest.approx(plain.mean)
        assert mean.half_width == pytest.approx(plain.half_width)
    assert ClusteredMean().half_width == float("inf")
