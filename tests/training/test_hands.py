"""Inferring hidden hands: what is learned from is true, the net beats even splits after seconds, and measurement agrees."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from cli.running import run as run_command
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.hidden_hands import HandObserver, play_and_look
from shangyou.agents.batch.replay import replay
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.nets import splits
from shangyou.nets.hand_net import HandNet, Size
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training import hands
from shangyou.training.algorithm import net_of, preset, start
from shangyou.training.supervised.generate import play_games

SIZE = Size(width=64, depth=1, turns=6)
ARGS = replace(preset("hands", "doudizhu", "cpu"), batches=12, batch=128, minibatch=256, lr=3e-3, size=SIZE)
GREEDY = {"doudizhu": {}, "zsy2": {}, "zsy4": {}, "zsy4 of two packs": {"decks": 2}}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = RunFolder(tmp_path_factory.mktemp("run"))
    start("hands", ARGS, folder)
    return folder


@pytest.fixture(scope="module")
def doudizhu():
    return look("doudizhu", 40)


def look(name, count):
    game = games.load(name.split()[0], **GREEDY[name])
    engine = BatchEngine(game)
    return play_and_look(engine, [load_batch("greedy", game)], engine.deal(count, seed=3)), game


@pytest.mark.parametrize("name", GREEDY)
def test_the_true_hands_fit_what_is_seen(name):
    batch, game = look(name, 10)
    net = HandNet(game, Size(width=8, depth=0, turns=2))
    hidden, counts = net.hidden(batch.seen), net.encoder.counts(batch.others)
    assert (counts.sum(-1) == batch.seen.left[:, 1:]).all()
    assert (counts.sum(1) <= net.encoder.counts(batch.seen.unseen)).all()
    assert (counts >= hidden.known).all()
    assert (hidden.known.sum() > 0) == (name == "doudizhu")
    likely = net.log_likelihood(net(batch.seen), batch.seen, batch.others)
    assert likely.isfinite().all()
    assert likely.min() < -5
    assert likely.max() <= 1e-9


def test_decisions_have_a_choice_and_come_after_the_first_play(doudizhu):
    batch, _ = doudizhu
    assert (batch.seen.played.sum((1, 2)) > 0).all()
    assert set(batch.game.tolist()) == set(range(40))


def test_stored_games_say_the_same(doudizhu):
    batch, game = doudizhu
    engine, stored = BatchEngine(game), HandObserver()
    replay(engine, play_games(engine, load_batch("greedy", game), 40, seed=3, first=0), stored)
    assert torch.equal(stored.batch.others, batch.others)
    assert all(map(torch.equal, stored.batch.seen, batch.seen))


def test_it_learns_more_than_even_splits_say(trained):
    net = net_of(load_checkpoint(trained.path))
    report = hands.measure(net, BatchEngine(ARGS.load_game()), ARGS, 200)
    gain = report.overall.gain
    assert gain.mean > 0.05
    assert gain.mean - gain.half_width > 0.03
    assert gain.mean == pytest.approx(report.overall.even.mean - report.overall.model.mean)
    assert report.calibration.error < 0.1
    fresh = hands.measure(HandNet(ARGS.load_game(), SIZE), BatchEngine(ARGS.load_game()), ARGS, 50)
    assert fresh.overall.gain.mean == pytest.approx(0, abs=1e-12)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_learns_and_measures_what_a_cpu_does(trained, tmp_path):
    start("hands", replace(ARGS, device="cuda"), RunFolder(tmp_path))
    net = net_of(load_checkpoint(tmp_path))
    measured = {
        device: hands.measure(net.to(device), BatchEngine(ARGS.load_game(), device), ARGS, 200) for device in ("cuda", "cpu")
    }
    on_gpu, on_cpu = (measured[device].overall.gain.mean for device in ("cuda", "cpu"))
    assert on_gpu == pytest.approx(on_cpu, abs=1e-3)  # the same deals and plays
    assert on_gpu > 0.03


def test_a_run_goes_on_with_the_deals_it_would_have_had(trained, tmp_path):
    class Interrupted(Exception):
        pass

    def stop(progress):
        if progress.iterations == 6:
            raise Interrupted

    folder = RunFolder(tmp_path)
    with pytest.raises(Interrupted):
        start("hands", replace(ARGS, checkpoint_seconds=0.0), folder, stop)
    start("hands", ARGS, folder, resumed=folder.resume())
    one, two = load_checkpoint(trained.path)["net"], load_checkpoint(tmp_path)["net"]
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_gradients_are_finite_and_hidden_hands_are_no_inputs(doudizhu):
    batch, game = doudizhu
    net = HandNet(game, SIZE)
    torch.nn.init.normal_(net.answer.weight, std=3.0)
    loss = hands.per_card(net, net(batch.seen), batch).mean()
    loss.backward()
    assert all(weight.grad.isfinite().all() for weight in net.parameters())
    assert net.look.weight.grad.any()
    assert set(net.example()) == {*batch.seen._fields[:-1], "aim"}  # the fields of a View, and the objective


def test_chances_to_hold_are_those_of_drawn_hands(doudizhu):
    batch, game = doudizhu
    torch.manual_seed(2)
    net, draws = HandNet(game, SIZE), 4000
    torch.nn.init.normal_(net.answer.weight, std=1.0)
    one = batch.at(torch.full((draws,), 30))
    hidden = net.hidden(one.seen)
    with torch.no_grad():
        scores = net(one.seen)
    noise = torch.rand(draws, *net.shape[:2], generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    taken = splits.draw_all(scores.double(), hidden, noise, net.most, torch)[:, 0]
    assert (taken.sum(1) == hidden.sizes[:, 0]).all()
    chances = hands.chances_to_hold(net, scores[:1], splits.Hidden(*(part[:1] for part in hidden)))[0]
    np.testing.assert_allclose((taken > 0).double().mean(0), chances, atol=4 * 0.5 / draws**0.5)
    assert chances.min() < 0.4
    assert chances.max() > 0.6


def test_teachers_take_turns_and_are_sampled_if_they_estimate_win_chances():
    game, cpu = ARGS.load_game(), torch.device("cpu")
    with pytest.raises(BadInput, match="teachers=AGENT"):
        hands.load_teachers(replace(ARGS, teachers=()), game, cpu)
    both = replace(ARGS, teachers=("champion/doudizhu", "greedy"), temperature=0.1)
    champion, greedy = hands.load_teachers(both, game, cpu)
    assert champion.temperature == 0.1
    assert not hasattr(greedy, "temperature")
    engine = BatchEngine(game)
    mixed, alone = (play_and_look(engine, agents, engine.deal(4, seed=3)) for agents in ([champion, greedy], [greedy]))
    for number in range(4):
        one, two = (batch.others[batch.game == number] for batch in (mixed, alone))
        assert torch.equal(one, two) == (number % 2 == 1)


def test_export_and_measurement_from_the_command_line(trained, tmp_path):
    said = run_command("model", "export", trained.path, tmp_path / "hands.onnx", "--check", "20").stdout
    assert "in scores at most" in said
    assert "same play" not in said
    words = ["measure-hands", trained.path, "--games", "20", "--device", "cpu"]
    report = json.loads(run_command(*words, "--json", "--plot", tmp_path / "hands.svg").stdout)
    assert report["games"] == 20
    assert report["overall"]["gain"]["mean"] > 0
    assert (tmp_path / "hands.svg").is_file()
    assert "even splits" in run_command(*words).stdout
    assert "no agent 'nobody'" in run_command(*words, "--teacher", "nobody", code=2).stderr
    of_model = ["measure-hands", tmp_path / "hands.onnx", *words[2:], "--teacher", "greedy", "--temperature", "0"]
    exported = json.loads(run_command(*of_model, "--json").stdout)["overall"]
    for measured in ("model", "even", "gain"):
        assert exported[measured]["mean"] == pytest.approx(report["overall"][measured]["mean"], abs=1e-3)
