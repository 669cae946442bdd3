"""Agents of many games at once, on tensors. They need torch, which is why `shangyou.agents` does not import them."""

from collections.abc import Callable

from shangyou import agents
from shangyou.agents.batch.agent import BatchAgent, ScalarAdapter, first_best
from shangyou.agents.batch.scripted import GreedyBatchAgent, PaperGreedyBatchAgent, RandomBatchAgent
from shangyou.agents.models.ensemble import is_aggregate
from shangyou.agents.models.model_files import is_model
from shangyou.games import Game

__all__ = ["BatchAgent", "ScalarAdapter", "first_best", "load_batch"]

SCRIPTED: dict[str, Callable[[Game, int], BatchAgent]] = {
    "random": RandomBatchAgent,
    "greedy": lambda game, seed: GreedyBatchAgent(game),
    "paper-greedy": lambda game, seed: PaperGreedyBatchAgent(game),
}


def load_batch(name: str, game: Game, seed: int = 0) -> BatchAgent:
    """The agent that `agents.load` gives, for a batch of games: on tensors if it is a model or scripted on tensors, else game
    by game."""
    agent = agents.load(name, game, seed)
    if is_model(name) and not is_aggregate(name):
        from shangyou.agents.batch.onnx_model import OnnxBatchAgent  # imports onnxruntime, which the other agents do not need
        from shangyou.agents.models.net_agent import NetAgent

        assert isinstance(agent, NetAgent)
        return OnnxBatchAgent(game, agent)
    return SCRIPTED[name](game, seed) if name in SCRIPTED else ScalarAdapter(game, agent)
