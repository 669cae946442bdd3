"""Models small enough for tests: untrained nets, exported once in a process, and files that only look like models."""

import json
from functools import cache

import onnx
import torch
from onnx import TensorProto, helper

from shangyou import games
from shangyou.nets.export import to_onnx
from shangyou.nets.value_net import Size, ValueNet

SIZE = Size(trunk=24, trunk_depth=1, head=16, head_depth=1, turns=6)


@cache
def tiny_net(name, **rules):
    """An untrained net that tells plays apart more than a fresh one does."""
    torch.manual_seed(5)
    net = ValueNet(games.load(name, **rules), SIZE, points_scale=4.0).eval()
    with torch.no_grad():
        net.answer.weight *= 4
    return net


@cache
def tiny_model(name, **rules):
    """Its bytes; making them takes seconds."""
    about = {"progress": {"games": 2_000_000, "seconds": 120.0, "strength": {"greedy": [0.75, 1.5]}}}
    return to_onnx(tiny_net(name, **rules), games.load(name, **rules), about)


def write_tiny(folder, name, **rules):
    path = folder / f"{name}.onnx"
    path.write_bytes(tiny_model(name, **rules))
    return path


def hollow_model(asks="hand", **changes):
    """The bytes of a model with the metadata of one for doudizhu, with these changes, that can do nothing; None leaves out."""
    game = games.load("doudizhu")
    says = {"kind": "value", "game": game.name, "rules": str(game.rules), "table": game.table.hash, "encoding": 1}
    says |= {"turns": 5, "about": {}} | changes
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in (asks, "y")]
    graph = helper.make_graph([helper.make_node("Identity", [asks], ["y"])], "hollow", value[:1], value[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    helper.set_model_props(model, {key: json.dumps(value) for key, value in says.items() if value is not None})
    onnx.checker.check_model(model)
    return model.SerializeToString()
