"""(h): the best of everything against the champion of this package."""

from __future__ import annotations

from collections.abc import Mapping

from shangyou import agents
from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED, EnsembleAgent
from shangyou.evaluation.intervals import Rate
from shangyou.lab import printed
from shangyou.lab.alone import NET, WAYS, train_alone
from shangyou.lab.deep_zsy import deep_q_nets, train_td
from shangyou.lab.figures import dots
from shangyou.lab.findings.study import Study
from shangyou.lab.findings.training import recurrent_populations, simulated_by_min6
from shangyou.lab.kept_nets import player
from shangyou.lab.populations import Trained, aggregates, battle_royale_population
from shangyou.lab.rates import against
from shangyou.lab.taught import STUDENTS, teacher_of, train_students
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import Ensemble

BETTERED = ("Random", "Greedy")  # against whom the papers' best is known


def champion(study: Study) -> None:
    lab = study.lab
    royale, right, best = (
        battle_royale_population(lab, "log"),
        study.populations("log")[0],
        load_batch(agents.strongest(lab.game), lab.game),
    )
    study.page.heading(f"(h) All of them against {best.name}")
    swapped, deep_q = study.populations("swapped")[0], deep_q_nets(lab)
    lstm, teacher = recurrent_populations(lab, [0])[0], teacher_of(lab)
    students = train_students(lab, teacher).nets
    players: dict[str, BatchAgent] = {
        "TD linear": EnsembleAgent(lab.game, Ensemble([train_td(lab)]), FIXED, "td-linear"),
        **{name: player(lab, deep_q, name) for name in deep_q},
        "Old DQN": study.statics["Old DQN"],
        "best of the round robin, as run": player(lab, swapped.nets, swapped.ranking[0], AS_PRINTED),
        "best of the round robin, fixed": player(lab, right.nets, right.ranking[0]),
        "Mean6 of the round robin, fixed": player(lab, right.nets, right.ranking[:6]),
        "conv with LSTM": player(lab, lstm.nets, "conv with LSTM"),
        **{f"one net alone, {words}": player(lab, train_alone(lab, words).nets, NET) for words in WAYS[lab.scale]},
        "best of the battle royale, fixed": player(lab, royale.nets, royale.ranking[0]),
    }
    players |= {f"{name} of the battle royale, fixed": agent for name, agent in _aggregates_of(lab, royale).items()}
    players |= {f"{name}, taught": player(lab, students, name) for name in STUDENTS}
    players[f"mean of all {teacher.nets} nets of the round robin, fixed"] = EnsembleAgent(lab.game, teacher, FIXED, "teacher")
    opponents = {**study.statics, best.name: best}
    players |= _more_players(study)
    rates = against(lab, "finding-h", players, opponents, study.args.last_deals, lab.seed + 22)
    of_300 = [max(rates) for rates in zip(*printed.EXPERIMENT_4_LOG_2.values(), strict=True)]
    study.page.say(
        f"Nobody explores; {2 * study.args.last_deals:,} games a rate, nets of one seed. The papers' best over 1,000 games or "
        f"more: {printed.BEST['random']} against Random and {printed.BEST['greedy']} against Greedy (dashed below); *above* it "
        f"are those whose whole interval is. Over 300 games the papers' logs have up to {of_300[0]:.3f} and {of_300[1]:.3f}."
    )
    rows = [[name, *(found[who] for who in opponents), _above(found)] for name, found in rates.items()]
    study.page.table(["agent", *opponents, "above the papers' best"], rows)
    panels = {f"won against {who}": {name: {"won": found[who]} for name, found in rates.items()} for who in opponents}
    best_printed = {f"won against {who}": printed.BEST[who.lower()] for who in BETTERED}
    study.page.figure("all", dots(panels, best_printed))


def _more_players(study: Study) -> dict[str, BatchAgent]:
    """Those who show what the others owe to loss, teacher or games."""
    lab = study.lab
    royale, told, lstm = battle_royale_population(lab), train_students(lab, None), recurrent_populations(lab, [0])[0]
    led = simulated_by_min6(lab, 0)
    return {
        "best of the battle royale, as run": player(lab, royale.nets, royale.ranking[0], AS_PRINTED),
        "Min6 of the battle royale, as run": player(lab, royale.nets, royale.ranking[:6], AS_PRINTED, "min"),
        "best of those with games by Min6": player(lab, led.nets, led.ranking[0]),
        "dense with LSTM": player(lab, lstm.nets, "dense with LSTM"),
        **{f"{name}, told who won": player(lab, told.nets, name) for name in STUDENTS},
    }


def _above(found: Mapping[str, Rate]) -> str:
    """Against whom this is better than any agent of the papers."""
    return " and ".join(who for who in BETTERED if found[who].interval[0] > printed.BEST[who.lower()])


def _aggregates_of(lab: Lab, trained: Trained) -> dict[str, BatchAgent]:
    everything = aggregates(lab, trained.nets, trained.ranking, FIXED)
    return {name: everything[name] for name in ("Min6", "Mean6", "Mean9")}
