"""The nets of the tables: their sizes, that a stack is its nets side by side, and that a window is a convolution."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.nn import functional

from shangyou import games
from shangyou.agents.net import NetAgent
from shangyou.evaluation.exported import compare
from shangyou.games import BadInput
from shangyou.nets.dual import Pairs, Past
from shangyou.nets.export import halved, to_onnx
from shangyou.nets.linear import FEATURES, Linear
from shangyou.nets.paper_nets import CONV_LSTM, DEEP_Q, EXPERIMENT_1, EXPERIMENT_2, EXPERIMENT_5, LSTM, NetSpec, Panel, Stack

GAME = games.load("zsy2")


def some_pairs(count: int = 12, turns: int = 0) -> Pairs:
    torch.manual_seed(3)
    sets = (torch.randint(0, 5, (4, count, 15)) << 4 * torch.arange(15)).sum(-1)
    past = Past(torch.randint(0, 9000, (count, turns)), torch.randint(-1, 2, (count, turns))) if turns else None
    return Pairs(*sets, past)


def make(*specs: NetSpec) -> Stack:
    torch.manual_seed(0)
    return Stack(GAME, specs).eval().requires_grad_(False)


SIZES = {
    "DenseNet1": 300 * 300 + 300 + 300 * 40 + 40 + 41,
    "DenseNet4": 300 * 300 + 300 + 300 * 400 + 400 + 400 * 40 + 40 + 41,
    "ConvNet1": 9 * 32 + 32 + 288 * 64 + 64 + 3584 * 100 + 100 + 101,
    "ConvNet3": 9 * 32 + 32 + 288 * 64 + 64 + 192 * 128 + 128 + 6912 * 100 + 100 + 101,
    "ConvNet5": 9 * 32 + 32 + 288 * 64 + 64 + 192 * 128 + 128 + 128 * 32 + 32 + 1728 * 100 + 100 + 101,
}


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_nets_have_the_weights_of_the_table(name, size):
    assert sum(weight.numel() for weight in make(EXPERIMENT_2[name]).parameters()) == size


def test_experiments_have_their_nets():
    assert [len(nets) for nets in (EXPERIMENT_1, EXPERIMENT_2, EXPERIMENT_5)] == [5, 12, 24]
    assert EXPERIMENT_5["ConvNet3"] == EXPERIMENT_5["ConvNet4"] == EXPERIMENT_2["ConvNet2"]
    assert EXPERIMENT_2["ConvNet2"].slope == 0.2
    assert EXPERIMENT_5["ConvNet2"].slope == 0.0  # the same name means another net
    assert len({spec.shape for spec in EXPERIMENT_5.values()}) == 5


def test_windows_are_convolutions():
    stack = make(EXPERIMENT_2["ConvNet6"], EXPERIMENT_2["ConvNet5"])
    array = stack.encoder.array(some_pairs()).float()
    found = stack.logits(array)
    for k, slope in enumerate((0.2, 0.0)):
        first, second, third, fourth, dense, last = (weight[k] for weight in stack.weights)
        x = functional.leaky_relu(functional.conv2d(array[:, None], first.T.reshape(32, 1, 3, 3)), slope)
        x = functional.leaky_relu(functional.conv2d(x, second.reshape(3, 3, 32, 64).permute(3, 2, 1, 0)), slope)
        x = functional.leaky_relu(functional.conv2d(x, third.reshape(3, 64, 128).permute(2, 1, 0)[:, :, None]), slope)
        x = functional.leaky_relu(functional.conv2d(x, fourth.T[:, :, None, None]), slope)
        x = torch.sigmoid(x[:, :, 0].transpose(1, 2).flatten(1) @ dense) @ last
        torch.testing.assert_close(found[k], x[:, 0])


@pytest.mark.parametrize(
    "spec", [DEEP_Q, EXPERIMENT_2["ConvNet1"], LSTM, CONV_LSTM], ids=["dense", "conv", "lstm", "conv lstm"]
)
def test_a_stack_is_its_nets_side_by_side(spec):
    stack, pairs = make(spec, spec, spec), some_pairs(turns=spec.turns)
    together = stack(pairs)
    assert together.shape == (3, 12)
    assert not torch.equal(together[0], together[1])
    for k in range(3):
        torch.testing.assert_close(stack.pick([k])(pairs)[0], together[k])


def test_nets_of_different_shapes_are_no_stack():
    with pytest.raises(BadInput, match="different shapes"):
        make(DEEP_Q, LSTM)


def test_an_lstm_hears_the_order_of_plays():
    stack, pairs = make(LSTM), some_pairs(turns=15)
    turned = pairs._replace(past=Past(pairs.past.plays.flip(1), pairs.past.by.flip(1)))
    assert (stack(pairs) - stack(turned)).abs().min() > 1e-6


def test_a_panel_lies_where_its_nets_are():
    elsewhere = torch.device("meta")
    panel = Panel([Stack(GAME, [DEEP_Q]).to(elsewhere), Stack(GAME, [LSTM]).to(elsewhere)])
    assert {tensor.device for tensor in (*panel.parameters(), *panel.buffers())} == {elsewhere}


def test_a_panel_joins_chances():
    stack, pairs = make(DEEP_Q, DEEP_Q), some_pairs()
    chances = torch.sigmoid(stack(pairs))
    for how, joined in (("min", chances.amin(0)), ("mean", chances.mean(0)), ("max", chances.amax(0))):
        panel = Panel([stack.pick([0]), stack.pick([1])], how)
        torch.testing.assert_close(panel.joined(torch.sigmoid(panel.logits(pairs))), joined)
    with pytest.raises(BadInput, match="joined by min, mean, max"):
        Panel([stack], "median")


def some_panel(label: str) -> Panel:
    torch.manual_seed(1)
    if label == "linear":
        net = Linear(GAME)
        torch.nn.init.normal_(net.weight)
        return Panel([net])
    small = {"lstm": [LSTM], "min of two shapes": [EXPERIMENT_2["ConvNet5"], DEEP_Q]}[label]
    return Panel([Stack(GAME, [spec.thinned(4)]) for spec in small], "min")


@pytest.mark.parametrize("label", ["linear", "lstm", "min of two shapes"])
def test_an_exported_panel_says_the_same(label, tmp_path):
    panel, path = some_panel(label).eval(), Path(tmp_path / "panel.onnx")
    path.write_bytes(to_onnx(panel, GAME, {"what": label}))
    agent = NetAgent(path, label)
    assert agent.model.info.about == {"what": label}
    found = compare(halved(panel), agent, GAME, positions=60)
    assert found.win < 1e-3
    assert found.same_choice == 1.0


def test_the_features_of_a_position():
    game = games.load("zsy2")
    net, deck = Linear(game), game.deck
    mine, theirs, after, play = (deck.parse(text) for text in ("33", "4 5", "66 7 2 B", "88"))
    found = dict(
        zip(
            FEATURES,
            net.features(Pairs(*(torch.tensor([cards]) for cards in (mine, theirs, after, play))))[0].tolist(),
            strict=True,
        )
    )
    expected = {
        "cards left": 0.5,
        "opponent's cards left": 1.6,
        "singles": 0.6,
        "pairs": 0.2,
        "jokers": 1.0,
        "twos": 0.5,
        "is pass": 0.0,
    }
    expected |= {
        "cards played": 0.4,
        "highest is mine": 1.0,
        "ranks above all unseen": 0.5,
        "low singles": 0.2,
        "nothing left": 0.0,
    }
    assert {name: round(found[name], 6) for name in expected} == expected
