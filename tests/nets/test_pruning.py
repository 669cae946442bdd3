"""A thin net says what the net says of which it was made, and has no unit more than it needs."""

from __future__ import annotations

import pytest
import torch

from nets.test_encoding import random_inputs
from recorded_games import record
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.engines.batch import BatchEngine
from shangyou.nets.inputs import inputs_of
from shangyou.nets.pruning import ActivationStats, PrunedNet, activation_stats
from shangyou.nets.value_net import Size, ValueNet
from shangyou.training.pruning import prune

SIZE = Size(trunk=24, trunk_depth=2, head=16, head_depth=2, turns=3)


def net_of(name: str, **changed: object) -> ValueNet:
    torch.manual_seed(0)
    return ValueNet(games.load(name), Size(**{**vars(SIZE), **changed}), points_scale=3.0).eval()  # type: ignore[arg-type]


def asked(net: ValueNet, n: int = 40):
    plays = len(net.encoder.play_cards)
    seen = random_inputs(net.encoder, plays, n=n)
    rows = torch.arange(n).repeat_interleave(3)
    return seen, rows, torch.randint(plays, (3 * n,), generator=torch.Generator().manual_seed(1))


def silence(net: ValueNet) -> None:
    """Units that never fire: four of each layer but the pairs', of those five."""
    for layer in (net.look, *(block.linear for block in net.trunk), *(block.linear for block in net.head)):
        layer.bias.data[:4] = -1e3
    net.to_head.bias.data[:5] = -1e3


@pytest.mark.parametrize("name", games.names())
def test_with_all_units_it_is_the_net(name):
    net = net_of(name)
    seen, rows, plays = asked(net)
    slim = PrunedNet(net, [torch.arange(width) for width in (24, 24, 24, 16, 16, 16)])
    assert [len(layer.weight) for layer in slim.trunk.layers] == [24, 24]
    torch.testing.assert_close(slim(seen, rows, plays), net(seen, rows, plays))


@pytest.mark.parametrize("name", games.names())
def test_without_those_that_never_fire_it_says_the_same(name):
    net = net_of(name)
    silence(net)
    seen, rows, plays = asked(net)
    slim = PrunedNet(net, [layer.firing() for layer in activation_stats(net, seen, rows, plays)])
    assert len(slim.look.weight) <= 20
    assert all(len(layer.weight) <= 20 for layer in slim.trunk.layers)
    assert len(slim.of_pair) <= 11
    assert all(len(layer.weight) <= 12 for layer in slim.head.layers)
    torch.testing.assert_close(slim(seen, rows, plays), net(seen, rows, plays))


def test_what_is_watched_is_what_the_net_does():
    """Found by listening in on its layers."""
    net = net_of("zsy2")
    seen, rows, plays = asked(net)
    heard = []
    for layer in (net.look, *(block.linear for block in net.trunk), *(block.linear for block in net.head)):
        layer.register_forward_hook(lambda _, __, given: heard.append(given))
    net(seen, rows, plays)
    look, *trunk, _, head_0, head_1 = activation_stats(net, seen, rows, plays)
    for found, values in zip([look, *trunk, head_0, head_1], heard, strict=False):
        torch.testing.assert_close((found.highest, found.total), (values.amax(0), values.sum(0)))
        assert found.number == len(values)


def test_which_units_fire():
    def units(*columns):
        return ActivationStats.of(torch.tensor(columns).T).firing().tolist()

    assert units([-1.0, 2.0], [-5.0, -4.0], [0.0, 0.0]) == [0, 2]
    assert units([-2.1, -0.1], [-2.1, -1.1]) == [0]  # the first is near zero, seen from how far it has risen
    assert units([-3.0, -2.0], [-2.0, -1.0]) == [1]  # a layer needs a unit


def test_watching_in_parts_is_watching_all():
    values = torch.randn(30, 7, generator=torch.Generator().manual_seed(0))
    parts = ActivationStats.of(values[:11]).and_also(ActivationStats.of(values[11:]))
    torch.testing.assert_close(tuple(parts), tuple(ActivationStats.of(values)))


def test_what_is_seen_at_the_table_is_enough():
    """Units silenced for good are found in a few games, and none that other games need."""
    net, game = net_of("zsy2"), games.load("zsy2")
    silence(net)
    slim = prune(net, game, games=200)
    assert len(slim.look.weight) <= 20
    seen = record(BatchEngine(game), [load_batch("random", game)] * 2, 50, seed=77, views=True)
    inputs, plays = inputs_of(seen.views, torch.zeros_like(seen.play)), seen.play.long()
    torch.testing.assert_close(slim(inputs, torch.arange(len(plays)), plays), net(inputs, torch.arange(len(plays)), plays))


def test_a_net_that_normalises_is_refused():
    net = net_of("zsy2", norm=True)
    with pytest.raises(ValueError, match="normalises"):
        PrunedNet(net, [])
