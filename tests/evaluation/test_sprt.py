"""The sequential test: numbers by hand, error rates by simulation."""

from math import inf, log

import numpy as np
import pytest

from shangyou.evaluation.intervals import RunningMean
from shangyou.evaluation.sprt import Sprt, Verdict
from shangyou.games import BadInput


def mean_of(*values):
    running = RunningMean()
    for value in values:
        running.add(value)
    return running


def test_bounds_as_wald_gives_them():
    assert Sprt(0, 1).bounds == pytest.approx((-2.94443898, 2.94443898))  # log(0.05 / 0.95)
    assert Sprt(0, 1, alpha=0.01, beta=0.1).bounds == pytest.approx((log(0.1 / 0.99), log(0.9 / 0.01)))


def test_the_ratio_by_hand():
    """0, 1, 1, 1: mean squared distances 0.25 from 0.5 and 0.1875 from 0.75; four times half the log of 4/3."""
    assert Sprt(0.5, 0.75).llr(mean_of(0, 1, 1, 1)) == pytest.approx(2 * log(4 / 3))
    assert Sprt(0.5, 0.75).llr(mean_of(0, 1, 0, 1)) == pytest.approx(2 * log(0.25 / 0.3125))


def test_between_the_hypotheses_nothing_is_known():
    assert Sprt(0.25, 0.75).llr(mean_of(0, 1, 0, 1)) == 0
    assert Sprt(0.25, 0.75).llr(RunningMean()) == 0
    assert Sprt(0.25, 0.75).verdict(RunningMean()) == Verdict.UNDECIDED


def test_near_the_hypotheses_it_is_the_ratio_of_known_variance():
    """n (mu1 - mu0) (2 mean - mu0 - mu1) / (2 variance), what fishtest calls LLR_alt2."""
    values = mean_of(*[0, 0.5, 0.5, 1] * 300, *[1] * 10)
    variance = values.squared_distance(values.mean)
    known = values.count * 0.01 * (2 * values.mean - 1.01) / (2 * variance)
    assert Sprt(0.5, 0.51).llr(values) == pytest.approx(known, rel=0.01)


def test_values_that_never_vary():
    assert Sprt(0.5, 0.6).llr(mean_of(0.5, 0.5)) == -inf
    assert Sprt(0.4, 0.5).llr(mean_of(0.5, 0.5)) == inf
    assert Sprt(0.5, 0.6).verdict(mean_of(*[1.0] * 20)) == Verdict.H1


def decide(test, mean, generator):
    """One sequential experiment on deals worth 0, 1/2 or 1."""
    running = RunningMean()
    while True:
        for value in generator.choice([0.0, 0.5, 1.0], 32, p=[0.75 - mean, 0.5, mean - 0.25]):
            running.add(float(value))
        verdict = test.verdict(running)
        if verdict != Verdict.UNDECIDED:
            return verdict, running.count


@pytest.mark.parametrize(("mean", "wrong"), [(0.5, Verdict.H1), (0.6, Verdict.H0)])
def test_it_errs_as_seldom_as_it_promises(mean, wrong):
    """400 experiments of at most 5% errors: 20, standard deviation 4.4. Overshooting the bounds makes them fewer."""
    generator, test = np.random.default_rng(8), Sprt(0.5, 0.6)
    decided = [decide(test, mean, generator) for _ in range(400)]
    assert sum(verdict == wrong for verdict, _ in decided) <= 30
    assert np.mean([count for _, count in decided]) < 200  # a fixed number with these error rates needs 135 at once


def test_bad_hypotheses_are_refused():
    with pytest.raises(BadInput, match="must lie above"):
        Sprt(0.5, 0.5)
    with pytest.raises(BadInput, match=r"between 0 and 0\.5"):
        Sprt(0.5, 0.6, alpha=0.5)
