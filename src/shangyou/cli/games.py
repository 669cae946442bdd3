"""`shangyou games`, `legal` and `suggest`: the games with their rules, the legal plays of a hand, and the best ones."""

from contextlib import nullcontext
from typing import Annotated, Any

import typer
from rich.table import Column, Table

from shangyou import agents, games
from shangyou.cli.describe import describe_game, legal_plays, suggestions
from shangyou.cli.options import (
    AsJson,
    GameName,
    RulesText,
    compile_notice,
    complete_agent,
    complete_game,
    console,
    counted,
    show,
)
from shangyou.engines.position import position
from shangyou.engines.reference import View
from shangyou.games import NOBODY, PASS, BadInput, Game


def list_games(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Only this game.", autocompletion=complete_game)] = None,
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """The games: seats, plays, patterns with their number of plays, deals, table hash."""
    if rules and game is None:
        raise BadInput("--rules needs a game: shangyou games doudizhu --rules ...")
    loaded = [games.load_text(name, rules) for name in ([game] if game else games.names())]
    show(json, [describe_game(one) for one in loaded], lambda: _print_games(loaded))


def _print_games(loaded: list[Game]) -> None:
    for game in loaded:
        size = f"{game.seats} seats, {len(game.table):,} plays with PASS, table {game.table.hash}"
        console.print(f"[bold]{game.name}[/]  {size}\n  different deals: {game.number_of_deals:,}\n  rules: {game.rules}")
        table = Table("pattern", Column("plays", justify="right"), box=None, padding=(0, 2))
        for family, count in game.table.family_counts.items():
            table.add_row(family, f"{count:,}")
        console.print(table, "")


# -- the plays of a hand ----------------------------------------------------------------------------------------------


def list_legal(
    game: GameName,
    hand: Annotated[str, typer.Option(help="The cards of the hand, e.g. 33445TJQKA2SB.")],
    last: Annotated[str, typer.Option(help="The play to beat; without it the hand leads.")] = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Every legal play of a hand, with its pattern."""
    loaded = games.load_text(game, rules)
    plays = legal_plays(loaded, hand, last)
    show(json, plays, lambda: _print_plays(loaded, plays, {}, box=None, padding=(0, 2)))
    if not json:
        console.print(counted(len(plays), "legal play"))


def _print_plays(game: Game, plays: list[dict[str, Any]], columns: dict[str, str], **style: Any) -> None:
    """Described plays as a table; beside what a play is, `columns` has for each heading the format of its cells."""
    cards = {"cards": "{cards}"} if game.deck.suited else {}  # elsewhere the label says them
    columns = {"play": "{label}", "pattern": "{pattern}", **cards, **columns}
    table = Table(*columns, **style)
    for play in plays:
        table.add_row(*(cell.format(**play) for cell in columns.values()))
    console.print(table)


# -- suggest ----------------------------------------------------------------------------------------------------------


def suggest_play(
    game: GameName,
    hand: Annotated[str, typer.Option(help='Your cards, e.g. "3 4 5 66 TT J QQ K A 2 B".')],
    played: Annotated[
        list[str] | None, typer.Option(help='Cards each seat has played, yours first, then the next seat: "33 / 44 88 / ".')
    ] = None,
    last: Annotated[str, typer.Option(help="The play to beat; without it you lead.")] = "",
    last_by: Annotated[int | None, typer.Option(help="Seat that made it: 1 is the next; default: the one before you.")] = None,
    left: Annotated[str, typer.Option(help='Number of cards each other seat still holds, the next first: "17 15".')] = "",
    role: Annotated[str, typer.Option(help="doudizhu: your role: landlord, after (the landlord) or before.")] = "",
    public: Annotated[str, typer.Option(help="doudizhu: the three public cards.")] = "",
    history: Annotated[
        str, typer.Option(help='All turns so far: "334455 pass pass 66"; then --played, --last, --left follow.')
    ] = "",
    first: Annotated[int | None, typer.Option(help="Seat that began, 0 is you; only where an error asks for it.")] = None,
    agent: Annotated[
        str, typer.Option(help="Who ranks the plays; default: the champion, if there is one.", autocompletion=complete_agent)
    ] = "",
    objective: Annotated[str, typer.Option("--objective", "--aim", help="What a net plays for: win or points.")] = "",
    think: Annotated[
        str, typer.Option(help="Think so long before answering, 500ms or 2s, by playing the game to its end in likely worlds.")
    ] = "",
    top: Annotated[int, typer.Option(min=1, help="Number of plays to print.")] = 10,
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """The legal plays of a position, best first, with the chance to win and the points to expect. Seats count from you."""
    loaded = games.load_text(game, rules)
    seen = position(
        loaded, hand, played="/".join(played).split("/") if played else [], last=last, last_by=last_by, left=_numbers(left),
        role=role, public=public, history=history, first=first,
    )  # fmt: skip
    name = ":".join(filter(None, (agent or agents.strongest(loaded), objective)))
    searches = think or agents.is_search(name)
    with compile_notice("the search") if searches else nullcontext():
        adviser = agents.load(agents.thinking(name, think) if think else name, loaded)
        described, legal = suggestions(seen, adviser, top)
    show(json, described, lambda: _print_suggestions(seen, adviser.name, described["suggestions"], legal))


def _numbers(text: str) -> list[int]:
    words = text.replace(",", " ").replace("/", " ").split()
    if not all(word.isascii() and word.isdecimal() for word in words):
        raise BadInput(f"left {text!r}: a number of cards for each other seat is needed, such as 17 15")
    return [int(word) for word in words]


def _print_suggestions(seen: View, adviser: str, plays: list[dict[str, Any]], legal: int) -> None:
    """The position, so that the user can check it, then the best of the `legal` plays."""
    game, text = seen.game, seen.game.deck.format
    to_beat = f"{game.table.labels[seen.last]} of seat {seen.last_by} is to be beaten" if seen.last != PASS else "you lead"
    landlord = {NOBODY: "", 0: ", you are the landlord"}.get(seen.landlord, f", seat {seen.landlord} is the landlord")
    others = " and ".join(map(str, seen.left[1:]))
    console.print(f"{game.name}: {text(seen.hand)}, {to_beat}{landlord}, the others hold {others} of {text(seen.unseen)}")
    columns = {"value": "{value:.3f}"} if plays[0]["win"] is None else {"wins": "{win:.1%}", "points": "{points:+z.2f}"}
    _print_plays(game, plays, columns, title=f"by {adviser}")
    if legal > len(plays):
        console.print(f"and {legal - len(plays)} more: --top {legal}")
