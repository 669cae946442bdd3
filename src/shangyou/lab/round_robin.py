"""Battle Royale's Experiment 2: twelve nets on one buffer, paired by their rates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shangyou.agents.batch.ensemble import Style
from shangyou.lab import printed
from shangyou.lab.figures import Line, curves
from shangyou.lab.old_dqn import statics
from shangyou.lab.page import Page
from shangyou.lab.populations import ROUND_ROBIN, Trained, round_robin_population, singles
from shangyou.lab.rates import against
from shangyou.lab.workshop import Lab
from shangyou.training.population import EpochReport

DEALS = {"paper": 2000, "smoke": 4}


def run(lab: Lab, results: Path) -> Page:
    trained, deals = round_robin_population(lab), DEALS[lab.scale]
    rates = against(lab, "round-robin-rates", singles(lab, trained.nets, Style("first")), statics(lab), deals, lab.seed + 7)
    page = Page(lab, "round-robin", "Battle Royale, Experiment 2: round robin", results)
    args = ROUND_ROBIN[lab.scale]
    page.say(
        f"Twelve nets, {args.epochs} epochs of {args.batches} batches of {args.batch:,} decisions, the same for all, and "
        f"{args.games:,} games after each epoch, both players drawn in proportion to their rates. Swapped loss, ties to the "
        f"first of the list, as run. Rates at the end are of {2 * deals:,} games without exploration; the paper's log has "
        "2,000. VS is the share won against each other, averaged over epochs with weight one half. We test after every "
        "epoch, the paper after every 100 batches."
    )
    columns = ["net", "VS", *(f"{who}, {whose}" for who in ("Random", "Greedy", "Old DQN") for whose in ("log", "ours"))]
    rows = []
    for name in trained.ranking:
        row: list[object] = [name, trained.rate[name]]
        for said, rate in zip(printed.EXPERIMENT_2_LOG[name], rates[name].values(), strict=True):
            row += [said, rate]
        rows.append(row)
    page.table(columns, rows)
    draw_history(page, trained)
    return page


def draw_history(page: Page, trained: Trained) -> None:
    """Losses and rates of every epoch."""
    history, nets = trained.history, trained.nets
    panels = {
        "loss": {name: _line(history, [found.loss.get(name) for found in history]) for name in nets},
        "VS": {name: _line(history, [found.rate.get(name) for found in history]) for name in nets},
    }
    for who in history[0].tests[trained.ranking[0]]:
        tests = {name: [found.tests.get(name, {}).get(who) for found in history] for name in nets}
        panels[f"won against {who}"] = {name: _line(history, rates) for name, rates in tests.items()}
    page.figure("curves", curves(panels, "epochs"))


def _line(history: Sequence[EpochReport], values: Sequence[float | None]) -> Line:
    """Only the epochs for which there is a value."""
    known = [(found.epoch + 1.0, value) for found, value in zip(history, values, strict=True) if value is not None]
    return [epoch for epoch, _ in known], [value for _, value in known]
