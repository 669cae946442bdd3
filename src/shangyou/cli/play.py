"""`shangyou play`: a game against agents in the terminal."""

import secrets
from typing import Annotated

import typer

from shangyou import agents, games
from shangyou.agents.models.model_files import is_model
from shangyou.cli.options import GameName, RulesText, console
from shangyou.engines import reference
from shangyou.evaluation.simulate import fill_seats
from shangyou.games import BadInput, Game
from shangyou.terminal import Quit, TerminalGame


def play(
    game: GameName,
    against: Annotated[
        list[str] | None,
        typer.Option(help="Who sits in the other seats, in order; may be repeated. An agent, a model, or a model's file."),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat; in doudizhu without bidding seat 0 is the landlord.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed of the deal, for the same cards again; default: random.")] = None,
    rules: RulesText = "",
) -> None:
    """Play in the terminal. Type help at the prompt for the commands."""
    loaded = games.load_text(game, rules)
    if not 0 <= seat < loaded.seats:
        raise BadInput(f"seat {seat}: {loaded.name} has seats 0..{loaded.seats - 1}")
    deal_seed = secrets.randbelow(10**9) if seed is None else seed
    try:
        while True:
            _one_game(loaded, seat, against, deal_seed)
            if console.input("\nAnother game? \\[y/N] ").strip().lower() not in ("y", "yes"):
                return
            deal_seed = deal_seed + 1 if seed is not None else secrets.randbelow(10**9)
    except (Quit, EOFError, KeyboardInterrupt):
        console.print("\nGoodbye.")


def _one_game(game: Game, seat: int, against: list[str] | None, seed: int) -> None:
    best = agents.strongest(game)
    names = fill_seats(against or [best], game.seats - 1)
    adviser = next((name for name in names if is_model(name)), best)  # a net estimates chances of winning
    others = [(seat + i) % game.seats for i in range(1, game.seats)]
    seated = {other: agents.load(name, game, seed + other) for other, name in zip(others, names, strict=True)}
    console.print(f"[bold]{game.name}[/], deal {seed} [dim](the same cards again: --seed {seed})[/]")
    TerminalGame(console, reference.deal(game, seed), seat, seated, agents.load(adviser, game)).run()
