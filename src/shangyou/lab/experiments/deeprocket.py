"""DeepRocket (2019): Dou Dizhu learned from game records by a policy net and a net for kickers, beside the paper's numbers.

The paper's 8 million games of people are not public. Ours are games of the champion, drawn at a low temperature, so that it is
known how well anybody can predict them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite
from typing import Any

import numpy as np

from shangyou.agents import load, suggest
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.policy_net import PolicyNetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import play_deals
from shangyou.evaluation.intervals import RunningMean
from shangyou.evaluation.match import evaluate
from shangyou.lab import paper_numbers
from shangyou.lab.deeprocket_match import AGENTS, DEALS, LandlordScores, landlord_scores, paper_scores, read_records
from shangyou.lab.deeprocket_positions import Position, positions
from shangyou.lab.figures import curves
from shangyou.lab.page import Page
from shangyou.lab.runs import TrainedRun
from shangyou.lab.stages import Context, Setup
from shangyou.nets.deeprocket import ConvSize, DeepRocket, Size
from shangyou.records.files import write_file
from shangyou.records.game_files import of_records
from shangyou.training import hands
from shangyou.training.settings import changed
from shangyou.training.supervised import Args
from shangyou.training.supervised.accuracy import measure
from shangyou.training.supervised.decisions import decisions_of
from shangyou.training.supervised.generate import generate

TITLE = "DeepRocket: Dou Dizhu learned from games"
SETUPS = {scale: Setup("doudizhu") for scale in ("smoke", "small", "paper")}
CHAMPION = "champion/doudizhu"
LOGIC = ("rule", "rlcard-rule")  # agents without a net, as the paper's opponent was
ROUNDS = 10  # of the paper's match against it
ROLES = {"landlord": "as landlord", "peasants": "as peasants"}
FULL, SMALL = "full", "distilled"
HAND_LINES = {"net": "model", "even splits": "even", "difference": "gain"}
SWEEP: dict[str, tuple[str, list[str]]] = {  # nets trained for a short time: what each changes, in words and as settings
    "base": ("ten layers of 512 filters, one net with three outputs, minibatches of 1,024", []),
    "a net a role": ("three policy nets", ["size.roles=models"]),
    "minibatches of 256": ("as in the paper", ["minibatch=256"]),
    "256 filters": ("half as many", ["size.policy.filters=256"]),
    "five layers": ("half as many", ["size.policy.strides=11,12,12,21,22"]),
    "one stride": ("halved once in either direction, at the end", ["size.policy.strides=11,11,11,11,11,11,11,22,12,22"]),
    "batch norm": ("before each ReLU", ["size.policy.batch_norm=true"]),
}


@dataclass(frozen=True)
class Scale:
    args: Args  # of the full net
    small: Size  # of the net that is distilled from it
    sweep_minutes: float
    rows: Sequence[str]  # of SWEEP
    games: int  # on which accuracy is measured
    round_deals: int  # of a round against an agent without a net, two games each
    duel_deals: int  # of each two nets
    hands: hands.Args  # of the net that infers hidden hands
    hand_games: int  # on which it is measured
    workers: int = 2  # processes that play the rounds


COMMON = Args(
    "doudizhu", teacher=CHAMPION, temperature=0.001, minibatch=1024, opponents=("greedy",), checkpoint_seconds=60.0,
    eval_seconds=120.0,
)  # fmt: skip
PAPER = replace(COMMON, minutes=20.0, untimed=1, size=Size(roles="outputs"))
DISTILLED = Size(ConvSize(144, PAPER.size.policy.strides), ConvSize(32, PAPER.size.kicker.strides), roles="outputs")
TINY = Size(ConvSize(16, ("12", "12", "22")), ConvSize(8, ("12", "22")), roles="outputs")
CPU = replace(COMMON, minutes=4.0, batch=256, minibatch=256, warmup=2000, lr=2e-3, eval_deals=20, eval_games=50)
CPU_SIZE = Size(ConvSize(32, ("11", "12", "12", "21", "22")), ConvSize(16, ("11", "12", "21")), roles="outputs")
SMOKE = replace(CPU, batches=1, batch=24, minibatch=64, eval_deals=1, eval_games=4, size=TINY)
HANDS = hands.Args("doudizhu", teachers=(CHAMPION,), temperature=COMMON.temperature, minutes=4.0, untimed=1)
CPU_HANDS = replace(HANDS, batch=256, minibatch=1024, size=hands.SMALL)
SMOKE_HANDS = replace(CPU_HANDS, batches=1, batch=24)
SCALES = {
    "smoke": Scale(SMOKE, TINY, 0.0, ["base", "a net a role"], 8, 1, 2, SMOKE_HANDS, 30, workers=1),
    "small": Scale(replace(CPU, size=CPU_SIZE), TINY, 1.0, ["base", "a net a role"], 200, 25, 50, CPU_HANDS, 1000),
    "paper": Scale(PAPER, DISTILLED, 1.0, list(SWEEP), 20_000, 2500, 5000, HANDS, 100_000),
}


def full_run(ctx: Context) -> TrainedRun:
    return TrainedRun(ctx, f"deeprocket-{FULL}", "supervised", _args(ctx))


def small_run(ctx: Context) -> TrainedRun:
    """It learns the probabilities of the full net."""
    full = full_run(ctx)
    assert full.checkpoint
    args = replace(_args(ctx), size=SCALES[ctx.scale].small, distill=str(full.path), minutes=_args(ctx).minutes / 2)
    return TrainedRun(ctx, f"deeprocket-{SMALL}", "supervised", args)


def sweep_run(ctx: Context, row: str) -> TrainedRun:
    args = changed(replace(_args(ctx), minutes=SCALES[ctx.scale].sweep_minutes or 1.0), SWEEP[row][1])
    return TrainedRun(ctx, f"deeprocket-{row}".replace(" ", "-"), "supervised", args)


def _args(ctx: Context) -> Args:
    return replace(SCALES[ctx.scale].args, device=str(ctx.device), seed=ctx.seed)


# -- accuracy ---------------------------------------------------------------------------------------------------------


def accuracy_of(ctx: Context, run: TrainedRun) -> dict[str, Any]:
    """Of labels and kickers, on games of other deals than those learned from, with the bound; and on the paper's games."""
    games, seed = SCALES[ctx.scale].games, ctx.deal_seed(31)

    def work() -> dict[str, Any]:
        player = PolicyNetAgent(ctx.game, run.net)
        expert = Sampler(load_batch(CHAMPION, ctx.game, device=ctx.device), ctx.device, run.args.temperature)
        stored = (part.at(rows) for part in generate(ctx.engine, expert, games, seed) for rows in _in_pieces(len(part)))
        batches = (decisions_of(ctx.engine, part, forced=True) for part in stored)
        found = measure(ctx.game, batches, player.values, expert.logits)
        records = of_records(read_records()[: 2 * DEALS])
        engine = BatchEngine(records.game, ctx.device)
        of_paper = measure(records.game, [decisions_of(engine, records, forced=True)], player.values)
        return {"champion's games": found.to_json(), "paper's games": of_paper.to_json()}

    return ctx.stage(f"{run.name}-accuracy", {**run.settings, "games": games, "seed": seed}, work)


def _in_pieces(games: int) -> list[Any]:
    return np.array_split(np.arange(games), -(-games // 4096))


def _row(found: Mapping[str, Any], part: str, name: str = "") -> dict[str, Any]:
    """The row of that name, or the first: where two or more answers are legal."""
    rows: list[dict[str, Any]] = found[part]["rows"]
    return next((row for row in rows if row["decisions"] == name), rows[0])


def _percent(row: Mapping[str, Any], measure: str = "accuracy") -> str:
    if measure not in row:
        return ""
    mean, width = row[measure]
    return f"{100 * mean:.1f}" + (f" ± {100 * width:.1f}" if isfinite(width) else "")


# -- matches ----------------------------------------------------------------------------------------------------------


def model_of(ctx: Context, run: TrainedRun) -> str:
    """The net of a run as a model file: agents without a net play on other processes."""
    from shangyou.nets.export import to_onnx  # needs onnx and onnxscript

    file, about = run.path / "model.onnx", {"experiment": "deeprocket", "scale": ctx.scale, "seed": ctx.seed, "nets": 1}
    if not file.is_file():
        write_file(file, to_onnx(run.net.eval(), ctx.game, about))
    return str(file)


def rounds_against(ctx: Context, run: TrainedRun, opponent: str) -> dict[str, list[float]]:
    """The share won as landlord and as peasants in each of ten rounds."""
    deals, seed = SCALES[ctx.scale].round_deals, ctx.deal_seed(32)

    def work() -> dict[str, list[float]]:
        won: dict[str, list[float]] = {role: [] for role in ROLES}
        for number in range(ROUNDS):
            a, b = by_name(model_of(ctx, run)), by_name(opponent, seed + number)
            match = evaluate(ctx.game, a, b, deals, seed + number, workers=SCALES[ctx.scale].workers)
            for role in ROLES:
                won[role].append(match.by_role[role].win.mean)
        return won

    return ctx.stage(f"{run.name}-against-{opponent}", {**run.settings, "deals": deals, "seed": seed}, work)


def duels(ctx: Context, runs: Mapping[str, TrainedRun]) -> list[list[float]]:
    """Share won and its half width, of each two nets, the champion among them."""
    deals, seed = SCALES[ctx.scale].duel_deals, ctx.deal_seed(33)

    def work() -> list[list[float]]:
        agents = [PolicyNetAgent(ctx.game, run.net, name) for name, run in runs.items()]
        players = [*agents, load_batch(CHAMPION, ctx.game, device=ctx.device)]
        found = []
        for a, b in combinations(range(len(players)), 2):
            played = play_deals(BatchBackend(ctx.engine, [players[a], players[b]], seed), range(deals))
            share, points = RunningMean.of(played.win.mean(1)), RunningMean.of(played.points.mean(1))
            found.append([share.mean, share.half_width, points.mean, points.half_width])
        return found

    return ctx.stage("deeprocket-duels", {"runs": [run.settings for run in runs.values()], "deals": deals}, work)


# -- the page ---------------------------------------------------------------------------------------------------------


def run(ctx: Context, page: Page) -> None:
    scale = SCALES[ctx.scale]
    runs = {FULL: full_run(ctx), SMALL: small_run(ctx)} | {row: sweep_run(ctx, row) for row in scale.rows}
    found = {name: accuracy_of(ctx, run) for name, run in runs.items()}
    _open(page, scale, found[FULL]["champion's games"])
    _accuracy(page, found)
    _by_choice(page, found[FULL]["champion's games"])
    _matches(ctx, page, runs[SMALL])
    _duels(ctx, page, {name: runs[name] for name in (FULL, SMALL)})
    _ten_deals(ctx, page, runs[SMALL])
    _positions(ctx, page, runs[SMALL])
    _hands(ctx, page)


def _open(page: Page, scale: Scale, found: Mapping[str, Any]) -> None:
    labels, kickers = _row(found, "policy"), _row(found, "kicker")
    page.text(
        f"**Asked**: do nets of the paper's kind predict an expert's plays as well as they can be predicted, and how strong "
        f"are they then? **Found**: the full net predicts {_percent(labels)}% of the labels and {_percent(kickers)}% of the "
        f"kickers of the champion's games where there is a choice; nobody can predict more than "
        f"{_percent(labels, 'best_possible')}% and "
        f"{_percent(kickers, 'best_possible')}%. The paper has {paper_numbers.DEEPROCKET_ACCURACY['policy']}% and "
        f"{paper_numbers.DEEPROCKET_ACCURACY['kicker']}% on games of people, and does not say whether forced plays count.",
        f"The expert is `{CHAMPION}`, whose plays are drawn in proportion to exp(win chance / {scale.args.temperature:g}). The "
        f"full net learned for {_length(scale.args)}, the paper's for 20 hours; `{SMALL}`, half as long, from the "
        f"probabilities of the full one. Accuracy is of {scale.games:,} games of other deals.",
    )


def _length(args: Args) -> str:
    return f"{args.batches} batch" if args.batches else f"{args.minutes:g} minutes"


def _accuracy(page: Page, found: Mapping[str, Mapping[str, Any]]) -> None:
    page.heading("Accuracy")
    page.text("In percent, with 95% intervals over games, where two or more answers are legal. `bound` is the share of the "
              "expert's likeliest answer; `repeats`, how often two draws of the expert agree.")  # fmt: skip
    columns = ["net", "what it is", "labels", "bound", "repeats", "kickers", "bound", "labels of the paper's 20 games"]
    about = {FULL: SWEEP["base"][0], SMALL: "fewer filters, learned from the full net's probabilities"}
    about |= {name: words for name, (words, _) in SWEEP.items()}
    lines = []
    for name, both in found.items():
        labels, kickers = (_row(both["champion's games"], part) for part in ("policy", "kicker"))
        bounds = [_percent(labels, "best_possible"), _percent(labels, "expert_agreement")]
        of_paper = _percent(_row(both["paper's games"], "policy"))
        of_kickers = [_percent(kickers), _percent(kickers, "best_possible")]
        lines.append([name, about[name], _percent(labels), *bounds, *of_kickers, of_paper])
    page.table(columns, lines)


def _by_choice(page: Page, found: Mapping[str, Any]) -> None:
    page.heading("By role and choice, the full net")
    rows = [(part, row) for part in ("policy", "kicker") for row in found[part]["rows"]]
    lines = [[row["decisions"], part, row["count"], _percent(row), _percent(row, "best_possible")] for part, row in rows]
    page.table(["decisions", "of", "count", "accuracy", "bound"], lines)
    errors = {part: found[part]["expected_calibration_error"] for part in ("policy", "kicker")}
    page.text(f"Expected calibration error: labels {errors['policy']:.3f}, kickers {errors['kicker']:.3f}.")


def _matches(ctx: Context, page: Page, run: TrainedRun) -> None:
    games = 2 * SCALES[ctx.scale].round_deals
    page.heading("Against agents without a net")
    page.text(f"`{SMALL}` in {ROUNDS} rounds of {games:,} games, half of them as landlord, on deals without bidding (Figures 3 "
              "and 4 of the paper, whose opponent was MicroWe; the text prints no numbers).")  # fmt: skip
    won = {opponent: rounds_against(ctx, run, opponent) for opponent in LOGIC}
    lines = []
    for opponent, by_role in won.items():
        for role, words in ROLES.items():
            shares = by_role[role]
            rounds = RunningMean.of(np.array(shares))
            lines.append([opponent, words, f"{rounds.mean:.3f} ± {rounds.half_width:.3f}", min(shares), max(shares)])
    page.table(["opponent", "role", "won", "worst round", "best round"], lines)
    across = [float(number + 1) for number in range(ROUNDS)]
    panels = {f"won against {name}": {ROLES[role]: (across, by_role[role]) for role in ROLES} for name, by_role in won.items()}
    page.figure("rounds", curves(panels, "rounds"))


def _duels(ctx: Context, page: Page, runs: Mapping[str, TrainedRun]) -> None:
    page.heading("Against each other")
    page.text(f"{2 * SCALES[ctx.scale].duel_deals:,} games each, every deal from both sides.")
    pairs = combinations([*runs, CHAMPION], 2)
    lines = [[f"{a} - {b}", f"{won:.3f} ± {width:.3f}", f"{points:+.3f} ± {off:.3f}"]
             for (a, b), (won, width, points, off) in zip(pairs, duels(ctx, runs), strict=True)]  # fmt: skip
    page.table(["match", "won by the first", "points a game"], lines)


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
    scale = SCALES[ctx.scale]
    run = TrainedRun(ctx, "deeprocket-hands", "hands", replace(scale.hands, device=str(ctx.device), seed=ctx.seed))
    work = lambda: hands.measure(run.net.eval(), ctx.engine, run.args, scale.hand_games).as_dict()  # noqa: E731
    found = ctx.stage("deeprocket-hands-measured", {**run.settings, "games": scale.hand_games}, work)
    page.heading("Hidden hands")
    page.text(
        "The paper wishes for inference of the others' cards. A net that reads the public history gives a chance to every way "
        "in which the unseen cards may be split; -log P of the true hands, in nats for each unseen card, beside even splits "
        f"(the hypergeometric), {found['games']:,} games that it did not learn from. The chance that the next seat holds a "
        f"card of a rank is off by {found['calibration_error']:.3f} on average."
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
