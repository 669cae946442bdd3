"""The tables of Experiment 4: single nets, their aggregates and the baselines, every two against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from shangyou.agents.batch.ensemble import AS_PRINTED, Style
from shangyou.evaluation.intervals import Rate
from shangyou.lab import paper_numbers
from shangyou.lab.figures import RatesBySource, dots, heat_map
from shangyou.lab.old_dqn import baselines, old_dqns
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import EXPLORATION_IN_TABLES, Shares
from shangyou.lab.populations import Trained
from shangyou.lab.rates import PrintedRate, Rates, RoundRobin, against, round_robin
from shangyou.lab.stages import Context
from shangyou.nets.papers import spec_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVEN = 0.5
BASELINES = ("Random", "Greedy", "Old DQN")
DEALS = {"smoke": 2, "small": 20, "paper": 500}  # of every two agents


class PrintedTables(NamedTuple):
    """A pair of the paper's tables."""

    numbers: tuple[int, int]
    games: int  # of every two agents
    average: Mapping[str, float]  # of the first table: the share against everybody
    headlines: Shares  # of the second: against each baseline
    stored: Shares  # the same without exploration, as logged


TABLES_1_2 = PrintedTables(
    (1, 2), paper_numbers.GAMES_IN_TABLES[0], paper_numbers.TABLE_1, paper_numbers.TABLE_2,
    paper_numbers.EXPERIMENT_4_LOG_2 | paper_numbers.EXPERIMENT_2_LOG,
)  # fmt: skip
TABLES_3_4 = PrintedTables(
    (3, 4), paper_numbers.GAMES_IN_TABLES[1], paper_numbers.TABLE_3, paper_numbers.TABLE_4,
    paper_numbers.EXPERIMENT_4_LOG_5 | paper_numbers.EXPERIMENT_5_LOG,
)  # fmt: skip


class Tables(NamedTuple):
    """What the opening of a page says of them."""

    best: tuple[str, Rate]  # of all agents, by its share against all others, nobody exploring
    within: str  # how many of the printed headline rates have ours inside their intervals
    headlines: Figure


def write_tables(ctx: Context, page: Page, trained: Trained, printed: PrintedTables) -> Tables:
    """As printed, where single nets explore and the others do not; and all without exploration."""
    page.heading(f"Tables {printed.numbers[0]} and {printed.numbers[1]}")
    deals, seed, stage = DEALS[ctx.scale], ctx.seed + 6, f"{page.experiment}-tables"
    others = {**trained.aggregates(ctx, AS_PRINTED), **baselines(ctx)}
    agents = {**trained.singles(ctx, Style("first", EXPLORATION_IN_TABLES)), **others}
    exploring = round_robin(ctx, f"{stage}-exploring", agents, deals, seed)
    plain = round_robin(ctx, f"{stage}-plain", {**trained.singles(ctx, AS_PRINTED), **others}, deals, seed)
    headline_agents = {name: agents[name] for name in printed.headlines}
    by_old_dqn = against(ctx, f"{stage}-old-dqns", headline_agents, old_dqns(ctx), deals, seed)

    page.text(
        f"Every two agents, {2 * deals:,} games: the average over all opponents. In *ours* {EXPLORATION_IN_TABLES:.0%} of the "
        "plays of single nets are random, as in the paper's tables, which do not mention it; aggregates and baselines never "
        "explore."
    )
    ranking, both = exploring.ranking, (exploring, plain)
    columns = ["agent", f"Table {printed.numbers[0]}", "ours", "ours, no exploration"]
    page.table(columns, [[name, printed.average.get(name), *(table.average[name] for table in both)] for name in ranking])
    page.text(
        "The same games against the baselines. *Stored* is the rate of the same agents without exploration in the paper's logs."
    )
    for i, who in enumerate(BASELINES):
        rows = []
        for name in ranking:
            paper = (shares[name][i] if name in shares else None for shares in (printed.headlines, printed.stored))
            rows.append([name, *paper, *(table.rates[name].get(who) for table in both)])
        page.table([f"against {who}", f"Table {printed.numbers[1]}", "stored", "ours", "ours, no exploration"], rows)
    page.heading("Headline rows")
    page.text(
        f"The printed rates with the 95% intervals of the {printed.games:,} games they are of, and ours. Nets built alike "
        "differ only in their random numbers and in when they were removed: the last column has the least and the greatest "
        "rate of all of ours that are built as the one of the row."
    )
    lines = _headlines(printed, exploring, trained)
    page.table(["", "printed", "ours", "", "nets built alike"], lines)
    _write_old_dqns(page, printed, by_old_dqn)
    page.figure("heat", heat_map("share won by the row, no exploration", plain.ranking, plain.cells, middle=EVEN))
    within = f"{sum(line[3] == 'within' for line in lines)} of {len(lines)}"
    figure = dots({f"won against {who}": _sources(printed, exploring, plain, who) for who in BASELINES})
    return Tables((plain.ranking[0], plain.average[plain.ranking[0]]), within, figure)


def _write_old_dqns(page: Page, printed: PrintedTables, rates: Rates) -> None:
    """How much of a difference is that of the opponent, whose weights are our own."""
    headlines = printed.headlines
    page.text(
        "The Old DQN is our own, and iterations of one run differ in strength "
        f"([iterations]({page.name_of('iterations')}.md)). The same agents as in the headline rows against each iteration of "
        "ours, and how many of them are within the intervals of the printed:"
    )
    rows: list[list[object]] = [["the paper's Old DQN", *(shares[-1] for shares in headlines.values()), None]]
    for who in next(iter(rates.values())):
        within = sum(PrintedRate(shares[-1], printed.games).beyond(rates[name][who]) <= 0 for name, shares in headlines.items())
        rows.append([who, *(rates[name][who] for name in headlines), f"{within} of {len(headlines)}"])
    page.table(["against", *headlines, "within"], rows)


def _sources(printed: PrintedTables, exploring: RoundRobin, plain: RoundRobin, who: str) -> dict[str, RatesBySource]:
    place = BASELINES.index(who)
    return {
        name: {
            "printed": PrintedRate(shares[place], printed.games),
            "ours": exploring.rates[name].get(who),
            "ours, no exploration": plain.rates[name].get(who),
        }
        for name, shares in printed.headlines.items()
    }


def _headlines(printed: PrintedTables, exploring: RoundRobin, trained: Trained) -> list[list[object]]:
    """Whether our rates, with the paper's exploration, lie within the intervals of the printed ones."""
    specs = {name: spec_of(net) for name, net in trained.nets.items()}
    rows: list[list[object]] = []
    for name, shares in printed.headlines.items():
        alike = [other for other in specs if specs[other] == specs.get(name)]
        for who, share in zip(BASELINES, shares, strict=True):
            rate, ours = PrintedRate(share, printed.games), exploring.rates[name][who]
            means = [exploring.rates[other][who].mean for other in alike]
            spread = f"{min(means):.3f} .. {max(means):.3f}, {len(means)} nets" if len(means) > 1 else None
            rows.append([f"{name} against {who}", rate, ours, rate.verdict(ours), spread])
    return rows
