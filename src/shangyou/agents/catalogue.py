"""Every agent that can be named: what it is in one sentence, and how strong it was measured to be.

catalogue.json has the sentences of the agents of this package and the figures of docs/results.md, docs/training.md and
docs/lab.md, where the commands stand that measured them; a test compares.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from shangyou.agents.models.model_files import champions, list_models, papers

SCRIPTED = ("random", "greedy", "paper-greedy", "rule", "rlcard-rule")
ONLY_FOR = {"paper-greedy": "zsy2", "rule": "doudizhu", "rlcard-rule": "doudizhu"}


@dataclass(frozen=True, slots=True)
class Measured:
    """The share of games an agent won on duplicate deals; in games of more than two sides against copies of the other."""

    game: str
    against: str
    won: float
    interval: tuple[float, float]  # 95%
    deals: int


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((Path(__file__).parent / "catalogue.json").read_text(encoding="utf-8"))
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
    return str(_stored()["sentences"].get(name, ""))


def measured(name: str) -> list[Measured]:
    """What is known of its strength."""
    rows = [row for row in _stored()["measured"] if row["agent"] == name]
    return [Measured(row["game"], row["against"], row["won"], tuple(row["interval"]), row["deals"]) for row in rows]
