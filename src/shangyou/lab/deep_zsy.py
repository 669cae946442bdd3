"""Deep ZSY: linear TD, the first Deep Q and its second iteration."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent, Style
from shangyou.evaluation.intervals import Rate
from shangyou.lab import printed
from shangyou.lab.figures import Shown, curves, dots
from shangyou.lab.kept_nets import KeptNets, go_on_from, keep_nets, player
from shangyou.lab.old_dqn import scripted
from shangyou.lab.page import Page
from shangyou.lab.rates import PrintedRate, Rates, against
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import DEEP_Q, Ensemble
from shangyou.nets.papers.linear import Linear
from shangyou.training import deep_q, td_linear
from shangyou.training.game_buffer import one_side
from shangyou.training.learner import Learner, Recipe

RECIPE = Recipe(lr=1e-3, reward_discount=0.9)
AS_PLAYED = Style(ties="first", blank=True)
SELF_PLAY = Style(ties="first", epsilon=0.1, lots="value", blank=True)
TD, NAMES = "TD linear", ("Deep Q", "Deep Q, 2nd iteration")
CHECKED = ("from the first one's weights", "from new weights")


@dataclass(frozen=True)
class Args:
    deep_q: deep_q.Args = field(default_factory=deep_q.Args)
    td: td_linear.Args = field(default_factory=td_linear.Args)
    deals: int = 5000  # of a test, from both sides


SCALES = {
    "paper": Args(),
    "smoke": Args(deep_q.Args(games=800, epochs=6, batch=128), td_linear.Args(batches=8, games=64, lr=2.0), deals=100),
}


def train_deep_q(lab: Lab) -> list[dict[str, Any]]:
    """Both iterations, the second from the first one's weights and games."""
    args = SCALES[lab.scale].deep_q
    return lab.stage("deep-q", [args, RECIPE], lambda: _train(lab, args))


def _train(lab: Lab, args: deep_q.Args) -> list[dict[str, Any]]:
    learner = Learner(lab.game, {"Deep Q": DEEP_Q}, {"Deep Q": RECIPE}, lab.device, lab.seed)
    rounds: list[dict[str, Any]] = []
    with lab.progress("Deep Q", len(NAMES) * args.epochs) as show:

        def report(epoch: int) -> None:
            show(len(rounds) * args.epochs + epoch)

        for buffer, curve in deep_q.iterate(lab.engine, learner, [args] * len(NAMES), SELF_PLAY, lab.seed * 100, report):
            points = one_side(buffer)
            rounds.append(
                {
                    "nets": keep_nets(learner),
                    "curve": [list(epoch) for epoch in curve],
                    "cost": learner.losses_on(points)[0].item(),
                    "points": len(points),
                    "moves": buffer.used / buffer.games / 2,
                }
            )
    return rounds


def train_td(lab: Lab) -> Linear:
    args = SCALES[lab.scale].td

    def work() -> dict[str, Any]:
        with lab.progress(TD, args.batches) as show:
            return {"weight": td_linear.learn(lab.engine, args, lab.seed, show).weight.detach().cpu()}

    net = Linear(lab.game).to(lab.device)
    net.weight.data.copy_(lab.stage("td-linear", args, work)["weight"])
    return net


def deep_q_nets(lab: Lab) -> KeptNets:
    """Both iterations by the papers' names."""
    return {name: found["nets"]["Deep Q"] for name, found in zip(NAMES, train_deep_q(lab), strict=True)}


def check_second_iteration(lab: Lab) -> KeptNets:
    """The second iteration on other games of the first, at once: twice from the first one's weights, twice from new ones."""
    args, first = SCALES[lab.scale].deep_q, deep_q_nets(lab)[NAMES[0]]
    names = [f"{how}, {i}" for how in CHECKED for i in (1, 2)]

    def work() -> dict[str, Any]:
        learner = Learner(lab.game, dict.fromkeys(names, DEEP_Q), dict.fromkeys(names, RECIPE), lab.device, lab.seed + 1)
        for name in names[:2]:
            go_on_from(learner, name, first)
        agent = player(lab, {"first": first}, "first", SELF_PLAY)
        with lab.progress("second iterations", args.epochs) as show:
            deep_q.fit(learner, deep_q.simulate(lab.engine, agent, args.games, lab.seed * 100 + 50), args, lab.seed + 1, show)
        return keep_nets(learner)

    return lab.stage("deep-q-checked", [args, RECIPE, names], work)


def run(lab: Lab, results: Path) -> Page:
    rounds, nets, args = train_deep_q(lab), deep_q_nets(lab), SCALES[lab.scale]
    styles = {"as played": AS_PLAYED, "one-hots": Style(ties="first"), "fixed": FIXED}
    agents: dict[str, BatchAgent] = {TD: EnsembleAgent(lab.game, Ensemble([train_td(lab)]), FIXED, "td-linear")}
    agents |= {f"{name}, {how}": player(lab, nets, name, style) for name in NAMES for how, style in styles.items()}
    rates = against(lab, "deep-zsy-rates", agents, scripted(lab), args.deals, lab.seed + 1)

    page = Page(lab, "deep-zsy", "Deep ZSY: linear TD and two iterations of Deep Q", results)
    page.say(
        "Random games, a dense net 300-200-40-1 with dropout that learns them by log loss with targets (1 ± 0.9^k)/2, "
        f"{args.deep_q.games:,} games of that net with itself in which a tenth of the moves is drawn in proportion to the "
        f"values, and the same net trained on with those. Every rate is of {2 * args.deals:,} games, each deal from both "
        "sides. *As played* keeps the input that the agents of 2018 had on their first moves, plain zeros instead of "
        '"nothing played"; *one-hots* puts it right; *fixed* also breaks ties by the logit. '
        "The papers' rules of 2018 let any bomb be laid on any other; ours do not. The features of the linear agent are our "
        "own, since the original's are lost, and it was measured against opponents of its own."
    )
    columns = ["agent", "Greedy, paper", "Greedy, ours", "Random, paper", "Random, ours", "combined loss, paper", "ours"]
    page.table(columns, [_row(name, found["Greedy"], found["Random"]) for name, found in rates.items()])
    page.figure(
        "rates", dots({f"won against {who}": _shown(rates, who, place) for who, place in (("Greedy", 0), ("Random", 1))})
    )
    page.say(f"The printed rates of Deep Q with the 95% intervals of {printed.GAMES_OF_A_RATE:,} games, and ours as played:")
    rows = [
        [f"{name} against {who}", said, ours, said.verdict(ours)]
        for place, who in enumerate(("Greedy", "Random"))
        for name in NAMES
        for said, ours in [(_printed(name, place), rates[f"{name}, as played"][who])]
    ]
    page.table(["", "printed", "ours", ""], rows)
    page.say(
        f"The stored weights of the second iteration, with the one-hots put right, were measured elsewhere at "
        f"{printed.DEEP_Q_2_WITH_ONE_HOTS} percent against Greedy."
    )
    _write_check(page, lab, args.deals)
    page.heading("What was learned")
    rows = [
        [name, f"{found['points']:,}", found["moves"], found["cost"], found["curve"][-1][1][0]]
        for name, found in zip(NAMES, rounds, strict=True)
    ]
    page.table(["agent", "points", "moves back and forth", "cost of all points", "dev cost"], rows)
    train, dev = printed.FIRST_MODEL_COST
    page.say(
        f"The paper, of the first: {printed.POINTS:,} points, {printed.MOVES_A_GAME} moves back and forth, cost {train} in "
        f"training and {dev} on the dev set, both without dropout."
    )
    panels = {name: _curves(found["curve"]) for name, found in zip(NAMES, rounds, strict=True)}
    page.figure("losses", curves(panels, "epochs"))
    return page


def _write_check(page: Page, lab: Lab, deals: int) -> None:
    """Whether the second iteration comes out the same again, and whether it matters where it begins."""
    page.heading("The second iteration again")
    nets, styles = check_second_iteration(lab), {"as played": AS_PLAYED, "one-hots": Style(ties="first")}
    players = {f"{name}, {how}": player(lab, nets, name, style) for name in nets for how, style in styles.items()}
    rates = against(lab, "deep-q-checked-rates", players, scripted(lab), deals, lab.seed + 2)
    greedy, random, _ = printed.DEEP_ZSY[NAMES[1]]
    page.say(
        "The paper does not say whether its second iteration goes on from the first one's weights; ours does. Four more second "
        "iterations on other games of the same first net:"
    )
    rows: list[list[object]] = [["the paper's, as played", greedy / 100, random / 100]]
    page.table(["began", "Greedy", "Random"], rows + [[name, *found.values()] for name, found in rates.items()])


def _printed(name: str, place: int) -> PrintedRate:
    return PrintedRate(printed.DEEP_ZSY[name][place] / 100, printed.GAMES_OF_A_RATE)


def _said(name: str) -> tuple[float, float, float] | None:
    """By the paper, of an agent as it was played."""
    return printed.DEEP_ZSY.get(name.removesuffix(", as played"))


def _shown(rates: Rates, who: str, place: int) -> dict[str, Shown]:
    """Every agent against one opponent, whose percentages stand at this place of the printed ones."""
    deep_q = {f"{name}, as played": _printed(name, place) for name in NAMES}
    linear = {TD: printed.DEEP_ZSY[TD][place] / 100}  # of how many games is not known
    return {name: {"paper": deep_q.get(name) or linear.get(name), "ours": found[who]} for name, found in rates.items()}


def _row(name: str, greedy: Rate, random: Rate) -> list[object]:
    said = _said(name)
    combined = 100 * (1 - greedy.mean) * 100 * (1 - random.mean)
    paper = [said[0] / 100, said[1] / 100, f"{said[2]:.1f}"] if said else [None] * 3
    return [name, paper[0], greedy, paper[1], random, paper[2], f"{combined:.1f}"]


def _curves(curve: list[list[list[float]]]) -> dict[str, tuple[list[float], list[float]]]:
    epochs = [float(i + 1) for i in range(len(curve))]
    return {
        "learning, with dropout": (epochs, [learning[0] for learning, _ in curve]),
        "dev": (epochs, [dev[0] for _, dev in curve]),
    }
