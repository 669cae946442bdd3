"""Warm-up: after a start without memory the rate rises, and a run that goes on with its memory does not warm up again."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from cli.running import run as run_command
from shangyou.nets.douzero import Size
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training import douzero
from shangyou.training.algorithm import preset, start
from shangyou.training.learning_rate import LearningRate
from training.test_dmc import ARGS, Stop, stop_after, train, weights

WARM = replace(ARGS, batches=4, warmup=12, eval_deals=2)


@pytest.fixture
def rates(monkeypatch):
    """Every rate that is set."""
    found, set_rate = list[float](), LearningRate.set

    def noted(self, rate):
        set_rate(self, rate)
        found.append(self.group["lr"].item() / rate)

    monkeypatch.setattr(LearningRate, "set", noted)
    return found


def test_the_rate_rises_in_the_first_steps_alone(rates, tmp_path):
    train(WARM, RunFolder(tmp_path))
    assert len(rates) > 14
    assert rates[:12] == pytest.approx([step / 12 for step in range(1, 13)])
    assert rates[12:] == pytest.approx([1.0] * len(rates[12:]))


def test_a_run_that_goes_on_with_its_memory_ends_as_a_whole_one(rates, tmp_path):
    """Interrupted in the warm-up, which goes on where it was."""
    args = replace(WARM, warmup=40)
    whole, at_once = train(args, RunFolder(tmp_path / "whole")), rates.copy()
    rates.clear()
    folder = RunFolder(tmp_path / "parts")
    with pytest.raises(Stop):
        train(args, folder, stop_after(2))
    stored = folder.resume()
    del rates[len(rates) // 2 :]  # the second batch is played again
    resumed = train(args, folder, resumed=stored)
    assert rates == pytest.approx(at_once)
    torch.testing.assert_close(weights(resumed), weights(whole))


def test_a_run_that_goes_on_from_weights_alone_warms_up(rates, tmp_path):
    folder = RunFolder(tmp_path)
    train(replace(ARGS, batches=2, eval_deals=2, store_optimiser=False), folder)
    assert rates == pytest.approx([1.0] * len(rates))
    stored = folder.resume()
    assert "optimiser" not in stored
    assert (tmp_path / "checkpoint.pt").stat().st_size < 0.5 * with_memory(tmp_path / "other")
    for warmup, first in ((0, 1.0), (12, 1 / 12)):
        rates.clear()
        train(replace(ARGS, batches=3, eval_deals=2, warmup=warmup), RunFolder(tmp_path / str(warmup)), resumed=stored)
        assert rates[0] == pytest.approx(first)


def with_memory(path) -> int:
    train(replace(ARGS, batches=1, eval_deals=2), RunFolder(path))
    return (path / "checkpoint.pt").stat().st_size


def test_each_role_of_douzero_warms_up_by_its_own_steps(rates, tmp_path):
    small = {"batch": 32, "minibatch": 60, "eval_deals": 2, "size": Size(units=8, width=16), "opponents": ("random",)}
    args = replace(preset("douzero", "doudizhu", "cpu"), **small, batches=1, warmup=3)
    start("douzero", args, RunFolder(tmp_path))
    assert rates[:9] == pytest.approx([1 / 3] * 3 + [2 / 3] * 3 + [1.0] * 3)
    stored = load_checkpoint(tmp_path)
    net = douzero.make_net(args, args.load_game())
    optimiser = douzero.make_optimiser(args, net)
    optimiser.load_state_dict(stored["optimiser"])
    assert [LearningRate(optimiser, 3, role).steps for role in range(3)] == [rates_of_role(rates, role) for role in range(3)]


def rates_of_role(rates: list[float], role: int) -> int:
    """Steps of a role: the roles took turns, so that numbers differ by one at most."""
    return (len(rates) - role + 2) // 3


def test_from_the_command_line(tmp_path):
    words = ["train", "zsy2", "--rules", "cards_each=5", "--device", "cpu", "--batch", "32", "--out", tmp_path / "run"]
    lean = ["--set", "store_optimiser=false", "--set", "eval_deals=2"]
    run_command(*words, *lean, "--set", "batches=1")
    run_command(*words, "--resume", "--set", "batches=2", "--set", "warmup=50")
    stored = load_checkpoint(tmp_path / "run")
    assert stored["progress"]["iterations"] == 2
    assert (stored["args"]["warmup"], stored["args"]["store_optimiser"]) == (50, False)
    assert "optimiser" not in stored
