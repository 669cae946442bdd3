"""`shangyou solve`: what a seat can force when all hands are known."""

from typing import Annotated, Any

import typer

from shangyou import games
from shangyou.cli.describe import describe_solution
from shangyou.cli.options import AsJson, GameName, RulesText, compile_notice, console, show
from shangyou.engines.open_position import open_position
from shangyou.games import Game


def solve_position(
    game: GameName,
    hands: Annotated[str, typer.Option(help='All hands, seat 0 first: "3 55 8 / 9 TT"; an empty one is out of cards.')],
    turn: Annotated[int, typer.Option(help="The seat to act.")] = 0,
    last: Annotated[str, typer.Option(help="The play to beat; without it the seat to act leads.")] = "",
    last_by: Annotated[int | None, typer.Option(help="Seat that made it; default: the one before the seat to act.")] = None,
    landlord: Annotated[int | None, typer.Option(help="doudizhu: the landlord's seat; default: 0.")] = None,
    objective: Annotated[str, typer.Option(help="win, points or place; default: what the game is played for.")] = "",
    nodes: Annotated[int, typer.Option(help="Positions to search before the answer is unknown.")] = 5_000_000,
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """What the seat to act can force when all hands are known, proven, and the line of best play."""
    loaded = games.load_text(game, rules)
    state = open_position(loaded, hands.split("/"), turn=turn, last=last, last_by=last_by, landlord=landlord)
    with compile_notice("the solver"):
        found = describe_solution(state, objective, nodes)
    show(json, found, lambda: _print(loaded, found))


def _print(game: Game, found: dict[str, Any]) -> None:
    console.print(f"seat {found['seat']} {_value(found)}  ({found['nodes']:,} positions)")
    for turn in found["line"]:
        console.print(f"  seat {turn['seat']}  {turn['cards'] if game.deck.suited and turn['cards'] else turn['label']}")


def _value(found: dict[str, Any]) -> str:
    objective, value = found["objective"], found["value"]
    if value is None:
        what = {"win": "wins", "points": "points", "place": "place"}[objective]
        return f"{what}: unknown, between {found['least']} and {found['most']}; more --nodes may tell"
    if objective == "win":
        return "wins by force" if value else "loses against best play"
    return f"gets {value:+} points with best play" if objective == "points" else f"can force place {value}"
