"""(a) to (d): what the populations of Experiment 2 tell, trained and playing as the paper had it and put right."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.panel import AS_PRINTED, FIXED
from shangyou.lab.discordance import observed
from shangyou.lab.findings.study import Study, numbered
from shangyou.lab.kept_nets import player
from shangyou.lab.populations import TOPS, aggregates, singles
from shangyou.lab.rates import Rates


def loss(study: Study) -> None:
    study.page.heading("(a) The right log loss against the swapped one")
    both = zip(study.populations("swapped"), study.populations("log"), strict=True)
    won, rates = study.rivals("a", [(study.side("log", right), study.side("swapped", swapped)) for swapped, right in both])
    study.page.say(
        "Same nets, same recipe, ties broken by the logit on both sides: a net of the population trained with the log loss "
        f"wins {study.claim('(a) log loss vs swapped', won)} against the same net of the one with the swapped loss."
    )
    study.table(rates, {"swapped loss": "swapped *", "log loss": "log *"})


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
    study.table(rates, {f"{kind}Nets, {word}": f"{word} {kind}*" for kind, word in kinds})
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
            rates |= numbered(study.measured(stage, players), seed)
        study.page.say(
            f"**{words.capitalize()}.** Mean6 wins {study.claim(f'(d) Mean6 vs its members, {words}', won)} against its "
            "members."
        )
        names = [f"{how}{top}" for top in TOPS for how in ("Min", "Mean", "Max")]
        study.table(
            rates, {"the best by VS": "member 0 *", "the best six": "member *", **{name: f"{name} *" for name in names}}
        )
    study.page.say(
        "Two things can make an aggregate better than its members: they differ in many choices "
        "([discordance](discordance.md)), so that errors may cancel; and where outputs are saturated, the least or the mean "
        "of several breaks ties that one net leaves to the list. The first two tables have the same nets and differ in the "
        "second thing alone."
    )
