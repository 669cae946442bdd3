"""Learning to bid: what is learned from is what happened, and a net learns what it is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from shangyou import agents, games
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.agents.models.net_agent import NetAgent
from shangyou.agents.play import play
from shangyou.cli import app
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.nets.bid_net import BidNet
from shangyou.nets.export import to_onnx
from shangyou.nets.spec import POINTS
from shangyou.nets.value_net import Size, ValueNet
from shangyou.records.runs import RunFolder
from shangyou.training import bids, dmc
from shangyou.training.algorithm import Progress, checkpoint, preset, start
from shangyou.training.bids import bid_and_play, choose

GAME = games.load("doudizhu", bidding=True)
SMALL = Size(trunk=16, trunk_depth=1, head=16, head_depth=1, turns=2)


@pytest.fixture(scope="module")
def engine():
    return BatchEngine(GAME)


@pytest.fixture(scope="module")
def player(engine):
    torch.manual_seed(0)
    return ValueNet(engine.game, SMALL)


def test_every_bid_is_paid_what_its_game_paid(engine, player):
    """Against the reference engine, bid by bid; a deal that nobody wanted pays nothing."""
    torch.manual_seed(1)
    net, agent = BidNet(engine.game, 8), TorchNetAgent(engine.game, player, POINTS)
    state = engine.deal(200, 3)
    batch = bid_and_play(engine, agent, net, state, 0.8, torch.Generator().manual_seed(0))
    first = [reference.deal(engine.game, 3, i) for i in range(200)]
    opening = batch.hand[:200, 0].tolist()
    assert opening == [deal.hands[deal.turn] for deal in first]
    assert (batch.bids[:200] == -1).all()
    points = batch.points.abs()
    assert set(points.unique().tolist()) > {0.0}
    landlords = batch.points[batch.bid == 3]  # who bids 3 is landlord, and is paid 2 x 3 x a power of 2
    assert len(landlords) > 20
    assert set((landlords.abs() / 6).log2().frac().tolist()) == {0.0}


def test_bids_are_allowed_and_the_best_without_exploring(engine):
    torch.manual_seed(2)
    net = BidNet(engine.game, 8)
    hand = engine.deal(300, 1).cards[:1].T.contiguous()
    heard = torch.full((300, 3), -1)
    heard[100:200, 2], heard[200:, 2] = 1, 2
    best = choose(net, hand, heard, 0.0, torch.Generator())
    drawn = choose(net, hand, heard, 1.0, torch.Generator().manual_seed(0))
    assert set(drawn[:100].tolist()) == {0, 1, 2, 3}
    assert set(drawn[100:200].tolist()) == {0, 2, 3}
    assert set(drawn[200:].tolist()) == {0, 3}
    assert set(best[200:].tolist()) <= {0, 3}
    assert torch.equal(best[:100], net(hand, heard)[:100].argmax(1))


def test_a_net_that_never_bids_still_meets_games_at_the_end_of_its_run(engine, player):
    net, agent, dealt = BidNet(engine.game, 8), TorchNetAgent(engine.game, player, POINTS), engine.deal(64, 3)
    net.layers[-1].weight.data.zero_()
    net.layers[-1].bias.data = torch.tensor([1.0, 0, 0, 0])
    least = bids.Args("doudizhu").epsilon * bids.LEAST_EXPLORATION
    batch = bid_and_play(engine, agent, net, dealt.copy(), least, torch.Generator().manual_seed(0))
    assert (batch.points != 0).any()
    with pytest.raises(BadInput, match="1000 deals and no landlord"):
        bid_and_play(engine, agent, net, dealt, 0.0, torch.Generator().manual_seed(0))


def test_it_learns_to_bid_for_what_pays(engine, player, monkeypatch, tmp_path):
    """In a world where a bid pays for the big joker and costs without it."""
    stored = checkpoint("dmc", dmc.Args("doudizhu", size=SMALL), Progress(), {"net": player.state_dict()})

    def paid_for_big_joker(engine, agent, net, state, epsilon, generator):
        view = engine.view(state)
        bid = choose(net, view.hand, view.bids, epsilon, generator)
        return bids.BidBatch(view.hand, view.bids, bid, bid * (2 * has_big_joker(view.hand) - 1).float())

    monkeypatch.setattr(bids, "bid_and_play", paid_for_big_joker)
    monkeypatch.setattr(RunFolder, "load", lambda folder, run: stored)
    args = replace(preset("bids", "doudizhu", "cpu"), batches=300, batch=512, minibatch=128, lr=3e-3, epsilon=0.5, width=32)
    net = start("bids", replace(args, player="some"), RunFolder(tmp_path, "bids"))
    view = engine.view(engine.deal(400, 99))
    best = choose(net, view.hand, view.bids, 0.0, torch.Generator())
    assert torch.equal(best, 3 * has_big_joker(view.hand))


def has_big_joker(hand: torch.Tensor) -> torch.Tensor:
    return hand[:, 0] >> 56 & 1


def test_a_shipped_bidder_bids_as_the_net_does(engine, player, tmp_path):
    torch.manual_seed(4)
    net = BidNet(engine.game, 32)
    net.layers[-1].bias.data.zero_()
    (tmp_path / "a.onnx").write_bytes(to_onnx(player, engine.game, {}))
    (tmp_path / "a-bids.onnx").write_bytes(to_onnx(net, engine.game, {}))
    for file in tmp_path.iterdir():
        assert b"site-packages" not in file.read_bytes()
        assert b".py" not in file.read_bytes()
    agent = NetAgent(tmp_path / "a.onnx", "a", bids=tmp_path / "a-bids.onnx")
    made = []
    for i in range(60):
        state = reference.deal(engine.game, 11, i)
        if i % 2:
            state = reference.bid(state, 1)
        view = reference.view(state)
        heard = np.full((1, 3), -1)
        for seat, points in view.bids:
            heard[0, seat] = points
        expected = choose(net, torch.tensor([[view.hand]]), torch.as_tensor(heard), 0.0, torch.Generator())
        assert agent.bid(view, reference.legal_bids(state)) == int(expected)
        made.append(int(expected))
    assert len(set(made)) > 1


def test_from_the_command_line_to_a_player_who_bids(tmp_path):
    args = dmc.Args("doudizhu", device="cpu", size=SMALL)
    player = dmc.make_net(args, args.load_game())
    RunFolder(tmp_path).save(checkpoint("dmc", args, Progress(), {"net": player.state_dict()}))
    run = CliRunner().invoke
    learned = run(app, ["train-bids", str(tmp_path), "--minutes", "0.02", "--device", "cpu"])
    assert learned.exit_code == 0, learned.output
    exported = run(app, ["model", "export", str(tmp_path), "--check", "20", "--watch", "20"])
    assert exported.exit_code == 0, exported.output
    assert "20 positions" in exported.output
    agent = agents.load(str(tmp_path / "model.onnx"), GAME)
    assert agent.bids.info.about["training"]["minutes"] == 0.02
    dealt = reference.deal(GAME, seed=1)
    assert agent.bid(reference.view(dealt), reference.legal_bids(dealt)) in (0, 1, 2, 3)
    called = reference.bid(dealt, 3)  # a net that has learned for a second may well think no hand worth a bid
    assert play(called.game, [agent] * 3, None, [called])[0].over
