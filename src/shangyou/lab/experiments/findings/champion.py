"""(h): the best of everything against the champion of this package."""

from collections.abc import Mapping

from shangyou import agents
from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED, EnsembleAgent
from shangyou.evaluation.intervals import Rate
from shangyou.lab.experiments.deep_zsy import deep_q_nets, td_agent
from shangyou.lab.experiments.findings import training
from shangyou.lab.experiments.findings.study import Study
from shangyou.lab.figures import dots
from shangyou.lab.net_store import player
from shangyou.lab.paper_numbers import BEST, EXPERIMENT_4_LOG_2
from shangyou.lab.populations import battle_royale_population, teacher_of
from shangyou.lab.rates import against

DEALS = {"smoke": 2, "small": 100, "paper": 5000}
WITH_BEST = ("Random", "Greedy")  # against which the papers' best is known


def champion(study: Study) -> None:
    ctx, deals = study.ctx, DEALS[study.ctx.scale]
    best = load_batch(agents.strongest(ctx.game), ctx.game)
    study.page.heading(f"(h) All of them against {best.name}")
    opponents = {**study.baselines, best.name: best}
    rates = against(ctx, "finding-h", _players(study), opponents, deals, ctx.seed + 22)
    of_300 = [max(shares) for shares in zip(*EXPERIMENT_4_LOG_2.values(), strict=True)]
    study.page.text(
        f"Nobody explores; {2 * deals:,} games a rate, nets of one seed. The papers' best over 1,000 games or "
        f"more: {BEST['Random']} against Random and {BEST['Greedy']} against Greedy (dashed below); *above* it "
        f"are those whose whole interval is. Over 300 games the papers' logs have up to {of_300[0]:.3f} and {of_300[1]:.3f}."
    )
    rows = [[name, *(row[who] for who in opponents), _above(row)] for name, row in rates.items()]
    study.page.table(["agent", *opponents, "above the papers' best"], rows)
    panels = {f"won against {who}": {name: {"won": row[who]} for name, row in rates.items()} for who in opponents}
    study.page.figure("all", dots(panels, {f"won against {who}": BEST[who] for who in WITH_BEST}))


def _players(study: Study) -> dict[str, BatchAgent]:
    """The best of every experiment; and those that show what the best owe to loss, teacher or games."""
    ctx, teacher = study.ctx, teacher_of(study.ctx)
    royale, royale_as_run = battle_royale_population(ctx, "log"), battle_royale_population(ctx)
    fixed, as_run, by_min6 = study.populations("log")[0], study.populations("swapped")[0], training.simulated_by_min6(ctx, 0)
    deep_q, lstm = deep_q_nets(ctx), training.recurrent_population(ctx)
    distilled, on_outcomes = training.train_students(ctx, teacher), training.train_students(ctx, None)
    aggregates = royale.aggregates(ctx)
    return {
        "TD linear": td_agent(ctx),
        **{name: player(ctx, deep_q, name) for name in deep_q},
        "Old DQN": study.baselines["Old DQN"],
        "best of the round robin, as run": as_run.best(ctx, style=AS_PRINTED),
        "best of the round robin, fixed": fixed.best(ctx),
        "Mean6 of the round robin, fixed": fixed.best(ctx, 6),
        "conv with LSTM": player(ctx, lstm.nets, "conv with LSTM"),
        **{f"one net alone, {words}": training.single_net(ctx, words) for words in training.BUDGETS[ctx.scale]},
        "best of the battle royale, fixed": royale.best(ctx),
        **{f"{name} of the battle royale, fixed": aggregates[name] for name in ("Min6", "Mean6", "Mean9")},
        **{f"{name}, distilled": player(ctx, distilled.nets, name) for name in training.STUDENTS},
        f"mean of all {teacher.nets} nets of the round robin, fixed": EnsembleAgent(ctx.game, teacher, FIXED, "teacher"),
        "best of the battle royale, as run": royale_as_run.best(ctx, style=AS_PRINTED),
        "Min6 of the battle royale, as run": royale_as_run.best(ctx, 6, AS_PRINTED, "min"),
        "best of those with games by Min6": by_min6.best(ctx),
        "dense with LSTM": player(ctx, lstm.nets, "dense with LSTM"),
        **{f"{name}, trained on who won": player(ctx, on_outcomes.nets, name) for name in training.STUDENTS},
    }


def _above(rates: Mapping[str, Rate]) -> str:
    """Against whom this is better than any agent of the papers."""
    return " and ".join(who for who in WITH_BEST if rates[who].interval[0] > BEST[who])
