"""Agents that play a batch of games by an exported model: one call of onnxruntime, on the CPU, for many games, or its net in
torch, on any device."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent, whole_positions
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.agents.models.net_agent import Model, NetAgent
from shangyou.engines.batch import BatchEngine, Legal, View
from shangyou.games import BadInput, Game
from shangyou.nets.hand_net import HandNet, Size
from shangyou.nets.inputs import Inputs, inputs_of
from shangyou.nets.spec import ALL_OBJECTIVES, ENCODING, SPARRING, value_of

PAIRS_AT_ONCE, POSITIONS_AT_ONCE = 1 << 14, 1 << 10  # more would only take memory


class OnnxBatchAgent(BatchAgent):
    """Chooses what `NetAgent` chooses."""

    def __init__(self, game: Game, agent: NetAgent) -> None:
        super().__init__(game, agent.bid)
        self.model, self.name, self.turns, self.objective = agent.model, agent.name, agent.model.info.turns, agent.objective
        self.model.check_plays(game)
        self.engine = BatchEngine(game) if "play_cards" in self.model.inputs else None

    def values(self, view: View, legal: Legal) -> Tensor:
        return value_of(self.answers(view, legal), self.objective)

    def expectations(self, view: View, legal: Legal) -> dict[str, Tensor]:
        return dict(zip(self.model.outputs, self.answers(view, legal), strict=True))

    def answers(self, view: View, legal: Legal) -> list[Tensor]:
        """[N] each: what the model says of the legal plays."""
        seen = inputs_of(view, torch.full_like(view.last, ALL_OBJECTIVES.index(self.objective))).latest(self.turns)
        pieces = []
        for games, pairs in whole_positions(legal, PAIRS_AT_ONCE, POSITIONS_AT_ONCE):
            own = legal.rows[pairs] - games.start
            asked = seen.at(games)._asdict() | {"rows": own, "plays": legal.plays[pairs]}
            if self.engine is not None:
                asked["play_cards"] = self.engine.cards_of(asked["hand"].cpu()[own.cpu()], asked["plays"].cpu())
            pieces.append([column.double() for column in run_on_tensors(self.model, asked)])
        return [torch.cat(column).to(legal.plays.device) for column in zip(*pieces, strict=True)]


class OnnxHandNet(HandNet):
    """The net of hidden hands of an exported model, which gives its scores."""

    def __init__(self, game: Game, path: Path) -> None:
        model = Model(path, kind=self.kind)
        model.check_plays(game)
        super().__init__(game, Size(width=1, depth=0, turns=model.info.turns))
        self.model = model

    def forward(self, seen: Inputs) -> Tensor:
        (scores,) = run_on_tensors(self.model, seen.latest(self.model.info.turns)._asdict())
        return scores.to(seen.last.device)


def run_on_tensors(model: Model, inputs: dict[str, Tensor]) -> list[Tensor]:
    """The answers of a model, on the CPU."""
    arrays = {name: tensor.cpu().numpy().astype(np.int64) for name, tensor in inputs.items()}
    return [torch.as_tensor(answer) for answer in model.run(arrays)]


def net_on_device(game: Game, agent: NetAgent, path: Path, device: torch.device) -> TorchNetAgent:
    """The agent of a model file with its net in torch, on this device; an error if the model is not a value net."""
    from shangyou.nets.from_onnx import from_onnx  # imports onnx, which asking onnxruntime does not need

    info = agent.model.info
    agent.model.check_plays(game)
    if info.encoding != ENCODING:
        raise BadInput(f"model {path} has encoding {info.encoding}, not {ENCODING}: only onnxruntime plays it")
    net = from_onnx(path.read_bytes(), game, info.turns, opponent_kind=SPARRING in info.objectives).to(device)
    return TorchNetAgent(game, net, ALL_OBJECTIVES.index(agent.objective), agent.name, agent.bid)
