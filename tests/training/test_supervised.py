"""Supervised learning: it predicts the plays of games it has not seen, goes on where it stopped, and its model plays."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from records.random_games import random_record
from shangyou import agents, games, records
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.exploring import ExploringAgent
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.nets.deeprocket import ConvSize, DeepRocket, Size
from shangyou.records import models
from shangyou.records.parquet import write_games
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.testing import check_agent
from shangyou.training.algorithm import Run, preset, start
from shangyou.training.supervised.decisions import decisions_of
from shangyou.training.supervised.generate import generate
from shangyou.training.supervised.imitation import Args, FileGames, PlayedGames, Step, Sums, make_optimiser

GAME = games.load("doudizhu")
GAMES = 400
SIZE = Size(ConvSize(24, ("12", "22", "11", "22")), ConvSize(8, ("12", "22")), roles="outputs")
ARGS = replace(
    preset("supervised", "doudizhu", "cpu"), size=SIZE, batches=8, batch=120, minibatch=64, lr=4e-3, warmup=500, eval_games=40,
    eval_seconds=1e9, eval_deals=10, opponents=("greedy",),
)  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Games of greedy with itself."""
    path, engine = tmp_path_factory.mktemp("games") / "greedy.parquet", BatchEngine(GAME)
    about = {"game": GAME.name, "rules": str(GAME.rules), "table": GAME.table.hash}
    with path.open("wb") as target:
        player = ExploringAgent(load_batch("greedy", GAME), engine.device)
        write_games(target, generate(engine, player, GAMES, seed=1), about, lambda done: None)
    return str(path)


@pytest.fixture(scope="module")
def trained(file, tmp_path_factory):
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    start("supervised", replace(ARGS, data=(file,)), folder)
    return folder


def source(args: Args, folder) -> FileGames | PlayedGames:
    kind = FileGames if args.data else PlayedGames
    return kind(args, Run("supervised", args, RunFolder(folder), print, None))


# -- what is learned --------------------------------------------------------------------------------------------------


def test_it_predicts_games_it_has_not_seen(trained):
    first, last = (point["metrics"] for point in (trained.curve[0], trained.curve[-1]))
    assert first["held-out accuracy"] < 0.4
    assert last["held-out accuracy"] > 0.8
    assert last["held-out kickers"] > 0.8 > first["held-out kickers"]
    assert trained.curve[-1]["loss"] < 1.0


def test_it_plays_nearly_as_the_teacher_does(trained):
    first, last = (point["strength"]["greedy"][0] for point in (trained.curve[0], trained.curve[-1]))
    assert last > first + 0.2


def test_the_model_plays(trained):
    (model,) = models.export(trained.path, overwrite=True).values()
    found = models.fidelity(trained.path, model, 60)
    assert found.differences["value"] < 0.01
    assert found.same_choice == 1
    check_agent(lambda: agents.load(str(model), GAME), GAME, games=1)


def test_a_run_that_was_interrupted_ends_with_the_same_weights(file, tmp_path):
    size = replace(SIZE, policy=ConvSize(8, ("12", "22", "22")), roles="models")
    args = replace(ARGS, data=(file,), size=size, batches=5, minibatch=256, opponents=(), warmup=2000)
    whole = start("supervised", args, RunFolder(tmp_path / "whole"))  # 360 games are three batches: the last two are read again

    class Stopped(Exception): ...

    def stop(progress):
        if progress.iterations == 4:
            raise Stopped

    folder = RunFolder(tmp_path / "parts")
    with pytest.raises(Stopped):
        start("supervised", replace(args, checkpoint_seconds=0), folder, stop)
    stored = folder.resume()
    assert stored["progress"]["iterations"] == 3
    again = start("supervised", args, folder, resumed=stored)
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, again.state_dict()[name]), name


# -- where games come from --------------------------------------------------------------------------------------------


def test_held_out_games_are_never_learned_from(file, tmp_path):
    args = replace(ARGS, data=(file,), batch=50)
    batches = source(args, tmp_path).batches(0)
    learned, games_seen = set(), 0
    while games_seen < 2 * GAMES:  # more than two epochs
        part = next(batches)
        learned |= set(part.index.tolist())
        games_seen += len(part)
    held_out = set(source(replace(args, eval_games=GAMES), tmp_path).held_out().index.tolist())
    assert learned | held_out == set(range(GAMES))
    assert not learned & held_out
    assert 20 <= len(held_out) <= 60


def test_files_are_read_in_another_order_every_epoch_and_from_any_batch_on(file, tmp_path):
    games_from = source(replace(ARGS, data=(file,), batch=200), tmp_path).batches
    first, second, third, fourth = (next(games_from(number)).index for number in range(4))
    assert set(first) | set(second) == set(third) | set(fourth)
    assert not np.array_equal(first, third)


def test_a_teacher_plays_new_games_for_every_batch(tmp_path):
    args = replace(ARGS, teacher="champion/doudizhu", batch=12, eval_games=2)
    played = source(args, tmp_path)
    first, second = next(played.batches(0)), next(played.batches(1))
    assert set(first.index) <= set(range(12))
    assert set(second.index) <= set(range(12, 24))
    again = next(source(args, tmp_path).batches(1))
    assert np.array_equal(again.plays.values, second.plays.values)
    held_out = played.held_out()
    assert held_out.is_held_out(args.held_out).all()
    assert not first.is_held_out(args.held_out).any()
    assert not second.is_held_out(args.held_out).any()


# -- distillation -----------------------------------------------------------------------------------------------------


def test_a_smaller_net_learns_the_probabilities_of_a_larger_one(file, trained, tmp_path):
    small = replace(SIZE, policy=replace(SIZE.policy, filters=12))
    args = replace(ARGS, data=(file,), distill=str(trained.path), size=small, batches=4, opponents=())
    folder = RunFolder(tmp_path)
    start("supervised", args, folder)
    assert folder.curve[-1]["metrics"]["held-out accuracy"] > 0.7


def test_soft_targets_have_no_gradient_at_the_teacher_itself(file, tmp_path):
    torch.manual_seed(1)
    net = DeepRocket(GAME, SIZE)
    batch = decisions_of(BatchEngine(GAME), next(source(replace(ARGS, data=(file,), batch=20), tmp_path).batches(0)))
    step = Step(net, torch.optim.SGD(net.parameters(), torch.tensor(1.0)), replace(ARGS, lr=1.0), teacher=net)
    before = {name: weight.clone() for name, weight in net.state_dict().items()}
    (questions,) = step.minibatches(batch, len(batch), torch.Generator().manual_seed(1))
    entropy = Sums(*step(questions, 1.0)).loss / len(batch)
    assert entropy > 0.1
    for name, weight in net.state_dict().items():
        torch.testing.assert_close(weight, before[name], rtol=0, atol=1e-4)


# -- steps ------------------------------------------------------------------------------------------------------------


def some_decisions(file, tmp_path, device="cpu"):
    return decisions_of(BatchEngine(GAME, device), next(source(replace(ARGS, data=(file,), batch=60), tmp_path).batches(0)))


def test_filling_up_minibatches_changes_nothing(file, tmp_path):
    """On a GPU minibatches have numbers of kickers that repeat, so that steps can be recorded."""
    torch.manual_seed(2)
    net, batch = DeepRocket(GAME, SIZE), some_decisions(file, tmp_path)
    questions = net.encode(batch.seen, batch.legal.rows, batch.legal.plays, batch.chosen)
    plain, filled = list(questions.split(100)), list(questions.split(100, 16))
    assert len(questions.kicker) > 16
    assert len({len(part.kicker) for part in plain}) > 1
    (kickers,) = {len(part.kicker) for part in filled}
    assert kickers % 16 == 0
    found = []
    for parts in (plain, filled):
        copy = deepcopy(net)
        step = Step(copy, torch.optim.SGD(copy.parameters(), torch.tensor(0.1)), replace(ARGS, lr=0.1))
        sums = torch.stack([step(part, 1.0) for part in parts])
        found.append((sums, torch.cat([weight.detach().flatten() for weight in copy.parameters()])))
        assert sums[:, 3].sum() == len(questions.kicker)
        assert all(((part.row >= 0) & (part.row < len(part))).all() for part in parts)
    for mine, theirs in zip(*found, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_recorded_steps_are_the_steps(file, tmp_path):
    batch, found = some_decisions(file, tmp_path, "cuda"), []
    for recorded in (False, True):
        torch.manual_seed(2)
        net = DeepRocket(GAME, SIZE).to("cuda", memory_format=torch.channels_last)
        step = Step(net, make_optimiser(replace(ARGS, minibatch=64), net), ARGS)
        step.records &= recorded
        generator = torch.Generator("cuda").manual_seed(1)
        sums = torch.stack([step(part, 1.0).clone() for part in step.minibatches(batch, 64, generator)])
        assert len(sums) > 10
        assert len(step._recorded) == recorded
        found.append(sums)
    torch.testing.assert_close(*found, rtol=0.02, atol=1.0)  # steps in half precision, which may add up in another order


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_learns_what_a_cpu_does(file, tmp_path):
    """In half precision and with convolutions compiled, from the same minibatches."""
    last = {}
    for device, changes in {"cpu": {}, "cuda": {}, "compiled": {"compile": True}}.items():
        folder = RunFolder(tmp_path / device)
        args = replace(ARGS, data=(file,), device=device.replace("compiled", "cuda"), **changes)
        start("supervised", args, folder)
        last[device] = folder.curve[-1]["metrics"]
    for device in ("cuda", "compiled"):
        assert abs(last[device]["held-out accuracy"] - last["cpu"]["held-out accuracy"]) < 0.05
        assert abs(last[device]["held-out kickers"] - last["cpu"]["held-out kickers"]) < 0.1


# -- what is wrong ----------------------------------------------------------------------------------------------------


def test_bad_settings_are_refused(file, tmp_path):
    folder = RunFolder(tmp_path)
    for changes, reason in (
        ({}, "no games to learn from"),
        ({"data": ("nowhere.parquet",)}, "nowhere.parquet"),
        ({"data": (file,), "rules": "base=3"}, "there is no game of doudizhu"),
        ({"data": (file,), "held_out": 1e-9}, "no game of .* is held out"),
        ({"data": (file,), "held_out": 1 - 1e-9}, "all games of .* are held out"),
        ({"data": (file,), "game": "zsy2"}, "the nets of DeepRocket play doudizhu, not zsy2"),
        ({"teacher": "greedy"}, "'greedy' does not estimate win chances"),
    ):
        with pytest.raises(BadInput, match=reason):
            start("supervised", replace(ARGS, **changes), folder)
    with pytest.raises(BadInput, match="held_out 0: a share between 0 and 1"):
        replace(ARGS, held_out=0.0)


def test_games_of_another_game_and_files_without_games_are_refused(tmp_path):
    records.write(tmp_path / "zsy2.jsonl", [random_record("zsy2", {}, 1)])
    with pytest.raises(BadInput, match="there is no game of doudizhu"):
        start("supervised", replace(ARGS, data=(str(tmp_path / "zsy2.jsonl"),)), RunFolder(tmp_path / "run"))
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"deal": [1]}), tmp_path / "other.parquet")
    with pytest.raises(BadInput, match=r"other.parquet"):
        start("supervised", replace(ARGS, data=(str(tmp_path / "other.parquet"),)), RunFolder(tmp_path / "run"))


def test_a_net_that_gives_no_probabilities_cannot_be_distilled(file, tmp_path):
    dmc = replace(preset("dmc", "doudizhu", "cpu"), batches=1, batch=4, minibatch=16, opponents=())
    start("dmc", dmc, RunFolder(tmp_path / "dmc"))
    with pytest.raises(BadInput, match="gives no probabilities of plays"):
        start("supervised", replace(ARGS, data=(file,), distill=str(tmp_path / "dmc")), RunFolder(tmp_path / "run"))


def test_a_teacher_that_sees_other_planes_cannot_be_distilled(file, trained, tmp_path):
    args = replace(ARGS, data=(file,), distill=str(trained.path), size=replace(SIZE, context=False))
    with pytest.raises(BadInput, match=r"its net has size\.context=true"):
        start("supervised", args, RunFolder(tmp_path))


def test_the_settings_are_stored(trained):
    stored = load_checkpoint(trained.path)
    assert stored["algorithm"] == "supervised"
    assert stored["args"]["size"]["policy"]["filters"] == 24
