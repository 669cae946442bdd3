"""How strong the agents of this package were measured to be; all that is shown of it is read from the folder measured/.

commands.sh has the tournaments, one under each of the standard rules of a game, the other files but one what they
printed. matches.json has matches of two agents, as docs/results.md, docs/training.md and docs/lab.md have them with their
commands; a test compares.
"""

import json
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from shangyou import games
from shangyou.evaluation.ratings import Rating
from shangyou.games import Game, Rules

FOLDER = Path(__file__).parent / "measured"


@dataclass(frozen=True, slots=True)
class Duel:
    """The share of games an agent won on duplicate deals; in games of more than two sides against copies of the other."""

    game: str
    against: str
    won: float
    interval: tuple[float, float]  # 95%
    deals: int


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


def duels_of(name: str) -> list[Duel]:
    """The matches of an agent against others."""
    rows = [row for row in _duels() if row["agent"] == name]
    return [Duel(row["game"], row["against"], row["won"], tuple(row["interval"]), row["deals"]) for row in rows]


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
    lines = (FOLDER / "commands.sh").read_text(encoding="utf-8").splitlines()
    commands = [line.split(" | without_matches > ") for line in lines if " > " in line]
    return tuple(_read_ladder(command, _read(file)) for command, file in commands)


def _read_ladder(command: str, tournament: dict[str, Any]) -> Ladder:
    name = str(tournament["game"])
    return Ladder(name, games.rules_of(name).make(**tournament["rules"]), command, _bots(tournament["agents"]))


def _bots(agents: list[dict[str, Any]]) -> tuple[Measured, ...]:
    bots = [Measured(one["name"], Rating(**one["rating"]), one["win_rate"], one["mean_points"]) for one in agents]
    return tuple(sorted(bots, key=lambda bot: -bot.rating.mu))


@cache
def _duels() -> list[dict[str, Any]]:
    return list(_read("matches.json"))


def _read(file: str) -> Any:
    return json.loads((FOLDER / file).read_text(encoding="utf-8"))
