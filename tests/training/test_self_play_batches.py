"""Batches that are played beside the learning: which weights play which batch, what is measured, what goes wrong."""

from contextlib import closing
from dataclasses import replace
from threading import Event

import pytest
import torch
from torch import nn

from shangyou.agents.batch.value_net import TorchAgent
from shangyou.nets.value_net import Size
from shangyou.records.runs import RunFolder
from shangyou.training import dmc
from shangyou.training.algorithm import start
from shangyou.training.self_play_batches import Batches

ARGS = dmc.Args(
    "zsy2", rules="cards_each=10", device="cpu", batches=4, batch=128, minibatch=256, lr=3e-3, objectives=("win",),
    points_scale=1.0, size=Size(trunk=32, trunk_depth=1, head=32, head_depth=1, turns=2), eval_deals=20, eval_seconds=1e9,
)  # fmt: skip


class Player:
    """Stands for an agent: its weights are a number."""

    on_gpu = False

    def __init__(self) -> None:
        self.version = -1

    def refresh(self, net: nn.Linear) -> None:
        self.version = int(net.bias.item())


def counter() -> nn.Linear:
    net = nn.Linear(1, 1)
    return net.requires_grad_(False)


def versions(ahead: bool) -> list[tuple[int, int]]:
    """Of every batch its number and the weights that played it, where every batch makes new weights."""
    net, player, found = counter(), Player(), []
    net.bias.zero_()
    with closing(Batches(lambda number: (number, player.version), player, net, ahead)) as batches:
        for number in range(5):
            found.append(batches.take(number))
            net.bias.add_(1)
    return found


def test_one_after_the_other_every_batch_is_played_by_the_latest_weights():
    assert versions(ahead=False) == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]


def test_ahead_the_player_is_a_batch_behind():
    assert versions(ahead=True) == [(0, 0), (1, 1), (2, 1), (3, 2), (4, 3)]


def test_the_next_batch_is_played_meanwhile_and_not_while_the_player_is_measured():
    net, player, learned, played = counter(), Player(), Event(), []
    net.bias.fill_(7)

    def play(number: int) -> int:
        if number == 2:
            assert learned.wait(30)  # it would wait forever if nobody learned beside it
        played.append(number)
        return number

    with closing(Batches(play, player, net, ahead=True)) as batches:
        assert [batches.take(0), batches.take(1)] == [0, 1]
        assert played == [0, 1]
        net.bias.fill_(8)
        learned.set()
        assert batches.settled() is player
        assert player.version == 8
        assert played == [0, 1, 2]
        assert batches.take(2) == 2


def test_what_goes_wrong_beside_the_learning_is_raised():
    def play(number: int) -> int:
        if number == 2:
            raise RuntimeError("out of cards")
        return number

    with closing(Batches(play, Player(), counter(), ahead=True)) as batches:
        batches.take(0)
        batches.take(1)
        with pytest.raises(RuntimeError, match="out of cards"):
            batches.take(2)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a GPU"))])  # fmt: skip
def test_a_run_ahead_plays_the_same_deals_and_measures_its_last_weights(device, tmp_path, monkeypatch):
    args, measured = replace(ARGS, device=device), list[torch.Tensor]()
    settled = Batches.settled

    def noted(self: Batches[object]) -> TorchAgent:
        agent = settled(self)
        measured.append(agent.net.look.weight.detach().float().cpu().clone())
        return agent

    monkeypatch.setattr(Batches, "settled", noted)
    nets = {}
    for name, ahead in (("one by one", False), ("ahead", True), ("ahead again", True)):
        folder = RunFolder(tmp_path / name)
        nets[name] = start("dmc", replace(args, ahead=ahead), folder)
        last = nets[name].look.weight.detach().cpu()
        assert torch.allclose(measured[-1], last, rtol=0.01, atol=1e-4)  # the player's are bf16 on a GPU
        assert folder.curve[-1]["games"] == args.batches * args.batch
    assert torch.equal(nets["ahead"].look.weight, nets["ahead again"].look.weight)
    assert not torch.equal(nets["ahead"].look.weight, nets["one by one"].look.weight)
