"""Nets in a stack learn as each would alone, by its own recipe."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from shangyou.games import BadInput
from shangyou.nets.papers import Ensemble, NetSpec, Stack
from shangyou.training.game_buffer import DistillationBuffer, GameBuffer
from shangyou.training.learner import Learner, Recipe, drawn_batches, log_loss, swapped_loss
from short_games import CPU, GAME, fill

SMALL = NetSpec((12, 6))
CONV = NetSpec((8,), ((3, 3), (3, 4)), "sigmoid")


@pytest.fixture(scope="module")
def buffer():
    found = GameBuffer(GAME, 60, CPU)
    fill(found, 60, seed=5)
    return found


def learner_of(recipes: dict[str, Recipe], spec: NetSpec = SMALL, buffer=None, batch: int = 64) -> Learner:
    learner = Learner(GAME, dict.fromkeys(recipes, spec), recipes, CPU, seed=1)
    if buffer:
        learner.attach(buffer, batch)
    return learner


def batches(buffer, count: int, batch: int = 64):
    draw = torch.Generator().manual_seed(0)
    return drawn_batches(torch.arange(buffer.used), batch, draw)[:count]


def test_the_swapped_loss_is_an_absolute_error():
    output = torch.linspace(0.001, 0.999, 50, dtype=torch.float64)
    for target in (0.0, 1.0):
        found = swapped_loss(torch.logit(output), torch.full_like(output, target))
        torch.testing.assert_close(found, -math.log(1e-7) * (output - target).abs(), rtol=1e-4, atol=1e-4)
    assert -math.log(1e-7) == pytest.approx(16.118, abs=1e-3)
    assert swapped_loss(torch.zeros(1), torch.ones(1)).item() == pytest.approx(8.06, abs=0.01)  # where the papers' logs start
    assert log_loss(torch.zeros(1), torch.ones(1)).item() == pytest.approx(math.log(2))


def test_a_stack_learns_as_torch_would(buffer):
    """The same weights in plain layers, with torch's Adam and its cross entropy, by discounted targets and costs."""
    recipe = Recipe(lr=3e-3, reward_discount=0.9, cost_discount=0.8)
    learner = learner_of({"other": Recipe(lr=1e-2), "mine": recipe}, buffer=buffer)
    plain = nn.Sequential(nn.Linear(300, 12), nn.ReLU(), nn.Linear(12, 6), nn.ReLU(), nn.Linear(6, 1))
    stack = learner.optimizers[0].stack
    with torch.no_grad():
        for layer, weight, bias in zip([plain[0], plain[2], plain[4]], stack.weights, stack.biases, strict=True):
            layer.weight.copy_(weight[1].T)
            layer.bias.copy_(bias[1, 0])
    adam = torch.optim.Adam(plain.parameters(), lr=3e-3)
    for rows in batches(buffer, 8):
        array = learner.encoder.encoded(buffer.pairs(rows, 0)).array.flatten(1)
        won, to_end = buffer.outcomes(rows)
        target = torch.where(won == 1, (1 + 0.9**to_end) / 2, (1 - 0.9**to_end) / 2)
        loss = (
            0.8**to_end * nn.functional.binary_cross_entropy_with_logits(plain(array)[:, 0], target, reduction="none")
        ).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        assert learner.step(rows)[1].item() == pytest.approx(loss.item(), rel=1e-4)
    torch.testing.assert_close(plain[2].weight.T, stack.weights[1][1], rtol=1e-3, atol=1e-5)


def test_company_changes_nothing(buffer):
    """Nets of two shapes and three recipes learn what they would alone."""
    specs = {"a": SMALL, "b": CONV, "c": replace(SMALL, slope=0.2)}
    recipes = {"a": Recipe(), "b": Recipe(loss="swapped"), "c": Recipe(lr=1e-4)}
    together = Learner(GAME, specs, recipes, CPU, seed=1)
    start = {
        name: [weight[place].clone() for weight in optimizer.parameters] for name, (optimizer, place) in together.place.items()
    }
    together.attach(buffer, 64)
    for rows in batches(buffer, 5):
        losses = together.step(rows).clone()
    for i, name in enumerate(specs):
        alone = Learner(GAME, {name: specs[name]}, {name: recipes[name]}, CPU, seed=2)
        with torch.no_grad():
            for weight, value in zip(alone.optimizers[0].parameters, start[name], strict=True):
                weight[0] = value
        alone.attach(buffer, 64)
        for rows in batches(buffer, 5):
            last = alone.step(rows)
        assert last.item() == pytest.approx(losses[i].item(), rel=1e-4)


def test_the_retired_stay_as_they_are(buffer):
    learner = learner_of({"a": Recipe(), "b": Recipe()}, buffer=buffer)
    learner.step(batches(buffer, 1)[0])
    before = [weight.detach().clone() for weight in learner.optimizers[0].parameters]
    learner.retire("a")
    for rows in batches(buffer, 3):
        learner.step(rows)
    for was, weight in zip(before, learner.optimizers[0].parameters, strict=True):
        assert torch.equal(was[0], weight[0])
        assert not torch.equal(was[1], weight[1])


def test_learning_goes_on_from_what_was_kept(buffer):
    one, other = (learner_of({"a": Recipe()}, CONV, buffer) for _ in range(2))
    for rows in batches(buffer, 3):
        one.step(rows)
    other.restore(one.state())
    for rows in batches(buffer, 6)[3:]:
        assert torch.equal(one.step(rows).clone(), other.step(rows).clone())


def test_dropout_is_for_learning_alone(buffer):
    learner = learner_of({"a": Recipe()}, replace(SMALL, dropout=0.5), buffer)
    rows = torch.arange(200)
    assert torch.equal(learner.losses_on(rows), learner.losses_on(rows))
    assert learner.optimizers[0].stack.training
    learner.optimizers[0].lr.zero_()
    assert not torch.equal(learner.step(rows[:64]).clone(), learner.step(rows[:64]).clone())


def test_batches_are_drawn_without_replacement():
    found = torch.cat(drawn_batches(torch.arange(100, 205), 20, torch.Generator().manual_seed(1)))
    assert len(found) == 100
    assert len(set(found.tolist())) == 100
    assert found.min() >= 100


def test_a_loss_that_is_none_is_named():
    with pytest.raises(BadInput, match="log and swapped"):
        Recipe(loss="square")


def a_teacher(device: torch.device) -> Ensemble:
    torch.manual_seed(3)
    return Ensemble([Stack(GAME, [SMALL]).to(device), Stack(GAME, [CONV]).to(device)])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("taught", [False, True])
def test_a_recorded_step_is_the_step(taught):
    """On a GPU: replayed, run as it is, and close to what a CPU makes of it; nets of every kind."""
    specs = {"dense": SMALL, "conv": CONV, "lstm": NetSpec((8,), lstm=8, turns=15)}
    recipes = dict.fromkeys(specs, Recipe(loss="swapped"))
    learners = {}
    for device in ("cpu", "cuda", "cuda:0"):
        where = torch.device(device)
        buffer = DistillationBuffer(GAME, 60, where, a_teacher(where)) if taught else GameBuffer(GAME, 60, where)
        same = GameBuffer(GAME, 60, torch.device("cpu"))
        fill(same, 60, seed=5)
        buffer.restore(same.state())
        learners[device] = Learner(GAME, specs, recipes, where, seed=1)
        learners[device].attach(buffer, 64)
    for rows in batches(learners["cpu"].buffer, 8):
        expected = learners["cpu"].step(rows).clone()
        recorded = learners["cuda"].step(rows.cuda()).clone()
        assert torch.equal(recorded, learners["cuda:0"]._step([rows.cuda()]))
        torch.testing.assert_close(recorded.cpu(), expected, rtol=0.02, atol=0.02)
    for one, other in zip(learners["cuda"].optimizers, learners["cuda:0"].optimizers, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one.parameters, other.parameters, strict=True))
