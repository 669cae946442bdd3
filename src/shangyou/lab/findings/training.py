"""(e), (f), (g) and (i): other ways to spend the compute, to play the games, to look at the past, and to be taught."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent
from shangyou.lab.alone import NET, WAYS, train_alone
from shangyou.lab.findings.study import Study, numbered
from shangyou.lab.kept_nets import player
from shangyou.lab.populations import (
    ROUND_ROBIN,
    SEEDS,
    UNTESTED,
    Trained,
    battle_royale_population,
    singles,
    train_population,
)
from shangyou.lab.rates import Rates
from shangyou.lab.taught import SCALES as STUDENTS_ARGS
from shangyou.lab.taught import STUDENTS, WIDE, teacher_of, train_students
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import CONV_LSTM, EXPERIMENT_2, LSTM, NetSpec
from shangyou.training.learner import Recipe

LOG = Recipe(loss="log")


def one_net_alone(study: Study) -> None:
    study.page.heading("(e) The battle royale against the same compute spent on one net")
    lab, royale = study.lab, battle_royale_population(study.lab, "log")
    single, joined = "the best of the battle royale", "Mean6 of the battle royale"
    players: dict[str, BatchAgent] = {
        single: player(lab, royale.nets, royale.ranking[0]),
        joined: player(lab, royale.nets, royale.ranking[:6]),
    }
    ways = WAYS[lab.scale]
    players |= {words: player(lab, train_alone(lab, words).nets, NET) for words in ways}
    pairs = [(name, words) for words in ways for name in (single, joined)]
    won = dict(zip(pairs, study.duel("e-duel", players, pairs), strict=True))
    net_epochs = sum(len(report.loss) for report in royale.history)
    study.page.say(
        f"Of {len(royale.nets)} nets {len(royale.alive)} survive the battle royale with the right loss: "
        f"{', '.join(royale.alive)}. The best is {royale.ranking[0]}. Nets that were removed learned no more, so that all "
        f"together learned for {net_epochs} epochs of {len(royale.nets) * len(royale.history)}.",
        f"A {NET} alone, playing itself, log loss, one seed, in {len(ways)} ways: *as one of them*, with the steps of one net "
        "of the battle royale and as many games in all; *with all their steps*, "
        f"{ways['with all their steps'].steps} times as many on as many games; and *for as long*, "
        f"{ways['for as long'].epochs} times the epochs, with the steps and the games of each.",
    )
    for words in ways:
        said = {name: study.claim(f"(e) {name} vs one net alone, {words}", [won[name, words]]) for name in (single, joined)}
        wins = " and ".join(f"{name} wins {rate}" for name, rate in said.items())
        study.page.say(f"- Against one net alone, {words}: {wins}.")
    study.table(study.measured("e", players), {name: name for name in players})


def simulated_by_min6(lab: Lab, seed: int) -> Trained:
    args = replace(ROUND_ROBIN[lab.scale], ties="logit", simulate_with=6, test_deals=UNTESTED, seed=lab.seed + seed)
    return train_population(lab, f"simulated-by-min6-{seed}", EXPERIMENT_2, dict.fromkeys(EXPERIMENT_2, LOG), args)


def simulated_by_aggregate(study: Study) -> None:
    study.page.heading("(f) The aggregate used for simulation")
    sides = [
        (study.side("led", simulated_by_min6(study.lab, seed)), study.side("plain", plain))
        for seed, plain in enumerate(study.populations("log"))
    ]
    won, rates = study.rivals("f", sides)
    study.page.say(
        "All games are played by Min6 of the best six so far, exploring as the nets would. Its nets win "
        f"{study.claim('(f) games by Min6 vs by the nets', won)} against the same nets that played each other."
    )
    study.table(rates, {"played by the nets": "plain *", "played by Min6": "led *"})


RECURRENT: dict[str, NetSpec] = {
    "dense": NetSpec((200, 40)),
    "dense with LSTM": LSTM,
    "conv": EXPERIMENT_2["ConvNet1"],
    "conv with LSTM": CONV_LSTM,
}


def recurrent_populations(lab: Lab, seeds: Sequence[int]) -> list[Trained]:
    """Nets with and without a recurrent layer over the past plays, on one buffer."""
    found, base = [], replace(ROUND_ROBIN[lab.scale], pairing="all", ties="logit", test_deals=UNTESTED)
    for seed in seeds:
        args = replace(base, seed=lab.seed + seed)
        found.append(train_population(lab, f"recurrent-{seed}", RECURRENT, dict.fromkeys(RECURRENT, LOG), args))
    return found


def recurrent(study: Study) -> None:
    study.page.heading("(g) A recurrent net over the plays against summed history")
    duels_won: dict[str, list[Tensor]] = {"dense": [], "conv": []}
    rates = Rates()
    for seed, trained in enumerate(recurrent_populations(study.lab, range(SEEDS[study.lab.scale]))):
        players = singles(study.lab, trained.nets, FIXED)
        for kind, won in duels_won.items():
            won.append(study.duel(f"g-{kind}-{seed}", players, [(f"{kind} with LSTM", kind)]))
        rates |= numbered(study.measured(f"g-{seed}", players), seed)
    for kind, won in duels_won.items():
        study.page.say(
            f"- The {kind} net with an LSTM of {RECURRENT[f'{kind} with LSTM'].lstm} units over the last {LSTM.turns} plays "
            f"wins {study.claim(f'(g) {kind} with LSTM vs without', won)} against the one with sums alone, both trained on "
            "the same games."
        )
    study.table(rates, {name: f"{name} [0-9]" for name in RECURRENT})


def taught(study: Study) -> None:
    """After (h), which it was made for: the best that one net can do."""
    study.page.heading("(i) One net taught by all of them")
    lab, args = study.lab, STUDENTS_ARGS[study.lab.scale]
    teacher = teacher_of(lab)
    learned = {"taught": train_students(lab, teacher), "told who won": train_students(lab, None)}
    players: dict[str, BatchAgent] = {
        f"{name}, {how}": player(lab, trained.nets, name) for name in STUDENTS for how, trained in learned.items()
    }
    players["their teacher"] = EnsembleAgent(lab.game, teacher, FIXED, "teacher")
    study.page.say(
        f"Three nets learn for {args.epochs} epochs, at the end ever more slowly, from games of their own; in "
        f"{args.with_statics:.0%} of them a static agent ({', '.join(study.statics)}) sits on one side. *Told who won*, they "
        "learn as all others here. *Taught*, they learn the mean chance that all "
        f"{teacher.nets} nets of (c), fixed, give to each decision. Nothing else in the recipe differs; one seed. The DenseNet "
        f"and the ConvNet are DenseNet6 and {NET} of Experiment 2, the {WIDE} has layers of "
        f"{', '.join(map(str, STUDENTS[WIDE].hidden))} units."
    )
    rivals = ("told who won", "their teacher")
    pairs = [(f"{name}, taught", rival) for name in STUDENTS for rival in (f"{name}, {rivals[0]}", rivals[1])]
    won = iter(study.duel("i-duel", players, pairs))
    for name in STUDENTS:
        itself, mean = (study.claim(f"(i) {name}, taught vs {rival}", [next(won)]) for rival in rivals)
        study.page.say(f"- The {name}, taught, wins {itself} against itself told who won, and {mean} against the teacher.")
    study.table(study.measured("i", players), {name: name for name in players})
