"""The tables of Experiment 4: nets alone, their aggregates and the static agents, every two against each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shangyou.agents.panel import Style
from shangyou.evaluation.intervals import share_interval
from shangyou.lab import printed
from shangyou.lab.figures import Shown, dots, heat_map
from shangyou.lab.old_dqn import statics
from shangyou.lab.page import Page
from shangyou.lab.populations import Trained, aggregates, singles
from shangyou.lab.rates import RoundRobin, round_robin
from shangyou.lab.workshop import Lab

STATICS = ("Random", "Greedy", "Old DQN")
ALL_AGAINST_ALL = {"paper": 500, "smoke": 2}  # deals a pair


@dataclass(frozen=True)
class Tables:
    """As printed: single nets explore, the others do not. And all without exploration."""

    explored: RoundRobin
    still: RoundRobin
    deals: int


def play_tables(lab: Lab, stage: str, trained: Trained) -> Tables:
    deals, opponents = ALL_AGAINST_ALL[lab.scale], statics(lab)
    explored, still = (
        round_robin(
            lab,
            f"{stage}-{name}",
            {
                **singles(lab, trained.nets, Style("first", epsilon)),
                **aggregates(lab, trained.nets, trained.ranking, Style("first")),
                **opponents,
            },
            deals,
            lab.seed + 6,
        )
        for name, epsilon in (("explored", printed.EXPLORATION_IN_TABLES), ("still", 0.0))
    )
    return Tables(explored, still, deals)


def write_tables(
    page: Page,
    tables: Tables,
    average: Mapping[str, float],
    printed_rates: Mapping[str, tuple[float, float, float]],
    stored: Mapping[str, tuple[float, float, float]],
    numbers: tuple[int, int],
) -> None:
    """`numbers` are those of the paper's tables; `stored` is what was logged without exploration."""
    games = printed.GAMES_IN_TABLE[numbers[1]]
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
    page.say(f"The printed rates with the 95% intervals of the {games:,} games they are of, and ours.")
    page.table(["", "printed", "ours", ""], _headlines(tables, printed_rates, games))
    page.figure("headlines", dots({f"won against {who}": _shown(tables, printed_rates, who) for who in STATICS}))
    names = tables.still.ranking
    page.figure("heat", heat_map("share won by the row, no exploration", names, tables.still.cells(names)))


def _of(rates: Mapping[str, tuple[float, float, float]], name: str, place: int) -> float | None:
    return rates[name][place] if name in rates else None


def _shown(tables: Tables, said: Mapping[str, tuple[float, float, float]], who: str) -> dict[str, Shown]:
    place = STATICS.index(who)
    return {
        name: {
            "printed": rates[place],
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
            low, high = share_interval(round(rate * games), games)
            ours = tables.explored.rates[name][who]
            beyond = max(low - ours.mean, ours.mean - high)
            verdict = "within" if beyond <= 0 else f"outside by {beyond:.3f}"
            rows.append([f"{name} against {who}", f"{rate:.3f} ({low:.3f} .. {high:.3f})", ours, verdict])
    return rows
