"""Export of a net as an ONNX file with encoder, table of plays and weights inside, and game and rules in its metadata."""

import json
import logging
import warnings
from copy import deepcopy
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import Tensor, nn

from shangyou.games import Game
from shangyou.nets.net import Net
from shangyou.nets.spec import ENCODING, OBJECTIVES

WORTH_HALVING = 4096  # numbers; smaller arrays stay as they are, the last layer among them


class _Flat(nn.Module):
    """A net with one argument for every input of the exported model."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, *inputs: Tensor) -> Any:
        return self.net.run(*inputs)


def to_onnx(net: Net, game: Game, about: dict[str, Any]) -> bytes:
    """The bytes of the ONNX file. `about` is for people: how the net was trained, how strong it is."""
    example = net.example()
    lengths = {count: torch.export.Dim(count, min=1) for count, _ in example.values()}
    dynamic: Any = tuple({0: lengths[count]} for count, _ in example.values())
    flat = deepcopy(_Flat(net)).cpu().float().eval()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # of the exporter about its own parts
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            flat, tuple(value for _, value in example.values()), None, input_names=list(example), output_names=net.answers,
            dynamic_shapes=(dynamic,), dynamo=True, verbose=False,
        )  # fmt: skip
    assert program is not None
    return _with_metadata(program.model_proto, net, game, about)


def _with_metadata(model: onnx.ModelProto, net: Net, game: Game, about: dict[str, Any]) -> bytes:
    forget_origin(model)
    halve_weights(model)
    metadata = {
        "kind": net.kind,
        "game": game.name,
        "rules": str(game.rules),
        "table": game.table.hash,
        "encoding": ENCODING,
        "turns": net.turns,
        "about": about,
    }
    if net.objectives != OBJECTIVES:  # only then: older versions refuse what they do not know
        metadata["objectives"] = net.objectives
    helper.set_model_props(model, {key: json.dumps(value) for key, value in metadata.items()})
    onnx.checker.check_model(model)
    return model.SerializeToString()  # type: ignore[no-any-return]


def halved(net: Net) -> Net:
    """A copy with the weights of an exported model: rounded to half precision, and converted back to float32."""
    copy = deepcopy(net).cpu().float()
    for weight in copy.parameters():
        if weight.numel() >= WORTH_HALVING:
            weight.data = weight.data.half().float()
    return copy


def forget_origin(model: onnx.ModelProto) -> None:
    """Remove the source file and line that the exporter stores for every node: they are private, and large."""
    graph = model.graph
    for part in (graph, *graph.node, *graph.initializer, *graph.input, *graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    graph.ClearField("value_info")


def halve_weights(model: onnx.ModelProto) -> None:
    """Store large arrays in half precision; the model converts them to float32 when it is loaded."""
    graph, casts = model.graph, []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size >= WORTH_HALVING:
            half = numpy_helper.from_array(values.astype(np.float16), f"{tensor.name}_half")
            casts.append(helper.make_node("Cast", [half.name], [tensor.name], to=onnx.TensorProto.FLOAT))
            graph.initializer.remove(tensor)
            graph.initializer.append(half)
    for cast in reversed(casts):
        graph.node.insert(0, cast)
