"""What of the papers holds up: each claim measured, over several seeds where it needs them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou import agents
from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.models import find_model, is_model
from shangyou.agents.onnx_batch import OnnxBatchAgent
from shangyou.agents.panel import AS_PRINTED, FIXED, PanelAgent, Style
from shangyou.lab import printed
from shangyou.lab.alone import NET, WAYS, WITH_STATICS, train_alone
from shangyou.lab.claims import Claim
from shangyou.lab.deep_zsy import deep_q_nets, train_td
from shangyou.lab.discordance import observed
from shangyou.lab.figures import dots
from shangyou.lab.kept_nets import player
from shangyou.lab.old_dqn import statics
from shangyou.lab.page import Page
from shangyou.lab.populations import (
    ROUND_ROBIN,
    TOPS,
    UNTESTED,
    Trained,
    aggregates,
    battle_royale_population,
    round_robin_population,
    singles,
    train_population,
)
from shangyou.lab.rates import Rate, Rates, against, duels
from shangyou.lab.workshop import Lab
from shangyou.nets.paper_nets import CONV_LSTM, EXPERIMENT_2, LSTM, NetSpec, Panel
from shangyou.training.learner import Recipe

LOG = Recipe(loss="log")


@dataclass(frozen=True)
class Args:
    seeds: int = 3
    deals: int = 500  # of every pair of nets in a finding
    last_deals: int = 5000  # of the best against the champion and the static agents


SCALES = {"paper": Args(), "smoke": Args(seeds=1, deals=2, last_deals=2)}


class Study:
    """One run of all findings: its populations, and the page."""

    def __init__(self, lab: Lab, page: Page) -> None:
        self.lab, self.page, self.args = lab, page, SCALES[lab.scale]
        self.seeds = range(self.args.seeds)
        self.statics = statics(lab)
        self.claims: dict[str, Claim] = {}  # by who against whom

    def claim(self, words: str, won: Sequence[Tensor]) -> str:
        """A share won as text, over all seeds and of each; to be shown beside the others at the end."""
        self.claims[words] = Claim.of(won)
        return str(self.claims[words])

    def populations(self, loss: str) -> list[Trained]:
        return [round_robin_population(self.lab, loss, seed) for seed in self.seeds]

    def measured(self, stage: str, players: Mapping[str, BatchAgent]) -> Rates:
        """Against the static agents."""
        return against(self.lab, f"finding-{stage}", players, self.statics, self.args.deals, self.lab.seed + 20)

    def duel(self, stage: str, players: Mapping[str, BatchAgent], pairs: Sequence[tuple[str, str]]) -> Tensor:
        """[pairs, deals] what the first of each pair won."""
        found = duels(self.lab, f"finding-{stage}", players, pairs, self.args.deals, self.lab.seed + 21)
        return torch.stack(list(found.values()))

    def rivals(self, stage: str, by_seed: Sequence[tuple[Side, Side]]) -> tuple[list[Tensor], Rates]:
        """The same nets in two ways: what each won in the first way against the second, and all against the static agents."""
        won, rates = [], Rates()
        for seed, (one, other) in enumerate(by_seed):
            players = {f"{side.word} {name}": agent for side in (one, other) for name, agent in side.nets.items()}
            pairs = [(f"{one.word} {name}", f"{other.word} {name}") for name in one.nets]
            won.append(self.duel(f"{stage}-{seed}-duel", players, pairs))
            rates |= _numbered(self.measured(f"{stage}-{seed}", players), seed)
        return won, rates

    def side(self, word: str, trained: Trained, style: Style = FIXED) -> Side:
        return Side(word, singles(self.lab, trained.nets, style))


class Side(NamedTuple):
    """Nets, and a word for how they were trained or play."""

    word: str
    nets: Mapping[str, BatchAgent]


def run(lab: Lab, results: Path) -> Page:
    page = Page(lab, "findings", "Findings: what holds up", results)
    study = Study(lab, page)
    page.say(
        f"Populations are those of Experiment 2: twelve nets, {ROUND_ROBIN[lab.scale].epochs} epochs, nobody removed, "
        f"{study.args.seeds} seed(s). Rates are shares won over deals played from both sides, with 95% intervals; nobody "
        "explores. An interval says how sure a rate of these nets is; how much nets of other seeds differ is told by the "
        "rates of every seed. In short: [all together](#all-together), at the end."
    )
    for finding in FINDINGS:
        finding(study)
    page.heading("All together")
    page.say(
        "What the first named won against the second, (a) to (g); one half is even. The first is stronger where the interval "
        "and every seed say so, and it is undecided where they do not agree."
    )
    rows = [[words, claim.rate, claim.seeds, claim.verdict] for words, claim in study.claims.items()]
    page.table(["", "won by the first", "of each seed", "is the first stronger?"], rows)
    shown = {words: {"won": claim.rate} for words, claim in study.claims.items()}
    page.figure("claims", dots({"won by the first named": shown}, even=True))
    return page


def _table(study: Study, rates: Rates, groups: Mapping[str, str]) -> None:
    """The mean over the agents whose names begin as each group says, against the static agents."""
    rows = []
    for label, beginning in groups.items():
        members = [found for name, found in rates.items() if name.startswith(beginning)]
        rows.append([label, len(members), *(_mean([found[who] for found in members]) for who in study.statics)])
    study.page.table(["mean of", "agents", *(f"against {who}" for who in study.statics)], rows)


def _mean(rates: Sequence[Rate]) -> Rate:
    """Of independent rates."""
    count = len(rates)
    half_width = sum(rate.half_width**2 for rate in rates) ** 0.5 / count
    return Rate(sum(rate.mean for rate in rates) / count, half_width, sum(rate.games for rate in rates))


def loss(study: Study) -> None:
    study.page.heading("(a) The right log loss against the swapped one")
    both = zip(study.populations("swapped"), study.populations("log"), strict=True)
    won, rates = study.rivals("a", [(study.side("log", right), study.side("swapped", swapped)) for swapped, right in both])
    study.page.say(
        "Same nets, same recipe, ties broken by the logit on both sides: a net of the population trained with the log loss "
        f"wins {study.claim('(a) log loss vs swapped', won)} against the same net of the one with the swapped loss."
    )
    _table(study, rates, {"swapped loss": "swapped", "log loss": "log"})


def _numbered(rates: Rates, seed: int) -> Rates:
    return {f"{name} {seed}": found for name, found in rates.items()}


def ties(study: Study) -> None:
    study.page.heading("(b) Ties broken by the logit against the first of the list")
    populations, rows = study.populations("swapped"), []
    sides = [(study.side("logit", trained), study.side("first", trained, AS_PRINTED)) for trained in populations]
    won, rates = study.rivals("b", sides)
    for seed, trained in enumerate(populations):
        seen = observed(study.lab, f"finding-b-ties-{seed}", trained)
        rows.append([f"seed {seed}", *(_share(seen["ties"], list(trained.nets), kind) for kind in ("Dense", "Conv"))])
    study.page.say(
        "The very same weights, trained with the swapped loss: with ties broken by the logit they win "
        f"{study.claim('(b) ties by logit vs first of the list', won)} against themselves with ties to the first of the list."
    )
    kinds = [(kind, word) for kind in ("Dense", "Conv") for word in ("first", "logit")]
    _table(study, rates, {f"{kind}Nets, {word}": f"{word} {kind}" for kind, word in kinds})
    study.page.say("The share of positions with a choice in which several plays share the highest value in float32:")
    study.page.table(["", "DenseNets", "ConvNets"], rows)


def _share(shares: Tensor, names: Sequence[str], kind: str) -> float:
    mine = [place for place, name in enumerate(names) if name.startswith(kind)]
    return shares[mine].mean().item()


def dense_or_convolutional(study: Study) -> None:
    study.page.heading("(c) Dense against convolutional nets, once both are fixed")
    for loss_name, style, words in (("swapped", AS_PRINTED, "as the paper ran it"), ("log", FIXED, "fixed")):
        shallow, deep = [], []
        for seed, trained in enumerate(study.populations(loss_name)):
            players = singles(study.lab, trained.nets, style)
            dense, conv = ([name for name in trained.nets if name.startswith(kind)] for kind in ("Dense", "Conv"))
            won = study.duel(f"c-{loss_name}-{seed}", players, [(a, b) for a in conv for b in dense])
            won = won.view(len(conv), len(dense), -1)
            shallow.append(won[:, :3].flatten())
            deep.append(won[:, 3:].flatten())
        study.page.say(
            f"- {words.capitalize()}: a ConvNet wins {study.claim(f'(c) conv vs dense of three layers, {words}', shallow)} "
            f"against a DenseNet of three layers and {study.claim(f'(c) conv vs dense of four, {words}', deep)} against one of "
            "four."
        )


def aggregation(study: Study) -> None:
    study.page.heading("(d) What aggregation is worth when nobody explores")
    cases = {
        "swapped loss, first of the list": ("swapped", AS_PRINTED),
        "swapped loss, logit": ("swapped", FIXED),
        "fixed": ("log", FIXED),
    }
    for words, (loss_name, style) in cases.items():
        rates, won = Rates(), []
        for seed, trained in enumerate(study.populations(loss_name)):
            members = trained.ranking[:6]
            players: dict[str, BatchAgent] = {
                f"member {i}": player(study.lab, trained.nets, name, style) for i, name in enumerate(members)
            }
            players |= aggregates(study.lab, trained.nets, trained.ranking, style)
            stage = f"d-{loss_name}-{style.ties}-{seed}"
            won.append(study.duel(f"{stage}-duel", players, [("Mean6", f"member {i}") for i in range(6)]))
            rates |= _numbered(study.measured(stage, players), seed)
        study.page.say(
            f"**{words.capitalize()}.** Mean6 wins {study.claim(f'(d) Mean6 vs its members, {words}', won)} against its "
            "members."
        )
        names = [f"{how}{top}" for top in TOPS for how in ("Min", "Mean", "Max")]
        _table(study, rates, {"the best by VS": "member 0", "the best six": "member", **{name: name for name in names}})
    study.page.say(
        "Two things can make an aggregate better than its members: they differ in many choices "
        "([discordance](discordance.md)), so that errors may cancel; and where outputs are saturated, the least or the mean "
        "of several breaks ties that one net leaves to the list. The first two tables have the same nets and differ in the "
        "second thing alone."
    )


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
    study.page.say(
        f"A {NET} alone, playing itself, log loss, one seed, in {len(ways)} ways: *as one of them*, with the steps of one net "
        "of the battle royale and as many games in all; *with all their steps*, "
        f"{ways['with all their steps'].steps} times as many on as many games; *for as long*, "
        f"{ways['for as long'].epochs} times the epochs, with the steps and the games of each; and the same *with static "
        f"agents*, {', '.join(study.statics)}, in one seat of {ways[WITH_STATICS].with_statics:.0%} of the games, which all "
        "others meet in tests alone."
    )
    for words in ways:
        said = {name: study.claim(f"(e) {name} vs one net alone, {words}", [won[name, words]]) for name in (single, joined)}
        wins = " and ".join(f"{name} wins {rate}" for name, rate in said.items())
        study.page.say(f"- Against one net alone, {words}: {wins}.")
    rates = {f"{name};": found for name, found in study.measured("e", players).items()}  # none begins as another does
    _table(study, rates, {name: f"{name};" for name in players})


def simulated_by_aggregate(study: Study) -> None:
    study.page.heading("(f) The aggregate used for simulation")
    sides = []
    base = replace(ROUND_ROBIN[study.lab.scale], ties="logit", simulate_with=6, test_deals=UNTESTED)
    for seed, plain in enumerate(study.populations("log")):
        args = replace(base, seed=study.lab.seed + seed)
        recipes = dict.fromkeys(EXPERIMENT_2, LOG)
        led = train_population(study.lab, f"simulated-by-min6-{seed}", EXPERIMENT_2, recipes, args)
        sides.append((study.side("led", led), study.side("plain", plain)))
    won, rates = study.rivals("f", sides)
    study.page.say(
        "All games are played by Min6 of the best six so far, exploring as the nets would. Its nets win "
        f"{study.claim('(f) games by Min6 vs by the nets', won)} against the same nets that played each other."
    )
    _table(study, rates, {"played by the nets": "plain", "played by Min6": "led"})


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
    for seed, trained in enumerate(recurrent_populations(study.lab, study.seeds)):
        players = singles(study.lab, trained.nets, FIXED)
        for kind, won in duels_won.items():
            won.append(study.duel(f"g-{kind}-{seed}", players, [(f"{kind} with LSTM", kind)]))
        rates |= _numbered({f"{name},": found for name, found in study.measured(f"g-{seed}", players).items()}, seed)
    for kind, won in duels_won.items():
        study.page.say(
            f"- The {kind} net with an LSTM of {RECURRENT[f'{kind} with LSTM'].lstm} units over the last {LSTM.turns} plays "
            f"wins {study.claim(f'(g) {kind} with LSTM vs without', won)} against the one with sums alone, both trained on "
            "the same games."
        )
    _table(study, rates, {name: f"{name}," for name in RECURRENT})


def load_champion(lab: Lab) -> BatchAgent:
    """The champion of this package where it knows the rules, else the best agent without a net."""
    name = agents.strongest(lab.game)
    if is_model(name):
        return OnnxBatchAgent(lab.game, find_model(name), name, threads=os.cpu_count() or 1)
    return load_batch(name, lab.game)


def champion(study: Study) -> None:
    lab = study.lab
    royale, right, best = battle_royale_population(lab, "log"), study.populations("log")[0], load_champion(lab)
    study.page.heading(f"(h) All of them against {best.name}")
    swapped, deep_q = study.populations("swapped")[0], deep_q_nets(lab)
    lstm = recurrent_populations(lab, [0])[0]
    players: dict[str, BatchAgent] = {
        "TD linear": PanelAgent(lab.game, Panel([train_td(lab)]), FIXED, "td-linear"),
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
    opponents = {**study.statics, best.name: best}
    rates = against(lab, "finding-h", players, opponents, study.args.last_deals, lab.seed + 22)
    study.page.say(
        f"Nobody explores; {2 * study.args.last_deals:,} games a rate. The papers' best of any kind: {printed.BEST['greedy']} "
        f"against Greedy, {printed.BEST['random']} against Random."
    )
    study.page.table(["agent", *opponents], [[name, *(found[who] for who in opponents)] for name, found in rates.items()])
    panels = {f"won against {who}": {name: {"won": found[who]} for name, found in rates.items()} for who in opponents}
    study.page.figure("all", dots(panels))


def _aggregates_of(lab: Lab, trained: Trained) -> dict[str, BatchAgent]:
    everything = aggregates(lab, trained.nets, trained.ranking, FIXED)
    return {name: everything[name] for name in ("Min6", "Mean6", "Mean9")}


FINDINGS = (
    loss, ties, dense_or_convolutional, aggregation, one_net_alone, simulated_by_aggregate, recurrent, champion,
)  # fmt: skip
