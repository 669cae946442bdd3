"""The tables of Experiment 4: nets alone, their aggregates and the static agents, every two against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from shangyou.agents.batch.ensemble import Style
from shangyou.lab import printed
from shangyou.lab.figures import Shown, dots, heat_map
from shangyou.lab.kept_nets import spec_of
from shangyou.lab.old_dqn import old_dqns, statics
from shangyou.lab.page import Page
from shangyou.lab.populations import Trained, aggregates, singles
from shangyou.lab.rates import PrintedRate, Rates, RoundRobin, against, round_robin
from shangyou.lab.workshop import Lab

STATICS = ("Random", "Greedy", "Old DQN")
ALL_AGAINST_ALL = {"paper": 500, "smoke": 2}  # deals a pair


class PrintedTables(NamedTuple):
    """A pair of the paper's tables."""

    numbers: tuple[int, int]
    average: Mapping[str, float]  # of the first table: the share against everybody
    headlines: Mapping[str, tuple[float, float, float]]  # of the second: against each static agent
    stored: Mapping[str, tuple[float, float, float]]  # the same without exploration, as logged

    @property
    def games(self) -> int:
        return printed.GAMES_IN_TABLE[self.numbers[1]]


EXPERIMENT_2 = PrintedTables((1, 2), printed.TABLE_1, printed.TABLE_2, printed.EXPERIMENT_4_LOG_2 | printed.EXPERIMENT_2_LOG)
EXPERIMENT_5 = PrintedTables((3, 4), printed.TABLE_3, printed.TABLE_4, printed.EXPERIMENT_4_LOG_5 | printed.EXPERIMENT_5_LOG)


@dataclass(frozen=True)
class Tables:
    """As printed: single nets explore, the others do not. And all without exploration."""

    said: PrintedTables
    explored: RoundRobin
    still: RoundRobin
    old_dqns: Rates  # the agents of the headlines, explored, against every iteration of model 13
    alike: Mapping[str, list[str]]  # by net, those built as it is, itself among them
    deals: int


def play_tables(lab: Lab, stage: str, trained: Trained, said: PrintedTables) -> Tables:
    deals, opponents, seed = ALL_AGAINST_ALL[lab.scale], statics(lab), lab.seed + 6
    joined = aggregates(lab, trained.nets, trained.ranking, Style("first"))
    explored, still = (
        {**singles(lab, trained.nets, Style("first", epsilon)), **joined, **opponents}
        for epsilon in (printed.EXPLORATION_IN_TABLES, 0.0)
    )
    tables = [
        round_robin(lab, f"{stage}-{name}", agents, deals, seed) for name, agents in (("explored", explored), ("still", still))
    ]
    headlines = {name: explored[name] for name in said.headlines}
    checked = against(lab, f"{stage}-old-dqns", headlines, old_dqns(lab), deals, seed)
    return Tables(said, tables[0], tables[1], checked, _alike(trained), deals)


def _alike(trained: Trained) -> dict[str, list[str]]:
    specs = {name: spec_of(kept) for name, kept in trained.nets.items()}
    return {name: [other for other in specs if specs[other] == spec] for name, spec in specs.items()}


def write_tables(page: Page, tables: Tables) -> None:
    numbers, average, printed_rates, stored = tables.said
    page.say(
        f"Every two agents, {2 * tables.deals:,} games: the average over all opponents. *Ours* lets single nets make "
        f"{printed.EXPLORATION_IN_TABLES:.0%} of their moves by lot, as the paper's tables do without saying so; aggregates "
        "and static agents never explore."
    )
    ranking, both = tables.explored.ranking, (tables.explored, tables.still)
    columns = ["agent", f"Table {numbers[0]}", "ours", "ours, no exploration"]
    page.table(columns, [[name, average.get(name), *(table.average[name] for table in both)] for name in ranking])
    page.say(
        "The same games against the static agents. *Stored* is what the paper's logs say of the same agents without "
        "exploration."
    )
    for i, who in enumerate(STATICS):
        rows = [
            [name, _of(printed_rates, name, i), _of(stored, name, i), *(table.rates[name].get(who) for table in both)]
            for name in ranking
        ]
        page.table([f"against {who}", f"Table {numbers[1]}", "stored", "ours", "ours, no exploration"], rows)
    page.heading("Headline rows")
    page.say(
        f"The printed rates with the 95% intervals of the {tables.said.games:,} games they are of, and ours. Nets built alike "
        "differ only in what was drawn by lot and in when they were removed: the last column has the least and the greatest "
        "rate of all of ours that are built as the one of the row."
    )
    page.table(["", "printed", "ours", "", "nets built alike"], _headlines(tables, printed_rates, tables.said.games))
    _write_old_dqns(page, tables)
    page.figure("headlines", dots({f"won against {who}": _shown(tables, printed_rates, who) for who in STATICS}))
    names = tables.still.ranking
    page.figure("heat", heat_map("share won by the row, no exploration", names, tables.still.cells(names)))


def _write_old_dqns(page: Page, tables: Tables) -> None:
    """How much of a difference there is that of the opponent, whose weights are our own."""
    said, found = tables.said.headlines, tables.old_dqns
    page.say(
        "The Old DQN is our own, and iterations of one run differ in strength ([iterations](iterations.md)). The same agents "
        "as in the headline rows against each iteration of ours, and how many of them are within the intervals of the printed:"
    )
    rows: list[list[object]] = [["the paper's Old DQN", *(rates[-1] for rates in said.values()), None]]
    for who in next(iter(found.values())):
        within = sum(PrintedRate(rates[-1], tables.said.games).beyond(found[name][who]) <= 0 for name, rates in said.items())
        rows.append([who, *(found[name][who] for name in said), f"{within} of {len(said)}"])
    page.table(["against", *said, "within"], rows)


def _of(rates: Mapping[str, tuple[float, float, float]], name: str, place: int) -> float | None:
    return rates[name][place] if name in rates else None


def _shown(tables: Tables, said: Mapping[str, tuple[float, float, float]], who: str) -> dict[str, Shown]:
    place = STATICS.index(who)
    return {
        name: {
            "printed": PrintedRate(rates[place], tables.said.games),
            "ours": tables.explored.rates[name].get(who),
            "ours, no exploration": tables.still.rates[name].get(who),
        }
        for name, rates in said.items()
    }


def _headlines(tables: Tables, said: Mapping[str, tuple[float, float, float]], games: int) -> list[list[object]]:
    """Whether our rates, with the paper's exploration, lie within the intervals of the printed ones."""
    rows: list[list[object]] = []
    for name, rates in said.items():
        for who, rate in zip(STATICS, rates, strict=True):
            printed_rate, ours = PrintedRate(rate, games), tables.explored.rates[name][who]
            alike = [tables.explored.rates[other][who].mean for other in tables.alike.get(name, [])]
            spread = f"{min(alike):.3f} .. {max(alike):.3f}, {len(alike)} nets" if len(alike) > 1 else None
            rows.append([f"{name} against {who}", printed_rate, ours, printed_rate.verdict(ours), spread])
    return rows
