"""A net as an ONNX file that plays by itself: encoding, table of plays and weights inside, what it is for in its metadata."""

from __future__ import annotations

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
from shangyou.nets.bid_net import BidNet
from shangyou.nets.inputs import Inputs
from shangyou.nets.paper_nets import Panel
from shangyou.nets.spec import ENCODING
from shangyou.nets.thin import ThinNet
from shangyou.nets.value_net import ValueNet

WORTH_HALVING = 4096  # numbers; smaller arrays stay as they are, the last layer among them


class _Flat(nn.Module):
    """A net with one argument for every input of the exported model."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net


class _FlatBids(_Flat):
    def forward(self, *tensors: Tensor) -> Tensor:
        return self.net(*tensors)  # type: ignore[no-any-return]


class _FlatValue(_Flat):
    def forward(self, *tensors: Tensor) -> tuple[Tensor, Tensor]:
        *seen, rows, plays = tensors
        win, points = self.net(Inputs(*seen), rows, plays)
        return win, points


def to_onnx(net: ValueNet | ThinNet | Panel, game: Game, about: dict[str, Any]) -> bytes:
    """The bytes of the file. `about` is for people: how the net was trained, how strong it is."""
    positions, pairs = torch.export.Dim("positions", min=1), torch.export.Dim("pairs", min=1)
    lengths = [positions] * len(Inputs._fields) + [pairs] * 2
    model = _export(_FlatValue(net), [*Inputs._fields, "rows", "plays"], _example(net), lengths, ["win", "points"])
    return _with_metadata(model, "value", game, net.size.turns, about)


def bids_to_onnx(net: BidNet, game: Game, about: dict[str, Any]) -> bytes:
    """The same for the net that bids."""
    hands = torch.export.Dim("hands", min=1)
    example = torch.zeros(3, net.encoder.words, dtype=torch.int64), torch.zeros(3, net.seats, dtype=torch.int64)
    model = _export(_FlatBids(net), ["hand", "bids"], example, [hands, hands], ["points"])
    return _with_metadata(model, "bids", game, 0, about)


def _export(net: nn.Module, inputs: list[str], example: tuple[Tensor, ...], lengths: list[Any], outputs: list[str]) -> Any:
    """A model whose inputs may be of any length in their first dimension, equal where `lengths` says the same."""
    net = deepcopy(net).cpu().float().eval()
    dynamic: Any = tuple({0: length} for length in lengths)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # of the exporter about its own parts
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            net, example, None, input_names=inputs, output_names=outputs, dynamic_shapes=(dynamic,),
            dynamo=True, verbose=False,
        )  # fmt: skip
    assert program is not None
    return program.model_proto


def _with_metadata(model: onnx.ModelProto, kind: str, game: Game, turns: int, about: dict[str, Any]) -> bytes:
    forget_origin(model)
    halve_weights(model)
    says = {
        "kind": kind,
        "game": game.name,
        "rules": str(game.rules),
        "table": game.table.hash,
        "encoding": ENCODING,
        "turns": turns,
        "about": about,
    }
    helper.set_model_props(model, {key: json.dumps(value) for key, value in says.items()})
    onnx.checker.check_model(model)
    return model.SerializeToString()  # type: ignore[no-any-return]


def _example(net: ValueNet | ThinNet | Panel) -> tuple[Tensor, ...]:
    """Positions of the right shapes."""
    n, seats, words, turns = 3, net.encoder.seats, net.encoder.words, net.size.turns
    shapes = {"hand": (n, words), "unseen": (n, words), "played": (n, seats, words), "left": (n, seats), "passed": (n, seats)}
    shapes |= {"history": (n, turns), "history_by": (n, turns)}
    seen = [torch.zeros(shapes.get(name, (n,)), dtype=torch.int64) for name in Inputs._fields]
    return *seen, torch.tensor([0, 0, 1, 2, 2]), torch.zeros(5, dtype=torch.int64)


def halved(net: ValueNet) -> ValueNet:
    """A copy with the weights that an exported model has: rounded to half precision, and whole again."""
    copy = deepcopy(net).cpu().float()
    for weight in copy.parameters():
        if weight.numel() >= WORTH_HALVING:
            weight.data = weight.data.half().float()
    return copy


def forget_origin(model: onnx.ModelProto) -> None:
    """The exporter notes for every node which line of which file on this machine it came from: nobody's business, and large."""
    graph = model.graph
    for part in (graph, *graph.node, *graph.initializer, *graph.input, *graph.output):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    graph.ClearField("value_info")


def halve_weights(model: onnx.ModelProto) -> None:
    """Large arrays kept in half precision, and made whole when the model is loaded."""
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
