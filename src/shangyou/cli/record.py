"""`shangyou record`: game records checked, converted, shown; games of the arena exported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from shangyou.cli.options import AsJson, Commands, RulesText, changed_rules, console, print_json
from shangyou.engines.reference import State
from shangyou.games import NOBODY, PASS, BadInput
from shangyou.records import BadRecord, Form, Record, opening, read, states, write
from shangyou.records.jsonl import to_json
from shangyou.records.plays import write_cards

app = typer.Typer(cls=Commands, no_args_is_help=True)

GameOption = Annotated[str, typer.Option("--game", metavar="NAME", help="The game, where a text file does not say.")]
STATUSES = ("ok", "unfinished", "bad")


# -- check ------------------------------------------------------------------------------------------------------------


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Records as text or as JSON Lines.")],
    game: GameOption = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Replay every record: ok with its result, unfinished, or what is wrong. Exit code 1 if any is bad."""
    checked: list[dict[str, Any]] = []
    counts = Counter(dict.fromkeys(STATUSES, 0))
    unreadable = 0
    for path in files:
        if len(files) > 1 and not json:
            typer.echo(printable(f"{path}:"))
        try:
            for number, record in enumerate(read(path, game, rules), 1):
                counts[status_of(record)] += 1
                if json:
                    checked.append({"file": str(path), **describe(number, record)})
                else:
                    typer.echo(_check_line(number, record))
        except BadInput as error:
            typer.echo(printable(f"error: {error}"), err=True)
            unreadable += 1
    if json:
        print_json({"records": checked, "totals": counts, "unreadable_files": unreadable})
    else:
        typer.echo(f"{counts.total()} records: " + ", ".join(f"{count} {status}" for status, count in counts.items()))
    if counts["bad"] or unreadable:
        raise typer.Exit(1)


def status_of(record: Record | BadRecord) -> str:
    if isinstance(record, BadRecord):
        return "bad"
    return "ok" if record.result.finished else "unfinished"


def describe(number: int, record: Record | BadRecord) -> dict[str, Any]:
    entry = {"number": number, "name": record.name, "status": status_of(record)}
    if isinstance(record, BadRecord):
        about_play = {"play_number": record.play_number, "play": record.play, "hand": record.hand}
        return entry | {"line": record.line, "reason": record.reason} | (about_play if record.play_number else {})
    return entry | {
        "game": record.game.name,
        "players": record.players,
        "plays": record.plays,
        "scores": record.result.scores,
        "winners": record.result.winners,
        "places": record.result.places,
    }


def _check_line(number: int, record: Record | BadRecord) -> str:
    said = f"line {record.line}, {record}" if isinstance(record, BadRecord) else _outcome(record)
    name = f"{record.name}: " if record.name else ""
    return printable(f"{number:>4}  {status_of(record):<10}  {name}{said}")


def _outcome(record: Record) -> str:
    """The result in a few words: `landlord +12`, `seat 1 wins, -1 +1`."""
    if not record.result.finished:
        return f"after {record.plays} plays"
    landlord = opening(record.game, record.deal, record.bids).landlord
    if landlord != NOBODY:
        return f"landlord {record.result.scores[landlord]:+d}"
    winners = " and ".join(map(str, record.result.winners))
    return f"seat {winners} wins, {' '.join(f'{score:+d}' for score in record.result.scores)}"


def printable(text: str) -> str:
    """Text from a file may hold anything; a terminal gets only signs to be seen."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


# -- convert ----------------------------------------------------------------------------------------------------------


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Records as text or as JSON Lines.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A new file; JSON Lines if it ends in .jsonl, else text.")],
    game: GameOption = "",
    rules: RulesText = "",
    to: Annotated[Form | None, typer.Option("--to", help="The form to write, whatever OUT is called.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it is there.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad records out and say which.")] = False,
    json: AsJson = False,
) -> None:
    """Write records in the other form. Nothing is written if a record is bad, unless told to skip it."""
    found = list(enumerate(read(source, game, rules), 1))
    good = [record for _, record in found if isinstance(record, Record)]
    bad = [(number, record) for number, record in found if isinstance(record, BadRecord)]
    for number, record in bad:
        typer.echo(_check_line(number, record), err=True)
    if not good or (bad and not skip_bad):
        advice = "; --skip-bad leaves them out" if good else ""
        typer.echo(printable(f"error: {len(bad)} bad of {len(found)} records, {target} is not written{advice}"), err=True)
        raise typer.Exit(1)
    write(target, good, to, overwrite=force)
    if json:
        left_out = [describe(number, record) for number, record in bad]
        print_json({"file": str(target), "written": len(good), "left_out": left_out})
    else:
        left_out_text = f", left out {len(bad)} bad" if bad else ""
        typer.echo(printable(f"wrote {len(good)} records to {target}{left_out_text}"))


# -- export -----------------------------------------------------------------------------------------------------------


@app.command()
def export(
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A new file; Parquet if it ends in .parquet, else JSON Lines.")],
    database: Annotated[str | None, typer.Option("--database", help="The arena's URL, else SHANGYOU_DATABASE.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it is there.")] = False,
) -> None:
    """Write the games people played in the arena and let others learn from. People go unnamed."""
    from shangyou.web.settings import Settings
    from shangyou.web.storage.game_export import export_games  # brings in the database, which other commands do without

    count = export_games(Settings.from_environment(database=database).database_url, target, force)
    typer.echo(printable(f"wrote {count} games to {target}"))


# -- show -------------------------------------------------------------------------------------------------------------


@app.command()
def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Records as text or as JSON Lines.")],
    number: Annotated[int, typer.Option("--number", min=1, help="Which record of the file.")] = 1,
    game: GameOption = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """One record, turn by turn."""
    found = list(read(file, game, rules))
    if number > len(found):
        raise BadInput(f"there is no record {number} in {file}; the last is {len(found)}")
    record = found[number - 1]
    if isinstance(record, BadRecord):
        typer.echo(_check_line(number, record), err=True)
        raise typer.Exit(1)
    if json:
        print_json({"number": number, "record": to_json(record), "turns": list(_turns(record))})
    else:
        _print_record(number, record)


def _turns(record: Record) -> Iterator[dict[str, Any]]:
    """What happened in each turn, and which seat a round that ends here goes to."""
    game, rounds = record.game, 0
    for number, (before, after) in enumerate(pairwise(states(record)), 1):
        rounds += before.last == PASS
        turn = after.history[-1]
        yield {
            "turn": number,
            "round": rounds,
            "seat": turn.seat,
            "cards": write_cards(game, turn.cards),
            "pattern": game.table.pattern_of(turn.play) if turn.cards else "",
            "bomb": bool(game.table.bomb[turn.play]),
            "left": game.deck.size(after.hands[turn.seat]),
            "round_won_by": _round_winner(before, after),
        }


def _round_winner(before: State, after: State) -> int | None:
    if after.last != PASS and not after.over:
        return None
    turn = after.history[-1]
    return turn.seat if turn.cards else before.last_by


def _print_record(number: int, record: Record) -> None:
    changes = changed_rules(record.game)
    console.print(f"[bold]{escape(printable(record.name or f'record {number}'))}[/]  {record.game.name} [dim]{changes}[/]")
    _print_deal(record)
    table = Table("round", "turn", "seat", "cards", "pattern", "left", "", box=SIMPLE_HEAD, pad_edge=False)
    for column in ("round", "turn", "seat", "left"):
        next(found for found in table.columns if found.header == column).justify = "right"
    for turn in _turns(record):
        table.add_row(*_cells(turn), end_section=turn["round_won_by"] is not None)
    console.print(table)
    console.print(_outcome(record) if record.result.finished else f"unfinished {_outcome(record)}")


def _print_deal(record: Record) -> None:
    """Who holds what before the first play, and how the landlord was found."""
    game, state = record.game, opening(record.game, record.deal, record.bids)
    table = Table("seat", "player", "hand", box=SIMPLE_HEAD, pad_edge=False)
    for seat, hand in enumerate(state.hands):
        role = " landlord" if seat == state.landlord else ""
        player = escape(printable(record.players[seat])) if record.players else ""
        table.add_row(f"{seat}{role}", player, game.deck.format(hand))
    console.print(table)
    if record.bids:
        bids = [f"seat {(record.deal.first + i) % game.seats} bids {points}" for i, points in enumerate(record.bids)]
        console.print(f"  {', '.join(bids)}")
    if game.public_size:
        console.print(f"  public cards {game.deck.format(record.deal.public)}")


def _cells(turn: dict[str, Any]) -> list[str]:
    style = "dim" if not turn["pattern"] else "bold red" if turn["bomb"] else "bold"
    notes = [] if turn["left"] else ["out"]
    notes += [] if turn["round_won_by"] is None else [f"round to seat {turn['round_won_by']}"]
    numbers = str(turn["round"]), str(turn["turn"]), str(turn["seat"])
    return [*numbers, f"[{style}]{turn['cards']}[/]", turn["pattern"], str(turn["left"]), ", ".join(notes)]
