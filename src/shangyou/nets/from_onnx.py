"""A value net from its exported model, so that it plays on a GPU: `nets/export.py` read backwards.

A model stores its layers in the order in which they are computed, those of a pruned net without the units that never fire. The
net has a place for every unit that fires anywhere in a row of residual layers; a layer adds to the places of its own units and
leaves the others as they are, which zeros in its weights do.

w units of a layer, k numbers that it reads.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from shangyou.games import BadInput, Game
from shangyou.nets.encoding import padded
from shangyou.nets.value_net import Residual, Size, ValueNet


class Layer(NamedTuple):
    weight: Tensor  # [w, k]
    bias: Tensor | None  # [w]


class Places(NamedTuple):
    """Where the numbers of a layer stand among all units of its row of residual layers."""

    read: Tensor  # [k]
    written: Tensor  # [w]


class Layers(NamedTuple):
    """The layers of a value net as a model stores them."""

    look: Layer
    trunk: list[Layer]
    to_head: Layer
    of_pair: Layer  # of the play, then of the hand after it
    head: list[Layer]
    answer: Layer


UNKNOWN = "the model is no value net whose layers this version knows"


@torch.no_grad()
def from_onnx(content: bytes, game: Game, turns: int, opponent_kind: bool = False) -> ValueNet:
    """The net of an exported model that reads so many past plays, and the kind of opponent if it has that input.

    Only value nets without normalisation can be read.
    """
    graph = onnx.load_from_string(content).graph
    if any(node.op_type == "LayerNormalization" for node in graph.node):
        raise BadInput(UNKNOWN)
    stored = _arranged(_layers(graph))
    in_trunk, trunk_width = _places(stored.trunk, stored.to_head, len(stored.look.weight))
    in_head, head_width = _places(stored.head, stored.answer, len(stored.to_head.weight))
    widths = padded(trunk_width), len(stored.trunk), padded(head_width), len(stored.head)
    size = Size(*widths, turns, opponent_kind=opponent_kind)
    net = ValueNet(game, size, _points_scale(graph)).eval()
    look, play = stored.look.weight.shape[1], net.encoder.play_width
    if look != net.encoder.width or stored.of_pair.weight.shape[1] != play + net.encoder.counts_width:
        raise BadInput(f"the model reads {look} numbers of a position, not {net.encoder.width}")
    _fill(net.look, stored.look)
    _fill(net.of_play, Layer(stored.of_pair.weight[:, :play], None))
    _fill(net.of_rest, Layer(stored.of_pair.weight[:, play:], None))
    _fill(net.to_head, stored.to_head, in_trunk[-1].read)
    _fill(net.answer, stored.answer, in_head[-1].read)
    for blocks, layers, places in ((net.trunk, stored.trunk, in_trunk), (net.head, stored.head, in_head)):
        for block, layer, place in zip(blocks, layers, places[:-1], strict=True):
            assert isinstance(block, Residual)
            _fill(block.linear, layer, *place)
    return net


def _arranged(layers: list[Layer]) -> Layers:
    """Layers without a bias, of which an unpruned net has two, read plays: they add to the output of the trunk."""
    pairs = [i for i, layer in enumerate(layers) if layer.bias is None]
    if not pairs or pairs[0] < 2 or pairs[-1] > len(layers) - 2 or len({len(layers[i].weight) for i in pairs}) > 1:
        raise BadInput(UNKNOWN)
    look, *trunk, to_head = layers[: pairs[0]]
    *head, answer = layers[pairs[-1] + 1 :]
    return Layers(look, trunk, to_head, Layer(torch.cat([layers[i].weight for i in pairs], 1), None), head, answer)


def _fill(linear: nn.Linear, layer: Layer, read: Tensor | None = None, written: Tensor | None = None) -> None:
    """Weights of a stored layer at their places, by default the first ones; zeros elsewhere."""
    written = torch.arange(len(layer.weight)) if written is None else written
    read = torch.arange(layer.weight.shape[1]) if read is None else read
    linear.weight.zero_()
    linear.weight[written[:, None], read] = layer.weight
    if layer.bias is not None:
        linear.bias.zero_()
        linear.bias[written] = layer.bias


def _places(layers: Sequence[Layer], reader: Layer, given: int) -> tuple[list[Places], int]:
    """The places of each residual layer and of the layer that reads what they add up to, and how many places there are.

    The first layer of a pruned net adds to the last of the given units, and to new ones. What a later one computes stands
    beside what was known: a unit that was there before comes twice, and is found by the weights with which both are read.
    """
    known, width, places = torch.arange(given), given, list[Places]()
    for i, (layer, following) in enumerate(pairwise([*layers, reader])):
        units, new = len(layer.weight), following.weight.shape[1] - len(known)
        if not 0 <= new <= units:
            raise BadInput(UNKNOWN)
        written = torch.arange(width - (units - new), width + new)
        if i and new:
            written = _matched(torch.cat([later.weight[:, : len(known) + new] for later in (*layers[i + 1 :], reader)]), known)
        places.append(Places(known, written))
        width = max(width, int(written.max()) + 1)
        known = torch.cat([known, written[units - new :]])
    return [*places, Places(known, known[:0])], width


def _matched(read_with: Tensor, known: Tensor) -> Tensor:
    """The places of the units in the last columns: those of known units [k] that are read with the same weights, else new ones.

    No two units of a layer share a place.
    """
    columns = [column.tobytes() for column in read_with.T.contiguous().numpy()]
    free = dict(zip(columns, known.tolist(), strict=False))
    places, width = list[int](), int(known.max()) + 1
    for column in columns[len(known) :]:
        places.append(free.pop(column, width))
        width += places[-1] == width
    return torch.tensor(places)


# -- what the file holds ----------------------------------------------------------------------------------------------


def _layers(graph: onnx.GraphProto) -> list[Layer]:
    """The linear layers in the order in which they are computed. One that reads several tensors is a sum in the file."""
    constants, layers, sums = _Constants(graph), list[Layer](), dict[str, int]()
    for node in graph.node:
        if node.op_type != "Gemm":
            continue
        weight, bias = constants.get(node.input[1]), node.input[2] if len(node.input) > 2 else ""
        if weight is None:
            raise BadInput(UNKNOWN)
        transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
        matrix, number = torch.tensor(weight if transposed else weight.T), sums.get(bias, len(layers))
        if number < len(layers):
            layers[number] = Layer(torch.cat([layers[number].weight, matrix], 1), layers[number].bias)
        else:
            added = constants.get(bias)
            layers.append(Layer(matrix, None if added is None else torch.tensor(added)))
        sums[node.output[0]] = number
    return layers


def _points_scale(graph: onnx.GraphProto) -> float:
    """What the answer is multiplied by to give points."""
    (last,) = (node for node in graph.node if "points" in node.output)
    scale = _Constants(graph).get(last.input[1]) if last.op_type == "Mul" else None
    return 1.0 if scale is None else float(scale)


class _Constants:
    """The arrays of a file by name, and what it makes of them before it is asked anything."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.stored = {tensor.name: tensor for tensor in graph.initializer}
        self.made = {node.output[0]: node for node in graph.node if node.op_type in ("Cast", "Transpose", "Slice")}

    def get(self, name: str) -> "np.ndarray | None":
        if name in self.stored:
            return numpy_helper.to_array(self.stored[name])
        if name not in self.made:
            return None
        inputs = [self.get(part) for part in self.made[name].input]
        array = inputs[0]
        if array is None or any(part is None for part in inputs):
            return None
        if self.made[name].op_type == "Slice":
            start, end, axis, step = (int(part.item()) for part in inputs[1:] if part is not None)
            return array[(slice(None),) * axis + (slice(start, end, step),)]
        return array.astype(np.float32) if self.made[name].op_type == "Cast" else array.T
