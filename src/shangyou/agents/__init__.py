"""Players by name: `agents.load("greedy")`."""

from __future__ import annotations

from collections.abc import Callable

from shangyou.agents.agent import Agent, Values
from shangyou.agents.greedy import GreedyAgent, PaperGreedyAgent
from shangyou.agents.random import RandomAgent
from shangyou.agents.rule_doudizhu import RuleAgent
from shangyou.agents.table import play_game, play_out, take_turn
from shangyou.games import BadInput, Game

__all__ = ["Agent", "Values", "load", "names", "play_game", "play_out", "take_turn"]

_MAKERS: dict[str, Callable[[int], Agent]] = {
    "random": RandomAgent,
    "greedy": lambda seed: GreedyAgent(),
    "paper-greedy": lambda seed: PaperGreedyAgent(),
    "rule": lambda seed: RuleAgent(),
}
_ONLY_FOR = {"paper-greedy": "zsy2", "rule": "doudizhu"}


def names(game: Game | None = None) -> list[str]:
    """The agents there are, or those that play a given game."""
    return [name for name in _MAKERS if game is None or _ONLY_FOR.get(name, game.name) == game.name]


def load(name: str, game: Game | None = None, seed: int = 0) -> Agent:
    """An agent by name. Give the game to be told if it does not play it; the seed is for those that choose by lot."""
    if name not in _MAKERS:
        raise BadInput(f"there is no agent {name!r}; there are {', '.join(names(game))}")
    if name not in names(game):
        raise BadInput(f"agent {name!r} plays {_ONLY_FOR[name]} only, not {game.name if game else ''}")
    return _MAKERS[name](seed)
