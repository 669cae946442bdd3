"""Every agent that can be named, and what it is in one sentence: catalogue.json. How strong: evaluation/strength.py."""

import json
from functools import cache
from pathlib import Path

from shangyou.agents.models.model_files import champions, list_models, papers

SCRIPTED = ("random", "greedy", "paper-greedy", "rule", "rlcard-rule")
ONLY_FOR = {"paper-greedy": "zsy2", "rule": "doudizhu", "rlcard-rule": "doudizhu"}


@cache
def _sentences() -> dict[str, str]:
    stored: dict[str, str] = json.loads((Path(__file__).parent / "catalogue.json").read_text(encoding="utf-8"))
    return stored


def names_for(game: str | None = None) -> list[str]:
    """The agents of this package: all, or those that play a game."""
    simple = [name for name in SCRIPTED if game in (None, ONLY_FOR.get(name, game))]
    best = [name for name in champions() if game in (None, name.removeprefix("champion/"))]
    return [*simple, *best, *(name for name, path in papers().items() if game in (None, path.parent.name))]


def agent_names(game: str | None = None) -> list[str]:
    """These and the user's own models, of which only the file knows the game."""
    return list(dict.fromkeys([*names_for(game), *(set(list_models()) - set(names_for()))]))


def sentence_of(name: str) -> str:
    """What an agent of this package is; empty for others."""
    return _sentences().get(name, "")
