"""REINFORCE: what is sampled is the policy, what is learned is the gradient, and it wins more after seconds."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from shangyou import games
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.nets.value_net import Size
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training import reinforce
from shangyou.training.algorithm import Run, args_of, preset, start
from shangyou.training.reinforce import PolicySampler, log_sums, minibatches, sample

CPU = torch.device("cpu")
SIZE = Size(trunk=32, trunk_depth=1, head=32, head_depth=1, turns=2)
ARGS = replace(
    preset("reinforce", "zsy2", "cpu"), rules="cards_each=5", batches=60, batch=128, minibatch=512, lr=3e-3, size=SIZE,
    eval_deals=500, eval_seconds=1e9, opponents=("random", "greedy"),
)  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    start("reinforce", ARGS, folder)
    return folder


def test_it_learns(trained):
    first, last = (point["strength"] for point in (trained.curve[0], trained.curve[-1]))
    assert last["random"][0] > first["random"][0] + 0.1
    assert last["greedy"][0] > first["greedy"][0] + 0.1
    assert last["random"][0] > 0.6


def test_it_begins_with_the_net_of_another_run(trained, tmp_path):
    folder = RunFolder(tmp_path)
    start("reinforce", replace(ARGS, init=str(trained.path), batches=1, lr=0.0, size=Size()), folder)
    assert folder.curve[0]["strength"] == trained.curve[-1]["strength"]
    stored, before = load_checkpoint(tmp_path), load_checkpoint(trained.path)
    assert args_of(stored).size == SIZE
    assert all(torch.equal(stored["net"][name], weight) for name, weight in before["net"].items())


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    game = ARGS.load_game()
    torch.manual_seed(1)
    net = reinforce.ValueNet(game, SIZE)
    run = Run("reinforce", ARGS, RunFolder(tmp_path_factory.mktemp("none")), print, None)
    seats = torch.zeros(ARGS.batch, 2, dtype=torch.long)
    return sample(run, ARGS, [PolicySampler(TorchNetAgent(game, net), CPU)], seats), net


def test_every_decision_is_stored_with_its_legal_plays_and_reward(batch):
    stored, _ = batch
    assert len(stored.chosen) == len(stored.reward) == len(stored.legal.counts) == len(stored.seen.hand)
    assert torch.equal(stored.legal.rows[stored.chosen], torch.arange(len(stored.chosen)))
    assert set(stored.reward.tolist()) == {-1.0, 1.0}
    parts = list(minibatches(stored, 100, torch.Generator().manual_seed(0)))
    assert sum(len(part.chosen) for part in parts) == len(stored.chosen)
    made = torch.cat([part.legal.plays[part.chosen] for part in parts]).sort().values
    assert torch.equal(made, stored.legal.plays[stored.chosen].sort().values)


def test_probabilities_of_a_decision_sum_to_one(batch):
    stored, _ = batch
    logits = 50 * torch.randn(len(stored.legal.plays), generator=torch.Generator().manual_seed(0))
    expected = [part.logsumexp(0) for part in logits.split(stored.legal.counts.tolist())]
    torch.testing.assert_close(log_sums(logits, stored.legal), torch.stack(expected))


def test_plays_are_drawn_as_often_as_the_policy_says():
    game, draws = games.load("zsy2", cards_each=5), 4000
    torch.manual_seed(3)
    net, engine = reinforce.ValueNet(game, SIZE), BatchEngine(game)
    net.answer.weight.data *= 8
    sampler = PolicySampler(TorchNetAgent(game, net), CPU)
    state = engine.deal_these(torch.zeros(draws, dtype=torch.long), 1)
    view, legal = engine.view(state), engine.legal(state)
    one = slice(0, int(legal.starts[1]))
    policy = sampler.player.answers(view, legal, torch.zeros(draws, dtype=torch.long))[one, 0].softmax(0)
    made = sampler.act(view, legal)
    shares = torch.stack([(made == play).float().mean() for play in legal.plays[one]])
    assert (shares - policy).abs().max() < 4 * 0.5 / draws**0.5
    assert policy.max() - policy.min() > 0.05
