"""`shangyou agents`: every agent that can be named, what it is, the games it plays and its measured strength."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from shangyou import games
from shangyou.agents.catalogue import names_for, sentence_of
from shangyou.cli.options import AsJson, complete_game, console, show
from shangyou.evaluation.strength import duels_of, ladders
from shangyou.records import models

ALSO = """\
A model plays to win, NAME:points for points. min:A,B mean:A,B max:A,B join models; any file MODEL.onnx is one too.
search:A thinks for a second before it plays as A would, search@200ms:A for less (doudizhu; docs/search.md).
Won: share of games on duplicate deals; equals win 0.5, in zsy4 0.25. docs/results.md has the commands.
Rating: from a tournament under the default rules, or those beside it; shown for one GAME, --json has all."""


NOTHING_MEASURED: dict[str, Any] = {"measured": [], "ratings": []}


def list_agents(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="Only those that play this game.", autocompletion=complete_game)
    ] = None,
    json: AsJson = False,
) -> None:
    """Every agent that can be named: one sentence, the games it plays, measured strength where it is known."""
    if game is not None:
        games.rules_of(game)  # an error if there is none
    rows = [*map(_ours, names_for(game)), *_own(game)]
    show(json, rows, lambda: _print(rows, game))


def _ours(name: str) -> dict[str, Any]:
    plays = [game for game in games.names() if name in names_for(game)]
    duels = list(map(asdict, duels_of(name)))
    return {"name": name, "games": plays, "sentence": sentence_of(name), "measured": duels, "ratings": _ratings(name)}


def _ratings(name: str) -> list[dict[str, Any]]:
    """From tournaments, one for each game and each of its standard rules."""
    return [
        {"game": ladder.game, "rules": _as_changes(ladder.rules), "won": bot.win_rate, **asdict(bot.rating)}
        for ladder in ladders()
        for bot in ladder.bots
        if bot.name == name
    ]


def _as_changes(rules: games.Rules) -> str:
    return " ".join(f"{field}={str(value).lower()}" for field, value in rules.changes().items())


def _own(game: str | None) -> list[dict[str, Any]]:
    """The models of the user that can play."""
    return [
        {
            "name": model.name,
            "games": [model.info.game],
            "sentence": models.training_of(model.info),
            "measured": [],
            "ratings": [],
        }
        for model in models.own_models()
        if model.info and not model.fault and game in (None, model.info.game)
    ]


def _print(rows: list[dict[str, Any]], game: str | None) -> None:
    """Of one game ratings are shown where else the games stand."""
    table = Table(Column("agent", no_wrap=True), "rating" if game else "games", "what it is", "won against")
    for row in rows:
        ratings = "\n".join(f"{one['mu']:.1f} {one['rules']}" for one in row["ratings"] if one["game"] == game)
        won = "\n".join(f"{one['against']} {one['won']:.3f}" for one in row["measured"] if game in (None, one["game"]))
        table.add_row(*map(escape, (row["name"], ratings if game else " ".join(row["games"]), row["sentence"], won)))
    console.print(table)
    console.print(escape(ALSO))
