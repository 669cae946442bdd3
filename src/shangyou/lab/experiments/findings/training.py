"""(e), (f), (g) and (i): one net alone, games played by an aggregate, recurrent nets, distillation; how these are trained."""

from dataclasses import replace
from typing import NamedTuple

from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent
from shangyou.lab.experiments.findings.study import Side, Study
from shangyou.lab.net_store import player
from shangyou.lab.populations import BATTLE_ROYALE, ROUND_ROBIN, Trained, battle_royale_population, teacher_of, train_population
from shangyou.lab.rates import Rates
from shangyou.lab.stages import Context
from shangyou.nets.papers import CONV_LSTM, EXPERIMENT_2, EXPERIMENT_5, LSTM, Ensemble, NetSpec
from shangyou.training.population import PopulationArgs

NET = "ConvNet1"  # of Experiment 2, as it learns alone, with an LSTM or from a teacher


class Budget(NamedTuple):
    """How many times the epochs of the battle royale, and in each how many times the steps of one of its nets."""

    epochs: int
    steps: int


def _budgets(all_steps: int, longer: int) -> dict[str, Budget]:
    return {"as one of them": Budget(1, 1), "with all their steps": Budget(1, all_steps), "for as long": Budget(longer, 1)}


# Six times the epochs of one net take 166 s on an H200, the battle royale with the log loss 208 s.
BUDGETS = {"smoke": _budgets(3, 2), "small": _budgets(4, 2), "paper": _budgets(len(EXPERIMENT_5), 6)}


def single_net(ctx: Context, budget: str) -> EnsembleAgent:
    """One net that plays itself."""
    args, (epochs, steps) = BATTLE_ROYALE[ctx.scale], BUDGETS[ctx.scale][budget]
    args = replace(args, epochs=epochs * args.epochs, batches=steps * args.batches, removal=False)
    trained = train_population(ctx, f"single-net-{budget.replace(' ', '-')}", {NET: EXPERIMENT_2[NET]}, args)
    return player(ctx, trained.nets, NET)


def one_net_alone(study: Study) -> None:
    study.page.heading("(e) The battle royale against the same compute spent on one net")
    ctx, royale = study.ctx, battle_royale_population(study.ctx, "log")
    single, joined = "the best of the battle royale", "Mean6 of the battle royale"
    players: dict[str, BatchAgent] = {single: royale.best(ctx), joined: royale.best(ctx, 6)}
    budgets = BUDGETS[ctx.scale]
    players |= {words: single_net(ctx, words) for words in budgets}
    pairs = [(name, words) for words in budgets for name in (single, joined)]
    won = dict(zip(pairs, study.duel("e", players, pairs), strict=True))
    net_epochs = sum(len(report.loss) for report in royale.history)
    study.page.text(
        f"Of {len(royale.nets)} nets {len(royale.alive)} survive the battle royale with the right loss: "
        f"{', '.join(royale.alive)}. The best is {royale.ranking[0]}. Nets that were removed learned no more, so that all "
        f"together learned for {net_epochs} epochs of {len(royale.nets) * len(royale.history)}.",
        f"A {NET} alone, playing itself, log loss, one seed, in {len(budgets)} ways: *as one of them*, with the steps of one "
        "net of the battle royale and as many games in all; *with all their steps*, "
        f"{budgets['with all their steps'].steps} times as many on as many games; and *for as long*, "
        f"{budgets['for as long'].epochs} times the epochs, with the steps and the games of each.",
    )
    for words in budgets:
        rates = {name: study.claim(f"(e) {name} vs one net alone, {words}", [won[name, words]]) for name in (single, joined)}
        wins = " and ".join(f"{name} wins {rate}" for name, rate in rates.items())
        study.page.text(f"- Against one net alone, {words}: {wins}.")
    study.table(study.measure("e", players), {name: f"{name} 0" for name in players})


def simulated_by_min6(ctx: Context, seed: int) -> Trained:
    args = replace(ROUND_ROBIN[ctx.scale], simulate_with=6)
    return train_population(ctx, f"simulated-by-min6-{seed}", EXPERIMENT_2, args, seed=seed)


def simulated_by_aggregate(study: Study) -> None:
    study.page.heading("(f) The aggregate used for simulation")
    plain = study.populations("log")
    by_min6 = [simulated_by_min6(study.ctx, trained.seed) for trained in plain]
    won, rates = study.paired_match("f", Side("min6", by_min6), Side("plain", plain))
    study.page.text(
        "All games are played by Min6 of the best six so far, exploring as the nets would. Its nets win "
        f"{study.claim('(f) games by Min6 vs by the nets', won)} against the same nets that played each other."
    )
    study.table(rates, {"played by the nets": "plain *", "played by Min6": "min6 *"})


RECURRENT = {"dense": NetSpec((200, 40)), "dense with LSTM": LSTM, "conv": EXPERIMENT_2[NET], "conv with LSTM": CONV_LSTM}


def recurrent_population(ctx: Context, seed: int = 0) -> Trained:
    """Nets with and without a recurrent layer over the past plays, on one buffer."""
    return train_population(ctx, f"recurrent-{seed}", RECURRENT, replace(ROUND_ROBIN[ctx.scale], pairing="all"), seed=seed)


def recurrent(study: Study) -> None:
    study.page.heading("(g) A recurrent net over the plays against summed history")
    won_by_kind: dict[str, list[Tensor]] = {"dense": [], "conv": []}
    rates = Rates()
    for seed in study.seeds:
        players = recurrent_population(study.ctx, seed).singles(study.ctx)
        for kind, won in won_by_kind.items():
            won.append(study.duel(f"g-{kind}", players, [(f"{kind} with LSTM", kind)], seed))
        rates |= study.measure("g", players, seed)
    for kind, won in won_by_kind.items():
        study.page.text(
            f"- The {kind} net with an LSTM of {RECURRENT[f'{kind} with LSTM'].lstm} units over the last {LSTM.turns} plays "
            f"wins {study.claim(f'(g) {kind} with LSTM vs without', won)} against the one with sums alone, both trained on "
            "the same games."
        )
    study.table(rates, {name: f"{name} [0-9]" for name in RECURRENT})


WIDE = "wide DenseNet"
STUDENTS = {"DenseNet": EXPERIMENT_2["DenseNet6"], "ConvNet": EXPERIMENT_2[NET], WIDE: NetSpec((1024, 512, 128))}
STUDENT_ARGS = {
    "smoke": PopulationArgs(2, 5, 64, 60, 60, 120, removal=False, with_statics=0.5, cooling=1),
    "small": PopulationArgs(4, 40, 512, 2000, 4000, 10_000, removal=False, with_statics=0.5, cooling=2),
    "paper": PopulationArgs(epochs=20, removal=False, with_statics=0.5, cooling=10),
}


def train_students(ctx: Context, teacher: Ensemble | None) -> Trained:
    """Without a teacher they learn from who won."""
    stage = "students-outcomes" if teacher is None else "students-distilled"
    return train_population(ctx, stage, STUDENTS, STUDENT_ARGS[ctx.scale], teacher=teacher)


def distilled(study: Study) -> None:
    """After (h), which it was made for: the best that one net can do."""
    study.page.heading("(i) One net distilled from all of them")
    ctx, args, teacher = study.ctx, STUDENT_ARGS[study.ctx.scale], teacher_of(study.ctx)
    students = {"distilled": train_students(ctx, teacher), "trained on who won": train_students(ctx, None)}
    players: dict[str, BatchAgent] = {
        f"{name}, {how}": player(ctx, trained.nets, name) for name in STUDENTS for how, trained in students.items()
    }
    players["their teacher"] = EnsembleAgent(ctx.game, teacher, FIXED, "teacher")
    study.page.text(
        f"Three nets learn for {args.epochs} epochs, in the last of them with a falling learning rate, from games of their "
        f"own; in {args.with_statics:.0%} of them a baseline ({', '.join(study.baselines)}) plays one side. *Trained on who "
        "won*, they learn as all others here. *Distilled*, they learn the mean probability of winning that all "
        f"{teacher.nets} nets of (c), fixed, give to each decision. Nothing else in the recipe differs; one seed. The DenseNet "
        f"and the ConvNet are DenseNet6 and {NET} of Experiment 2, the {WIDE} has layers of "
        f"{', '.join(map(str, STUDENTS[WIDE].hidden))} units."
    )
    opponents = ("trained on who won", "their teacher")
    pairs = [(f"{name}, distilled", other) for name in STUDENTS for other in (f"{name}, {opponents[0]}", opponents[1])]
    won = iter(study.duel("i", players, pairs))
    for name in STUDENTS:
        itself, mean = (study.claim(f"(i) {name}, distilled vs {other}", [next(won)]) for other in opponents)
        study.page.text(
            f"- The {name}, distilled, wins {itself} against itself trained on who won, and {mean} against the teacher."
        )
    study.table(study.measure("i", players), {name: f"{name} 0" for name in players})
