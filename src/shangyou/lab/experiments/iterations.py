"""Deep ZSY's model 13, iterated seven times: as it was run, and with three faults mended one after the other."""

from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED, EnsembleAgent
from shangyou.lab.figures import Line, curves
from shangyou.lab.net_store import ensemble_of, player
from shangyou.lab.old_dqn import ARGS, AS_PLAYED, MODEL_13, scripted, train_model_13
from shangyou.lab.page import Page
from shangyou.lab.paper_numbers import ITERATIONS
from shangyou.lab.rates import against
from shangyou.lab.stages import ZSY2, Context
from shangyou.nets.papers import Ensemble

TITLE, SETUPS, RECIPE = "Deep ZSY: model 13, seven iterations", ZSY2, MODEL_13
VARIANTS = {  # loss and style; each mends one fault more than the one before it
    "as run": ("swapped", AS_PLAYED),
    "first moves": ("swapped", AS_PRINTED),  # encoded as in training
    "ties": ("swapped", FIXED),  # broken by the logit
    "log loss": ("log", FIXED),
}
DEALS = {"smoke": 50, "small": 500, "paper": 5000}


def run(ctx: Context, page: Page) -> None:
    args, deals, opponents = ARGS[ctx.scale], DEALS[ctx.scale], scripted(ctx)
    trained = {loss: train_model_13(ctx, loss) for loss in ("swapped", "log")}
    count = len(trained["log"])
    agents: dict[str, EnsembleAgent] = {
        f"{variant} {i}": player(ctx, one["nets"], "Model 13", style)
        for variant, (loss, style) in VARIANTS.items()
        for i, one in enumerate(trained[loss])
    }
    rates = against(ctx, "iterations-rates", agents, opponents, deals, ctx.seed + 3)
    page.text(
        f"Model 13 (300-400-40-1, dropout, R 0.95, learning rate 1e-4) learns random games for {args.first.epochs} epochs, "
        f"then {args.later.games:,} games of itself for {args.later.epochs} epochs, {args.iterations} times, a tenth of the "
        "plays drawn in proportion to the values. The last iteration with the swapped loss is the Old DQN of the second "
        f"paper's experiments, and of ours. {2 * deals:,} games a rate.",
        "Three faults are mended one after the other, each column with those before it. *First moves*: the cards played "
        "before the first moves are encoded as in training, not as plain zeros, by the same nets. *Ties*: between chances "
        "that are equal in float32 the higher logit decides, not the list, by the same nets. *Log loss*: nets that learned "
        "with the arguments of the loss in order.",
    )
    paper = [(greedy / 100, random / 100) for greedy, random in ITERATIONS[: count - 1]]
    for place, who in enumerate(opponents):
        page.heading(f"Won against {who}")
        rows = [[str(i) if i else "after random games", paper[i - 1][place] if i else None,
                 *(rates[f"{variant} {i}"][who] for variant in VARIANTS)] for i in range(count)]  # fmt: skip
        page.table(["iteration", "paper", *VARIANTS], rows)
    across = [float(i) for i in range(count)]
    panels: dict[str, dict[str, Line]] = {}
    for place, who in enumerate(opponents):
        lines = {variant: [rates[f"{variant} {i}"][who].mean for i in range(count)] for variant in VARIANTS}
        panels[f"won against {who}"] = {variant: (across, line) for variant, line in lines.items()}
        panels[f"won against {who}"]["paper"] = across[1:], [iteration[place] for iteration in paper]

    def greedy(variant: str) -> str:
        first, last = (rates[f"{variant} {i}"]["Greedy"].mean for i in (1, count - 1))
        return f"{variant}: {first:.3f} after the first and {last:.3f} after the last"

    page.open(
        "does a net become better by learning its own games, again and again?",
        f"no: against Greedy {paper[0][0]:.3f} after the first iteration, {paper[-1][0]:.3f} after iteration {len(paper)}.",
        "against Greedy, " + "; ".join(map(greedy, VARIANTS)) + ".",
        ("rates", curves(panels, "iterations")),
    )


def nets(ctx: Context) -> dict[str, Ensemble]:
    return {"old-dqn": ensemble_of(ctx, train_model_13(ctx, "swapped")[-1]["nets"], ["Model 13"])}
