"""`shangyou simulate`: games between agents, counted."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from shangyou.cli.options import AsJson, GameName, RulesText, Seed, console, load_game, print_json
from shangyou.cli.progress import with_progress
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.simulate import Tally, fill_seats, simulate
from shangyou.games import Game


def run_simulation(
    game: GameName,
    names: Annotated[list[str], typer.Argument(metavar="AGENT...", help="One per seat; the last takes the seats left.")],
    count: Annotated[int, typer.Option("--games", min=1, help="Games to play.")] = 1000,
    seed: Seed = 0,
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Win rates and points with 95% intervals, and the average length. Ctrl-C stops and shows the games so far."""
    loaded = load_game(game, rules)
    seated = fill_seats(names, loaded.seats)
    players = [by_name(name, seed + seat) for seat, name in enumerate(seated)]
    tally = with_progress(
        f"{game} games", count, lambda tally: tally.games, lambda show: simulate(loaded, players, count, seed, show)
    )
    if json:
        print_json(describe(loaded, tally, seed))
    else:
        _print(loaded, tally, seed)


def describe(game: Game, tally: Tally, seed: int) -> dict[str, Any]:
    return {
        "game": game.name,
        "rules": game.rules.as_dict(),
        "games": tally.games,
        "seed": seed,
        "decisions_per_game": {"mean": tally.mean_length, "half_width_95": tally.length_half_width},
        "seats": [
            {
                "seat": seat,
                "agent": one.agent,
                "wins": one.wins,
                "win_rate": one.win_rate,
                "win_interval_95": one.win_interval,
                "mean_score": one.mean_score,
                "score_half_width_95": one.score_half_width,
            }
            for seat, one in enumerate(tally.seats)
        ],
    }


def _print(game: Game, tally: Tally, seed: int) -> None:
    table = Table(
        "seat", "agent", "won", "95% interval", "points a game", title=f"{game.name}, {tally.games:,} games, seed {seed}"
    )
    for seat, one in enumerate(tally.seats):
        low, high = one.win_interval
        points = f"{one.mean_score:+.3f} ± {one.score_half_width:.3f}"
        table.add_row(str(seat), one.agent, f"{one.win_rate:.4f}", f"{low:.4f} .. {high:.4f}", points)
    console.print(table)
    console.print(f"{tally.mean_length:.2f} ± {tally.length_half_width:.2f} plays and passes a game")
