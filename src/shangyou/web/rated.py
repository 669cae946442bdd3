"""Which games change ratings: those under the standard rules of their game, against agents whose strength was measured.

Agents are measured by `shangyou tournament`, not by games in the arena: bots/commands.sh has the commands, bots/*.json what
they printed.
"""

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from shangyou import games
from shangyou.evaluation.ratings import Rating
from shangyou.games import Game, Rules

BOTS = Path(__file__).parent / "bots"


@dataclass(frozen=True, slots=True)
class Measured:
    """An agent in a tournament under some rules."""

    name: str
    rating: Rating
    win_rate: float
    points: float  # a game


@dataclass(frozen=True, slots=True)
class Ladder:
    """What a tournament says of agents under some rules, strongest first, and the command that played it."""

    game: str
    rules: Rules
    command: str
    bots: tuple[Measured, ...]


def ladder_of(game: Game) -> Ladder | None:
    """The tournament that was played under these very rules."""
    return next((ladder for ladder in ladders() if ladder.rules == game.rules), None)


@lru_cache(maxsize=64)
def bot_ratings(game: Game) -> dict[str, Rating]:
    """The measured ratings under these rules; they stay as they are, whatever is played in the arena."""
    ladder = ladder_of(game)
    return {bot.name: bot.rating for bot in ladder.bots} if ladder else {}


@cache
def ladders() -> tuple[Ladder, ...]:
    lines = (BOTS / "commands.sh").read_text(encoding="utf-8").splitlines()
    commands = [line.split(" | without_matches > ") for line in lines if " > " in line]
    return tuple(_read(command, json.loads((BOTS / file).read_text(encoding="utf-8"))) for command, file in commands)


def _read(command: str, tournament: dict[str, Any]) -> Ladder:
    name = str(tournament["game"])
    return Ladder(name, games.rules_of(name).make(**tournament["rules"]), command, _bots(tournament["agents"]))


def _bots(agents: list[dict[str, Any]]) -> tuple[Measured, ...]:
    bots = [Measured(one["name"], Rating(**one["rating"]), one["win_rate"], one["mean_points"]) for one in agents]
    return tuple(sorted(bots, key=lambda bot: -bot.rating.mu))
