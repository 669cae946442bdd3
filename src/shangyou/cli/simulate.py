"""`shangyou simulate`: games between agents in fixed seats."""

from typing import Annotated, Any

import typer
from rich.table import Table

from shangyou import games
from shangyou.cli.match import finite, score_cells
from shangyou.cli.options import AsJson, GameName, RulesText, Seed, console, show
from shangyou.cli.progress import with_progress
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.simulate import Simulation, fill_seats, simulate
from shangyou.games import Game


def run_simulation(
    game: GameName,
    names: Annotated[list[str], typer.Argument(metavar="AGENT...", help="One per seat; the last takes all further seats.")],
    count: Annotated[int, typer.Option("--games", min=1, help="Number of games.")] = 1000,
    seed: Seed = 0,
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Win rates and points with 95% intervals, and the average length. Ctrl-C stops and prints the games so far."""
    loaded = games.load_text(game, rules)
    seated = fill_seats(names, loaded.seats)
    players = [by_name(name, seed + seat) for seat, name in enumerate(seated)]
    result = with_progress(
        f"{game} games", count, lambda result: result.games, lambda show: simulate(loaded, players, count, seed, show)
    )
    show(json, _describe(loaded, result, seed), lambda: _print(loaded, result, seed))


def _describe(game: Game, result: Simulation, seed: int) -> dict[str, Any]:
    return {
        "game": game.name,
        "rules": game.rules.as_dict(),
        "games": result.games,
        "seed": seed,
        "decisions_per_game": {"mean": result.turns.mean, "half_width_95": finite(result.turns.half_width)},
        "seats": [
            {
                "seat": seat,
                "agent": agent,
                "wins": round(score.win.total),
                "win_rate": score.win.mean,
                "win_interval_95": score.win_interval,
                "mean_score": score.points.mean,
                "score_half_width_95": finite(score.points.half_width),
            }
            for seat, (agent, score) in enumerate(zip(result.agents, result.seats, strict=True))
        ],
    }


def _print(game: Game, result: Simulation, seed: int) -> None:
    title = f"{game.name}, {result.games:,} games, seed {seed}"
    table = Table("seat", "agent", "won", "95% interval", "points a game", title=title)
    for seat, (agent, score) in enumerate(zip(result.agents, result.seats, strict=True)):
        table.add_row(str(seat), agent, *score_cells(score))
    console.print(table)
    console.print(f"{result.turns.mean:.2f} ± {result.turns.half_width:.2f} plays and passes a game")
