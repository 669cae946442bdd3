"""Deep ZSY: linear TD, the first Deep Q and its second iteration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED, EnsembleAgent
from shangyou.evaluation.intervals import Rate
from shangyou.lab import paper_numbers
from shangyou.lab.figures import RatesBySource, curves, dots
from shangyou.lab.net_store import ensemble_of, player
from shangyou.lab.old_dqn import AS_PLAYED, SELF_PLAY, scripted
from shangyou.lab.page import Page
from shangyou.lab.rates import PrintedRate, against
from shangyou.lab.stages import ZSY2, Context
from shangyou.nets.papers import DEEP_Q, Ensemble, StoredNets
from shangyou.nets.papers.linear import Linear
from shangyou.training import td_linear
from shangyou.training.deep_q import DeepQArgs, fit, iterate, simulate
from shangyou.training.game_buffer import one_side
from shangyou.training.learner import Learner, Recipe

TITLE, SETUPS = "Deep ZSY: linear TD and two iterations of Deep Q", ZSY2
RECIPE = Recipe(lr=1e-3, reward_discount=0.9)
TD, NAMES = "TD linear", ("Deep Q", "Deep Q, 2nd iteration")
OPPONENTS = ("Greedy", "Random")  # in the paper's order
STARTS = ("from the first one's weights", "from new weights")


@dataclass(frozen=True)
class DeepZsyArgs:
    deep_q: DeepQArgs = field(default_factory=DeepQArgs)
    td: td_linear.TDArgs = field(default_factory=td_linear.TDArgs)
    deals: int = 5000  # of a test, from both sides


ARGS = {
    "smoke": DeepZsyArgs(DeepQArgs(games=800, epochs=6, batch=128), td_linear.TDArgs(batches=8, games=64), deals=100),
    "small": DeepZsyArgs(DeepQArgs(games=10_000, epochs=12, batch=512), td_linear.TDArgs(batches=30, games=512), deals=500),
    "paper": DeepZsyArgs(),
}


def train_deep_q(ctx: Context) -> list[dict[str, Any]]:
    """Both iterations, the second from the first one's weights and games."""
    args = ARGS[ctx.scale].deep_q
    return ctx.stage("deep-q", [args, RECIPE, SELF_PLAY], lambda: _train(ctx, args))


def _train(ctx: Context, args: DeepQArgs) -> list[dict[str, Any]]:
    learner = Learner(ctx.game, {"Deep Q": DEEP_Q}, {"Deep Q": RECIPE}, ctx.device, ctx.seed)
    rounds: list[dict[str, Any]] = []
    with ctx.progress("Deep Q", len(NAMES) * args.epochs) as show:

        def report(epoch: int) -> None:
            show(len(rounds) * args.epochs + epoch)

        for buffer, curve in iterate(ctx.engine, learner, [args] * len(NAMES), SELF_PLAY, ctx.seed * 100, report):
            points, losses = one_side(buffer), [list(epoch) for epoch in curve]
            cost, moves = learner.losses_on(points)[0].item(), buffer.used / buffer.games / 2
            rounds.append({"nets": learner.nets(), "curve": losses, "cost": cost, "points": len(points), "moves": moves})
    return rounds


def train_td(ctx: Context) -> Linear:
    args = ARGS[ctx.scale].td

    def work() -> dict[str, Any]:
        with ctx.progress(TD, args.batches) as show:
            return {"weight": td_linear.learn(ctx.engine, args, ctx.seed, show).weight.detach().cpu()}

    net = Linear(ctx.game).to(ctx.device)
    net.weight.data.copy_(ctx.stage("td-linear", args, work)["weight"])
    return net


def td_agent(ctx: Context) -> EnsembleAgent:
    return EnsembleAgent(ctx.game, Ensemble([train_td(ctx)]), FIXED, "td-linear")


def deep_q_nets(ctx: Context) -> StoredNets:
    """Both iterations by the paper's names."""
    return {name: trained["nets"]["Deep Q"] for name, trained in zip(NAMES, train_deep_q(ctx), strict=True)}


def repeat_second_iteration(ctx: Context) -> StoredNets:
    """Four second iterations on other games of the first net: two from the first one's weights, two from new ones."""
    args, first = ARGS[ctx.scale].deep_q, deep_q_nets(ctx)[NAMES[0]]
    names = [f"{start}, {i}" for start in STARTS for i in (1, 2)]

    def work() -> dict[str, Any]:
        learner = Learner(ctx.game, dict.fromkeys(names, DEEP_Q), dict.fromkeys(names, RECIPE), ctx.device, ctx.seed + 1)
        for name in names[:2]:
            learner.load(name, first)
        agent = player(ctx, {"first": first}, "first", SELF_PLAY)
        with ctx.progress("second iterations", args.epochs) as show:
            fit(learner, simulate(ctx.engine, agent, args.games, ctx.seed * 100 + 50), args, ctx.seed + 1, show)
        return learner.nets()

    return ctx.stage("deep-q-repeated", [args, RECIPE, names], work)


def run(ctx: Context, page: Page) -> None:
    rounds, stored, args = train_deep_q(ctx), deep_q_nets(ctx), ARGS[ctx.scale]
    styles = {"as played": AS_PLAYED, "one-hots": AS_PRINTED, "fixed": FIXED}
    agents: dict[str, BatchAgent] = {TD: td_agent(ctx)}
    agents |= {f"{name}, {how}": player(ctx, stored, name, style) for name in NAMES for how, style in styles.items()}
    rates = against(ctx, "deep-zsy-rates", agents, scripted(ctx), args.deals, ctx.seed + 1)
    page.text(
        "Random games, a dense net 300-200-40-1 with dropout that learns them by log loss with targets (1 ± 0.9^k)/2, "
        f"{args.deep_q.games:,} games of that net with itself in which a tenth of the moves is drawn in proportion to the "
        f"values, and the same net trained further on those. Every rate is of {2 * args.deals:,} games, each deal from both "
        "sides. *As played* keeps the input that the agents of 2018 had on their first moves, plain zeros instead of "
        '"nothing played"; *one-hots* fixes it; *fixed* also breaks ties by the logit. '
        "The papers' rules of 2018 let any bomb be laid on any other; ours do not. The features of the linear agent are our "
        "own, since the original's are lost, and it was measured against opponents of its own."
    )
    columns = ["agent", "Greedy, paper", "Greedy, ours", "Random, paper", "Random, ours", "combined loss, paper", "ours"]
    page.table(columns, [_row(name, row["Greedy"], row["Random"]) for name, row in rates.items()])
    panels = {
        f"won against {who}": {name: _sources(name, place, row[who]) for name, row in rates.items()}
        for place, who in enumerate(OPPONENTS)
    }
    games = paper_numbers.DEEP_ZSY_TRAINING["games_of_a_rate"]
    page.text(f"The printed rates of Deep Q with the 95% intervals of {games:,} games, and ours as played:")
    rows: list[list[object]] = []
    for place, who in enumerate(OPPONENTS):
        for name in NAMES:
            printed, ours = _printed(name, place), rates[f"{name}, as played"][who]
            rows.append([f"{name} against {who}", printed, ours, printed.verdict(ours)])
    page.table(["", "printed", "ours", ""], rows)
    paper = "; ".join(f"{name} {greedy} and {random}" for name, (greedy, random, _) in paper_numbers.DEEP_ZSY.items())
    as_played = {name: row for name, row in rates.items() if name == TD or name.endswith("as played")}
    within = sum(row[3] == "within" for row in rows)
    page.open(
        "can a net that has only seen random games, and then games of its own, play zsy2?",
        f"against Greedy and Random, percent: {paper}.",
        "; ".join(f"{name} {row['Greedy']} and {row['Random']}" for name, row in as_played.items())
        + f". {within} of {len(rows)} printed rates of Deep Q have ours within their intervals.",
        ("rates", dots(panels)),
    )
    page.text(
        f"The stored weights of the second iteration, with the one-hots fixed, were measured elsewhere at "
        f"{paper_numbers.STORED_RESULTS['deep_q_2_with_one_hots']} percent against Greedy."
    )
    _write_repeated(ctx, page, args.deals)
    _write_training(page, dict(zip(NAMES, rounds, strict=True)))


def _write_repeated(ctx: Context, page: Page, deals: int) -> None:
    """Whether the second iteration comes out the same again, and whether it matters from which weights it starts."""
    page.heading("The second iteration again")
    stored, styles = repeat_second_iteration(ctx), {"as played": AS_PLAYED, "one-hots": AS_PRINTED}
    players = {f"{name}, {how}": player(ctx, stored, name, style) for name in stored for how, style in styles.items()}
    rates = against(ctx, "deep-q-repeated-rates", players, scripted(ctx), deals, ctx.seed + 2)
    greedy, random, _ = paper_numbers.DEEP_ZSY[NAMES[1]]
    page.text(
        "The paper does not say whether its second iteration goes on from the first one's weights; ours does. Four more second "
        "iterations on other games of the same first net:"
    )
    rows: list[list[object]] = [["the paper's, as played", greedy / 100, random / 100]]
    page.table(["began", "Greedy", "Random"], rows + [[name, *row.values()] for name, row in rates.items()])


def _write_training(page: Page, rounds: dict[str, dict[str, Any]]) -> None:
    page.heading("What was learned")
    columns = ["agent", "points", "moves back and forth", "cost of all points", "dev cost"]
    rows = [[name, f"{one['points']:,}", one["moves"], one["cost"], one["curve"][-1][1][0]] for name, one in rounds.items()]
    page.table(columns, rows)
    paper = paper_numbers.DEEP_ZSY_TRAINING
    page.text(
        f"The paper, of the first: {paper['points']:,} points, {paper['moves_a_game']} moves back and forth, cost "
        f"{paper['train_cost']} in training and {paper['dev_cost']} on the dev set, both without dropout."
    )
    panels = {}
    for name, trained in rounds.items():
        epochs = [float(i + 1) for i in range(len(trained["curve"]))]
        learning, dev = zip(*trained["curve"], strict=True)
        lines = {"learning, with dropout": learning, "dev": dev}
        panels[name] = {label: (epochs, [losses[0] for losses in line]) for label, line in lines.items()}
    page.figure("losses", curves(panels, "epochs"))


def _printed(name: str, place: int) -> PrintedRate:
    return PrintedRate(paper_numbers.DEEP_ZSY[name][place] / 100, int(paper_numbers.DEEP_ZSY_TRAINING["games_of_a_rate"]))


def _sources(name: str, place: int, ours: Rate) -> RatesBySource:
    """The paper's rate of an agent as it was played, at this place of the printed ones, and ours."""
    paper: dict[str, float | PrintedRate] = {f"{name}, as played": _printed(name, place) for name in NAMES}
    paper[TD] = paper_numbers.DEEP_ZSY[TD][place] / 100  # of how many games is not known
    return {"paper": paper.get(name), "ours": ours}


def _row(name: str, greedy: Rate, random: Rate) -> list[object]:
    paper: list[object] = [None] * 3
    if printed := paper_numbers.DEEP_ZSY.get(name.removesuffix(", as played")):
        paper = [printed[0] / 100, printed[1] / 100, f"{printed[2]:.1f}"]
    combined = 100 * (1 - greedy.mean) * 100 * (1 - random.mean)
    return [name, paper[0], greedy, paper[1], random, paper[2], f"{combined:.1f}"]


def nets(ctx: Context) -> dict[str, Ensemble]:
    stored = deep_q_nets(ctx)
    iterations = {f"deep-q-{i}": ensemble_of(ctx, stored, [name]) for i, name in enumerate(NAMES, 1)}
    return iterations | {"td-linear": Ensemble([train_td(ctx)])}
