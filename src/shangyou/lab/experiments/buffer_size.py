"""Battle Royale's Experiment 1: five nets, one pass through 250,000 random games, tested on the way."""

from dataclasses import dataclass
from typing import Any

import torch

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import EnsembleAgent, Style
from shangyou.lab.figures import curves
from shangyou.lab.net_store import player
from shangyou.lab.old_dqn import baselines
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import EXPERIMENT_1_LOG
from shangyou.lab.populations import TIES
from shangyou.lab.rates import against
from shangyou.lab.stages import ZSY2, Context
from shangyou.nets.papers import EXPERIMENT_1
from shangyou.training.deep_q import simulate
from shangyou.training.learner import LOSSES, Learner, Recipe, drawn_batches
from shangyou.training.population import shares_won

TITLE, SETUPS = "Battle Royale, Experiment 1: buffer size", ZSY2
NAMES = {f"{name} {loss}": (name, loss) for loss in LOSSES for name in EXPERIMENT_1}  # every net with every loss


@dataclass(frozen=True)
class BufferSizeArgs:
    games: int = 250_000
    batch: int = 4096
    tests: tuple[int, ...] = (0, 1, 3, 10, 100)  # batches after which to test, and then every so many
    every: int = 300
    test_deals: int = 500
    deals: int = 5000  # of the last test


ARGS = {
    "smoke": BufferSizeArgs(games=100, batch=64, tests=(0, 3), every=20, test_deals=4, deals=20),
    "small": BufferSizeArgs(games=10_000, batch=512, tests=(0, 1, 3, 10, 30), every=100, test_deals=20, deals=300),
    "paper": BufferSizeArgs(),
}


def train(ctx: Context, args: BufferSizeArgs) -> dict[str, Any]:
    specs = ctx.scaled({label: EXPERIMENT_1[name] for label, (name, _) in NAMES.items()})
    recipes = {label: Recipe(loss=loss) for label, (_, loss) in NAMES.items()}
    learner = Learner(ctx.game, specs, recipes, ctx.device, ctx.seed)
    buffer = simulate(ctx.engine, load_batch("random", ctx.game, ctx.seed), args.games, ctx.seed)
    learner.attach(buffer, args.batch)
    draw = torch.Generator(ctx.device).manual_seed(ctx.seed)
    batches = drawn_batches(torch.arange(buffer.used, device=ctx.device), args.batch, draw)
    tests: list[dict[str, Any]] = []
    with ctx.progress("buffer size", len(batches)) as show:
        for done in range(len(batches) + 1):
            if done in args.tests or done % args.every == 0 or done == len(batches):
                tests.append({"batches": done, "won": _test(ctx, learner, args.test_deals)})
            if done < len(batches):
                learner.step(batches[done])
            show(done)
    return {"nets": learner.nets(), "tests": tests}


def _test(ctx: Context, learner: Learner, deals: int) -> dict[str, list[float]]:
    """Shares won against the baselines."""
    nets = [EnsembleAgent(ctx.game, learner.ensemble([label]), _style(label), label) for label in NAMES]
    opponents = list(baselines(ctx).values())
    pairs = [(a, len(nets) + b) for a in range(len(nets)) for b in range(len(opponents))]
    won = shares_won(ctx.engine, [*nets, *opponents], pairs, deals, ctx.seed + 4).mean(1)
    return dict(zip(NAMES, won.view(len(nets), -1).tolist(), strict=True))


def _style(label: str) -> Style:
    return Style(ties=TIES[NAMES[label][1]])


def run(ctx: Context, page: Page) -> None:
    args, opponents = ARGS[ctx.scale], baselines(ctx)
    trained = ctx.stage("buffer-size", args, lambda: train(ctx, args))
    agents = {label: player(ctx, trained["nets"], label, _style(label)) for label in NAMES}
    rates = against(ctx, "buffer-size-rates", agents, opponents, args.deals, ctx.seed + 5)
    page.text(
        f"Two dense and three convolutional nets go once through {args.games:,} random games in batches of {args.batch:,}. "
        "ConvNet1 and ConvNet3 have no sigmoid before the output. As run, with the swapped loss and ties to the first of the "
        f"list; and with the log loss, ties broken by the logit. {2 * args.deals:,} games a rate at the end; the paper's log "
        "has 1,000. The Old DQN is our own."
    )
    rows = []
    for name in EXPERIMENT_1:
        columns = EXPERIMENT_1_LOG[name], rates[f"{name} swapped"].values(), rates[f"{name} log"].values()
        rows.append([name, *(value for three in zip(*columns, strict=True) for value in three)])
    page.table(["net", *(f"{who}, {whose}" for who in opponents for whose in ("log", "ours", "ours, log loss"))], rows)
    across = [float(test["batches"]) for test in trained["tests"]]
    panels = {
        f"won against {who}": {
            f"{loss} loss, {name}": (across, [test["won"][label][i] for test in trained["tests"]])
            for label, (name, loss) in NAMES.items()
        }
        for i, who in enumerate(opponents)
    }
    best = max(agents, key=lambda label: rates[label]["Greedy"].mean)
    half = {label: _batches_to(trained["tests"], label, 0.5) for label in agents}
    reached = [f"{label} after {batches:,}" for label, batches in half.items() if batches is not None]
    page.open(
        f"how much does a net learn from one pass through {args.games:,} games of random players?",
        "with a sigmoid layer before the output a convolutional net beats Greedy, "
        f"{EXPERIMENT_1_LOG['ConvNet2'][1]:.3f}; the others do not: "
        + ", ".join(f"{name} {EXPERIMENT_1_LOG[name][1]:.3f}" for name in EXPERIMENT_1 if name != "ConvNet2") + ".",
        f"{best} is best, {rates[best]['Greedy']} against Greedy. Batches until half of the games against Greedy are won, of "
        f"{across[-1]:,.0f}: {', '.join(reached) or 'none gets there'}.",
        ("rates", curves(panels, "batches")),
    )  # fmt: skip


def _batches_to(tests: list[dict[str, Any]], label: str, share: float) -> int | None:
    """After how many batches a net first won so much against Greedy, as tested on the way."""
    greedy = 1
    return next((test["batches"] for test in tests if test["won"][label][greedy] >= share), None)
