"""`shangyou tournament`: every agent against every other."""

from math import comb
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from shangyou import games
from shangyou.cli.match import describe, describe_score, score_cells
from shangyou.cli.options import AsJson, Deals, GameName, RulesText, Seed, Workers, console, show
from shangyou.cli.progress import with_progress
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.plots import check_can_plot, plot_tournament
from shangyou.evaluation.ratings import Rating
from shangyou.evaluation.tournament import Tournament, play_tournament


def run_tournament(
    game: GameName,
    names: Annotated[list[str], typer.Argument(metavar="AGENT...", help="Two or more different agents.")],
    deals: Deals = 200,
    seed: Seed = 0,
    workers: Workers = 1,
    rules: RulesText = "",
    plot: Annotated[Path | None, typer.Option(help="File for a heat map of the win rates, .svg or .png.")] = None,
    json: AsJson = False,
) -> None:
    """Round robin over duplicate deals: win rates of all pairs, each agent's mean with 95% intervals, ratings. Ctrl-C stops
    and prints the games so far."""
    if plot:
        check_can_plot(plot)
    loaded = games.load_text(game, rules)
    contestants = [by_name(name, seed + i) for i, name in enumerate(names)]
    tournament = with_progress(
        f"{game} deals",
        deals * comb(len(names), 2),
        lambda tournament: tournament.deals_played,
        lambda show: play_tournament(loaded, contestants, deals, seed, workers=workers, after_each=show),
    )
    if plot:
        plot_tournament(tournament, plot)
    ratings = tournament.ratings()
    show(json, _describe(tournament, ratings), lambda: _print(tournament, ratings))


def _describe(tournament: Tournament, ratings: dict[str, Rating]) -> dict[str, Any]:
    return {
        "game": tournament.game.name,
        "rules": tournament.game.rules.as_dict(),
        "seed": tournament.seed,
        "even": tournament.even,
        "agents": [
            {"name": name, **describe_score(tournament.standing(name)), "rating": vars(ratings[name])}
            for name in tournament.ranking
        ],
        "matches": [describe(match) for match in tournament.matches.values()],
    }


def _print(tournament: Tournament, ratings: dict[str, Rating]) -> None:
    ranking = tournament.ranking
    deals, games = tournament.deals_played, tournament.games
    console.print(f"{tournament.game.name}, {deals:,} deals, {games:,} games, seed {tournament.seed}")
    table = Table("agent", "won", "95% interval", "points a game", "rating (sd)")
    for name in ranking:
        rating = ratings[name]
        table.add_row(name, *score_cells(tournament.standing(name)), f"{rating.mu:.1f} ({rating.sigma:.1f})")
    console.print(table)
    cells = Table("won against", *ranking)
    for row in ranking:
        rates = (tournament.win_rate(row, column) for column in ranking)
        cells.add_row(row, *("–" if rate is None else f"{rate:.4f}" for rate in rates))
    console.print(cells)
    console.print(f"won by equals: {tournament.even:g}")
