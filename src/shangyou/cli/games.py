"""`shangyou games` and `shangyou legal`: what the rules are, and what they allow."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from shangyou import games
from shangyou.cli.options import AsJson, GameName, RulesText, console, load_game, print_json
from shangyou.games import BadInput, Cards, Game
from shangyou.games.parse_play import read_hand, read_last


def list_games(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Only this game.")] = None,
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """The games: seats, plays, patterns with their number of plays, deals, table hash."""
    if rules and game is None:
        raise BadInput("--rules needs a game: shangyou games doudizhu --rules ...")
    described = [describe(load_game(name, rules)) for name in ([game] if game else games.names())]
    if json:
        print_json(described)
    else:
        for entry in described:
            _print_game(entry)


def describe(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "rules": game.rules.as_dict(),
        "seats": game.seats,
        "plays": len(game.table),
        "patterns": game.table.family_counts,
        "deals": game.number_of_deals,
        "table": game.table.hash,
    }


def _print_game(entry: dict[str, Any]) -> None:
    console.print(
        f"[bold]{entry['name']}[/]  {entry['seats']} seats, {entry['plays']:,} plays with PASS, table {entry['table']}"
    )
    console.print(f"  different deals: {entry['deals']:,}")
    console.print("  rules: " + " ".join(f"{name}={str(value).lower()}" for name, value in entry["rules"].items()))
    table = Table("pattern", "plays", box=None, padding=(0, 2))
    table.columns[1].justify = "right"
    for family, count in entry["patterns"].items():
        table.add_row(family, f"{count:,}")
    console.print(table, "")


def list_legal(
    game: GameName,
    hand: Annotated[str, typer.Option("--hand", help="The cards held, e.g. 33445TJQKA2SB.")],
    last: Annotated[str, typer.Option("--last", help="The play to beat; none: to lead.")] = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Every legal play of a hand, with its pattern."""
    loaded = load_game(game, rules)
    held = read_hand(loaded, hand)
    to_beat = read_last(loaded, held, last)
    rows = loaded.table.held(held, loaded.table.answers(to_beat)).tolist()
    if json:
        print_json([describe_play(loaded, held, row) for row in rows])
    else:
        _print_plays(loaded, held, rows)


def describe_play(game: Game, hand: Cards, row: int) -> dict[str, Any]:
    cards = game.deck.format(game.pick(hand, row))
    return {"play": row, "label": game.table.labels[row], "pattern": game.table.pattern_of(row), "cards": cards}


def _print_plays(game: Game, hand: Cards, rows: list[int]) -> None:
    table = Table("play", "pattern", *(["cards"] if game.deck.suited else []), box=None, padding=(0, 2))
    for row in rows:
        play = describe_play(game, hand, row)
        table.add_row(play["label"], play["pattern"], *([play["cards"]] if game.deck.suited else []))
    console.print(table)
    console.print(f"{len(rows)} legal plays")
