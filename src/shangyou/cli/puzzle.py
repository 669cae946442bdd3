"""`shangyou puzzle`: positions with one play that keeps what can be forced: list, show, try, prove, mine, choose."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from shangyou import games
from shangyou.cli.options import (
    AsJson,
    Commands,
    GameName,
    RayAddress,
    Seed,
    WorkerCount,
    chosen_workers,
    compile_notice,
    console,
    show,
)
from shangyou.games import PASS, BadInput, Game
from shangyou.games.parse_play import read_play
from shangyou.records.files import write_whole
from shangyou.workers import do_chunks

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Puzzles: all cards known, one play keeps what can be forced.")
Number = Annotated[int | None, typer.Argument(help="Number of the puzzle; default: that of the day.")]


def _find(name: str, number: int | None) -> tuple[Any, int]:
    from shangyou.search import puzzles  # Numba takes a while to import

    games.rules_of(name)
    number = puzzles.of_the_day(name, datetime.now(UTC).date()) if number is None else number
    return puzzles.puzzle(name, number), number


def _described(found: Any, number: int) -> dict[str, Any]:
    return {
        "game": found.game.name, "number": number, "hands": list(found.hands), "turn": found.turn, "landlord": found.landlord,
        "last": found.last, "last_by": found.last_by, "grade": found.grade, "turns": found.turns,
        "found_by": list(found.found_by),
    }  # fmt: skip


@app.command("list")
def list_puzzles(game: GameName, json: AsJson = False) -> None:
    """The puzzles of a game: grade, cards, and who finds the answer."""
    from shangyou.search.puzzles import puzzles

    games.rules_of(game)
    rows = [_described(one, number) for number, one in enumerate(puzzles(game), 1)]

    def print_table() -> None:
        table = Table("number", "grade", "turns", "hands", "found by")
        for row in rows:
            table.add_row(
                str(row["number"]), "★" * row["grade"], str(row["turns"]), " / ".join(row["hands"]), ", ".join(row["found_by"])
            )
        console.print(table)

    show(json, rows, print_table)


@app.command("show")
def show_puzzle(
    game: GameName,
    number: Number = None,
    answer: Annotated[bool, typer.Option(help="Also the answer.")] = False,
    json: AsJson = False,
) -> None:
    """A puzzle: all hands, whose turn it is, the play to beat."""
    found, number = _find(game, number)
    shown = _described(found, number) | ({"answer": found.answer} if answer else {})
    show(json, shown, lambda: _print(found, number, answer))


def _print(found: Any, number: int, answer: bool = False) -> None:
    console.print(f"{found.game.name}, puzzle {number}, {'★' * found.grade}")
    _print_state(found.state)
    console.print(f"seat {found.turn} is you: {'only one play wins' if _wins(found.game) else 'one play keeps the best place'}")
    if answer:
        console.print(f"answer: {found.answer}")


def _wins(game: Game) -> bool:
    from shangyou.search.outcomes import objectives

    return objectives(game)[0] == "win"


def _print_state(state: Any) -> None:
    game = state.game
    for seat, hand in enumerate(state.hands):
        role = " (landlord)" if seat == state.landlord else ""
        console.print(f"  {'>' if seat == state.turn else ' '} seat {seat}{role}: {game.deck.format(hand) or '(out)'}")
    console.print(
        f"  {game.table.labels[state.last]} of seat {state.last_by} is to be beaten" if state.last != PASS else "  a lead"
    )


@app.command("try")
@compile_notice("the solver")
def try_puzzle(game: GameName, number: Number = None) -> None:
    """Try a puzzle in the terminal; the solver plays every other seat. An empty line gives up."""
    from shangyou.search.puzzles import attempt

    found, number = _find(game, number)
    _print(found, number)
    moves: list[int] = []
    trial = attempt(found, moves)
    while not trial.over:
        text = typer.prompt("play", default="", show_default=False)
        if not text.strip():
            console.print(f"the answer is {found.answer}")
            return
        before = len(trial.state.history)
        try:
            cards = read_play(found.game, trial.state.hands[trial.state.turn], trial.state.last, text)
        except BadInput as error:
            console.print(str(error))
            continue
        moves.append(cards)
        trial = attempt(found, moves)
        for turn in trial.state.history[before:]:
            console.print(f"  seat {turn.seat}: {found.game.deck.format(turn.cards) or 'pass'}")
        if not trial.over:
            _print_state(trial.state)
    console.print("solved" if trial.kept else f"not solved: your play number {trial.spoiled_at} gave it away")


@app.command("prove")
@compile_notice("the solver")
def prove_puzzles(
    game: GameName,
    number: Annotated[int | None, typer.Argument(help="Only this one.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
) -> None:
    """Prove puzzles again: the answer keeps what can be forced, every other play gives it away."""
    from shangyou.search.puzzles import prove, puzzle, puzzles

    games.rules_of(game)
    if every == (number is not None):
        raise BadInput("name a number, or --all")
    numbers = range(1, len(puzzles(game)) + 1) if number is None else [number]
    wrong = [n for n in track(numbers, "proving", console=console) if not prove(puzzle(game, n))]
    console.print(f"{game}: {len(numbers) - len(wrong)} of {len(numbers)} proven")
    if wrong:
        raise BadInput(f"not proven: {', '.join(map(str, wrong))}")


@app.command("mine")
@compile_notice("the solver")
def mine_puzzles(
    game: GameName,
    out: Annotated[Path, typer.Option(help="File to add puzzles to, a line each; what it has is kept.")],
    deals: Annotated[int, typer.Option(min=1, help="Games of the champion with itself.")] = 1000,
    first: Annotated[int, typer.Option(min=0, help="Number of the first deal; to go on, the one it ended with.")] = 0,
    seed: Seed = 11,
    workers: WorkerCount = 1,
    ray: RayAddress = "",
) -> None:
    """Puzzles from games that the champion plays with itself. Interrupted, it keeps what it found."""
    from shangyou.agents.puzzle_mining import MinePuzzles

    work, chunk, end = MinePuzzles(games.load(game), seed), 50, first + deals
    chunks = [range(start, min(start + chunk, end)) for start in range(first, end, chunk)]
    with (
        out.open("a", encoding="utf-8") as file,
        chosen_workers(workers, ray) as chosen,
        closing(do_chunks(work, chunks, chosen)) as mined,
    ):
        for puzzles in track(mined, "mining", total=len(chunks), console=console):
            file.writelines(f"{found}\n" for found in puzzles)
            file.flush()
    console.print(f"{out}: deals up to {first + deals}")


def _read(game: Game, file: Path) -> Iterator[Any]:
    from shangyou.search.puzzles import read

    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield read(game, line)
        except ValueError:
            raise BadInput(f"{file}, line {number}: this is no puzzle") from None


@app.command("choose")
def choose_puzzles(
    game: GameName,
    found: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, help="Files that `puzzle mine` wrote.")],
    out: Annotated[Path, typer.Option(help="File to write, instead of what it has.")],
    count: Annotated[int, typer.Option(min=1, help="Puzzles at most.")] = 400,
) -> None:
    """Puzzles of all grades in equal parts, as far as there are, each position once."""
    from shangyou.agents.puzzle_mining import choose

    loaded = games.load(game)
    chosen = choose([one for file in found for one in _read(loaded, file)], count)
    write_whole(out, "".join(f"{one}\n" for one in chosen).encode())
    console.print(f"{out}: {len(chosen)} puzzles")
