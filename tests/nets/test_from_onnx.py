"""The net of an exported model, loaded into torch, answers as the model does."""

from __future__ import annotations

import pytest
import torch

from nets.test_pruning import asked, net_of, silence
from shangyou import agents, games
from shangyou.agents.models.model_files import find_model
from shangyou.agents.models.net_agent import NetAgent
from shangyou.evaluation.exported import compare
from shangyou.games import BadInput
from shangyou.nets.export import halved, to_onnx
from shangyou.nets.from_onnx import from_onnx
from shangyou.nets.pruning import PrunedNet, activation_stats
from shangyou.nets.value_net import Size
from tiny_models import tiny_model, tiny_net


@pytest.mark.parametrize("name", games.names())
def test_a_champion_in_torch_is_the_champion(name):
    game, path = games.load(name), find_model(f"champion/{name}")
    net = from_onnx(path.read_bytes(), game, NetAgent(path, name).model.info.turns)
    found = compare(net, NetAgent(path, name), game, positions=300, seed=3)
    assert found.differences["win"] < 1e-5
    assert found.differences["points"] < 1e-4
    assert found.same_choice > 0.99


@pytest.mark.parametrize("name", ["zsy2", "zsy4"])
def test_a_champion_has_a_place_for_each_unit_once(name):
    """Units that fire in several layers share a place: the net is not wider than the one that was trained."""
    path = find_model(f"champion/{name}")
    size = from_onnx(path.read_bytes(), games.load(name), 15).size
    trained = NetAgent(path, name).model.info.about["training"]["size"]
    assert size.trunk <= trained["trunk"]
    assert size.head <= trained["head"]
    assert (size.trunk_depth, size.head_depth) == (trained["trunk_depth"], trained["head_depth"])


def test_a_net_that_was_not_pruned():
    net = from_onnx(tiny_model("zsy2"), games.load("zsy2"), 6)
    expected = halved(tiny_net("zsy2"))
    assert net.points_scale == expected.points_scale
    assert torch.equal(net.head[0].linear.weight, expected.head[0].linear.weight)
    assert torch.equal(net.answer.weight, expected.answer.weight)
    assert torch.equal(net.look.weight[:24], expected.look.weight)
    torch.testing.assert_close(net(*asked(expected)), expected(*asked(expected)))


@pytest.mark.parametrize("depth", [1, 3])
def test_pruned_nets_of_other_depths(depth):
    net = net_of("zsy2", trunk_depth=depth, head_depth=depth)
    silence(net)
    question = asked(net)
    slim = PrunedNet(net, [layer.firing() for layer in activation_stats(net, *question)])
    again = from_onnx(to_onnx(slim, games.load("zsy2"), {}), games.load("zsy2"), 3)
    assert (again.size.trunk_depth, again.size.head_depth) == (depth, depth)
    assert again.size.trunk <= 32
    torch.testing.assert_close(again(*question), halved(slim)(*question), rtol=1e-4, atol=1e-5)


def test_other_nets_are_refused():
    paper = find_model("paper/convnet2").read_bytes()
    with pytest.raises(BadInput, match="no value net"):
        from_onnx(paper, games.load("zsy2"), 0)
    with pytest.raises(BadInput, match="numbers of a position"):
        from_onnx(tiny_model("zsy2"), games.load("zsy2"), 5)
    normalised = net_of("zsy2", **vars(Size(trunk=8, trunk_depth=1, head=8, head_depth=1, turns=0, norm=True)))
    with pytest.raises(BadInput, match="no value net"):
        from_onnx(to_onnx(normalised, games.load("zsy2"), {}), games.load("zsy2"), 0)


def test_agents_are_the_same_on_a_gpu():
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    from recorded_games import record
    from shangyou.agents.batch import load_batch
    from shangyou.engines.batch import BatchEngine

    game = games.load("doudizhu")
    here = record(BatchEngine(game), [load_batch(agents.strongest(game), game)] * 3, 20, 1)
    there = record(BatchEngine(game, "cuda"), [load_batch(agents.strongest(game), game, device="cuda")] * 3, 20, 1)
    same = sum(here.of_game(i)[:8] == there.of_game(i)[:8] for i in range(20))
    assert same > 10  # half precision may choose another of two plays that are equally good
