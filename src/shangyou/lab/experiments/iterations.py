"""Deep ZSY's model 13, iterated seven times: with the loss that was run, and with the log loss."""

from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent
from shangyou.lab.figures import Line, curves
from shangyou.lab.net_store import ensemble_of, player
from shangyou.lab.old_dqn import ARGS, AS_PLAYED, MODEL_13, scripted, train_model_13
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import ITERATIONS
from shangyou.lab.rates import against
from shangyou.lab.stages import ZSY2, Context
from shangyou.nets.papers import Ensemble

TITLE, SETUPS, RECIPE = "Deep ZSY: model 13, seven iterations", ZSY2, MODEL_13
STYLES = {"swapped": AS_PLAYED, "log": FIXED}
DEALS = {"smoke": 50, "small": 500, "paper": 5000}


def run(ctx: Context, page: Page) -> None:
    args, deals, opponents = ARGS[ctx.scale], DEALS[ctx.scale], scripted(ctx)
    agents: dict[str, EnsembleAgent] = {
        f"{loss} {i}": player(ctx, trained["nets"], "Model 13", style)
        for loss, style in STYLES.items()
        for i, trained in enumerate(train_model_13(ctx, loss))
    }
    rates, count = against(ctx, "iterations-rates", agents, opponents, deals, ctx.seed + 3), len(agents) // len(STYLES)
    page.text(
        f"Model 13 (300-400-40-1, dropout, R 0.95, learning rate 1e-4) learns random games for {args.first.epochs} epochs, "
        f"then {args.later.games:,} games of itself for {args.later.epochs} epochs, {args.iterations} times, a tenth of the "
        "plays drawn in proportion to the values. The last iteration with the swapped loss is the Old DQN of the second "
        f"paper's experiments, and of ours. {2 * deals:,} games a rate."
    )
    columns = ["iteration", "Greedy, paper", "ours", "ours, log loss", "Random, paper", "ours", "ours, log loss"]
    paper = [(greedy / 100, random / 100) for greedy, random in ITERATIONS[: count - 1]]
    rows: list[list[object]] = []
    for i in range(count):
        greedy, random = ([rates[f"{loss} {i}"][who] for loss in STYLES] for who in ("Greedy", "Random"))
        printed = paper[i - 1] if i else (None, None)
        rows.append([str(i) if i else "after random games", printed[0], *greedy, printed[1], *random])
    page.table(columns, rows)
    across = [float(i) for i in range(count)]
    panels: dict[str, dict[str, Line]] = {}
    for place, who in enumerate(opponents):
        means = {loss: [rates[f"{loss} {i}"][who].mean for i in range(count)] for loss in STYLES}
        panels[f"won against {who}"] = {f"ours, {loss} loss": (across, line) for loss, line in means.items()}
        panels[f"won against {who}"]["paper"] = across[1:], [iteration[place] for iteration in paper]
    page.figure("rates", curves(panels, "iterations"))


def nets(ctx: Context) -> dict[str, Ensemble]:
    return {"old-dqn": ensemble_of(ctx, train_model_13(ctx, "swapped")[-1]["nets"], ["Model 13"])}
