"""Deep ZSY's model 13, iterated seven times: with the loss that was run, and with the right one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent, Style
from shangyou.evaluation.intervals import Rate
from shangyou.lab import printed
from shangyou.lab.figures import Line, curves
from shangyou.lab.kept_nets import player
from shangyou.lab.old_dqn import scripted, train_model_13
from shangyou.lab.page import Page
from shangyou.lab.rates import against
from shangyou.lab.workshop import Lab

STYLES = {"swapped": Style(ties="first", blank=True), "log": FIXED}


@dataclass(frozen=True)
class Args:
    deals: int = 5000


SCALES = {"paper": Args(), "smoke": Args(deals=50)}


def run(lab: Lab, results: Path) -> Page:
    deals = SCALES[lab.scale].deals
    rounds = {loss: train_model_13(lab, loss) for loss in STYLES}
    agents: dict[str, EnsembleAgent] = {
        f"{loss} {i}": player(lab, found["nets"], "Model 13", STYLES[loss])
        for loss, iterations in rounds.items()
        for i, found in enumerate(iterations)
    }
    opponents = scripted(lab)
    rates = against(lab, "iterations-rates", agents, opponents, deals, lab.seed + 3)

    page = Page(lab, "iterations", "Deep ZSY: model 13, seven iterations", results)
    page.say(
        "Model 13 (300-400-40-1, dropout, R 0.95, learning rate 1e-4) learns random games for 20 epochs, then 100,000 games "
        "of itself for 30 epochs, seven times, a tenth of the moves drawn in proportion to the values. The seventh iteration "
        f"with the swapped loss is the Old DQN of the second paper's experiments, and of ours. {2 * deals:,} games a rate."
    )
    columns = ["iteration", "Greedy, paper", "ours", "ours, log loss", "Random, paper", "ours", "ours, log loss"]
    paper = [(None, None), *printed.ITERATIONS]
    rows = []
    for i in range(len(rounds["log"])):
        said = [None if value is None else value / 100 for value in paper[i]] if i < len(paper) else [None, None]
        greedy, random = ([rates[f"{loss} {i}"][who] for loss in STYLES] for who in opponents)
        rows.append(["after random games" if i == 0 else str(i), said[0], *greedy, said[1], *random])
    page.table(columns, rows)
    across = [float(i) for i in range(len(rounds["log"]))]
    panels = {}
    for place, who in enumerate(opponents):
        lines: dict[str, Line] = {f"ours, {loss} loss": (across, _means(rates, loss, who, len(across))) for loss in STYLES}
        lines["paper"] = across[1:], [said[place] / 100 for said in printed.ITERATIONS[: len(across) - 1]]
        panels[f"won against {who}"] = lines
    page.figure("rates", curves(panels, "iterations"))
    return page


def _means(rates: dict[str, dict[str, Rate]], loss: str, who: str, count: int) -> list[float]:
    return [rates[f"{loss} {i}"][who].mean for i in range(count)]
