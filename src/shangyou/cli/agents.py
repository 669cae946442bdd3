"""`shangyou agents`: every agent that can be named, what it is, the games it plays and its measured strength."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from shangyou import games
from shangyou.agents.catalogue import measured, names_for, sentence_of
from shangyou.cli.options import AsJson, complete_game, console, show
from shangyou.records import models

ALSO = """\
A model plays to win, NAME:points for points. min:A,B mean:A,B max:A,B join models; any file MODEL.onnx is one too.
Strength: share of games won on duplicate deals; equals win 0.5, in zsy4 0.25. docs/results.md has the commands."""


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
    show(json, rows, lambda: _print(rows))


def _ours(name: str) -> dict[str, Any]:
    plays = [game for game in games.names() if name in names_for(game)]
    return {"name": name, "games": plays, "sentence": sentence_of(name), "measured": list(map(asdict, measured(name)))}


def _own(game: str | None) -> list[dict[str, Any]]:
    """The models of the user that can play."""
    return [
        {"name": model.name, "games": [model.info.game], "sentence": models.training_of(model.info), "measured": []}
        for model in models.own_models()
        if model.info and not model.fault and game in (None, model.info.game)
    ]


def _print(rows: list[dict[str, Any]]) -> None:
    table = Table(Column("agent", no_wrap=True), "games", "what it is", "won against")
    for row in rows:
        won = "\n".join(f"{one['against']} {one['won']:.3f}" for one in row["measured"])
        table.add_row(*map(escape, (row["name"], " ".join(row["games"]), row["sentence"], won)))
    console.print(table)
    console.print(escape(ALSO))
