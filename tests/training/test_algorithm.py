"""The frame: every algorithm is stored, measured, resumed and exported alike, and runs of older versions still load."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from shangyou import agents
from shangyou.games import BadInput
from shangyou.records import models
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training.algorithm import Run, args_of, find_algorithm, net_of, nets_of, preset, start

OLD_RUN = Path(__file__).parents[1] / "data" / "old-run"  # of the version before checkpoints named their algorithm
SHORT = {"rules": "cards_each=5", "eval_deals": 20, "eval_seconds": 1e9, "checkpoint_seconds": 0.0, "opponents": ("random",)}
SMALL = {
    "dmc": {"batches": 2, "batch": 64},
    "reinforce": {"batches": 2, "batch": 64},
    "deep-q": {"rounds": 2, "games": 100, "epochs": 2, "batch": 64},
    "td-linear": {"batches": 2, "games": 32},
    "population": {
        "nets": "experiment-1", "scale_down": 16, "epochs": 2, "batches": 3, "batch": 64, "games": 40, "first_games": 60,
        "most_games": 100,
    },
}  # fmt: skip


def small_args(name):
    return replace(preset(name, "zsy2", "cpu"), **SHORT, **SMALL[name])


def weights(stored):
    return torch.cat([weight.detach().flatten() for net in nets_of(stored).values() for weight in net.parameters()])


class Silent:
    """A keeper that keeps nothing."""

    def save(self, checkpoint): ...
    def save_half(self, checkpoint): ...
    def log(self, progress): ...


class Stop(Exception):
    pass


def stop_in_second(progress):
    if progress.iterations == 2:
        raise Stop


@pytest.mark.parametrize("name", SMALL)
def test_a_run_of_any_algorithm_is_stored_resumed_and_exported(name, tmp_path):
    whole, parts, args = RunFolder(tmp_path / "whole"), RunFolder(tmp_path / "parts"), small_args(name)
    start(name, args, whole)
    with pytest.raises(Stop):
        start(name, args, parts, stop_in_second)
    stored = parts.resume()
    assert {stored[key] for key in ("algorithm", "game")} == {name, "zsy2"}
    assert stored["table"] == args.load_game().table.hash
    assert stored["progress"]["iterations"] == 1
    assert args_of(stored) == args
    start(name, args, parts, resumed=stored)
    apart = (weights(load_checkpoint(parts.path)) - weights(load_checkpoint(whole.path))).abs().max()
    assert apart < 1e-4  # a step is 1e-3; a busy machine may add up in another order
    first, last = parts.read_curve()
    assert (first["iterations"], last["iterations"]) == (0, 2)
    assert last["games"] > 0
    assert 0 <= last["strength"]["random"][0] <= 1
    with pytest.raises(BadInput, match="other seed"):
        start(name, replace(args, seed=5), parts, resumed=stored)


@pytest.mark.parametrize("name", ["reinforce", "td-linear", "population"])
def test_nets_of_any_algorithm_become_models_that_answer_alike(name, tmp_path):
    start(name, small_args(name), RunFolder(tmp_path))
    only = "ConvNet2" if name == "population" else None
    ((net, path),) = models.export(tmp_path, only=only).items()
    found = models.fidelity(tmp_path, path, 30, net=net)
    assert (found.differences["win"] < 1e-3, found.differences["points"] < 2e-3) == (True, True)
    assert agents.load(str(path), small_args(name).load_game()).model.info.about["algorithm"] == name
    assert path.name == ("ConvNet2.onnx" if only else "model.onnx")
    if name == "population":
        with pytest.raises(BadInput, match="has no net 'ConvNet9'; it has DenseNet1"):
            models.export(tmp_path, only="ConvNet9")
        with pytest.raises(BadInput, match="is one file"):
            models.export(tmp_path, tmp_path / "all.onnx")
        with pytest.raises(BadInput, match="has 5 nets, where one is needed"):
            net_of(load_checkpoint(tmp_path))


def test_a_run_of_an_older_version_goes_on(tmp_path):
    shutil.copytree(OLD_RUN, tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    stored = folder.resume()
    args = args_of(stored)
    assert (stored["algorithm"], args.objectives, args.eval_deals) == ("dmc", ("win",), 20)
    start("dmc", replace(args, batches=3), folder, resumed=stored)
    now = load_checkpoint(folder.path)
    assert now["progress"]["iterations"] == 3
    assert now["args"]["objectives"] == ("win",)
    assert [point["iterations"] for point in folder.read_curve()] == [0, 2, 3]
    assert not torch.equal(weights(now), weights(stored))


def test_bids_of_an_older_version_load():
    stored = load_checkpoint(OLD_RUN, "bids.pt")
    assert (stored["algorithm"], args_of(stored).width) == ("bids", 2)
    assert net_of(stored).choices == 4


def test_a_checkpoint_for_another_table_is_refused():
    with pytest.raises(BadInput, match="another table of plays: 1234"):
        nets_of(load_checkpoint(OLD_RUN) | {"table": "1234"})


def test_algorithms_there_are_none_of_are_named():
    with pytest.raises(BadInput, match="no algorithm 'ppo'; there are dmc, reinforce, ddqn, deep-q, population"):
        find_algorithm("ppo")


def test_untimed_iterations_take_no_time_of_the_run(monkeypatch):
    """A clock that a second passes on at every look, and a thousand in the first iteration."""
    clock, seconds = [0.0], []

    def look():
        clock[0] += 1
        return clock[0]

    monkeypatch.setattr("shangyou.training.algorithm.time.perf_counter", look)
    args = replace(preset("dmc", "zsy2", "cpu"), **SHORT, minutes=1.0, untimed=1)
    run = Run("dmc", args, Silent(), lambda progress: None, None)
    for _ in run.steps(dict):
        seconds.append(run.progress.seconds)
        clock[0] += 1000 * (len(seconds) == 1)
    assert len(seconds) > 10
    assert seconds[1] - seconds[0] < 5
    assert 60 <= run.progress.seconds < 70
