"""Options that several commands have, and how results and errors are printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from shangyou import agents, games
from shangyou.agents.catalogue import agent_names
from shangyou.agents.models.model_files import list_models
from shangyou.games import BadInput, Game
from shangyou.workers import Workers

if TYPE_CHECKING:
    from shangyou.workers.cluster import Cluster

console = Console(highlight=False)


def complete_game(incomplete: str) -> list[str]:
    return [name for name in games.names() if name.startswith(incomplete)]


def complete_agent(ctx: typer.Context, incomplete: str) -> list[str]:
    """Agents and models that begin like this; of the game, where one is given before."""
    game = ctx.params.get("game")
    known = game if isinstance(game, str) and game in games.names() else None
    return [name for name in agent_names(known) if name.startswith(incomplete)]


def complete_model(incomplete: str) -> list[str]:
    return [name for name in list_models() if name.startswith(incomplete)]


def complete_own_model(incomplete: str) -> list[str]:
    return [name for name in complete_model(incomplete) if name not in agents.names()]


GameName = Annotated[
    str, typer.Argument(metavar="GAME", help=f"One of {', '.join(games.names())}.", autocompletion=complete_game)
]
RulesText = Annotated[str, typer.Option("--rules", help='Rules that differ from the defaults, e.g. "spring=true base=3".')]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
WorkerCount = Annotated[int, typer.Option("--workers", min=1, help="Number of processes; it does not change the result.")]
RayAddress = Annotated[
    str,
    typer.Option(
        "--ray", metavar="ADDRESS", help="Work on this Ray cluster instead: HOST:PORT, or auto for the one that runs here."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the deals: the same seed gives the same cards.")]


UsageError: Any = typer.BadParameter.__base__  # of every wrong option; Typer does not export it


class Commands(TyperGroup):
    """Prints bad input and wrong options as one line, with exit code 2, for every command."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _errors_as_lines():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _errors_as_lines():
            return super().invoke(ctx)


@contextmanager
def _errors_as_lines() -> Iterator[None]:
    try:
        yield
    except BadInput as error:
        reason = str(error)
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help, which is printed already
            raise
        reason = _what_is_wrong(error)
    else:
        return
    typer.echo(f"error: {reason}", err=True)
    raise typer.Exit(2)


def _what_is_wrong(error: Any) -> str:
    """The option or argument, its value and the reason: `--deals 0: should be greater than or equal to 1`."""
    checked = getattr(error.__cause__, "errors", None)  # of pydantic, by which Typer checks values
    if checked:
        wrong = checked()[0]
        name = error.param.get_error_hint().replace("'", "")
        reason = wrong["msg"].removeprefix("Value error, ").removeprefix("Input ").partition(", unable")[0]
        return " ".join(f"{name} {wrong['input']}: {reason}".removesuffix(".").split())
    text = " ".join(error.format_message().removesuffix(".").split())
    advice = f"; {error.ctx.command_path} --help lists what there is" if error.ctx else ""
    return text[:1].lower() + text[1:] + advice


def check_torch(what: str) -> None:
    """Torch comes with the extra `train`, which playing does not need."""
    if find_spec("torch") is None:
        raise BadInput(f"{what} needs torch: pip install shangyou[train]")


@contextmanager
def compile_notice(what: str) -> Iterator[None]:
    """Says so on stderr if kernels are not on disk yet: the first process compiles them, and prints nothing meanwhile."""
    try:
        from shangyou.engines.kernels import cpu_cache  # Numba takes a while to import
    except ImportError:  # who needs it says so
        yield
        return

    def tell() -> None:
        cpu_cache.before_compiling = None
        typer.echo(f"compiling {what}, once: about half a minute", err=True)

    cpu_cache.before_compiling = tell
    try:
        yield
    finally:
        cpu_cache.before_compiling = None


@contextmanager
def chosen_workers(workers: int, ray: str) -> Iterator[Workers]:
    """Processes of this machine, or with --ray those of a cluster."""
    if ray and workers != 1:
        raise BadInput(f"--workers {workers}: on a Ray cluster (--ray {ray}) there is one for each of its CPUs")
    with connected(ray) as cluster:
        yield cluster or workers


@contextmanager
def connected(ray: str) -> Iterator[Cluster | None]:
    """The cluster of --ray, if it is given."""
    if not ray:
        yield None
        return
    from shangyou.workers.cluster import Cluster

    with Cluster(ray) as cluster:
        yield cluster


def changed_rules(game: Game) -> str:
    """The rules that differ from the game's defaults, in the form of --rules."""
    return " ".join(f"{name}={str(value).lower()}" for name, value in game.rules.changes().items())


def counted(number: int, noun: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def show(as_json: bool, value: Any, print_table: Callable[[], None]) -> None:
    """A result as JSON, or in the form for people."""
    if as_json:
        print(json.dumps(value, ensure_ascii=False, indent=2))
    else:
        print_table()
