"""`shangyou match`: two agents on the same deals with the seats swapped."""

from math import isfinite
from typing import Annotated, Any

import typer
from rich.table import Table

from shangyou import games
from shangyou.agents.seating import even_share
from shangyou.cli.options import AsJson, Deals, GameName, RulesText, Seed, Workers, console, show
from shangyou.cli.progress import with_progress
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import Match, Score, evaluate
from shangyou.evaluation.sprt import Sprt, Verdict
from shangyou.games import BadInput


def run_match(
    game: GameName,
    a: Annotated[str, typer.Argument(metavar="A", help="The agent that is measured.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The agent it plays against.")],
    deals: Deals = 1000,
    seed: Seed = 0,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="zsy4: also play B alone against three A. Other games always swap all seats.")
    ] = False,
    sprt: Annotated[bool, typer.Option("--sprt", help="Stop when a sequential test decides if A is better by --gain.")] = False,
    gain: Annotated[float, typer.Option(help="SPRT: win rate above that of equal agents that counts as better.")] = 0.02,
    workers: Workers = 1,
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """A's win rate and points against B, with 95% intervals. Every deal is played again with the seats swapped, so that
    both hold the same cards. Ctrl-C stops and prints the deals so far."""
    loaded = games.load_text(game, rules)
    test = _test_of(even_share(loaded), gain) if sprt else None
    players = by_name(a, seed), by_name(b, seed + 1)
    match = with_progress(
        f"{game} deals",
        deals,
        lambda match: match.deals,
        lambda show: evaluate(loaded, *players, deals, seed, mirrored=mirrored, sprt=test, workers=workers, after_each=show),
    )
    show(json, describe(match), lambda: _print(match))


def _test_of(even: float, gain: float) -> Sprt:
    if not 0 < gain <= 1 - even:
        raise BadInput(f"gain {gain:g}: must be above 0 and at most {1 - even:g}, as equals win {even:g}")
    return Sprt(even, even + gain)


def describe(match: Match) -> dict[str, Any]:
    return {
        "game": match.game.name,
        "rules": match.game.rules.as_dict(),
        "a": match.a,
        "b": match.b,
        "seed": match.seed,
        "deals": match.deals,
        "games": match.games,
        "even": match.even,
        **describe_score(match.total),
        "by_role": {role: {"deals": score.win.count, **describe_score(score)} for role, score in match.by_role.items()},
        "sprt": _describe_sprt(match, match.sprt) if match.sprt else None,
    }


def describe_score(score: Score) -> dict[str, Any]:
    return {
        "win_rate": score.win.mean,
        "win_interval_95": score.win_interval,
        "mean_points": score.points.mean,
        "points_half_width_95": finite(score.points.half_width),
    }


def _describe_sprt(match: Match, sprt: Sprt) -> dict[str, Any]:
    names = "h0", "h1", "alpha", "beta", "llr", "bounds", "verdict"
    llr = finite(sprt.llr(match.total.win))
    return dict(zip(names, (sprt.mu0, sprt.mu1, sprt.alpha, sprt.beta, llr, sprt.bounds, match.verdict), strict=True))


def finite(number: float) -> float | None:
    """JSON has no infinity."""
    return number if isfinite(number) else None


def score_cells(score: Score) -> tuple[str, str, str]:
    low, high = score.win_interval
    points = f"{score.points.mean:+.3f} ± {score.points.half_width:.3f}"
    return f"{score.win.mean:.4f}", f"{low:.4f} .. {high:.4f}", points


def _print(match: Match) -> None:
    console.print(
        f"{match.game.name}, {match.a} against {match.b}, {match.deals:,} deals, {match.games:,} games, seed {match.seed}"
    )
    table = Table(match.a, "won", "95% interval", "points a game")
    for role, score in match.by_role.items() if len(match.by_role) > 1 else ():
        table.add_row(role, *score_cells(score))
    table.add_row("all", *score_cells(match.total), style="bold")
    console.print(table)
    console.print(f"won by equals: {match.even:g}")
    if match.sprt:
        _print_sprt(match, match.sprt)


def _print_sprt(match: Match, sprt: Sprt) -> None:
    low, high = sprt.bounds
    meaning = {
        Verdict.H1: f"{match.a} is better",
        Verdict.H0: f"{match.a} is not better by as much as {sprt.mu1 - sprt.mu0:g}",
        Verdict.UNDECIDED: "undecided; more deals are needed",
    }
    console.print(f"SPRT of {sprt.mu0:g} against {sprt.mu1:g}: {meaning[match.verdict]}")
    console.print(f"log likelihood ratio {sprt.llr(match.total.win):+.2f}, decided below {low:.2f} or above {high:.2f}")
