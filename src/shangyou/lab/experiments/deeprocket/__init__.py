"""DeepRocket (2019): Dou Dizhu learned from game records by a policy net and a net for kickers, beside the paper's numbers.

The paper's 8 million games of people are not public. Ours are games of the champion, drawn at a low temperature, so that it is
known how well anybody can predict them. runs.py has what is trained, results.py what is measured; the page is here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np

from shangyou.agents import load, suggest
from shangyou.evaluation.intervals import RunningMean
from shangyou.lab import paper_numbers
from shangyou.lab.deeprocket_match import AGENTS, LandlordScores, landlord_scores, paper_scores
from shangyou.lab.deeprocket_positions import Position, positions
from shangyou.lab.experiments.deeprocket.results import (
    ROLES,
    ROUNDS,
    accuracy_of,
    curve_of,
    duel,
    inferred_hands,
    model_of,
    rounds_against,
)
from shangyou.lab.experiments.deeprocket.runs import (
    CHAMPION,
    FULL,
    GRADIENT_NET,
    SCALES,
    SETUPS,
    SMALL,
    SWEEP,
    Scale,
    full_run,
    gradient_run,
    hands_run,
    small_run,
    sweep_run,
)
from shangyou.lab.figures import RatesBySource, curves, dots
from shangyou.lab.page import Page
from shangyou.lab.runs import TrainedRun
from shangyou.lab.stages import Context, Stage
from shangyou.nets.deeprocket import DeepRocket
from shangyou.training.supervised import Args

__all__ = ["SETUPS", "TITLE", "nets", "run"]

TITLE = "DeepRocket: Dou Dizhu learned from games"
LOGIC = ("rule", "rlcard-rule")  # agents without a net, as the paper's opponent was
Named = tuple[str, TrainedRun | None]  # a net, or the champion, which no run has
HAND_LINES = {"net": "model", "even splits": "even", "difference": "gain"}


def waves(ctx: Context) -> list[list[Stage]]:
    """The smaller net learns from the full one, and what a policy gradient makes of it begins there."""
    first: list[Callable[[Context], TrainedRun]] = [
        full_run,
        hands_run,
        *(partial(sweep_run, row=row) for row in SCALES[ctx.scale].rows),
    ]
    return [[partial(train_to_its_end, run_of=run_of) for run_of in wave] for wave in (first, [small_run], [gradient_run])]


def train_to_its_end(ctx: Context, run_of: Callable[[Context], TrainedRun]) -> None:
    assert run_of(ctx).checkpoint


def run(ctx: Context, page: Page) -> None:
    """The nets that the page is about come first: a machine that is lent for an hour may not see the end."""
    nets_of_paper = {FULL: full_run(ctx), SMALL: small_run(ctx)}
    found = {name: accuracy_of(ctx, run) for name, run in nets_of_paper.items()}
    _open(page, SCALES[ctx.scale], found[FULL]["champion's games"])
    _accuracy(ctx, page, nets_of_paper)
    _by_choice(page, found[FULL]["champion's games"])
    _duels(ctx, page, nets_of_paper)
    _ten_deals(ctx, page, nets_of_paper[SMALL])
    _positions(ctx, page, nets_of_paper[SMALL])
    _matches(ctx, page, nets_of_paper)
    _gradient(ctx, page, nets_of_paper)
    _hands(ctx, page)
    page.heading("A sweep of nets")
    page.text(f"Each learned for {60 * SCALES[ctx.scale].sweep_minutes:g} seconds, measured as above.")
    _accuracy(ctx, page, {row: sweep_run(ctx, row) for row in SCALES[ctx.scale].rows})


def _open(page: Page, scale: Scale, found: Mapping[str, Any]) -> None:
    parts = {"labels": _row(found, "policy"), "kickers": _row(found, "kicker")}
    paper = paper_numbers.DEEPROCKET_ACCURACY
    shares: dict[str, RatesBySource] = {
        name: {"the full net": row["accuracy"][0], "the best possible": row["best_possible"][0]} for name, row in parts.items()
    }
    page.open(
        "do nets of the paper's kind predict an expert's plays as well as they can be predicted, and how strong are they then?",
        f"{paper['policy']}% of the labels and {paper['kicker']}% of the kickers, on games of people; it does not say whether "
        "forced plays count.",
        " and ".join(
            f"{_percent(row)}% of the {name}, of at most {_percent(row, 'best_possible')}%" for name, row in parts.items()
        )
        + ", in the champion's games where there is a choice.",
        ("accuracy", dots({"share predicted": shares})),
    )
    small_args = replace(scale.args, minutes=scale.small_minutes)
    page.text(
        f"The expert is `{CHAMPION}`, whose plays are drawn in proportion to exp(win chance / {scale.args.temperature:g}). The "
        f"full net learned for {_length(scale.args)}, the paper's for 20 hours; `{SMALL}`, for {_length(small_args)}, from the "
        f"probabilities of the full one. Accuracy is of {scale.games:,} games of other deals.",
    )


def _length(args: Args) -> str:
    return f"{args.batches} batch" if args.batches else f"{args.minutes:g} minutes"


def _row(found: Mapping[str, Any], part: str, name: str = "") -> dict[str, Any]:
    """The row of that name, or the first: where two or more answers are legal."""
    rows: list[dict[str, Any]] = found[part]["rows"]
    return next((row for row in rows if row["decisions"] == name), rows[0])


def _percent(row: Mapping[str, Any], measure: str = "accuracy") -> str:
    if measure not in row:
        return ""
    mean, width = row[measure]
    return f"{100 * mean:.1f}" + (f" ± {100 * width:.1f}" if isfinite(width) else "")


def _accuracy(ctx: Context, page: Page, runs: Mapping[str, TrainedRun]) -> None:
    page.heading("Accuracy")
    page.text("In percent, with 95% intervals over games, where two or more answers are legal. `bound` is the share of the "
              "expert's likeliest answer; `repeats`, how often two draws of the expert agree.")  # fmt: skip
    columns = [
        "net",
        "what it is",
        "million decisions",
        "labels",
        "bound",
        "repeats",
        "kickers",
        "bound",
        "labels of the paper's 20 games",
    ]
    page.table(columns, [_accuracy_line(ctx, name, run) for name, run in runs.items()])


def _accuracy_line(ctx: Context, name: str, run: TrainedRun) -> list[str]:
    both, learned = accuracy_of(ctx, run), curve_of(run)[-1]["learned"]
    labels, kickers = (_row(both["champion's games"], part) for part in ("policy", "kicker"))
    bounds = [_percent(labels, "best_possible"), _percent(labels, "expert_agreement")]
    of_paper = _percent(_row(both["paper's games"], "policy"))
    of_kickers = [_percent(kickers), _percent(kickers, "best_possible")]
    return [name, _about(name, run.args), f"{learned / 1e6:.1f}", _percent(labels), *bounds, *of_kickers, of_paper]


def _about(name: str, args: Args) -> str:
    """What a net is, or for a row of the sweep what it changes."""
    if name in SWEEP and SWEEP[name][1]:
        return SWEEP[name][0]
    policy, roles = args.size.policy, "one net with three outputs" if args.size.roles == "outputs" else "a net a role"
    shape = f"{len(policy.strides)} layers of {policy.filters} filters, {roles}, minibatches of {args.minibatch:,}"
    return f"{shape}; learned from the full net's probabilities" if args.distill else shape


def _by_choice(page: Page, found: Mapping[str, Any]) -> None:
    page.heading("By role and choice, the full net")
    rows = [(part, row) for part in ("policy", "kicker") for row in found[part]["rows"]]
    measures = "accuracy", "best_possible", "expert_cost"
    lines = [[row["decisions"], part, row["count"], *(_percent(row, measure) for measure in measures)] for part, row in rows]
    page.table(["decisions", "of", "count", "accuracy", "bound", "win chance lost"], lines)
    page.text("The last column: by how much the expert's own win chance, in percent, is lower with the net's likeliest answer "
              "than with the expert's best one, the mean over all these decisions.")  # fmt: skip
    errors = {part: found[part]["expected_calibration_error"] for part in ("policy", "kicker")}
    page.text(f"Expected calibration error: labels {errors['policy']:.3f}, kickers {errors['kicker']:.3f}.")


def _matches(ctx: Context, page: Page, runs: Mapping[str, TrainedRun]) -> None:
    scale = SCALES[ctx.scale]
    deals = {SMALL: scale.round_deals, FULL: scale.full_deals}
    games = " and ".join(f"{2 * number:,} games (`{name}`)" for name, number in deals.items())
    page.heading("Against agents without a net")
    page.text(f"{ROUNDS} rounds of {games}, half of them as landlord, on deals without bidding (Figures 3 and 4 of the paper, "
              "whose opponent was MicroWe; the text prints no numbers).")  # fmt: skip
    won = {(name, opponent): rounds_against(ctx, runs[name], opponent, number)
           for name, number in deals.items() for opponent in LOGIC}  # fmt: skip
    lines = []
    for (name, opponent), by_role in won.items():
        for role, words in ROLES.items():
            shares = by_role[role]
            rounds = RunningMean.of(np.array(shares))
            lines.append([name, opponent, words, f"{rounds.mean:.3f} ± {rounds.half_width:.3f}", min(shares), max(shares)])
    page.table(["net", "opponent", "role", "won", "worst round", "best round"], lines)
    across = [float(number + 1) for number in range(ROUNDS)]
    panels = {f"{SMALL} against {opponent}": {ROLES[role]: (across, won[SMALL, opponent][role]) for role in ROLES}
              for opponent in LOGIC}  # fmt: skip
    page.figure("rounds", curves(panels, "rounds"))


def _duels(ctx: Context, page: Page, runs: Mapping[str, TrainedRun]) -> None:
    page.heading("Against each other")
    page.text(f"{2 * SCALES[ctx.scale].duel_deals:,} games each, every deal from both sides.")
    _duel_table(ctx, page, list(combinations([*runs.items(), (CHAMPION, None)], 2)))


def _duel_table(ctx: Context, page: Page, pairs: Sequence[tuple[Named, Named]]) -> None:
    lines = []
    for (one, run), (other, against) in pairs:
        assert run
        won, width, points, off = duel(ctx, run, against)
        lines.append([f"{one} - {other}", f"{won:.3f} ± {width:.3f}", f"{points:+.3f} ± {off:.3f}"])
    page.table(["match", "won by the first", "points a game"], lines)


def _gradient(ctx: Context, page: Page, runs: Mapping[str, TrainedRun]) -> None:
    run = gradient_run(ctx)
    args, curve = run.args, curve_of(run)
    before, after = (curve[place]["strength"] for place in (0, -1))
    page.heading("Reinforcement as in AlphaGo")
    page.text(
        "The paper: 'reinforcement does not work well when we directly transplant the method of AlphaGo'. Here the smaller net "
        f"goes on from what it learned: {args.batch:,} games a batch against {args.opponents_a_batch} of its earlier versions, "
        f"drawn at random, log P of its plays moved by the results; {curve[-1]['games']:,} games in "
        f"{curve[-1]['seconds'] / 60:.1f} minutes. It wins {after['start'][0]:.3f} against the net it began with "
        f"({6 * args.eval_deals:,} games), and {after['greedy'][0]:.3f} against greedy, {before['greedy'][0]:.3f} before."
    )
    _duel_table(ctx, page, [((GRADIENT_NET, run), other) for other in [*runs.items(), (CHAMPION, None)]])
    across = [point["games"] / 1e3 for point in curve]
    lines = {f"against {name}": (across, [point["strength"][name][0] for point in curve]) for name in before}
    page.figure("gradient", curves({"won by policy gradient": lines}, "games, thousands"))


def _ten_deals(ctx: Context, page: Page, run: TrainedRun) -> None:
    page.heading("The ten deals of Table 8")
    page.text("Scores as landlord at base 3, each agent against two of the other; the first two rows are the paper's.")

    def work() -> list[list[Any]]:
        model = model_of(ctx, run)
        named = {model: SMALL}
        scores = landlord_scores([model, *AGENTS])
        return [[named.get(row.landlord, row.landlord), named.get(row.peasants, row.peasants), row.scores] for row in scores]

    scores = ctx.stage("deeprocket-ten-deals", run.settings, work)
    rows = [*paper_scores(), *(LandlordScores(*row) for row in scores)]
    page.table(["landlord", "peasants", "scores", "sum"],
               [[*row[:2], " ".join(map(str, row.scores)), row.total] for row in rows])  # fmt: skip


def _positions(ctx: Context, page: Page, run: TrainedRun) -> None:
    page.heading("The paper's positions")

    def best_three(position: Position, agent: str) -> list[str]:
        best = suggest(position.view, load(agent, position.view.game))[:3]
        return [best[0].label, ", ".join(f"{one.label} {one.value:.3f}" for one in best)]

    def work() -> list[list[list[str]]]:
        agents = {SMALL: model_of(ctx, run), **{name: name for name in AGENTS}}
        return [[[name, *best_three(position, agent)] for name, agent in agents.items()] for position in positions()]

    for position, lines in zip(positions(), ctx.stage("deeprocket-positions", run.settings, work), strict=True):
        page.text(f"**{position.name}.** {position.paper}")
        page.table(["agent", "plays", "its best three, with their values"], lines)


def _hands(ctx: Context, page: Page) -> None:
    found = inferred_hands(ctx)
    page.heading("Hidden hands")
    page.text(
        "The paper wishes for inference of the others' cards. A net that reads the public history gives a chance to every way "
        "in which the unseen cards may be split; -log P of the true hands, in nats for each unseen card, beside even splits "
        f"(the hypergeometric), {found['games']:,} games that it did not learn from. The chance that the next seat holds a "
        f"card of a rank is off by {found['calibration']['error']:.3f} on average."
    )
    by_unseen: dict[int, dict[str, Any]] = found["by_unseen"]
    rows = [("all", found["overall"]), *((str(number), row) for number, row in by_unseen.items())]
    page.table(["unseen cards", "games", *HAND_LINES],
               [[number, row["games"], *(_nats(row[key]) for key in HAND_LINES.values())] for number, row in rows])  # fmt: skip
    across = [float(number) for number in by_unseen]
    lines = {name: (across, [row[key]["mean"] for row in by_unseen.values()]) for name, key in HAND_LINES.items()}
    page.figure("hands", curves({"-log P for each unseen card": lines}, "unseen cards"))


def _nats(mean: Mapping[str, float]) -> str:
    width = mean["half_width_95"]
    return f"{mean['mean']:.3f}" + (f" ± {width:.3f}" if isfinite(width) else "")


def nets(ctx: Context) -> dict[str, DeepRocket]:
    """The net that is exported as a model."""
    return {"deeprocket": small_run(ctx).net}
