"""Players by name: `agents.load("greedy")`."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from shangyou.agents.advice import Suggestion, suggest
from shangyou.agents.agent import Agent, Values
from shangyou.agents.catalogue import ONLY_FOR, names_for
from shangyou.agents.errors import Why
from shangyou.agents.models import model_files
from shangyou.agents.models.ensemble import AggregateAgent, is_aggregate
from shangyou.agents.own import is_own, load_own
from shangyou.agents.play import play_game, take_turn
from shangyou.agents.scripted.greedy import GreedyAgent, PaperGreedyAgent
from shangyou.agents.scripted.random import RandomAgent
from shangyou.agents.scripted.rlcard_rule import RlcardRuleAgent
from shangyou.agents.scripted.rule_doudizhu import RuleAgent
from shangyou.agents.searching import SearchAgent, is_search, parts_of, thinking
from shangyou.games import BadInput, Game

__all__ = [
    "Agent", "Suggestion", "Values", "is_search", "load", "names", "play_game", "strongest", "suggest", "take_turn", "thinking",
]  # fmt: skip

_MAKERS: dict[str, Callable[[int], Agent]] = {
    "random": RandomAgent,
    "greedy": lambda seed: GreedyAgent(),
    "paper-greedy": lambda seed: PaperGreedyAgent(),
    "rule": lambda seed: RuleAgent(),
    "rlcard-rule": RlcardRuleAgent,
}


def names(game: Game | None = None) -> list[str]:
    """The names of all agents, or of those that play a game, with the models of this package and without the user's own."""
    return names_for(None if game is None else game.name)


def strongest(game: Game) -> str:
    """The default agent: the game's champion, if it was trained for these rules, or the best agent without a net."""
    champion = f"champion/{game.name}"
    path = model_files.champions().get(champion)
    if path and _table_of(path) == game.table.hash:
        return champion
    return next(name for name in ("rule", "greedy") if name in names(game))


@cache
def _table_of(champion: Path) -> str:
    """The hash of the table of plays a champion was trained for. The champions come with the package and do not change."""
    from shangyou.agents.models.net_agent import Model  # imports onnxruntime, which the other agents do not need

    return Model(champion).info.table


def load(name: str, game: Game | None = None, seed: int = 0) -> Agent:
    """An agent by name. With a game, an agent that does not play it is an error; the seed is for agents that choose at random.

    A model is loaded by its name or its file, and plays to win; with `:points` after that, for points, and with `:sparring`, if
    the kind of opponent is one of its inputs, to beat a sparring partner. `mine.py:Cautious` is a class in a Python file.
    `min:`, `mean:` or `max:` before several names, with commas between them, makes an ensemble; `search:` before a name, an
    agent that thinks.
    """
    if is_search(name):
        think, base = parts_of(name)
        if game is None:
            raise BadInput(Why.search_game(name=name))
        return SearchAgent(load(base, game, seed), game, think, seed)
    if is_aggregate(name):
        how, _, members = name.partition(":")
        return AggregateAgent([load(member.strip(), game, seed) for member in members.split(",") if member.strip()], how, name)
    if is_own(name):
        return load_own(name, seed)
    if name not in _MAKERS and model_files.is_model(name):
        return _load_net(name, game)
    if name not in _MAKERS:
        raise BadInput(Why.agent_unknown(name=name, options=names(game)))
    if name not in names(game):
        raise BadInput(Why.agent_only_for(name=name, other=ONLY_FOR[name], game=game.name if game else ""))
    return _MAKERS[name](seed)


def _load_net(name: str, game: Game | None) -> Agent:
    from shangyou.agents.models.net_agent import NetAgent

    base, _, objective = name.partition(":")
    path = model_files.find_model(base)
    agent = NetAgent(path, name, objective or "win", model_files.find_bids(path))
    if game is not None:
        agent.model.check_plays(game)
    return agent
