"""A policy gradient against earlier versions: it wins more than the net it began with, and goes on where it stopped."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from shangyou import games
from shangyou.games import BadInput
from shangyou.nets.deeprocket import ConvSize, Size
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training import policy_gradient
from shangyou.training.algorithm import Run, net_of, preset, start
from shangyou.training.reinforce import Batch

GAME = games.load("doudizhu")
SIZE = Size(ConvSize(16, ("12", "22")), ConvSize(8, ("22",)), roles="outputs")


@pytest.fixture(scope="module")
def beginner(tmp_path_factory):
    """A net that has hardly learned anything."""
    folder = tmp_path_factory.mktemp("beginner")
    args = replace(preset("supervised", "doudizhu", "cpu"), size=SIZE, teacher="champion/doudizhu", batches=1, batch=8,
                   eval_games=2, opponents=(), eval_seconds=1e9)  # fmt: skip
    start("supervised", args, RunFolder(folder))
    return str(folder)


def settings(beginner, **changes):
    args = replace(preset("policy-gradient", "doudizhu", "cpu"), init=beginner, opponents=(), eval_seconds=1e9, lr=3e-3,
                   batch=64, minibatch=256, every=2, versions=3)  # fmt: skip
    return replace(args, **changes)


def test_it_wins_against_the_net_it_began_with(beginner, tmp_path):
    folder = RunFolder(tmp_path)
    start("policy-gradient", settings(beginner, batches=14, eval_deals=100), folder)
    first, last = (point["strength"]["start"][0] for point in (folder.curve[0], folder.curve[-1]))
    assert first == pytest.approx(0.5, abs=1e-6)  # it is the same net
    assert last > 0.6
    assert folder.curve[-1]["metrics"]["versions"] == 3
    stored = load_checkpoint(tmp_path)
    assert stored["args"]["size"]["policy"]["filters"] == 16
    begun = net_of(load_checkpoint(tmp_path.__class__(beginner))).state_dict()
    assert all(torch.equal(weight, begun[name]) for name, weight in stored["versions"][0].items())
    assert not torch.equal(stored["versions"][1]["kicker.answer.weight"], begun["kicker.answer.weight"])


def test_an_interrupted_run_ends_with_the_same_weights(beginner, tmp_path):
    class Stopped(Exception): ...

    def stop(progress):
        if progress.iterations == 3:
            raise Stopped

    args = settings(beginner, batches=4, batch=8, eval_deals=2, checkpoint_seconds=0.0)
    whole = start("policy-gradient", args, RunFolder(tmp_path / "whole"))
    folder = RunFolder(tmp_path / "parts")
    with pytest.raises(Stopped):
        start("policy-gradient", args, folder, stop)
    stored = folder.resume()
    again = start("policy-gradient", policy_gradient.Args(**{**vars(args), "size": SIZE}), folder, resumed=stored)
    for name, weight in whole.state_dict().items():
        assert torch.equal(weight, again.state_dict()[name]), name


def test_the_gradient_follows_the_result(beginner, tmp_path):
    """Plays of games that were won become likelier, those of games that were lost less likely."""
    args = settings(beginner, batch=24, batches=1)
    run = Run("policy-gradient", args, RunFolder(tmp_path), print, None)
    net = policy_gradient.load_start(args, run)
    sampler = policy_gradient.PolicySampler(policy_gradient.PolicyNetAgent(GAME, net), run.device)
    seats = torch.zeros(args.batch, 3, dtype=torch.long)
    batch = policy_gradient.sample(run, args, [sampler], seats)
    (part,) = policy_gradient.with_advantages(net, batch, replace(args, minibatch=10**6), torch.Generator())
    role = net.encoder.role(part.seen.landlord)
    for number in range(3):
        assert part.reward[role == number].mean() == pytest.approx(0, abs=1e-5)

    def log_probs(part: Batch):
        with torch.no_grad():
            return net(part.seen, part.legal.rows, part.legal.plays)[part.chosen]

    before = log_probs(part)
    policy_gradient.step(net, torch.optim.SGD(net.parameters(), 1e-3), part, replace(args, clip=1e9))
    gain = ((log_probs(part) - before) * part.reward).sum()
    assert gain > 0


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"init": ""}, "no net to begin with: --set init=RUN"),
        ({"init": "nowhere"}, "nowhere is no folder of a run: it has no checkpoint.pt"),
    ],
)
def test_what_it_needs(beginner, tmp_path, changes, complaint):
    with pytest.raises(BadInput, match=complaint):
        start("policy-gradient", settings(beginner, batches=1, **changes), RunFolder(tmp_path))
    with pytest.raises(BadInput, match="every 0: at least 1"):
        settings(beginner, every=0)


def test_the_number_of_versions_has_a_limit(beginner, tmp_path):
    args = settings(beginner, versions=1, every=1, batches=3, batch=8, eval_deals=1)
    start("policy-gradient", args, RunFolder(tmp_path))
    assert len(load_checkpoint(tmp_path)["versions"]) == 1
