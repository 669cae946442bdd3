"""Opponents by name, from the beginner to the champion: static/levels.json says which agent plays each level of a game.

The page reads that file too, to call agents by their level.
"""

import json
from collections.abc import Container
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shangyou.games import Game

STORED = Path(__file__).parent / "static" / "levels.json"
USUAL = "skilled"  # who has not chosen a level plays against this one


@dataclass(frozen=True, slots=True)
class Level:
    name: str
    agent: str


@cache
def levels_of(name: str) -> tuple[Level, ...]:
    """All levels of a game, weakest first."""
    stored: dict[str, dict[str, str]] = json.loads(STORED.read_text(encoding="utf-8"))
    return tuple(Level(level, agent) for level, agent in stored.get(name, {}).items())


def offered(game: Game, agents: Container[str]) -> list[Level]:
    """The levels whose agent is among those that play under these rules."""
    return [level for level in levels_of(game.name) if level.agent in agents]


def usual(levels: list[Level]) -> Level | None:
    """Whom people play who chose nothing: where the usual level is not offered, the strongest that is."""
    return next((level for level in levels if level.name == USUAL), levels[-1] if levels else None)
