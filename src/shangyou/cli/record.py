"""`shangyou record`: check, convert, show and review game records; generate games; export games of the arena."""

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice, pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Column, Table

from shangyou.agents import strongest
from shangyou.agents.review import Decision, Measure, main_measure
from shangyou.cli.describe import describe_review, describe_truth
from shangyou.cli.generate import generate
from shangyou.cli.options import (
    AsJson,
    Commands,
    RulesText,
    changed_rules,
    compile_notice,
    complete_agent,
    console,
    counted,
    show,
)
from shangyou.games import NOBODY, PASS, BadInput, Game
from shangyou.games.errors import Reason
from shangyou.records import BadRecord, Form, Record, opening, read, states, write
from shangyou.records.errors import Why
from shangyou.records.jsonl import to_json
from shangyou.records.record import write_cards

MEASURED: dict[Measure, str] = {"win": "chance of winning", "points": "points"}

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Stored games: check, convert, generate, export, show, review.")
app.command()(generate)

GameOption = Annotated[str, typer.Option("--game", metavar="NAME", help="The game, if a text file does not name it.")]
OneFile = Annotated[Path, typer.Argument(metavar="FILE", help="Records as text, JSON Lines or Parquet.")]
Number = Annotated[int, typer.Option(min=1, help="Number of the record in the file, from 1.")]
Force = Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")]


# -- check ------------------------------------------------------------------------------------------------------------


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Records as text, JSON Lines or Parquet.")],
    game: GameOption = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Replay every record and print a line for it: ok with its result, unfinished, or the error.

    Exit code 1 if any is bad, 2 if a file cannot be read.
    """
    checked: list[dict[str, Any]] = []
    counts, unreadable = Counter(ok=0, unfinished=0, bad=0), 0
    for path in files:
        if len(files) > 1 and not json:
            typer.echo(_printable(f"{path}:"))
        try:
            for number, record in enumerate(read(path, game, rules), 1):
                counts[_status(record)] += 1
                if json:
                    checked.append({"file": str(path), **_describe(number, record)})
                else:
                    typer.echo(_check_line(number, record))
        except BadInput as error:
            typer.echo(_printable(f"error: {error}"), err=True)
            unreadable += 1
    totals = f"{counted(counts.total(), 'record')}: " + ", ".join(f"{count} {status}" for status, count in counts.items())
    if json or counts.total() or not unreadable:  # of no record at all there is nothing to sum up
        show(json, {"records": checked, "totals": counts, "unreadable_files": unreadable}, lambda: typer.echo(totals))
    if counts["bad"] or unreadable:
        raise typer.Exit(2 if unreadable else 1)


def _status(record: Record | BadRecord) -> str:
    if isinstance(record, BadRecord):
        return "bad"
    return "ok" if record.result.finished else "unfinished"


def _describe(number: int, record: Record | BadRecord) -> dict[str, Any]:
    entry = {"number": number, "name": record.name, "status": _status(record)}
    if isinstance(record, BadRecord):
        about_play = ("play_number", "play", "hand") if record.play_number else ()
        return entry | {key: getattr(record, key) for key in ("line", "reason", *about_play)}
    entry |= {"game": record.game.name, "players": record.players, "plays": record.plays}
    return entry | {key: getattr(record.result, key) for key in ("scores", "winners", "places")}


def _check_line(number: int, record: Record | BadRecord) -> str:
    outcome = f"line {record.line}, {record}{_advice(record)}" if isinstance(record, BadRecord) else _outcome(record)
    name = f"{record.name}: " if record.name else ""
    return _printable(f"{number:>4}  {_status(record):<10}  {name}{outcome}")


def _advice(record: BadRecord) -> str:
    """What an option can do about it."""
    no_game = isinstance(record.why, Reason) and record.why.sentence is Why.game_missing
    return ", or use --game" if no_game else ""


def _outcome(record: Record) -> str:
    """The result in a few words: `landlord +12`, `seat 1 wins, -1 +1`."""
    if not record.result.finished:
        return f"after {counted(record.plays, 'play')}"
    landlord = opening(record.game, record.deal, record.bids).landlord
    if landlord != NOBODY:
        return f"landlord {record.result.scores[landlord]:+d}"
    winners = " and ".join(map(str, record.result.winners))
    return f"seat {winners} wins, {' '.join(f'{score:+d}' for score in record.result.scores)}"


def _printable(text: str) -> str:
    """Text from a file, with control characters escaped for the terminal."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


# -- convert ----------------------------------------------------------------------------------------------------------


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Records as text, JSON Lines or Parquet.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="A new file; its name ends in .jsonl, .parquet, or it is text.")
    ],
    game: GameOption = "",
    rules: RulesText = "",
    to: Annotated[Form | None, typer.Option(help="The form to write, whatever the name of OUT.")] = None,
    force: Force = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad records out and print which.")] = False,
    json: AsJson = False,
) -> None:
    """Write records in the other form. Without --skip-bad nothing is written if a record is bad."""
    found = list(enumerate(read(source, game, rules), 1))
    good = [record for _, record in found if isinstance(record, Record)]
    bad = [(number, record) for number, record in found if isinstance(record, BadRecord)]
    for number, record in bad:
        typer.echo(_check_line(number, record), err=True)
    if not good or (bad and not skip_bad):
        advice = "; --skip-bad leaves them out" if good else ""
        share = f"{len(bad)} bad of {counted(len(found), 'record')}"
        typer.echo(_printable(f"error: {share}, {target} is not written{advice}"), err=True)
        raise typer.Exit(1)
    write(target, good, to, overwrite=force)
    text = f"wrote {counted(len(good), 'record')} to {target}" + (f", left out {len(bad)} bad" if bad else "")
    result = {"file": str(target), "written": len(good), "left_out": [_describe(*numbered) for numbered in bad]}
    show(json, result, lambda: typer.echo(_printable(text)))


# -- export -----------------------------------------------------------------------------------------------------------


@app.command()
def export(
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A new file; Parquet if it ends in .parquet, else JSON Lines.")],
    database: Annotated[str | None, typer.Option(help="URL of the arena's database; default: SHANGYOU_DATABASE.")] = None,
    force: Force = False,
) -> None:
    """Write the games of the arena whose players allow it, without the names of people."""
    from shangyou.web.settings import Settings
    from shangyou.web.storage.game_export import export_games  # imports the database, which other commands do not need

    count = export_games(Settings.from_environment(database=database).database_url, target, force)
    typer.echo(_printable(f"wrote {counted(count, 'game')} to {target}"))


# -- show -------------------------------------------------------------------------------------------------------------


@app.command("show")
def show_record(
    file: OneFile,
    number: Number = 1,
    game: GameOption = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """One record, turn by turn."""
    record = _record_at(file, number, game, rules)
    shown = {"number": number, "record": to_json(record), "turns": list(_turns(record))}
    show(json, shown, lambda: _print_record(number, record))


def _record_at(file: Path, number: int, game: str, rules: str) -> Record:
    found = list(islice(read(file, game, rules), number + 1))
    if number > len(found):
        raise BadInput(f"there is no record {number} in {file}; the last is {len(found)}")
    if number == 1 and len(found) > 1:
        typer.echo(_printable(f"note: this is the first of several records in {file}; --number chooses another"), err=True)
    record = found[number - 1]
    if isinstance(record, BadRecord):
        typer.echo(_check_line(number, record), err=True)
        raise typer.Exit(1)
    return record


def _turns(record: Record) -> Iterator[dict[str, Any]]:
    """Each turn, and the seat that wins the round if it ends there."""
    game, rounds = record.game, 0
    for number, (before, after) in enumerate(pairwise(states(record)), 1):
        rounds += before.last == PASS
        turn, ends_round = after.history[-1], after.over or after.last == PASS
        yield {
            "turn": number,
            "round": rounds,
            "seat": turn.seat,
            "cards": write_cards(game, turn.cards),
            "pattern": game.table.pattern_of(turn.play) if turn.cards else "",
            "bomb": bool(game.table.bomb[turn.play]),
            "left": game.deck.size(after.hands[turn.seat]),
            "round_won_by": (turn.seat if turn.cards else before.last_by) if ends_round else None,
        }


def _print_record(number: int, record: Record) -> None:
    changes = changed_rules(record.game)
    console.print(f"[bold]{escape(_printable(record.name or f'record {number}'))}[/]  {record.game.name} [dim]{changes}[/]")
    _print_deal(record)
    turn_number, turn_round, seat, left = (Column(name, justify="right") for name in ("turn", "round", "seat", "left"))
    table = Table(turn_round, turn_number, seat, "cards", "pattern", left, "", box=SIMPLE_HEAD, pad_edge=False)
    for turn in _turns(record):
        table.add_row(*_cells(turn), end_section=turn["round_won_by"] is not None)
    console.print(table)
    console.print(_outcome(record) if record.result.finished else f"unfinished {_outcome(record)}")


def _print_deal(record: Record) -> None:
    """The hands before the first play, the bids and the public cards."""
    game, state = record.game, opening(record.game, record.deal, record.bids)
    table = Table("seat", "player", "hand", box=SIMPLE_HEAD, pad_edge=False)
    for seat, hand in enumerate(state.hands):
        role = " landlord" if seat == state.landlord else ""
        player = escape(_printable(record.players[seat])) if record.players else ""
        table.add_row(f"{seat}{role}", player, game.deck.format(hand))
    console.print(table)
    if record.bids:
        bidders, bids = game.bidders(record.deal.first, record.bids), len(game.auction(record.bids))
        made = [f"seat {seat} bids {points}" for seat, points in zip(bidders, record.bids[:bids], strict=False)]
        doubled = zip(bidders[bids:], record.bids[bids:], strict=True)
        made += [f"seat {seat} {'doubles' if points else 'does not double'}" for seat, points in doubled]
        console.print(f"  {', '.join(made)}")
    if game.public_size:
        console.print(f"  public cards {game.deck.format(record.deal.public)}")


def _cells(turn: dict[str, Any]) -> list[str]:
    style = "dim" if not turn["pattern"] else "bold red" if turn["bomb"] else "bold"
    notes = [] if turn["left"] else ["out"]
    notes += [] if turn["round_won_by"] is None else [f"round to seat {turn['round_won_by']}"]
    numbers = str(turn["round"]), str(turn["turn"]), str(turn["seat"])
    return [*numbers, f"[{style}]{turn['cards']}[/]", turn["pattern"], str(turn["left"]), ", ".join(notes)]


# -- review -----------------------------------------------------------------------------------------------------------


@app.command("review")
def review_record(
    file: OneFile,
    number: Number = 1,
    game: GameOption = "",
    rules: RulesText = "",
    agent: Annotated[
        str | None,
        typer.Option(help="Whose advice; that of the strongest agent unless given.", autocompletion=complete_agent),
    ] = None,
    solve: Annotated[bool, typer.Option("--solve", help="Also what was won by force with all hands known, proven.")] = False,
    json: AsJson = False,
) -> None:
    """One record against an adviser: what each bid and play cost, what was wrong with it, how much was luck."""
    record = _record_at(file, number, game, rules)
    with compile_notice("the solver") if solve else nullcontext():
        truth = {"truth": describe_truth(record)} if solve else {}
    reviewed, decisions = describe_review(record, agent or strongest(record.game))

    def say() -> None:
        _print_review(main_measure(record.game), decisions, reviewed["seats"])
        if solve:
            _print_truth(record.game, truth["truth"])

    show(json, {"number": number, **reviewed, **truth}, say)


def _print_review(measure: Measure, decisions: list[Decision], sums: dict[Measure, list[dict[str, Any]]]) -> None:
    """The mistakes, and a line for each seat."""
    table = Table("turn", "seat", "made", "", "lost", "why", box=SIMPLE_HEAD, pad_edge=False)
    for one in decisions:
        found = one.judgement(measure)
        if found is not None and found.why is not None:
            turn = one.phase if one.bidding else str(one.number + 1)
            table.add_row(turn, str(one.seat), one.made.label, found.grade.value, f"{found.share:.0%}", str(found.why))
    console.print(table)
    for seat, summary in enumerate(sums[measure]):
        account = summary["account"]
        parts = ", ".join(f"{part} {account[part]:+z.2f}" for part in ("deal", "play", "rest")) if account else "unfinished"
        accuracy = "-" if summary["accuracy"] is None else f"{summary['accuracy']:.1f}"
        console.print(f"seat {seat}: accuracy {accuracy}; {MEASURED[measure]}: {parts}")


def _print_truth(game: Game, found: dict[str, Any]) -> None:
    """From which turn on the game is proven, and each play that gave something away."""
    proven, forced = found["proven_from"], found["forced_from"]
    if proven is None:
        said = "nothing is proven"
    elif forced is not None:
        said = f"won by force from turn {forced + 1}" + (f", proven from turn {proven + 1}" if forced > proven else ", proven")
    else:
        said = f"what can be forced is proven from turn {proven + 1}"
    console.print(f"with open cards: {said}")
    place = found["objective"] == "place"
    for turn in found["turns"]:
        if turn["gave_away"]:
            what = f"place {turn['value']} against all others away, place {turn['after']} was left" if place else "the win away"
            better = turn["better"]
            kept = better and (better["cards"] if game.deck.suited and better["cards"] else better["label"])
            console.print(
                f"turn {turn['turn'] + 1}: seat {turn['seat']} gave {what}" + (f"; {kept} would have kept it" if kept else "")
            )
