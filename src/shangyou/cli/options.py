"""What the commands share: how a game is named, how results and errors are shown."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from shangyou import games
from shangyou.games import BadInput, Game

console = Console(highlight=False)

GameName = Annotated[str, typer.Argument(metavar="GAME", help=f"One of {', '.join(games.names())}.")]
RulesText = Annotated[str, typer.Option("--rules", help='Rule fields to change, e.g. "spring=true base=3".')]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Seed = Annotated[int, typer.Option("--seed", help="Same seed, same cards.")]
Deals = Annotated[int, typer.Option("--deals", min=1, help="Deals to play; each is played several times, seats swapped.")]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Processes to play in; the result is the same.")]


class Commands(TyperGroup):
    """Turns bad input into one clear line and exit code 2, for every command."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BadInput as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(2) from error


def load_game(name: str, rules: str) -> Game:
    return games.load_text(name, rules)


def changed_rules(game: Game) -> str:
    """The rule fields that are not the game's own, as --rules takes them."""
    return " ".join(f"{name}={str(value).lower()}" for name, value in game.rules.changes().items())


def print_json(value: Any) -> None:
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
