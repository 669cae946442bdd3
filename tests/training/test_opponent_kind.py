"""Nets with the kind of opponent as an input: when it is set, that values against equals are truer, models of them."""

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

SIZE = replace(ARGS.size, opponent_kind=True)
SPARRED = replace(ARGS, batches=20, batch=512, minibatch=512, eval_deals=200, sparring=("random",), sparring_share=0.6)
BY_KIND = replace(SPARRED, size=SIZE)
GAME = ARGS.load_game()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folders and nets of two runs that differ in this alone."""
    folders = [RunFolder(tmp_path_factory.mktemp(name)) for name in ("plain", "by_kind")]
    return [(folder, start("dmc", args, folder)) for folder, args in zip(folders, (SPARRED, BY_KIND), strict=True)]


def calibration_error(net: ValueNet, objective: int = WIN) -> float:
    return measure(TorchNetAgent(GAME, net, objective), BatchEngine(GAME), games=1500, seed=5).chances.error


def test_chances_against_equals_are_truer(runs):
    (_, plain), (_, by_kind) = runs
    assert calibration_error(plain) > 0.05  # 60% of its games were against random
    assert calibration_error(by_kind) < 0.5 * calibration_error(plain)
    assert calibration_error(by_kind, TO_BEAT_SPARRING) > 0.15  # of beating random, which it does not play here


def test_it_beats_sparring_partners_as_well(runs):
    rates = [folder.curve[-1]["strength"]["random"][0] for folder, _ in runs]
    assert min(rates) > 0.8
    assert rates[1] > rates[0] - 0.08  # 400 games each


def test_only_games_with_partners_have_the_objective():
    args = replace(BY_KIND, batch=60, objectives=("win", "points"))
    learner = TorchNetAgent(GAME, dmc.make_net(args, GAME))
    explorer, seats = dmc.seat_explorer(args, learner, 1, 0.6)
    with_partner = (seats > 0).any(1)
    assert with_partner.sum() == 36
    assert (explorer.objective == TO_BEAT_SPARRING).tolist() == with_partner.tolist()
    assert explorer.objective[~with_partner].tolist() == [0, 1] * 12
    plain, _ = dmc.seat_explorer(replace(args, size=ARGS.size), learner, 1, 0.6)
    assert plain.objective.tolist() == [0, 1] * 30


def test_a_net_without_the_input_is_what_it_was():
    """The same weights for the same seed, and so the same models; one with it reads one number more, padding aside."""
    torch.manual_seed(0)
    by_kind, plain = ValueNet(GAME, SIZE), ValueNet(GAME, ARGS.size)
    assert plain.objectives == ("win", "points")
    assert by_kind.objectives == ("win", "points", "sparring")
    assert by_kind.encoder.objectives == plain.encoder.objectives + 1


def test_its_model_is_asked_for_either_kind(runs, tmp_path):
    folder, net = runs[1]
    path = tmp_path / "by_kind.onnx"
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
        loaded = NetAgent(path, "by_kind", SPARRING if objective else "win")
        in_torch = net_on_device(GAME, loaded, path, torch.device("cpu"))
        torch.testing.assert_close(in_torch.win_chances(view, legal), own, rtol=0, atol=2e-3)


def test_models_without_the_input_refuse_to_be_asked_and_play_on(runs, tmp_path):
    folder, _ = runs[0]
    path = tmp_path / "plain.onnx"
    models.export(folder.path, path, prune_games=0)
    stored = {prop.key: prop.value for prop in onnx.load(path).metadata_props}
    assert "objectives" not in stored  # so older versions read it
    assert json.loads(stored["turns"]) == 2
    for name, game in ((str(path), GAME), ("champion/zsy2", None)):
        assert agents.load(name, game).model.info.objectives == ["win", "points"]
        with pytest.raises(BadInput, match="'sparring': a net plays for win or points"):
            agents.load(f"{name}:sparring", game)


def test_nets_that_cannot_have_it_are_refused(tmp_path):
    with pytest.raises(BadInput, match="--sparring names some"):
        start("dmc", replace(BY_KIND, sparring=()), RunFolder(tmp_path))
    with pytest.raises(BadInput, match="only the nets of dmc"):
        QNet(GAME, Size(opponent_kind=True), "own")
    with pytest.raises(BadInput, match="only the nets of dmc"):
        start("reinforce", replace(preset("reinforce", "zsy2", "cpu"), size=SIZE, eval_deals=2), RunFolder(tmp_path))
