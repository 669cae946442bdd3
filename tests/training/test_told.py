"""Nets that are told of sparring partners: in which games they are, that values against equals are truer, models of them."""

from __future__ import annotations

import json
from dataclasses import replace

import onnx
import pytest
import torch

from shangyou import agents
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.onnx_model import net_on_device
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.agents.models.net_agent import NetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.chances import measure
from shangyou.games import BadInput
from shangyou.nets.q_net import QNet
from shangyou.nets.spec import SPARRING, TO_BEAT_SPARRING, WIN
from shangyou.nets.value_net import Size, ValueNet
from shangyou.records import models
from shangyou.records.runs import RunFolder
from shangyou.training import dmc
from shangyou.training.algorithm import preset, start
from training.test_dmc import ARGS

SIZE = replace(ARGS.size, told=True)
SPARRED = replace(ARGS, batches=20, batch=512, minibatch=512, eval_deals=200, sparring=("random",), sparring_share=0.6)
TOLD = replace(SPARRED, size=SIZE)
GAME = ARGS.load_game()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folders and nets of two runs that differ in this alone."""
    folders = [RunFolder(tmp_path_factory.mktemp(name)) for name in ("untold", "told")]
    return [(folder, start("dmc", args, folder)) for folder, args in zip(folders, (SPARRED, TOLD), strict=True)]


def calibration_error(net: ValueNet, objective: int = WIN) -> float:
    return measure(TorchNetAgent(GAME, net, objective), BatchEngine(GAME), games=1500, seed=5).chances.error


def test_chances_against_equals_are_truer(runs):
    (_, untold), (_, told) = runs
    assert calibration_error(untold) > 0.05  # 60% of its games were against random
    assert calibration_error(told) < 0.5 * calibration_error(untold)
    assert calibration_error(told, TO_BEAT_SPARRING) > 0.15  # asked for its chances against random, which it does not play here


def test_it_beats_sparring_partners_as_well(runs):
    rates = [folder.curve[-1]["strength"]["random"][0] for folder, _ in runs]
    assert min(rates) > 0.8
    assert rates[1] > rates[0] - 0.08  # 400 games each


def test_it_is_told_in_the_games_with_partners_alone():
    args = replace(TOLD, batch=60, objectives=("win", "points"))
    learner = TorchNetAgent(GAME, dmc.make_net(args, GAME))
    explorer, seats = dmc.seat_explorer(args, learner, 1, 0.6)
    with_partner = (seats > 0).any(1)
    assert with_partner.sum() == 36
    assert (explorer.objective == TO_BEAT_SPARRING).tolist() == with_partner.tolist()
    assert explorer.objective[~with_partner].tolist() == [0, 1] * 12
    untold, _ = dmc.seat_explorer(replace(args, size=ARGS.size), learner, 1, 0.6)
    assert untold.objective.tolist() == [0, 1] * 30


def test_a_net_that_is_not_told_is_what_it_was():
    """The same weights for the same seed, and so the same models; a told one reads one number more, padding aside."""
    torch.manual_seed(0)
    told, untold = ValueNet(GAME, SIZE), ValueNet(GAME, ARGS.size)
    assert untold.objectives == ("win", "points")
    assert told.objectives == ("win", "points", "sparring")
    assert told.encoder.objectives == untold.encoder.objectives + 1


def test_its_model_is_asked_for_either_kind(runs, tmp_path):
    folder, net = runs[1]
    path = tmp_path / "told.onnx"
    models.export(folder.path, path, prune_games=200)
    assert models.fidelity(folder.path, path, 30).differences["win"] < 1e-3
    engine = BatchEngine(GAME)
    state = engine.deal(50, 3)
    view, legal = engine.view(state), engine.legal(state)
    equal, sparring = (load_batch(f"{path}{suffix}", GAME) for suffix in ("", f":{SPARRING}"))
    chances = equal.win_chances(view, legal), sparring.win_chances(view, legal)
    assert (chances[1] - chances[0]).mean() > 0.1
    for agent, objective in ((equal, WIN), (sparring, TO_BEAT_SPARRING)):
        own = TorchNetAgent(GAME, net, objective).win_chances(view, legal)
        torch.testing.assert_close(agent.win_chances(view, legal), own.double(), rtol=0, atol=2e-3)
        loaded = NetAgent(path, "told", SPARRING if objective else "win")
        in_torch = net_on_device(GAME, loaded, path, torch.device("cpu"))
        torch.testing.assert_close(in_torch.win_chances(view, legal), own, rtol=0, atol=2e-3)


def test_models_that_are_not_told_refuse_to_be_asked_and_play_on(runs, tmp_path):
    folder, _ = runs[0]
    path = tmp_path / "untold.onnx"
    models.export(folder.path, path, prune_games=0)
    stored = {prop.key: prop.value for prop in onnx.load(path).metadata_props}
    assert "objectives" not in stored  # so older versions read it
    assert json.loads(stored["turns"]) == 2
    for name, game in ((str(path), GAME), ("champion/zsy2", None)):
        assert agents.load(name, game).model.info.objectives == ["win", "points"]
        with pytest.raises(BadInput, match="'sparring': a net plays for win or points"):
            agents.load(f"{name}:sparring", game)


def test_what_cannot_be_told_is_refused(tmp_path):
    with pytest.raises(BadInput, match="--sparring names some"):
        start("dmc", replace(TOLD, sparring=()), RunFolder(tmp_path))
    with pytest.raises(BadInput, match="only the nets of dmc"):
        QNet(GAME, Size(told=True), "own")
    with pytest.raises(BadInput, match="only dmc tells"):
        start("reinforce", replace(preset("reinforce", "zsy2", "cpu"), size=SIZE, eval_deals=2), RunFolder(tmp_path))
