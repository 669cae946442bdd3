"""`shangyou games` and `shangyou legal`: the games with their rules, and the legal plays of a hand."""

from typing import Annotated, Any

import typer
from rich.table import Column, Table

from shangyou import games
from shangyou.cli.options import AsJson, GameName, RulesText, console, show
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
    described = [describe(games.load_text(name, rules)) for name in ([game] if game else games.names())]
    show(json, described, lambda: _print_games(described))


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


def _print_games(described: list[dict[str, Any]]) -> None:
    for game in described:
        name, seats, plays, table_hash = (game[key] for key in ("name", "seats", "plays", "table"))
        console.print(f"[bold]{name}[/]  {seats} seats, {plays:,} plays with PASS, table {table_hash}")
        console.print(f"  different deals: {game['deals']:,}")
        console.print("  rules: " + " ".join(f"{name}={str(value).lower()}" for name, value in game["rules"].items()))
        table = Table("pattern", Column("plays", justify="right"), box=None, padding=(0, 2))
        for family, count in game["patterns"].items():
            table.add_row(family, f"{count:,}")
        console.print(table, "")


def list_legal(
    game: GameName,
    hand: Annotated[str, typer.Option(help="The cards of the hand, e.g. 33445TJQKA2SB.")],
    last: Annotated[str, typer.Option(help="The play to beat; without it the hand leads.")] = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Every legal play of a hand, with its pattern."""
    loaded = games.load_text(game, rules)
    held = read_hand(loaded, hand)
    to_beat = read_last(loaded, held, last)
    rows = loaded.table.held(held, loaded.table.answers(to_beat)).tolist()
    plays = [describe_play(loaded, held, row) for row in rows]
    show(json, plays, lambda: _print_plays(plays, loaded.deck.suited))


def describe_play(game: Game, hand: Cards, row: int) -> dict[str, Any]:
    cards = game.deck.format(game.pick(hand, row))
    return {"play": row, "label": game.table.labels[row], "pattern": game.table.pattern_of(row), "cards": cards}


def _print_plays(plays: list[dict[str, Any]], suited: bool) -> None:
    keys = ["label", "pattern", *(["cards"] if suited else [])]
    table = Table("play", *keys[1:], box=None, padding=(0, 2))
    for play in plays:
        table.add_row(*(play[key] for key in keys))
    console.print(table)
    console.print(f"{len(plays)} legal plays")
