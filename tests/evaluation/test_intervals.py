"""Intervals against values from the literature and by hand."""

import pytest

from shangyou.evaluation.intervals import RunningMean, share_interval


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
