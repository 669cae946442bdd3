"""What of the papers holds up: each claim measured, over several seeds where it needs them."""

from functools import partial

from shangyou.lab.experiments.battle_royale import survivors
from shangyou.lab.experiments.findings import aggregation, champion, populations, training
from shangyou.lab.experiments.findings.study import EVEN, Study
from shangyou.lab.figures import dots
from shangyou.lab.net_store import ensemble_of
from shangyou.lab.old_dqn import baselines
from shangyou.lab.page import Page
from shangyou.lab.populations import ROUND_ROBIN, SEEDS, battle_royale_population, round_robin_population, teacher_of
from shangyou.lab.stages import ZSY2, Context, Stage
from shangyou.nets.papers import Ensemble

TITLE, SETUPS = "Findings: what holds up", ZSY2
FINDINGS = (
    populations.loss, populations.ties, populations.dense_or_convolutional, aggregation.aggregation, training.one_net_alone,
    training.simulated_by_aggregate, training.recurrent, champion.champion, training.distilled,
)  # fmt: skip


def run(ctx: Context, page: Page) -> None:
    study = Study(ctx, page)
    page.text(
        f"Populations are those of Experiment 2: twelve nets, {ROUND_ROBIN[ctx.scale].epochs} epochs, nobody removed, "
        f"{len(study.seeds)} seed(s). Rates are shares won over deals played from both sides, with 95% intervals; nobody "
        "explores. An interval is about these nets only; the rates of every seed show how much nets of other seeds differ. All "
        "claims together: [at the end](#all-together)."
    )
    for finding in FINDINGS:
        finding(study)
    page.heading("All together")
    page.text(
        "What the first named won against the second; one half is even. There are two intervals: of the games, beside the "
        "rate, and Student's over the seeds, in a column of its own, since nets of other seeds would differ. Who is stronger "
        "is decided where neither contains one half."
    )
    rows = []
    for words, claim in study.claims.items():
        over_seeds = None if claim.over_seeds is None else f"± {claim.over_seeds:.3f}"
        rows.append([words, claim.rate, claim.seeds, over_seeds, claim.verdict])
    page.table(["", "won by the first", "of each seed", "over seeds", "is the first stronger?"], rows)
    won = {words: {"won": claim.rate} for words, claim in study.claims.items()}
    decided = [words for words, claim in study.claims.items() if claim.verdict != "undecided"]
    page.open(
        "what of the two papers holds up when their faults are mended, one at a time, and several seeds are trained?",
        "convolutional nets beat dense ones, aggregates beat single nets, and the battle royale breeds strong nets.",
        f"{len(decided)} of {len(study.claims)} comparisons are decided, by intervals of the games and of the seeds; the rest "
        "is not told apart from an even match.",
        ("claims", dots({"won by the first named": won}, {"won by the first named": EVEN})),
    )


def waves(ctx: Context) -> list[list[Stage]]:
    seeds = range(SEEDS[ctx.scale])
    teachers = [partial(round_robin_population, loss=loss, seed=seed) for loss in ("log", "swapped") for seed in seeds]
    royales = [partial(battle_royale_population, loss="log")]
    others = [
        partial(train, seed=seed) for train in (training.simulated_by_min6, training.recurrent_population) for seed in seeds
    ]
    alone = [partial(training.single_net, budget=budget) for budget in training.BUDGETS[ctx.scale]]
    return [
        [baselines],
        [*royales, *teachers, *others, *alone],
        [students_of_all, partial(training.train_students, teacher=None)],
    ]


def students_of_all(ctx: Context) -> None:
    training.train_students(ctx, teacher_of(ctx))


def nets(ctx: Context) -> dict[str, Ensemble]:
    """With the log loss, ties broken by the logit."""
    recurrent_nets, fixed = training.recurrent_population(ctx).nets, round_robin_population(ctx, "log")
    students = training.train_students(ctx, teacher_of(ctx))
    return survivors(ctx, battle_royale_population(ctx, "log")) | {
        "mean6": ensemble_of(ctx, fixed.nets, fixed.ranking[:6]),
        "conv-lstm": ensemble_of(ctx, recurrent_nets, ["conv with LSTM"]),
        "taught": ensemble_of(ctx, students.nets, [training.WIDE]),
    }
