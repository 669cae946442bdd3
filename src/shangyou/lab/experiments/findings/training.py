"""(e), (f), (g) and (i): other uses of the compute, other players of the games, recurrent nets, and distillation."""

from dataclasses import replace

from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent
from shangyou.lab.distillation import ARGS as STUDENT_ARGS
from shangyou.lab.distillation import STUDENTS, WIDE, teacher_of, train_students
from shangyou.lab.experiments.findings.study import Side, Study
from shangyou.lab.net_store import player
from shangyou.lab.populations import ROUND_ROBIN, SEEDS, Trained, battle_royale_population, train_population
from shangyou.lab.rates import Rates
from shangyou.lab.single_net import BUDGETS, NET, single_net
from shangyou.lab.stages import Context
from shangyou.nets.papers import CONV_LSTM, EXPERIMENT_2, LSTM, NetSpec


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


RECURRENT: dict[str, NetSpec] = {
    "dense": NetSpec((200, 40)),
    "dense with LSTM": LSTM,
    "conv": EXPERIMENT_2["ConvNet1"],
    "conv with LSTM": CONV_LSTM,
}


def recurrent_population(ctx: Context, seed: int = 0) -> Trained:
    """Nets with and without a recurrent layer over the past plays, on one buffer."""
    return train_population(ctx, f"recurrent-{seed}", RECURRENT, replace(ROUND_ROBIN[ctx.scale], pairing="all"), seed=seed)


def recurrent(study: Study) -> None:
    study.page.heading("(g) A recurrent net over the plays against summed history")
    won_by_kind: dict[str, list[Tensor]] = {"dense": [], "conv": []}
    rates = Rates()
    for seed in range(SEEDS[study.ctx.scale]):
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
