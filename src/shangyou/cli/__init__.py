"""The command line: `shangyou games`, `legal`, `suggest`, `play`, `simulate`, `match`, `train`, `lab`, `model`, ..."""

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from shangyou import __version__
from shangyou.cli import agents, bench, bot, chances, evaluation, games, mcp, model, play, puzzle, record, serve, solve, train
from shangyou.cli.options import Commands

app = typer.Typer(
    name="shangyou",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("games")(games.list_games)
app.command("agents")(agents.list_agents)
app.command("legal")(games.list_legal)
app.command("suggest")(games.suggest_play)
app.command("solve")(solve.solve_position)
app.command("play")(play.play)
app.command("serve")(serve.serve)
app.command("bot")(bot.run_bot)
app.command("mcp")(mcp.serve_mcp)
app.command("simulate")(evaluation.run_simulation)
app.command("train")(train.train)
app.command("train-bids")(train.train_bids)
app.command("curves")(train.plot_runs)
app.command("measure-hands")(train.measure_hands)
app.command("measure-chances")(chances.measure_chances)
app.command("lab")(train.run_lab)
app.command("match")(evaluation.run_match)
app.command("tournament")(evaluation.run_tournament)
app.command("bench")(bench.run_benchmarks)
app.add_typer(model.app, name="model")
app.add_typer(puzzle.app, name="puzzle")
app.add_typer(record.app, name="record")


def print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shangyou {__version__}")
        raise typer.Exit


@app.callback()
def prepare_output(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=print_version, help="Print the version.")
    ] = False,
) -> None:
    """Chinese climbing card games, played, studied and mastered by machines."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # text from a file may hold what the terminal's encoding does not
            stream.reconfigure(errors="backslashreplace")


def main() -> None:
    app()
