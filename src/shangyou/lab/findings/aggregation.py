"""(d): what the mean of several nets is worth, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED, Style, mean_logit
from shangyou.lab import printed
from shangyou.lab.findings.study import Study, numbered
from shangyou.lab.kept_nets import player
from shangyou.lab.populations import SEEDS, TOPS, Trained, aggregates
from shangyou.lab.rates import Rates
from shangyou.lab.workshop import Lab
from shangyou.training.deep_q import simulate
from shangyou.training.learner import log_loss

BEST = 6  # nets of the aggregate that is looked at closely
ERROR_GAMES = {"paper": 10_000, "smoke": 20}
DECISIONS_AT_ONCE = 1 << 14


def aggregation(study: Study) -> None:
    study.page.heading("(d) What aggregation is worth when nobody explores")
    cases = {
        "swapped loss, first of the list": ("swapped", AS_PRINTED),
        "swapped loss, logit": ("swapped", FIXED),
        "fixed": ("log", FIXED),
    }
    exploring = replace(AS_PRINTED, epsilon=printed.EXPLORATION_IN_TABLES)
    in_tables = [_against_members(study, "d-in-tables", one, AS_PRINTED, exploring) for one in study.seeded("swapped")]
    study.page.say(
        f"In the paper's tables single nets make {printed.EXPLORATION_IN_TABLES:.0%} of their moves by lot, aggregates none. "
        f"With that, Mean{BEST} wins {study.claim(f'(d) Mean{BEST} vs its members, which explore', in_tables)} against its "
        "members. Without it:"
    )
    for words, (loss_name, style) in cases.items():
        stage, rates, won = f"d-{loss_name}-{style.ties}", Rates(), []
        for seed, trained in study.seeded(loss_name):
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
    convs = sum(name.startswith("Conv") for _, one in study.seeded("swapped") for name in one.ranking[:BEST])
    study.page.say(
        "Two things can make an aggregate better than its members. Where outputs are saturated, the least or the mean of "
        "several breaks ties that one net leaves to the list: the first two tables have the same nets and differ in that "
        f"alone. It tells little of nets that tie much, since of the best six of these populations {convs} in "
        f"{BEST * SEEDS[study.lab.scale]} are ConvNets; Max9 has DenseNets, too.",
        f"And members differ, so that errors may cancel: any two of the best six choose differently in "
        f"{_differing(study, 'swapped')} of the positions with a choice where the loss is swapped, and in "
        f"{_differing(study, 'log')} where it is right, by seed. Whether errors do cancel is seen in how well nets tell who "
        f"will win, in {ERROR_GAMES[study.lab.scale]:,} games that Mean{BEST} of the right loss plays against itself, a "
        "tenth of the moves by lot. The log loss:",
    )
    found = [_errors(study, seed, one) for seed, one in study.seeded("log")]
    rows: list[list[object]] = [
        [f"seed {i}", sum(each["members"]) / BEST, min(each["members"]), each["mean"]] for i, each in enumerate(found)
    ]
    study.page.table(["", "the six, on average", "the best of them", f"Mean{BEST}"], rows)
    study.page.say("Whether one net can hold what many know is asked in (i).")


def _errors(study: Study, seed: int, trained: Trained) -> dict[str, Any]:
    """Log losses of what the best nets and their mean say of who will win."""
    settings = {"games": ERROR_GAMES[study.lab.scale], "members": trained.ranking[:BEST]}
    return study.lab.stage(f"finding-d-errors-{seed}", settings, lambda: _measure_errors(study.lab, trained))


@torch.no_grad()
def _measure_errors(lab: Lab, trained: Trained) -> dict[str, Any]:
    mean = player(lab, trained.nets, trained.ranking[:BEST], Style(epsilon=0.1))
    buffer, parts = simulate(lab.engine, mean, ERROR_GAMES[lab.scale], lab.seed + 23), []
    for rows in torch.split(torch.arange(buffer.used, device=lab.device), DECISIONS_AT_ONCE):
        logits, (won, _) = mean.ensemble.logits(buffer.pairs(rows, mean.ensemble.turns)), buffer.outcomes(rows)
        said = torch.cat([logits, mean_logit(logits)[None].float()])
        parts.append(log_loss(said, won.expand_as(said)).double().sum(1))
    *members, joined = (torch.stack(parts).sum(0) / buffer.used).tolist()
    return {"members": members, "mean": joined}


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
    for seen, trained in zip(study.choices(loss_name), study.populations(loss_name), strict=True):
        best = [list(trained.nets).index(name) for name in trained.ranking[:BEST]]
        cells = seen["different"][best][:, best]
        shares.append(cells.sum().item() / (BEST * (BEST - 1)))  # none differs from itself
    return ", ".join(f"{share:.3f}" for share in shares)
