"""Accuracy: counted by hand on small probabilities, the same from whole plays as from the nets, and bounded by the expert."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.policy_net import PolicyNetAgent
from shangyou.engines.batch import BatchEngine, Legal
from shangyou.games import BadInput
from shangyou.games.labels import labels_of
from shangyou.lab.deeprocket_match import read_records
from shangyou.nets.deeprocket import ConvSize, DeepRocket, Size
from shangyou.nets.deeprocket.planes import PlaneEncoder
from shangyou.nets.export import to_onnx
from shangyou.records.accuracy import Expert, measure_records
from shangyou.training.supervised.accuracy import (
    ACCURACY,
    AGREEMENT,
    BEST,
    COST,
    Answers,
    Calibration,
    Choices,
    choices_of,
    log_probs_of,
    measure,
)
from shangyou.training.supervised.decisions import DecisionBatch, decisions_of
from shangyou.training.supervised.generate import generate

GAME = games.load("doudizhu")
ENGINE, ENCODER, LABELS = BatchEngine(GAME), PlaneEncoder(GAME), labels_of(GAME.table)
CPU = ENGINE.device
SIZE = Size(ConvSize(8, ("12", "22", "22")), ConvSize(8, ("12", "22")), roles="outputs")


@pytest.fixture(scope="module")
def expert():
    return Sampler(load_batch("champion/doudizhu", GAME), CPU, 0.02)


@pytest.fixture(scope="module")
def batch(expert):
    (played,) = generate(ENGINE, expert, 60, seed=2)
    return decisions_of(ENGINE, played, forced=True)


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(5)
    return DeepRocket(GAME, SIZE).eval()


def means(found, part="policy", row=0):
    return {name: mean.mean for name, mean in getattr(found, part).rows[row].means.items()}


# -- by hand ----------------------------------------------------------------------------------------------------------


def test_bounds_of_probabilities_counted_by_hand():
    choices = Choices(torch.tensor([[0.5, 0.3, 0.2], [0.0, 0.9, 0.1]]), torch.tensor([0, 2]))
    assert choices.correct.tolist() == [1, 0]
    torch.testing.assert_close(choices.agreement, torch.tensor([0.25 + 0.09 + 0.04, 0.81 + 0.01]))
    torch.testing.assert_close(choices.best, torch.tensor([0.5, 0.9]))
    torch.testing.assert_close(choices.cost(torch.tensor([0, 2])), torch.tensor([0.0, math.log(9)]))
    assert choices.cost(torch.tensor([0, 0]))[1] > 600  # a probability of 0: great, but finite


def test_labels_and_kickers_are_sums_over_whole_plays(batch):
    """333 with 4, 5 or 6, and 3 alone, of probabilities 0.2, 0.3, 0.1 and 0.4."""
    label = LABELS.names.index("333 + 1 solo")
    with_kickers = np.flatnonzero(LABELS.label_of == label)[:3]
    solo = int(np.flatnonzero(np.array(LABELS.label_of) == LABELS.names.index("3"))[0])
    plays = torch.tensor(sorted([solo, *with_kickers.tolist()])).int()
    assert plays.tolist()[0] == solo
    one = batch.at(torch.tensor([0]))
    position = DecisionBatch(one.seen, plays[2:3], Legal.of(torch.tensor([4]), plays), one.won, one.points, one.role, one.game)
    logits = torch.tensor([0.4, 0.2, 0.3, 0.1]).log() + 7.0  # a constant does not count
    labels, kickers = choices_of(ENCODER, position, lambda view, legal: logits)
    assert labels.chosen.tolist() == [label]
    assert labels.probs[0, label].item() == pytest.approx(0.6)
    assert labels.probs.sum().item() == pytest.approx(1)
    assert kickers.chosen.tolist() == [LABELS.kicker_names.index("5")]
    found = {LABELS.kicker_names[i]: kickers.probs[0, i].item() for i in torch.nonzero(kickers.probs[0])[:, 0].tolist()}
    assert found == {"4": pytest.approx(1 / 3), "5": pytest.approx(1 / 2), "6": pytest.approx(1 / 6)}
    assert labels.agreement.item() == pytest.approx(0.36 + 0.16)
    assert kickers.best.item() == pytest.approx(0.5)


def test_calibration_counted_by_hand():
    correct, confidence = np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.55, 0.55, 0.95, 1.0])
    nothing = np.zeros(4)
    found = Calibration()
    found.add(Answers(nothing, nothing, nothing, nothing, correct, confidence, nothing, nothing, nothing))
    assert found.table == [
        {"count": 2, "confidence": pytest.approx(0.55), "accuracy": 0.5},
        {"count": 2, "confidence": pytest.approx(0.975), "accuracy": 1.0},
    ]
    assert found.error == pytest.approx((2 * 0.05 + 2 * 0.025) / 4)


# -- nets and experts -------------------------------------------------------------------------------------------------


def test_probabilities_of_whole_plays_give_what_the_nets_predict(batch, net):
    labels, kickers = choices_of(ENCODER, batch, PolicyNetAgent(GAME, net).values)
    with torch.no_grad():
        predicted = net.predict(net.encode(batch.seen, batch.legal.rows, batch.legal.plays, batch.chosen))
    torch.testing.assert_close(labels.probs.float(), predicted.labels.exp(), rtol=1e-3, atol=1e-5)
    torch.testing.assert_close(kickers.probs.float(), predicted.kickers.exp(), rtol=1e-3, atol=1e-5)
    assert torch.equal(labels.chosen, predicted.label)
    assert torch.equal(kickers.chosen, predicted.kicker)
    assert len(kickers.chosen) > 20


def test_the_rows_are_counted_as_their_names_say(batch, net):
    found = measure(GAME, [batch], PolicyNetAgent(GAME, net).values)
    count = {row.name: row.decisions for row in found.policy.rows}
    legal = [set(LABELS.label_of[part.tolist()]) for part in batch.legal.plays.split(batch.legal.counts.tolist())]
    passed, several = (batch.plays == 0).numpy(), np.array([len(labels) > 1 for labels in legal])
    assert count["2+ legal labels"] == several.sum()
    assert count["without passes"] == (several & ~passed).sum()
    assert count["with forced ones"] == len(batch)
    assert count["with forced, without passes"] == (~passed).sum()
    assert count["4 to 5 labels"] == sum(len(labels) in (4, 5) for labels in legal)
    assert count["landlord"] == (several & (batch.role == 0).numpy()).sum()
    kickers = (LABELS.kickers[batch.plays.numpy()] >= 0).sum()
    assert {row.name: row.decisions for row in found.kicker.rows}["with forced ones"] == kickers
    for part in (found.policy, found.kicker):
        by_role, by_options = (sum(row.decisions for row in part.rows[a:b]) for a, b in ((1, 4), (4, 10)))
        assert part.rows[0].decisions == by_role == by_options
    forced = next(row for row in found.policy.rows if row.name == "with forced ones").means[ACCURACY]
    assert forced.total - found.policy.rows[0].means[ACCURACY].total == (~several).sum()  # forced ones are always right


def test_an_expert_predicts_itself_as_well_as_can_be(batch, expert):
    """Its accuracy is, within noise, the best possible; a second draw agrees as often as the bound says."""
    found = measure(GAME, [batch], expert.logits, expert)
    for part in ("policy", "kicker"):
        rates, half = means(found, part), getattr(found, part).rows[0].means[ACCURACY].half_width
        assert rates[AGREEMENT] < rates[BEST]
        assert abs(rates[ACCURACY] - rates[BEST]) < 2 * half
        assert rates[COST] == 0
    chosen = batch.at(torch.nonzero(batch.legal.counts > 1)[:, 0])
    expert.generator.manual_seed(3)
    again = expert.act(chosen.view, chosen.legal)
    same = (ENCODER.labels_of(again) == ENCODER.labels_of(chosen.plays)).float().mean().item()
    assert abs(same - means(found)[AGREEMENT]) < 4 * 0.5 / len(chosen) ** 0.5
    assert found.policy.calibration.error < 0.1


def test_pieces_and_batches_change_nothing(batch, net, monkeypatch):
    policy = PolicyNetAgent(GAME, net).values
    whole = measure(GAME, [batch], policy)
    monkeypatch.setattr("shangyou.training.supervised.accuracy.AT_ONCE", 100)
    halves = [batch.at(torch.nonzero(side)[:, 0]) for side in (batch.game <= 30, batch.game > 30)]
    parts = measure(GAME, halves, policy)
    assert means(parts) == pytest.approx(means(whole))
    assert parts.policy.rows[0].means[ACCURACY].half_width == pytest.approx(whole.policy.rows[0].means[ACCURACY].half_width)
    assert parts.policy.rows[0].means[ACCURACY].clusters == 60


# -- records, and what is wrong ---------------------------------------------------------------------------------------


def test_records_of_the_paper(net, tmp_path):
    model, played = tmp_path / "rocket.onnx", read_records()[:20]
    model.write_bytes(to_onnx(net, GAME, {}))
    found = measure_records(str(model), played, expert=Expert("champion/doudizhu", 0.005))
    described = found.to_json()
    first = described["policy"]["rows"][0]
    assert 300 < first["count"] < 1000
    assert 0.05 < first["accuracy"][0] < 0.5  # untrained
    assert 0.5 < first["expert_agreement"][0] < first["best_possible"][0] < 1
    assert len(described["kicker"]["reliability"]) > 0
    assert 0.01 < first["expert_cost"][0] < 0.5  # in win chance
    itself = measure_records("champion/doudizhu", played, expert=Expert("champion/doudizhu", 0.005))
    assert itself.accuracy > first["accuracy"][0]
    assert itself.to_json()["policy"]["rows"][0]["best_possible"] == first["best_possible"]


def test_an_agent_without_probabilities_is_refused(batch):
    with pytest.raises(BadInput, match="'greedy' does not give probabilities of plays"):
        measure(GAME, [batch], log_probs_of(load_batch("greedy", GAME)))


def test_nothing_to_measure_is_refused(batch, net):
    with pytest.raises(BadInput, match="no decision"):
        measure(GAME, [batch.at(torch.zeros(0, dtype=torch.long))], PolicyNetAgent(GAME, net).values)
    with pytest.raises(BadInput, match="0 records"):
        measure_records("champion/doudizhu", [])
