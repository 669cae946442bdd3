"""Battle Royale's Experiment 1: five nets, one pass through 250,000 random games, tested on the way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import EnsembleAgent, Style
from shangyou.lab import printed
from shangyou.lab.figures import curves
from shangyou.lab.kept_nets import keep_nets, player
from shangyou.lab.old_dqn import statics
from shangyou.lab.page import Page
from shangyou.lab.rates import against, shares_won
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import EXPERIMENT_1
from shangyou.training.deep_q import simulate
from shangyou.training.learner import LOSSES, Learner, Recipe, drawn_batches


@dataclass(frozen=True)
class Args:
    games: int = 250_000
    batch: int = 4096
    tests: tuple[int, ...] = (0, 1, 3, 10, 100)  # batches after which to test, and then every so many
    every: int = 300
    test_deals: int = 500
    deals: int = 5000  # of the last test


SCALES = {"paper": Args(), "smoke": Args(games=100, batch=64, tests=(0, 3), every=20, test_deals=4, deals=20)}
TIES = {"swapped": "first", "log": "logit"}


def train(lab: Lab) -> dict[str, Any]:
    args = SCALES[lab.scale]
    return lab.stage("buffer-size", args, lambda: _train(lab, args))


def _train(lab: Lab, args: Args) -> dict[str, Any]:
    names = {f"{name} {loss}": loss for loss in LOSSES for name in EXPERIMENT_1}
    specs = lab.sized({name: EXPERIMENT_1[name.split()[0]] for name in names})
    learner = Learner(lab.game, specs, {name: Recipe(loss=loss) for name, loss in names.items()}, lab.device, lab.seed)
    buffer = simulate(lab.engine, load_batch("random", lab.game, lab.seed), args.games, lab.seed)
    learner.attach(buffer, args.batch)
    draw = torch.Generator(lab.device).manual_seed(lab.seed)
    batches = drawn_batches(torch.arange(buffer.used, device=lab.device), args.batch, draw)
    tests: list[dict[str, Any]] = []
    losses = torch.zeros(0, len(names))
    pending: list[Tensor] = []
    with lab.progress("buffer size", len(batches)) as show:
        for done in range(len(batches) + 1):
            if done in args.tests or done % args.every == 0 or done == len(batches):
                losses = torch.cat([losses, torch.stack(pending).cpu()]) if pending else losses
                pending = []
                tests.append({"batches": done, "won": _test(lab, learner, names, args.test_deals)})
            if done < len(batches):
                pending.append(learner.step(batches[done]).clone())
            show(done, "")
    return {"nets": keep_nets(learner), "names": list(names), "tests": tests, "losses": losses}


def _test(lab: Lab, learner: Learner, names: dict[str, str], deals: int) -> dict[str, list[float]]:
    """Shares won against the static agents."""
    others = statics(lab)
    nets = [EnsembleAgent(lab.game, learner.ensemble([name]), Style(ties=TIES[loss]), name) for name, loss in names.items()]
    pairs = [(a, len(nets) + b) for a in range(len(nets)) for b in range(len(others))]
    won = shares_won(lab.engine, [*nets, *others.values()], pairs, deals, lab.seed + 4).mean(1)
    return dict(zip(names, won.view(len(nets), -1).tolist(), strict=True))


def run(lab: Lab, results: Path) -> Page:
    args, trained = SCALES[lab.scale], train(lab)
    agents = {name: player(lab, trained["nets"], name, Style(ties=TIES[name.split()[1]])) for name in trained["names"]}
    rates = against(lab, "buffer-size-rates", agents, statics(lab), args.deals, lab.seed + 5)

    page = Page(lab, "buffer-size", "Battle Royale, Experiment 1: buffer size", results)
    page.say(
        f"Two dense and three convolutional nets go once through {args.games:,} random games in batches of {args.batch:,}. "
        "ConvNet1 and ConvNet3 have no sigmoid before the output. As run, with the swapped loss and ties to the first of the "
        f"list; and with the log loss, ties broken by the logit. {2 * args.deals:,} games a rate at the end; the paper's log "
        "has 1,000. The Old DQN is our own."
    )
    columns = ["net", *(f"{who}, {whose}" for who in rates[trained["names"][0]] for whose in ("log", "ours", "ours, log loss"))]
    rows = []
    for name in EXPERIMENT_1:
        row: list[object] = [name]
        for said, who in zip(printed.EXPERIMENT_1_LOG[name], rates[f"{name} log"], strict=True):
            row += [said, rates[f"{name} swapped"][who], rates[f"{name} log"][who]]
        rows.append(row)
    page.table(columns, rows)
    across = [float(test["batches"]) for test in trained["tests"]]
    shown = {f"{loss} loss, {name}": f"{name} {loss}" for loss in LOSSES for name in EXPERIMENT_1}
    panels = {
        f"won against {who}": {
            label: (across, [test["won"][name][i] for test in trained["tests"]]) for label, name in shown.items()
        }
        for i, who in enumerate(rates[trained["names"][0]])
    }
    page.figure("rates", curves(panels, "batches"))
    return page
