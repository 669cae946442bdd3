"""Agents of many games at once, on tensors. They need torch, which is why `shangyou.agents` does not import them."""

from collections.abc import Callable
from contextlib import suppress

import torch

from shangyou import agents
from shangyou.agents.batch.agent import BatchAgent, ScalarAdapter, first_best
from shangyou.agents.batch.scripted import GreedyBatchAgent, PaperGreedyBatchAgent, RandomBatchAgent
from shangyou.agents.models.ensemble import is_aggregate
from shangyou.agents.models.model_files import find_model, is_model
from shangyou.games import BadInput, Game

__all__ = ["BatchAgent", "ScalarAdapter", "first_best", "load_batch"]

SCRIPTED: dict[str, Callable[[Game, int], BatchAgent]] = {
    "random": RandomBatchAgent,
    "greedy": lambda game, seed: GreedyBatchAgent(game),
    "paper-greedy": lambda game, seed: PaperGreedyBatchAgent(game),
}


def load_batch(name: str, game: Game, seed: int = 0, device: str | torch.device = "cpu") -> BatchAgent:
    """The agent that `agents.load` gives, for a batch of games: on tensors if it is a model or scripted on tensors, else game
    by game. On a GPU the net of a model is loaded into torch, where that can be done."""
    agent = agents.load(name, game, seed)
    if is_model(name) and not is_aggregate(name):
        return _load_model(name, agent, game, torch.device(device))
    return SCRIPTED[name](game, seed) if name in SCRIPTED else ScalarAdapter(game, agent)


def _load_model(name: str, agent: agents.Agent, game: Game, device: torch.device) -> BatchAgent:
    from shangyou.agents.batch.onnx_model import OnnxBatchAgent, net_on_device  # imports onnxruntime, which others do not need
    from shangyou.agents.models.net_agent import NetAgent

    assert isinstance(agent, NetAgent)
    if device.type != "cpu":
        with suppress(BadInput):  # onnxruntime plays every model, on the CPU
            return net_on_device(game, agent, find_model(name.partition(":")[0]), device)
    return OnnxBatchAgent(game, agent)
