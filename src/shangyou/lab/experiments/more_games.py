"""The question behind Battle Royale's Experiment 1: are a million random games better than 250,000, and is a second look?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import torch

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import Style
from shangyou.evaluation.intervals import Rate
from shangyou.lab.figures import Line, RatesBySource, curves, dots
from shangyou.lab.net_store import player
from shangyou.lab.old_dqn import baselines
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import MILESTONE
from shangyou.lab.populations import SEEDS, TIES
from shangyou.lab.rates import against, mean_rate
from shangyou.lab.stages import ZSY2, Context
from shangyou.nets.papers import EXPERIMENT_1
from shangyou.training.deep_q import simulate
from shangyou.training.learner import LOSSES, Learner, Recipe, drawn_batches

TITLE, SETUPS = "Battle Royale, the question of Experiment 1: more games, or the same again?", ZSY2
KINDS = {"dense": "DenseNet1", "conv": "ConvNet2"}
NETS = {f"{kind}, {loss} loss": (name, loss) for loss in reversed(LOSSES) for kind, name in KINDS.items()}
TIMES = ("once", "twice", "three times", "four times")


@dataclass(frozen=True)
class MoreGamesArgs:
    few: int = 250_000
    few_epochs: int = 4  # as many steps as `many` once
    many: int = 1_000_000
    many_epochs: int = 2
    held_out: int = 10_000  # games that losses are measured on
    batch: int = 4096
    measurements: int = 24  # of the losses, at equal steps of the logarithm
    deals: int = 2500


ARGS = {
    "smoke": MoreGamesArgs(few=60, few_epochs=2, many=120, many_epochs=1, held_out=20, batch=64, measurements=4, deals=20),
    "small": MoreGamesArgs(few=5000, many=20_000, held_out=1000, batch=512, measurements=12, deals=300),
    "paper": MoreGamesArgs(),
}


class Training(NamedTuple):
    """One way to spend the steps, with one seed."""

    losses: list[dict[str, Any]]  # `batches`, and what each net's log loss is on games it did not learn from
    ends: list[dict[str, Any]]  # the nets after each epoch, and the batches they have learned


def train(ctx: Context, args: MoreGamesArgs, games: int, epochs: int, seed: int) -> dict[str, Any]:
    specs = ctx.scaled({label: EXPERIMENT_1[name] for label, (name, _) in NETS.items()})
    recipes = {label: Recipe(loss=loss) for label, (_, loss) in NETS.items()}
    learner = Learner(ctx.game, specs, recipes, ctx.device, ctx.seed + seed)
    buffer = simulate(ctx.engine, load_batch("random", ctx.game, ctx.seed + seed), games + args.held_out, ctx.seed + seed)
    learner.attach(buffer, args.batch)
    learned = int(buffer.lengths[:games].sum())
    held_out = torch.arange(learned, buffer.used, device=ctx.device)
    total = epochs * (learned // args.batch)
    measured = {round(total ** (step / (args.measurements - 1))) for step in range(args.measurements)}
    draw = torch.Generator(ctx.device).manual_seed(ctx.seed + seed)
    done, losses, ends = 0, list[dict[str, Any]](), list[dict[str, Any]]()
    with ctx.progress(_stage(games, seed), total) as show:
        for _ in range(epochs):
            for rows in drawn_batches(torch.arange(learned, device=ctx.device), args.batch, draw):
                learner.step(rows)
                done += 1
                if done in measured:
                    losses.append({"batches": done, "loss": learner.losses_on(held_out, "log").tolist()})
                    show(done, f"loss {min(losses[-1]['loss']):.3f}")
            ends.append({"batches": done, "nets": learner.nets()})
    return {"losses": losses, "ends": ends}


def _stage(games: int, seed: int) -> str:
    return f"{games}-games-{seed}"


def trainings(ctx: Context, args: MoreGamesArgs, seed: int) -> dict[int, Training]:
    """By the number of games."""
    plan, found = {args.few: args.few_epochs, args.many: args.many_epochs}, dict[int, Training]()
    for games, epochs in plan.items():
        work = partial(train, ctx, args, games, epochs, seed)
        found[games] = Training(**ctx.stage(_stage(games, seed), [args, games, epochs, seed], work))
    return found


Results = dict[str, dict[str, list[dict[str, Rate]]]]
"""By net and by how it learned, of each seed, against each opponent."""


def measure(ctx: Context, args: MoreGamesArgs, by_seed: Sequence[Mapping[int, Training]]) -> Results:
    found: Results = {label: {} for label in NETS}
    for seed, by_games in enumerate(by_seed):
        agents = {
            (label, _way(games, epoch)): player(ctx, end["nets"], label, Style(ties=TIES[loss]))
            for games, training in by_games.items()
            for epoch, end in enumerate(training.ends)
            for label, (_, loss) in NETS.items()
        }
        named = {f"{label}, {way}": agent for (label, way), agent in agents.items()}
        rates = against(ctx, f"more-games-rates-{seed}", named, baselines(ctx), args.deals, ctx.deal_seed(9, seed))
        for label, way in agents:
            found[label].setdefault(way, []).append(rates[f"{label}, {way}"])
    return found


def _way(games: int, epoch: int) -> str:
    return f"{games:,} {TIMES[epoch]}"


def run(ctx: Context, page: Page) -> None:
    args, seeds = ARGS[ctx.scale], SEEDS[ctx.scale]
    by_seed = [trainings(ctx, args, seed) for seed in range(seeds)]
    found, opponents = measure(ctx, args, by_seed), list(baselines(ctx))
    few, same, many = _way(args.few, 0), _way(args.few, args.few_epochs - 1), _way(args.many, 0)

    def greedy(label: str, way: str) -> float:
        return mean_rate([rates["Greedy"] for rates in found[label][way]]).mean

    paper = {name: MILESTONE[name] for name in MILESTONE if not name.endswith("twice")}
    page.open(
        "does a net play better for a million random games than for 250,000, and for going through them again?",
        "in February 2019 more of either made nets worse: against Greedy "
        + ", ".join(f"{name}: {shares[1]:.3f}" for name, shares in paper.items()) + "; a second time, worse still.",
        "against Greedy, " + "; ".join(
            f"{label}: {greedy(label, few):.3f} after {few}, {greedy(label, same):.3f} after {same}, "
            f"{greedy(label, many):.3f} after {many}" for label in NETS) + ".",
        ("rates", _dots(found, opponents)),
    )  # fmt: skip
    page.text(
        "A dense and a convolutional net of Experiment 1, with the swapped loss and ties to the first of the list, as run; "
        f"and with the log loss and ties broken by the logit; {seeds} seed(s), each with games of its own. "
        f"{2 * args.deals:,} games a rate and seed, nobody explores. The paper's nets of that month played by other rules: "
        "bombs beat bombs only."
    )
    for label in NETS:
        page.heading(label.capitalize())
        kind, loss = label.split(", ")
        rows: list[list[object]] = []
        for way, of_seeds in found[label].items():
            printed = MILESTONE.get(f"{kind}, {way}", [None] * 3) if loss.startswith("swapped") else [None] * 3
            ours = [mean_rate([rates[who] for rates in of_seeds]) for who in opponents]
            each = " ".join(f"{rates['Greedy'].mean:.3f}" for rates in of_seeds)
            rows.append([way, *(cell for pair in zip(printed, ours, strict=True) for cell in pair), each])
        columns = [f"{who}, {whose}" for who in opponents for whose in ("paper", "ours")]
        page.table(["random games", *columns, "against Greedy, each seed"], rows)
    page.heading("Losses")
    page.text(
        f"The log loss of who won on {args.held_out:,} random games that no net learned from, first seed. The swapped loss "
        "drives outputs to 0 and 1, where the log loss is high however often they are right."
    )
    panels: dict[str, dict[str, Line]] = {label: {} for label in NETS}
    for games, training in by_seed[0].items():
        across = [float(point["batches"]) for point in training.losses]
        for place, label in enumerate(NETS):
            panels[label][f"{games:,} games"] = across, [point["loss"][place] for point in training.losses]
    page.figure("losses", curves(panels, "batches", log=True))


def _dots(found: Results, opponents: Sequence[str]) -> Any:
    panels: dict[str, dict[str, RatesBySource]] = {f"won against {who}": {} for who in opponents}
    for label, by_way in found.items():
        for way, of_seeds in by_way.items():
            for who in opponents:
                row = panels[f"won against {who}"].setdefault(label, {})
                panels[f"won against {who}"][label] = {**row, way: mean_rate([rates[who] for rates in of_seeds])}
    return dots(panels)
