"""Options that several commands have, and how results and errors are printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


class Commands(TyperGroup):
    """Prints bad input as one line, with exit code 2, for every command."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BadInput as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(2) from error


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
