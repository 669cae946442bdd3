"""(a) to (d): what the populations of Experiment 2 tell, trained and playing as the paper had it and put right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.panel import AS_PRINTED, FIXED, Style
from shangyou.lab import printed
from shangyou.lab.discordance import observed
from shangyou.lab.findings.study import Study, numbered
from shangyou.lab.kept_nets import player
from shangyou.lab.populations import TOPS, Trained, aggregates, singles
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
    for seed, (seen, trained) in enumerate(zip(_choices(study, "swapped"), populations, strict=True)):
        rows.append([f"seed {seed}", *(_share(seen["ties"], list(trained.nets), kind) for kind in ("Dense", "Conv"))])
    study.page.say(
        "The very same weights, trained with the swapped loss: with ties broken by the logit they win "
        f"{study.claim('(b) ties by logit vs first of the list', won)} against themselves with ties to the first of the list."
    )
    kinds = [(kind, word) for kind in ("Dense", "Conv") for word in ("first", "logit")]
    study.table(rates, {f"{kind}Nets, {word}": f"{word} {kind}*" for kind, word in kinds})
    study.page.say("The share of positions with a choice in which several plays share the highest value in float32:")
    study.page.table(["", "DenseNets", "ConvNets"], rows)


def _choices(study: Study, loss_name: str) -> list[dict[str, Any]]:
    """What the nets of every seed would choose in the same positions."""
    populations = enumerate(study.populations(loss_name))
    return [observed(study.lab, f"finding-choices-{loss_name}-{seed}", trained) for seed, trained in populations]


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


BEST = 6  # nets of the aggregate that is looked at closely


def aggregation(study: Study) -> None:
    study.page.heading("(d) What aggregation is worth when nobody explores")
    cases = {
        "swapped loss, first of the list": ("swapped", AS_PRINTED),
        "swapped loss, logit": ("swapped", FIXED),
        "fixed": ("log", FIXED),
    }
    exploring = replace(AS_PRINTED, epsilon=printed.EXPLORATION_IN_TABLES)
    in_tables = [_against_members(study, "d-in-tables", one, AS_PRINTED, exploring) for one in _seeded(study, "swapped")]
    study.page.say(
        f"In the paper's tables single nets make {printed.EXPLORATION_IN_TABLES:.0%} of their moves by lot, aggregates none. "
        f"With that, Mean{BEST} wins {study.claim(f'(d) Mean{BEST} vs its members, which explore', in_tables)} against its "
        "members. Without it:"
    )
    for words, (loss_name, style) in cases.items():
        stage, rates, won = f"d-{loss_name}-{style.ties}", Rates(), []
        for seed, trained in _seeded(study, loss_name):
            won.append(_against_members(study, stage, (seed, trained), style, style))
            players = _members(study, trained, style) | aggregates(study.lab, trained.nets, trained.ranking, style)
            rates |= numbered(study.measured(f"{stage}-{seed}", players), seed)
        study.page.say(
            f"**{words.capitalize()}.** Mean{BEST} wins {study.claim(f'(d) Mean{BEST} vs its members, {words}', won)} against "
            "its members."
        )
        names = [f"{how}{top}" for top in TOPS for how in ("Min", "Mean", "Max")]
        study.table(
            rates, {"the best by VS": "member 0 *", "the best six": "member *", **{name: f"{name} *" for name in names}}
        )
    study.page.say(
        "Two things can make an aggregate better than its members: they differ in many choices, so that errors may cancel; and "
        "where outputs are saturated, the least or the mean of several breaks ties that one net leaves to the list. The first "
        "two tables have the same nets and differ in the second thing alone. The first thing: any two of the best six choose "
        f"differently in {_differing(study, 'swapped')} of the positions with a choice where the loss is swapped, and in "
        f"{_differing(study, 'log')} where it is right, by seed. Whether one net can hold what six know is asked in (i)."
    )


def _seeded(study: Study, loss_name: str) -> Iterator[tuple[int, Trained]]:
    return enumerate(study.populations(loss_name))


def _members(study: Study, trained: Trained, style: Style) -> dict[str, BatchAgent]:
    best = enumerate(trained.ranking[:BEST])
    return {f"member {i}": player(study.lab, trained.nets, name, style) for i, name in best}


def _against_members(study: Study, stage: str, seeded: tuple[int, Trained], style: Style, of_members: Style) -> Tensor:
    """[members, deals] what the mean of the best nets won against each of them."""
    seed, trained = seeded
    mean = f"Mean{BEST}"
    players = _members(study, trained, of_members) | {mean: player(study.lab, trained.nets, trained.ranking[:BEST], style)}
    return study.duel(f"{stage}-{seed}-duel", players, [(mean, f"member {i}") for i in range(BEST)])


def _differing(study: Study, loss_name: str) -> str:
    """The share of positions in which two of the best nets choose differently, seed by seed."""
    shares = []
    for seen, trained in zip(_choices(study, loss_name), study.populations(loss_name), strict=True):
        best = [list(trained.nets).index(name) for name in trained.ranking[:BEST]]
        cells = seen["different"][best][:, best]
        shares.append(cells.sum().item() / (BEST * (BEST - 1)))  # none differs from itself
    return ", ".join(f"{share:.3f}" for share in shares)
