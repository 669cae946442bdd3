"""DouZero's algorithm: every turn is learned by the net of its role, runs learn, go on and become models."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from cli.running import run as run_command
from shangyou import agents
from shangyou.games import BadInput
from shangyou.nets.douzero import Size
from shangyou.records import models
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training import douzero
from shangyou.training.algorithm import Run, net_of, preset, start
from training.test_dmc import Stop, stop_after, weights

SILENT = {"eval_seconds": 1e9, "checkpoint_seconds": 0.0}
ARGS = replace(preset("douzero", "doudizhu", "cpu"), **SILENT, batches=9, batch=128, minibatch=400, lr=2e-4, eval_deals=100)
QUICK = replace(ARGS, batches=3, batch=32, minibatch=60, eval_deals=2, size=Size(units=8, width=16))


def make_learner(args, tmp_path):
    run = Run("douzero", args, RunFolder(tmp_path), lambda progress: None, None)
    net = douzero.make_net(args, run.game)
    optimiser = douzero.make_optimiser(args, net)
    return run, net, douzero.Learner(net, optimiser, args, run)


def play_batch(args, run, net):
    objective = torch.full((args.batch,), douzero.OBJECTIVES.index(args.objective))
    return douzero.play_batch(args, run, douzero.Explorer(douzero.DouZeroAgent(run.game, net), objective, args.epsilon), 0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = RunFolder(tmp_path_factory.mktemp("whole"))
    losses = []
    net = start("douzero", ARGS, folder, lambda progress: losses.append(progress.loss))
    return folder, net, losses


def test_it_learns(whole):
    folder, _, losses = whole
    first, last = folder.curve[0]["strength"], folder.curve[-1]["strength"]
    assert last["random"][0] > 0.6
    assert last["random"][0] > first["random"][0] + 0.2
    assert losses[-1] < 1.0  # what always expecting nothing would give


def test_every_turn_is_learned_and_for_the_reward_of_its_side(tmp_path):
    args = replace(QUICK, objective="points")
    run, net, learner = make_learner(args, tmp_path)
    batch = play_batch(args, run, net)
    assert len(batch.plays) == batch.decisions  # those without a choice too
    role = net.encoder.role(batch.seen.landlord)
    points, won = learner.rewards(batch, role), replace(args, objective="win")
    assert torch.equal(points.sign(), 2 * batch.won - 1)
    assert {2.0**bombs for bombs in range(4)} & set(points.abs().tolist())
    assert set(torch.log2(points.abs()).frac().tolist()) == {0.0}  # the same for the landlord and for each peasant
    learner.args = won
    assert torch.equal(learner.rewards(batch, role), 2 * batch.won - 1)


def test_a_role_is_learned_by_its_net_alone(tmp_path):
    run, net, learner = make_learner(QUICK, tmp_path)
    batch = play_batch(QUICK, run, net)
    roles = list(learner.minibatches(batch, seed=1))
    assert [role for role, _ in roles[:3]] == [0, 1, 2]
    for role, columns in roles[:3]:
        assert len(columns[-1]) == QUICK.minibatch
        assert (net.encoder.role(columns[6]) == role).all()  # the landlord as the seat to act sees it
        before = [weights(net.net_of(number)).clone() for number in range(3)]
        learner.step(role, columns)
        changed = [not torch.equal(weights(net.net_of(number)), was) for number, was in enumerate(before)]
        assert changed == [number == role for number in range(3)]


def test_a_step_is_that_of_torch(tmp_path):
    """RMSprop with the published settings on clipped gradients; here written out for the first step."""
    args = replace(QUICK, clip=1e-3)
    run, net, learner = make_learner(args, tmp_path)
    _, columns = next(iter(learner.minibatches(play_batch(args, run, net), seed=1)))
    before = weights(net.net_of(0)).clone()
    learner.step(0, columns)
    gradient = torch.cat([parameter.grad.flatten() for parameter in net.net_of(0).parameters()])
    assert gradient.norm() == pytest.approx(1e-3, rel=1e-3)
    mean_square = (1 - args.alpha) * gradient.square()
    expected = before - args.lr * gradient / (mean_square.sqrt() + args.rms_epsilon)
    torch.testing.assert_close(weights(net.net_of(0)), expected)


def test_the_published_settings():
    args = preset("douzero", "doudizhu", "cuda")
    assert (args.lr, args.alpha, args.rms_epsilon, args.epsilon) == (1e-4, 0.99, 1e-5, 0.01)
    assert (args.clip, args.minibatch) == (40, 3200)
    assert (args.size.units, args.size.width) == (128, 512)
    large = preset("douzero-large", "doudizhu", "cuda")
    assert (large.minibatch, large.lr) == (8 * args.minibatch, pytest.approx(8**0.5 * args.lr, rel=0.02))
    with pytest.raises(BadInput, match="objective 'adp': there are win, points"):
        replace(args, objective="adp")


def test_an_interrupted_run_ends_where_a_whole_one_does(tmp_path):
    parts, at_once = RunFolder(tmp_path / "parts"), RunFolder(tmp_path / "whole")
    with pytest.raises(Stop):
        start("douzero", QUICK, parts, stop_after(2))
    start("douzero", QUICK, parts, resumed=parts.resume())
    torch.testing.assert_close(weights(net_of(load_checkpoint(parts.path))), weights(start("douzero", QUICK, at_once)))


def test_a_run_becomes_a_model_that_plays(whole, tmp_path):
    folder, _, _ = whole
    path = tmp_path / "douzero.onnx"
    models.export(folder.path, path)
    found = models.fidelity(folder.path, path, 30)
    assert found.differences["value"] < 1e-3
    assert agents.load(str(path), ARGS.load_game()).model.info.about["algorithm"] == "douzero"
    shown = run_command("match", "doudizhu", path, "random", "--deals", "10").stdout
    assert "won by equals: 0.5" in shown
