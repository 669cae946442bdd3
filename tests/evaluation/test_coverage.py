"""How often 95% intervals hold the truth, in 20,000 repetitions of experiments whose truth is known."""

import numpy as np
import pytest

from shangyou.evaluation.intervals import ClusteredMean, RunningMean, share_interval, student_half_width

REPETITIONS = 20_000
GAMES = 1000
SEEDS = 3


def share_held(means: np.ndarray, half_widths: np.ndarray, truth: float) -> float:
    return float((np.abs(means - truth) <= half_widths).mean())


@pytest.mark.parametrize("truth", [0.5, 0.9])
def test_of_games(truth):
    wins = np.random.default_rng(1).binomial(GAMES, truth, REPETITIONS)
    low, high = np.array([share_interval(number, GAMES) for number in wins.tolist()]).T
    assert 0.945 <= float(((low <= truth) & (truth <= high)).mean()) <= 0.955


def test_of_deals_played_from_both_sides():
    """Of a deal both, one or none of its two games are won, and one is likelier than it would be for games of their own."""
    rng, chances = np.random.default_rng(2), [0.2, 0.5, 0.3]
    found = [RunningMean.of(rng.choice([0.0, 0.5, 1.0], GAMES, p=chances)) for _ in range(REPETITIONS)]
    means, half_widths = np.array([(one.mean, one.half_width) for one in found]).T
    assert 0.945 <= share_held(means, half_widths, truth=0.55) <= 0.955


def test_of_decisions_of_games():
    """Decisions of one game go well or badly together; intervals that took them for independent ones would be too narrow."""
    rng, clusters, each = np.random.default_rng(3), 400, 10
    means, half_widths, narrow = [], [], []
    games = np.repeat(np.arange(clusters), each)
    for _ in range(REPETITIONS):
        values = np.repeat(rng.random(clusters), each) * rng.random(clusters * each)
        mean = ClusteredMean()
        mean.add(values, games)
        means.append(mean.mean)
        half_widths.append(mean.half_width)
        narrow.append(RunningMean.of(values).half_width)
    assert 0.945 <= share_held(np.array(means), np.array(half_widths), truth=0.25) <= 0.955
    assert share_held(np.array(means), np.array(narrow), truth=0.25) < 0.9


@pytest.mark.parametrize("spread", [0.0, 0.02])
def test_of_seeds(spread):
    """Each seed trains a net of a strength of its own, which is measured by games on deals of its own."""
    rng = np.random.default_rng(4)
    strengths = rng.normal(0.6, spread, (REPETITIONS, SEEDS))
    rates = rng.binomial(GAMES, strengths) / GAMES
    half_widths = np.array([student_half_width(row) for row in rates.tolist()])
    assert 0.945 <= share_held(rates.mean(1), half_widths, truth=0.6) <= 0.955


def test_of_seeds_that_share_their_deals_are_too_narrow():
    """What the luck of the deals adds to every seed alike does not show in how far the seeds are apart."""
    rng = np.random.default_rng(5)
    luck = rng.normal(0.0, 0.01, (REPETITIONS, 1))
    rates = 0.6 + luck + rng.normal(0.0, 0.01, (REPETITIONS, SEEDS))
    half_widths = np.array([student_half_width(row) for row in rates.tolist()])
    assert share_held(rates.mean(1), half_widths, truth=0.6) < 0.93
