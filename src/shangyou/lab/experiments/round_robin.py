"""Battle Royale's Experiment 2: twelve nets on one buffer, paired by their rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shangyou.agents.batch.ensemble import AS_PRINTED
from shangyou.lab.figures import Line, curves
from shangyou.lab.old_dqn import baselines
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import EXPERIMENT_2_LOG
from shangyou.lab.populations import ROUND_ROBIN, Trained, round_robin_population
from shangyou.lab.rates import against, mean_rate
from shangyou.lab.stages import ZSY2, Context

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE, SETUPS = "Battle Royale, Experiment 2: round robin", ZSY2
DEALS = {"smoke": 4, "small": 200, "paper": 2000}


def run(ctx: Context, page: Page) -> None:
    trained, deals, args = round_robin_population(ctx), DEALS[ctx.scale], ROUND_ROBIN[ctx.scale]
    rates = against(ctx, "round-robin-rates", trained.singles(ctx, AS_PRINTED), baselines(ctx), deals, ctx.seed + 7)
    page.text(
        f"Twelve nets, {args.epochs} epochs of {args.batches} batches of {args.batch:,} decisions, the same for all, and "
        f"{args.games:,} games after each epoch, both players drawn in proportion to their rates. Swapped loss, ties to the "
        f"first of the list, as run. Rates at the end are of {2 * deals:,} games without exploration; the paper's log has "
        "2,000. VS is the share won against each other, averaged over epochs with weight one half. We test after every "
        "epoch, the paper after every 100 batches."
    )
    columns = ["net", "VS", *(f"{who}, {whose}" for who in ("Random", "Greedy", "Old DQN") for whose in ("log", "ours"))]
    rows = []
    for name in trained.ranking:
        pairs = zip(EXPERIMENT_2_LOG[name], rates[name].values(), strict=True)
        rows.append([name, trained.rate[name], *(value for pair in pairs for value in pair)])
    page.table(columns, rows)
    kinds = {kind: [name for name in trained.nets if name.startswith(kind)] for kind in ("Dense", "Conv")}
    ours = {kind: mean_rate([rates[name]["Old DQN"] for name in names]) for kind, names in kinds.items()}
    paper = {kind: sum(EXPERIMENT_2_LOG[name][2] for name in names) / len(names) for kind, names in kinds.items()}
    page.open(
        "which of twelve nets learns best when all learn from the same games, which they play among themselves?",
        f"the convolutional: {paper['Conv']:.3f} against the Old DQN on average, the dense {paper['Dense']:.3f}.",
        f"{trained.ranking[0]} wins most against the others. Against the Old DQN convolutional nets win {ours['Conv']}, dense "
        f"{ours['Dense']}.",
        ("curves", draw_history(trained)),
    )


def draw_history(trained: Trained) -> Figure:
    """Losses and rates of every epoch."""
    history = trained.history
    panels = {"loss": [epoch.loss for epoch in history], "VS": [epoch.rate for epoch in history]}
    for who in history[0].tests[trained.ranking[0]]:
        panels[f"won against {who}"] = [{name: won[who] for name, won in epoch.tests.items()} for epoch in history]
    lines = {title: {name: _line(values, name) for name in trained.nets} for title, values in panels.items()}
    return curves(lines, "epochs")


def _line(by_epoch: Sequence[Mapping[str, float]], name: str) -> Line:
    """Of one net, only the epochs in which it has a value."""
    known = [(epoch, values[name]) for epoch, values in enumerate(by_epoch, 1) if name in values]
    return [float(epoch) for epoch, _ in known], [value for _, value in known]
