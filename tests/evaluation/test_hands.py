"""What is reported of inferred hands, on losses and chances that are known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from shangyou.evaluation.hands import HandReport
from shangyou.evaluation.plots import plot_hands


@pytest.fixture
def report():
    """Two batches of 400 games with three decisions each: chances of 0.25 are right, chances of 0.75 are 0.15 too high."""
    report, rng = HandReport(), np.random.default_rng(0)
    for first in (0, 400):
        game, unseen = np.repeat(np.arange(first, first + 400), 3), np.tile([5, 4, 2], 400)
        even = rng.normal(0.4, 0.1, 1200)
        chances = np.tile([0.25, 0.75, np.nan], (1200, 1))
        held = rng.random((1200, 3)) < [0.25, 0.6, 0.5]
        report.add(game, unseen, even - 0.01 * unseen, even, chances, held)
    return report


def test_losses_by_unseen_cards(report):
    assert (report.games, report.decisions) == (800, 2400)
    assert sorted(report.by_unseen) == [2, 4, 5]
    for number, losses in report.by_unseen.items():
        assert losses.gain.clusters == 800
        assert losses.gain.mean == pytest.approx(0.01 * number)
        assert losses.gain.half_width == pytest.approx(0, abs=1e-6)
        assert losses.even.mean == pytest.approx(0.4, abs=0.02)
    assert report.overall.gain.mean == pytest.approx(0.11 / 3)


def test_calibration(report):
    right, wrong = report.calibration.bins[2], report.calibration.bins[7]
    assert right.excess.mean == pytest.approx(0, abs=0.04)
    assert wrong.excess.mean == pytest.approx(-0.15, abs=0.04)
    assert abs(wrong.excess.mean + 0.15) < 2 * wrong.excess.half_width
    assert report.calibration.forecasts == 4800
    assert report.calibration.error == pytest.approx((abs(right.excess.mean) + abs(wrong.excess.mean)) / 2)


def test_as_json_and_as_a_picture(report, tmp_path):
    stored = json.loads(json.dumps(report.as_dict()))
    assert stored["by_unseen"]["4"]["gain"]["mean"] == pytest.approx(0.04)
    assert len(stored["calibration"]["bins"]) == 2
    plot_hands(report, tmp_path / "hands.svg")
    assert "even splits" in (tmp_path / "hands.svg").read_text()
