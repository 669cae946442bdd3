"""What Deep ZSY wished to try: dropout, L2, and other nets of its kind. One change at a time of its first Deep Q."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import FIXED
from shangyou.evaluation.intervals import Rate, student_half_width
from shangyou.lab.experiments.deep_zsy import RECIPE
from shangyou.lab.figures import curves, dots
from shangyou.lab.net_store import player
from shangyou.lab.old_dqn import scripted
from shangyou.lab.page import Page
from shangyou.lab.populations import SEEDS
from shangyou.lab.rates import Rates, against, mean_rate
from shangyou.lab.stages import ZSY2, Context, Setup
from shangyou.nets.papers import DEEP_Q, NetSpec
from shangyou.training.deep_q import DeepQArgs, Epoch, fit, simulate
from shangyou.training.learner import Learner, Recipe

TITLE = "Deep ZSY's wishes: dropout, L2, and other nets of four layers"
SETUPS = ZSY2 | {"small": Setup("zsy2")}  # the nets of the paper, as their names say
BASE = "base"
NO_DROPOUT = replace(DEEP_Q, dropout=0.0)
ROWS: dict[str, tuple[NetSpec, Recipe]] = {
    BASE: (DEEP_Q, RECIPE),
    "dropout 0.2": (replace(DEEP_Q, dropout=0.2), RECIPE),
    "no dropout": (NO_DROPOUT, RECIPE),
    **{f"no dropout, L2 {l2:g}": (NO_DROPOUT, replace(RECIPE, l2=l2)) for l2 in (1e-6, 1e-5, 1e-4)},
    **{
        f"300-{first}-{second}-1": (replace(DEEP_Q, hidden=(first, second)), RECIPE)
        for first, second in ((100, 40), (200, 200), (400, 40), (400, 200), (800, 100))
    },
    "300-200-200-40-1": (replace(DEEP_Q, hidden=(200, 200, 40)), RECIPE),
}
ARGS = {
    "smoke": DeepQArgs(games=200, epochs=2, batch=128),
    "small": DeepQArgs(games=10_000, epochs=12, batch=512),
    "paper": DeepQArgs(epochs=40),
}
DEALS = {"smoke": 20, "small": 500, "paper": 5000}


def train(ctx: Context, args: DeepQArgs, seed: int) -> dict[str, Any]:
    """All rows on the same random games; another seed has other games and other weights."""
    specs, recipes = {row: spec for row, (spec, _) in ROWS.items()}, {row: recipe for row, (_, recipe) in ROWS.items()}
    learner = Learner(ctx.game, ctx.scaled(specs), recipes, ctx.device, ctx.seed + seed)
    buffer = simulate(ctx.engine, load_batch("random", ctx.game, ctx.seed + seed), args.games, ctx.seed + seed)
    with ctx.progress(f"seed {seed}", args.epochs) as show:
        curve = fit(learner, buffer, args, ctx.seed + seed, show)
    return {"nets": learner.nets(), "curve": [list(epoch) for epoch in curve]}


def run(ctx: Context, page: Page) -> None:
    args, deals, opponents = ARGS[ctx.scale], DEALS[ctx.scale], scripted(ctx)
    curves_of, rates_of = list[list[Epoch]](), list[Rates]()
    for seed in range(SEEDS[ctx.scale]):
        trained = ctx.stage(f"regularisation-{seed}", [args, ROWS, seed], partial(train, ctx, args, seed))
        agents = {row: player(ctx, trained["nets"], row, FIXED) for row in ROWS}
        curves_of.append([Epoch(*epoch) for epoch in trained["curve"]])
        rates_of.append(against(ctx, f"regularisation-rates-{seed}", agents, opponents, deals, ctx.deal_seed(10, seed)))
    ours = {row: {who: mean_rate([rates[row][who] for rates in rates_of]) for who in opponents} for row in ROWS}
    less = {row: _less_base([[rates[name]["Greedy"] for rates in rates_of] for name in (row, BASE)]) for row in ROWS}
    best = max(ROWS, key=lambda row: ours[row]["Greedy"].mean)
    _, *others = ROWS
    decided = [f"{row} {less[row][0]:+.3f}" for row in others if abs(less[row][0]) > less[row][1]]
    page.open(
        "do dropout, L2 or another shape make Deep Q's first net better?",
        "wishes for a search over dropout, L2 and nets of four layers; its own has dropout 0.5 and is 300-200-40-1.",
        f"{best} is best against Greedy, {ours[best]['Greedy']}; the base has {ours[BASE]['Greedy']}. "
        + (f"Different from the base: {', '.join(decided)}." if decided else "No row is different from the base."),
        ("rates", dots({f"won against {who}": {row: {"ours": ours[row][who]} for row in ROWS} for who in opponents})),
    )
    page.text(
        f"The base is the paper's first Deep Q: 300-200-40-1, dropout 0.5 on both hidden layers, {args.games:,} random games, "
        f"targets (1 ± 0.9^k)/2, the log loss, ties broken by the logit; {args.epochs} epochs instead of 100. Every other row "
        f"changes what its name says; L2 is added to the loss. {len(rates_of)} seed(s) with games of their own, "
        f"{2 * deals:,} games a rate and seed. A row differs from the base where 0 is outside both of the interval of the "
        "games and, with several seeds, of Student's over them; the wider is shown."
    )
    last = [epochs[-1] for epochs in curves_of]
    rows = []
    for place, row in enumerate(ROWS):
        learning, dev = (sum(getattr(epoch, part)[place] for epoch in last) / len(last) for part in Epoch._fields)
        difference = None if row == BASE else f"{less[row][0]:+.3f} ± {less[row][1]:.3f}"
        rows.append([row, *ours[row].values(), difference, learning, dev])
    against_each = [f"against {who}" for who in opponents]
    page.table(["", *against_each, "Greedy, less the base", "loss, learning", "loss, held out"], rows)
    panels: dict[str, Any] = {}
    for part in Epoch._fields:
        title = {"learning": "loss while learning, with dropout", "dev": "loss on held-out decisions"}[part]
        across = [float(epoch + 1) for epoch in range(args.epochs)]
        panels[title] = {
            row: (across, [getattr(epoch, part)[place] for epoch in curves_of[0]]) for place, row in enumerate(ROWS)
        }
    page.figure("losses", curves(panels, "epochs"))


def _less_base(pair: Sequence[Sequence[Rate]]) -> tuple[float, float]:
    """By how much a row's rates are above those of the base, seed by seed, with the wider of the two intervals.

    Both play the same deals, which makes the interval of the games a little too wide.
    """
    row, base = pair
    gains = [one.mean - other.mean for one, other in zip(row, base, strict=True)]
    of_games = (mean_rate(row).half_width ** 2 + mean_rate(base).half_width ** 2) ** 0.5
    of_seeds = student_half_width(gains) if len(gains) > 1 else 0.0
    return sum(gains) / len(gains), max(of_games, of_seeds)
