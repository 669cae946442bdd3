"""The nets of the tables: their sizes, that a stack is its nets side by side, that convolutions are looked up right."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.nn import functional

from shangyou import games
from shangyou.agents.models.net_agent import NetAgent
from shangyou.evaluation.exported import compare
from shangyou.games import BadInput
from shangyou.nets.export import halved, to_onnx
from shangyou.nets.papers import CONV_LSTM, DEEP_Q, EXPERIMENT_1, EXPERIMENT_2, EXPERIMENT_5, LSTM, Ensemble, NetSpec, Stack
from shangyou.nets.papers.encoding import DualEncoder, EncodedBatch, Pairs, Past
from shangyou.nets.papers.linear import FEATURES, Linear

GAME = games.load("zsy2")


def some_pairs(count: int = 12, turns: int = 0) -> Pairs:
    torch.manual_seed(3)
    sets = (torch.randint(0, 5, (4, count, 15)) << 4 * torch.arange(15)).sum(-1)
    past = Past(torch.randint(0, 9000, (count, turns)), torch.randint(-1, 2, (count, turns))) if turns else None
    return Pairs(*sets, past)


def some_encoded(count: int = 12, turns: int = 0) -> EncodedBatch:
    return DualEncoder(GAME, turns).encoded(some_pairs(count, turns))


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


def by_convolutions(stack: Stack, k: int, array: torch.Tensor) -> torch.Tensor:
    """[N] what net k says, computed as the papers' framework does."""
    *convs, dense, last = (weight[k] for weight in stack.weights)
    *shifts, dense_bias, last_bias = (bias[k, 0] for bias in stack.biases)
    first, second, *others = convs
    shapes = [first.T.reshape(-1, 1, 3, 3), second.reshape(3, 3, first.shape[1], -1).permute(3, 2, 1, 0)]
    for (width, out), weight in zip(stack.spec.convs[2:], others, strict=True):
        shapes.append(weight.reshape(width, -1, out).permute(2, 1, 0)[:, :, None])
    x = array[:, None]
    for shape, shift in zip(shapes, shifts, strict=True):
        x = functional.leaky_relu(functional.conv2d(x, shape, shift), stack.specs[k].slope)
    return (torch.sigmoid(x[:, :, 0].transpose(1, 2).flatten(1) @ dense + dense_bias) @ last + last_bias)[:, 0]


CONVOLUTIONAL = [("ConvNet2", "ConvNet1"), ("ConvNet6", "ConvNet5")]


def with_biases(*specs: NetSpec) -> Stack:
    """At the start all are zero."""
    stack = make(*specs)
    for bias in stack.biases:
        bias.uniform_(-0.5, 0.5)
    return stack


@pytest.mark.parametrize("names", CONVOLUTIONAL)
@pytest.mark.parametrize("settled", [False, True])
def test_what_is_looked_up_is_convolutions(names, settled):
    stack = with_biases(*(EXPERIMENT_2[name] for name in names))
    if settled:
        stack.freeze()
    blank = torch.arange(12)[:, None] % 3 > torch.arange(2)  # of some both sets of cards played, of others one or none
    encoded = DualEncoder(GAME, 0).encoded(some_pairs()._replace(blank=blank))
    found = stack(encoded)
    for k in range(2):
        torch.testing.assert_close(found[k], by_convolutions(stack, k, encoded.array))


@pytest.mark.parametrize("names", CONVOLUTIONAL)
@pytest.mark.parametrize("count", [12, 13, 64])
def test_the_way_back_is_that_of_convolutions(names, count):
    """Also where the pairs do not fall into equal pieces."""
    stack = with_biases(*(EXPERIMENT_2[name] for name in names)).requires_grad_(True)
    encoded, wanted = some_encoded(count), torch.randn(2, count)
    slopes = torch.autograd.grad((stack(encoded) * wanted).sum(), list(stack.parameters()))
    loss = sum((by_convolutions(stack, k, encoded.array) * wanted[k]).sum() for k in range(2))
    for mine, theirs in zip(slopes, torch.autograd.grad(loss, list(stack.parameters())), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_a_settled_net_no_longer_learns():
    stack = with_biases(EXPERIMENT_2["ConvNet1"])
    stack.freeze()
    before = stack(some_encoded())
    stack.weights[0] += 1.0
    assert torch.equal(stack(some_encoded()), before)
    assert not torch.equal(stack.pick([0])(some_encoded()), before)


@pytest.mark.parametrize(
    "spec", [DEEP_Q, EXPERIMENT_2["ConvNet1"], LSTM, CONV_LSTM], ids=["dense", "conv", "lstm", "conv lstm"]
)
def test_a_stack_is_its_nets_side_by_side(spec):
    stack, encoded = make(spec, spec, spec), some_encoded(turns=spec.turns)
    together = stack(encoded)
    assert together.shape == (3, 12)
    assert not torch.equal(together[0], together[1])
    for k in range(3):
        torch.testing.assert_close(stack.pick([k])(encoded)[0], together[k])


def test_nets_of_different_shapes_are_no_stack():
    with pytest.raises(BadInput, match="different shapes"):
        make(DEEP_Q, LSTM)


def test_an_lstm_hears_the_order_of_plays():
    stack, pairs = make(LSTM), some_pairs(turns=15)
    turned = pairs._replace(past=Past(pairs.past.plays.flip(1), pairs.past.by.flip(1)))
    encoder = DualEncoder(GAME, 15)
    assert (stack(encoder.encoded(pairs)) - stack(encoder.encoded(turned))).abs().min() > 1e-6


def test_an_ensemble_is_on_the_device_of_its_nets():
    elsewhere = torch.device("meta")
    ensemble = Ensemble([Stack(GAME, [DEEP_Q]).to(elsewhere), Stack(GAME, [LSTM]).to(elsewhere)])
    assert {tensor.device for tensor in (*ensemble.parameters(), *ensemble.buffers())} == {elsewhere}


def test_an_ensemble_joins_chances():
    stack, pairs = make(DEEP_Q, DEEP_Q), some_pairs()
    chances = torch.sigmoid(stack(some_encoded()))
    for how, joined in (("min", chances.amin(0)), ("mean", chances.mean(0)), ("max", chances.amax(0))):
        ensemble = Ensemble([stack.pick([0]), stack.pick([1])], how)
        torch.testing.assert_close(ensemble.joined(torch.sigmoid(ensemble.logits(pairs))), joined)
    with pytest.raises(BadInput, match="joined by min, mean, max"):
        Ensemble([stack], "median")


def some_ensemble(label: str) -> Ensemble:
    torch.manual_seed(1)
    if label == "linear":
        net = Linear(GAME)
        torch.nn.init.normal_(net.weight)
        return Ensemble([net])
    if label == "sure to lose":
        net = Stack(GAME, [DEEP_Q])
        torch.nn.init.constant_(net.biases[-1], -40.0)  # as the swapped loss makes them
        return Ensemble([net])
    small = {"lstm": [LSTM], "min of two shapes": [EXPERIMENT_2["ConvNet5"], DEEP_Q]}[label]
    return Ensemble([Stack(GAME, [spec.scaled_down(4)]) for spec in small], "min")


@pytest.mark.parametrize("label", ["linear", "lstm", "min of two shapes", "sure to lose"])
def test_an_exported_ensemble_says_the_same(label, tmp_path):
    ensemble, path = some_ensemble(label).eval(), Path(tmp_path / "ensemble.onnx")
    path.write_bytes(to_onnx(ensemble, GAME, {"what": label}))
    agent = NetAgent(path, label)
    assert agent.model.info.about == {"what": label}
    found = compare(halved(ensemble), agent, GAME, positions=60)
    assert found.differences["win"] < 1e-3
    assert found.same_choice == 1.0


def test_the_features_of_a_position():
    game = games.load("zsy2")
    net, deck, encoder = Linear(game), game.deck, DualEncoder(game, 0)
    mine, theirs, after, play = (deck.parse(text) for text in ("33", "4 5", "66 7 2 B", "88"))
    found = dict(
        zip(
            FEATURES,
            net.features(encoder.encoded(Pairs(*(torch.tensor([cards]) for cards in (mine, theirs, after, play)))))[0].tolist(),
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
