"""`shangyou match`, `tournament` and `simulate`: agents measured over many games, with 95% intervals."""

from collections.abc import Callable, Iterable
from math import comb, isfinite
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Column, Table

from shangyou import agents, games
from shangyou.agents.models.model_files import find_model, is_model
from shangyou.agents.seating import even_share
from shangyou.cli.options import (
    AsJson,
    GameName,
    RayAddress,
    RulesText,
    Seed,
    WorkerCount,
    chosen_workers,
    complete_agent,
    console,
    show,
)
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import Match, Score, evaluate
from shangyou.evaluation.plots import check_can_plot, plot_tournament
from shangyou.evaluation.ratings import Rating
from shangyou.evaluation.simulate import Simulation, fill_seats, simulate
from shangyou.evaluation.sprt import Sprt, Verdict
from shangyou.evaluation.teams import ROLES, TeamMatch, check_has_landlord, team_match
from shangyou.evaluation.tournament import Tournament, play_tournament
from shangyou.games import BadInput, Game
from shangyou.records import read_deals

DEFAULT_DEALS = 1000  # of a match
MOST_DEALS_LISTED = 100  # of a match of teams; JSON has all
DEALS_HELP = "Number of deals; each is played several times with the seats swapped."
Deals = Annotated[int, typer.Option(min=1, help=DEALS_HELP)]
Result = TypeVar("Result")
SCORE_COLUMNS = "won", "95% interval", "points a game"


def _with_progress(
    what: str, total: int, done: Callable[[Result], int], work: Callable[[Callable[[Result], None]], Result]
) -> Result:
    """The result of `work`. It is given a function to call with its result so far; if interrupted, the latest is returned."""
    so_far: list[Result] = []
    columns = "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    errors = Console(stderr=True)  # where that is no terminal the bar would be an empty line
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_interactive) as progress:
        task = progress.add_task(what, total=total)

        def report(result: Result) -> None:
            so_far[:] = [result]
            progress.update(task, completed=done(result))

        try:
            return work(report)
        except KeyboardInterrupt:
            if not so_far:
                raise
            return so_far[0]


def _describe_score(score: Score, points: str = "points") -> dict[str, Any]:
    return {
        "win_rate": score.win.mean,
        "win_interval_95": score.win_interval,
        f"mean_{points}": score.points.mean,
        f"{points}_half_width_95": _finite(score.points.half_width),
    }


def _finite(number: float) -> float | None:
    """JSON has no infinity."""
    return number if isfinite(number) else None


def _score_cells(score: Score) -> tuple[str, str, str]:
    """The cells under SCORE_COLUMNS."""
    low, high = score.win_interval
    points = f"{score.points.mean:+z.3f} ± {score.points.half_width:.3f}"
    return f"{score.win.mean:.4f}", f"{low:.4f} .. {high:.4f}", points


def _warn_of_rules(game: Game, names: Iterable[str]) -> None:
    """A model plays under all rules with its table of plays; whoever measures it should know if it was trained under others.
    One of another table is an error, without a note before it."""
    from shangyou.agents.models.net_agent import Model  # imports onnxruntime, which scripted agents do not need

    for name in filter(is_model, dict.fromkeys(names)):
        model = Model(find_model(name.partition(":")[0]))
        model.check_plays(game)
        if trained_with := model.other_rules(game):
            Console(stderr=True).print(f"note: {name} was trained with {trained_with}", highlight=False)


# -- match ------------------------------------------------------------------------------------------------------------


def run_match(
    game: GameName,
    a: Annotated[str, typer.Argument(metavar="A", help="The agent that is measured.", autocompletion=complete_agent)],
    b: Annotated[str, typer.Argument(metavar="B", help="The agent it plays against.", autocompletion=complete_agent)],
    deals: Annotated[int | None, typer.Option(min=1, help=DEALS_HELP, show_default="1000, or all of --deals-file")] = None,
    seed: Seed = 0,
    deals_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Play these deals: lines HAND;HAND;...;PUBLIC, or records, whose plays do not count."
        ),
    ] = None,
    teams: Annotated[
        bool, typer.Option("--teams", help="doudizhu: A and B as teams at two tables; the sum of landlords' scores decides.")
    ] = False,
    mirrored: Annotated[
        bool, typer.Option("--mirrored", help="zsy4: also play B alone against three A. Other games always swap all seats.")
    ] = False,
    sprt: Annotated[bool, typer.Option("--sprt", help="Stop when a sequential test decides if A is better by --gain.")] = False,
    gain: Annotated[float, typer.Option(help="SPRT: win rate above that of equal agents that counts as better.")] = 0.02,
    think: Annotated[str, typer.Option(help="How long agents whose names begin with search: think, 500ms, 2s, 4000p.")] = "",
    workers: WorkerCount = 1,
    ray: RayAddress = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """A's win rate and points against B, with 95% intervals. Every deal is played again with the seats swapped, so that
    both hold the same cards. Ctrl-C stops and prints the deals so far."""
    loaded = games.load_text(game, rules)
    if teams:
        check_has_landlord(loaded)
    test = _make_test(even_share(loaded), gain) if sprt else None
    given = read_deals(deals_file, loaded) if deals_file else ()
    count = deals or len(given) or DEFAULT_DEALS
    _warn_of_rules(loaded, (a, b))
    a, b = (agents.thinking(name, think) if think and agents.is_search(name) else name for name in (a, b))
    pair = by_name(a, seed), by_name(b, seed + 1)
    with chosen_workers(workers, ray) as chosen:
        match = _with_progress(
            f"{game} deals",
            count,
            lambda match: match.deals,
            lambda report: evaluate(
                loaded, *pair, count, seed, mirrored=mirrored, sprt=test, workers=chosen, given=given, after_each=report
            ),
        )
    source = f"deals of {deals_file}" if deals_file else f"seed {seed}"
    described = _describe_match(match) | {"deals_file": str(deals_file) if deals_file else None}
    if teams:
        result = team_match(match)
        show(json, described | {"teams": _describe_teams(result)}, lambda: _print_teams(match, result, source))
    else:
        show(json, described, lambda: _print_match(match, source))


def _make_test(even: float, gain: float) -> Sprt:
    if not 0 < gain <= 1 - even:
        raise BadInput(f"gain {gain:g}: must be above 0 and at most {1 - even:g}, as equals win {even:g}")
    return Sprt(even, even + gain)


def _describe_match(match: Match) -> dict[str, Any]:
    return {
        "game": match.game.name,
        "rules": match.game.rules.as_dict(),
        "a": match.a,
        "b": match.b,
        "seed": match.seed,
        "deals": match.deals,
        "games": match.games,
        "even": match.even,
        **_describe_score(match.total),
        "by_role": {role: {"deals": score.win.count, **_describe_score(score)} for role, score in match.by_role.items()},
        "sprt": _describe_sprt(match, match.sprt) if match.sprt else None,
    }


def _describe_sprt(match: Match, sprt: Sprt) -> dict[str, Any]:
    names = "h0", "h1", "alpha", "beta", "llr", "bounds", "verdict"
    llr = _finite(sprt.llr(match.total.win))
    return dict(zip(names, (sprt.mu0, sprt.mu1, sprt.alpha, sprt.beta, llr, sprt.bounds, match.verdict), strict=True))


def _print_title(match: Match, source: str) -> None:
    played = f"{match.deals:,} deals, {match.games:,} games"
    console.print(f"{match.game.name}, {match.a} against {match.b}, {played}, {source}", markup=False)


def _print_match(match: Match, source: str) -> None:
    _print_title(match, source)
    table = Table(match.a, *SCORE_COLUMNS)
    for role, score in match.by_role.items() if len(match.by_role) > 1 else ():
        table.add_row(role, *_score_cells(score))
    table.add_row("all", *_score_cells(match.total), style="bold")
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


def _describe_teams(result: TeamMatch) -> dict[str, Any]:
    return {
        "tables": [
            {"number": table.number, "table": table.table, **dict(zip(ROLES, table.seats, strict=True)), "score": table.score}
            for table in result.tables()
        ],
        "totals": result.totals,
        "winner": result.winner,
    }


def _print_teams(match: Match, result: TeamMatch, source: str) -> None:
    """The rows of Table 7 of the DeepRocket paper, if they can still be read, and who wins."""
    _print_title(match, source)
    if match.deals <= MOST_DEALS_LISTED:
        table = Table("number", "table", *ROLES, *(Column(name, justify="right") for name in (*result.teams, "so far")))
        for row in result.tables():
            scores = ["", ""]
            scores[row.table - 1] = str(row.score)
            so_far = " : ".join(map(str, row.totals))
            table.add_row(str(row.number), str(row.table), *row.seats, *scores, so_far)
        console.print(table)
    first, second = result.totals
    console.print(f"scores as landlord: {match.a} {first}, {match.b} {second}", markup=False)
    console.print(f"{result.winner} wins" if result.winner else "even", markup=False)


# -- tournament -------------------------------------------------------------------------------------------------------


def run_tournament(
    game: GameName,
    names: Annotated[
        list[str], typer.Argument(metavar="AGENT...", help="Two or more different agents.", autocompletion=complete_agent)
    ],
    deals: Deals = 200,
    seed: Seed = 0,
    workers: WorkerCount = 1,
    ray: RayAddress = "",
    rules: RulesText = "",
    plot: Annotated[Path | None, typer.Option(help="File for a heat map of the win rates, .svg or .png.")] = None,
    json: AsJson = False,
) -> None:
    """Round robin over duplicate deals: win rates of all pairs, each agent's mean with 95% intervals, ratings. Ctrl-C stops
    and prints the games so far."""
    if plot:
        check_can_plot(plot)
    loaded = games.load_text(game, rules)
    _warn_of_rules(loaded, names)
    contestants = [by_name(name, seed + i) for i, name in enumerate(names)]
    with chosen_workers(workers, ray) as chosen:
        tournament = _with_progress(
            f"{game} deals",
            deals * comb(len(names), 2),
            lambda tournament: tournament.deals_played,
            lambda report: play_tournament(loaded, contestants, deals, seed, workers=chosen, after_each=report),
        )
    if plot:
        plot_tournament(tournament, plot)
    ratings = tournament.ratings()
    show(json, _describe_tournament(tournament, ratings), lambda: _print_tournament(tournament, ratings))


def _describe_tournament(tournament: Tournament, ratings: dict[str, Rating]) -> dict[str, Any]:
    return {
        "game": tournament.game.name,
        "rules": tournament.game.rules.as_dict(),
        "seed": tournament.seed,
        "even": tournament.even,
        "agents": [
            {"name": name, **_describe_score(tournament.standing(name)), "rating": vars(ratings[name])}
            for name in tournament.ranking
        ],
        "matches": [_describe_match(match) for match in tournament.matches.values()],
    }


def _print_tournament(tournament: Tournament, ratings: dict[str, Rating]) -> None:
    ranking = tournament.ranking
    played = f"{tournament.deals_played:,} deals, {tournament.games:,} games"
    console.print(f"{tournament.game.name}, {played}, seed {tournament.seed}")
    table = Table("agent", *SCORE_COLUMNS, "rating (sd)")
    for name in ranking:
        rating = ratings[name]
        table.add_row(name, *_score_cells(tournament.standing(name)), f"{rating.mu:.1f} ({rating.sigma:.1f})")
    console.print(table)
    cells = Table("won against", *ranking)
    for row in ranking:
        rates = (tournament.win_rate(row, column) for column in ranking)
        cells.add_row(row, *("–" if rate is None else f"{rate:.4f}" for rate in rates))
    console.print(cells)
    console.print(f"won by equals: {tournament.even:g}")


# -- simulate ---------------------------------------------------------------------------------------------------------


def run_simulation(
    game: GameName,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT...", help="One per seat; the last takes all further seats.", autocompletion=complete_agent
        ),
    ],
    count: Annotated[int, typer.Option("--games", min=1, help="Number of games.")] = 1000,
    seed: Seed = 0,
    workers: WorkerCount = 1,
    ray: RayAddress = "",
    rules: RulesText = "",
    json: AsJson = False,
) -> None:
    """Win rates and points with 95% intervals, and the average length; with bidding, how often each agent bids how much.
    Ctrl-C stops and prints the games so far."""
    loaded = games.load_text(game, rules)
    players = [by_name(name, seed + seat) for seat, name in enumerate(fill_seats(names, loaded.seats))]
    with chosen_workers(workers, ray) as chosen:
        result = _with_progress(
            f"{game} games",
            count,
            lambda result: result.games,
            lambda report: simulate(loaded, players, count, seed, report, chosen),
        )
    show(json, _describe_simulation(loaded, result, seed), lambda: _print_simulation(loaded, result, seed))


def _describe_simulation(game: Game, result: Simulation, seed: int) -> dict[str, Any]:
    seats = enumerate(zip(result.agents, result.seats, strict=True))
    return {
        "game": game.name,
        "rules": game.rules.as_dict(),
        "games": result.games,
        "seed": seed,
        "decisions_per_game": {"mean": result.turns.mean, "half_width_95": _finite(result.turns.half_width)},
        "seats": [
            {"seat": seat, "agent": agent, "wins": round(score.win.total), **_describe_score(score, "score")}
            for seat, (agent, score) in seats
        ],
        "bids": {agent: counts.tolist() for agent, counts in result.bids.items()},
    }


def _print_simulation(game: Game, result: Simulation, seed: int) -> None:
    table = Table("seat", "agent", *SCORE_COLUMNS, title=f"{game.name}, {result.games:,} games, seed {seed}")
    for seat, (agent, score) in enumerate(zip(result.agents, result.seats, strict=True)):
        table.add_row(str(seat), agent, *_score_cells(score))
    console.print(table)
    console.print(f"{result.turns.mean:.2f} ± {result.turns.half_width:.2f} plays and passes a game")
    if result.bids:
        _print_bids(result)


def _print_bids(result: Simulation) -> None:
    """How often each agent bids how much, by how many have bid before it; deals that were dealt again count too."""
    points = range(next(iter(result.bids.values())).shape[1])
    table = Table("agent", "turn to bid", "bids", *(f"bids {number}" for number in points))
    for agent, counts in result.bids.items():
        turns = {str(turn): bids for turn, bids in enumerate(counts, 1)} | {"any": counts.sum(0)}
        for turn, bids in turns.items():
            shares = bids / max(1, bids.sum())
            table.add_row(agent, turn, f"{bids.sum():,}", *(f"{share:.4f}" for share in shares), end_section=turn == "any")
    console.print(table)
