"""`shangyou suggest`: the legal plays of a position that the user describes, best first."""

from typing import Annotated, Any

import typer
from rich.table import Table

from shangyou import agents, games
from shangyou.agents import Suggestion, suggest
from shangyou.cli.games import describe_play
from shangyou.cli.options import AsJson, GameName, RulesText, console, show
from shangyou.engines.position import position
from shangyou.engines.reference import View
from shangyou.games import NOBODY, PASS, BadInput


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
        str,
        typer.Option(help='All turns so far: "334455 pass pass 66"; then --played, --last, --left follow.'),
    ] = "",
    first: Annotated[int | None, typer.Option(help="Seat that began, 0 is you; only where an error asks for it.")] = None,
    agent: Annotated[str, typer.Option(help="Who ranks the plays; default: the champion, if there is one.")] = "",
    aim: Annotated[str, typer.Option(help="What a net plays for: win or points.")] = "",
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
    adviser = agents.load(":".join(filter(None, (agent or agents.strongest(loaded), aim))), loaded)
    found = suggest(seen, adviser)
    show(json, _describe(seen, adviser.name, found[:top]), lambda: _print(seen, adviser.name, found, top))


def _numbers(text: str) -> list[int]:
    words = text.replace(",", " ").replace("/", " ").split()
    if not all(word.isascii() and word.isdecimal() for word in words):
        raise BadInput(f"left {text!r}: a number of cards for each other seat is needed, such as 17 15")
    return [int(word) for word in words]


def _describe(seen: View, adviser: str, found: list[Suggestion]) -> dict[str, Any]:
    return {
        "game": seen.game.name,
        "rules": seen.game.rules.as_dict(),
        "agent": adviser,
        "suggestions": [
            {**describe_play(seen.game, seen.hand, one.play), "value": one.value, "win": one.win, "points": one.points}
            for one in found
        ],
    }


def _print(seen: View, adviser: str, found: list[Suggestion], top: int) -> None:
    """The position, so that the user can check it, then the plays."""
    table, text = seen.game.table, seen.game.deck.format
    to_beat = f"{table.labels[seen.last]} of seat {seen.last_by} is to be beaten" if seen.last != PASS else "you lead"
    landlord = {NOBODY: "", 0: ", you are the landlord"}.get(seen.landlord, f", seat {seen.landlord} is the landlord")
    others = " and ".join(map(str, seen.left[1:]))
    console.print(f"{seen.game.name}: {text(seen.hand)}, {to_beat}{landlord}, the others hold {others} of {text(seen.unseen)}")
    columns = ["wins", "points"] if found[0].win is not None else ["value"]
    shown = Table("play", "pattern", *(["cards"] if seen.game.deck.suited else []), *columns, title=f"by {adviser}")
    for one in found[:top]:
        play = describe_play(seen.game, seen.hand, one.play)
        cards = [play["cards"]] if seen.game.deck.suited else []
        values = [f"{one.value:.3f}"] if one.win is None else [f"{one.win:.1%}", f"{one.points:+.2f}"]
        shown.add_row(one.label, play["pattern"], *cards, *values)
    console.print(shown)
    if len(found) > top:
        console.print(f"and {len(found) - top} more: --top {len(found)}")
