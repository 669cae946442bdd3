"""Calibration of forecasts that are known to be true, or known to be wrong; and of a champion's own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cli.running import run as run_command
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.calibration import Calibration
from shangyou.evaluation.chances import measure, report_of
from shangyou.games import BadInput

GAMES, EACH = 2000, 8
BATCH = BatchEngine(games.load("zsy2"))
CHAMPION = load_batch("champion/zsy2", BATCH.game)


def forecasts(excess: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Games of eight decisions each that share their end; the chance to win is higher than the forecasts by `excess`."""
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.2, 0.8, GAMES)
    won = (rng.random(GAMES) < chance + excess).astype(np.float64)
    return np.repeat(np.arange(GAMES), EACH), np.repeat(chance, EACH), np.repeat(won, EACH)


def test_what_is_off_is_found_and_what_is_true_stays_within_chance():
    true, hopeful = Calibration(), Calibration()
    true.add(*forecasts(0.0, seed=1))
    hopeful.add(*forecasts(-0.1, seed=1))
    assert true.forecasts == hopeful.forecasts == GAMES * EACH
    assert true.error < true.error_by_chance()[1] < 0.05
    assert hopeful.error == pytest.approx(0.1, abs=0.02)
    assert hopeful.error > 2 * hopeful.error_by_chance()[1]
    assert all(one.excess.mean < 0 for one in hopeful.bins if one.excess.count)


def test_the_error_of_true_forecasts_is_what_is_said_of_it():
    """Its mean over many experiments, and that one in twenty is beyond the bound."""
    errors, means, beyond = [], [], 0
    for seed in range(200):
        one = Calibration()
        one.add(*forecasts(0.0, seed))
        mean, most = one.error_by_chance()
        errors.append(one.error)
        means.append(mean)
        beyond += one.error > most
    assert np.mean(means) == pytest.approx(np.mean(errors), rel=0.08)
    assert 2 <= beyond <= 22


def test_parts_add_up_to_the_whole():
    whole, parts = Calibration(), Calibration()
    columns = forecasts(-0.05, seed=3)
    whole.add(*columns)
    for half in (columns[0] < GAMES // 2, columns[0] >= GAMES // 2):
        parts.add(*(column[half] for column in columns))
    assert parts.error == pytest.approx(whole.error)
    assert parts.error_by_chance() == pytest.approx(whole.error_by_chance())


def test_bands_of_cards_left_and_bins_of_points():
    game, chance, won = forecasts(0.0, seed=4)
    left, points = np.tile([18, 17, 12, 9, 6, 4, 2, 1], GAMES), 2 * chance - 1
    report = report_of(GAMES, game, left, chance, won, points, 2 * won - 1)
    assert list(report.by_left) == ["1-2", "3-5", "6-10", "11-15", "16-18"]
    assert sum(part.forecasts for part in report.by_left.values()) == report.chances.forecasts == GAMES * EACH
    assert report.points is not None
    assert max(one.excess.count for one in report.points.bins) <= GAMES * EACH / 10 + EACH  # ties stay together
    without = report_of(GAMES, game, left, chance, won, np.full_like(points, np.nan), 2 * won - 1)
    assert without.points is None


def test_a_champion_measured_in_parts_and_at_once(monkeypatch):
    done = list[int]()
    at_once = measure(CHAMPION, BATCH, 60, seed=2)
    monkeypatch.setattr("shangyou.evaluation.chances.AT_ONCE", 25)
    in_parts = measure(CHAMPION, BATCH, 60, seed=2, on_games=done.append)
    assert done == [25, 50, 60]
    assert in_parts.chances.error == pytest.approx(at_once.chances.error, abs=1e-6)
    assert at_once.chances.forecasts > 600
    assert 0.005 < at_once.chances.error < 0.2


def test_agents_without_win_chances_are_refused():
    with pytest.raises(BadInput, match="does not estimate win chances"):
        measure(load_batch("greedy", BATCH.game), BATCH, 4)


def test_from_the_command_line(tmp_path):
    words = ["measure-chances", "doudizhu", "champion/doudizhu", "champion/doudizhu:points", "--games", "6", "--device", "cpu"]
    stored = json.loads(run_command(*words, "--json", "--plot", tmp_path / "chances.svg").stdout)
    one, two = stored["agents"].values()
    assert one["games"] == two["games"] == 6
    assert one["chances"]["forecasts"] == sum(part["forecasts"] for part in one["by_cards_left"].values())
    assert len(two["points"]["bins"]) == 10
    assert "champion/doudizhu:points" in (tmp_path / "chances.svg").read_text()
    shown = run_command(*words[:3], *words[4:])
    assert "16-20 cards left" in shown.stdout
    assert "points expected and paid" in shown.stdout
    bidding = run_command(*words[:3], *words[4:], "--rules", "bidding=true")
    assert "points are left out" in bidding.stderr
    assert "points expected" not in bidding.stdout
    assert "does not estimate" in run_command("measure-chances", "zsy2", "greedy", "--games", "4", code=2).stderr
