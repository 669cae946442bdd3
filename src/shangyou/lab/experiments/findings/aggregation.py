"""(d): what the mean of several nets is worth, and why."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED, Style, mean_logit
from shangyou.lab.experiments.findings.study import Study
from shangyou.lab.net_store import player
from shangyou.lab.paper_numbers import EXPLORATION_IN_TABLES
from shangyou.lab.populations import TOPS, Trained
from shangyou.lab.rates import Rates
from shangyou.lab.stages import Context
from shangyou.training.deep_q import simulate
from shangyou.training.learner import log_loss

BEST = 6  # nets of the aggregate that is examined closely
MEAN = f"Mean{BEST}"
ERROR_GAMES = {"smoke": 20, "small": 500, "paper": 10_000}
DECISIONS_AT_ONCE = 1 << 14


def aggregation(study: Study) -> None:
    study.page.heading("(d) What aggregation is worth when nobody explores")
    cases = {
        "swapped loss, first of the list": ("swapped", AS_PRINTED),
        "swapped loss, logit": ("swapped", FIXED),
        "fixed": ("log", FIXED),
    }
    exploring = replace(AS_PRINTED, epsilon=EXPLORATION_IN_TABLES)
    in_tables = [_against_members(study, "d-in-tables", one, AS_PRINTED, exploring) for one in study.populations("swapped")]
    study.page.text(
        f"In the paper's tables single nets make {EXPLORATION_IN_TABLES:.0%} of their plays at random, aggregates none. "
        f"With that, {MEAN} wins {study.claim(f'(d) {MEAN} vs its members, which explore', in_tables)} against its "
        "members. Without it:"
    )
    for words, (loss_name, style) in cases.items():
        stage, rates, won = f"d-{loss_name}-{style.ties}", Rates(), []
        for trained in study.populations(loss_name):
            won.append(_against_members(study, stage, trained, style, style))
            players = _members(study, trained, style) | trained.aggregates(study.ctx, style)
            rates |= study.measure(stage, players, trained.seed)
        study.page.text(
            f"**{words.capitalize()}.** {MEAN} wins {study.claim(f'(d) {MEAN} vs its members, {words}', won)} against "
            "its members."
        )
        names = [f"{how}{top}" for top in TOPS for how in ("Min", "Mean", "Max")]
        groups = {"the best by VS": "member 0 *", "the best six": "member *", **{name: f"{name} *" for name in names}}
        study.table(rates, groups)
    convs = sum(name.startswith("Conv") for one in study.populations("swapped") for name in one.ranking[:BEST])
    study.page.text(
        "Two things can make an aggregate better than its members. Where outputs are saturated, the least or the mean of "
        "several breaks ties that one net leaves to the list: the first two tables have the same nets and differ in that "
        f"alone. They show little about nets that tie often, since of the best six of these populations {convs} in "
        f"{BEST * len(study.seeds)} are ConvNets; Max9 has DenseNets, too.",
        f"And members differ, so that errors may cancel: any two of the best six choose differently in "
        f"{_differing(study, 'swapped')} of the positions with a choice where the loss is swapped, and in "
        f"{_differing(study, 'log')} where it is right, by seed. Whether errors do cancel is seen in how well nets predict "
        f"who wins, in {ERROR_GAMES[study.ctx.scale]:,} games that {MEAN} of the right loss plays against itself, a "
        "tenth of the plays random. The log loss:",
    )
    rows: list[list[object]] = []
    for trained in study.populations("log"):
        *members, mean = _log_losses(study.ctx, trained)
        rows.append([f"seed {trained.seed}", sum(members) / BEST, min(members), mean])
    study.page.table(["", "the six, on average", "the best of them", MEAN], rows)
    study.page.text("(i) tests whether one net can hold what many know.")


def _log_losses(ctx: Context, trained: Trained) -> list[float]:
    """Of the best nets, and last of their mean, when they predict who will win."""
    settings = {"games": ERROR_GAMES[ctx.scale], "members": trained.ranking[:BEST], "seed": ctx.deal_seed(23, trained.seed)}
    return ctx.stage(f"finding-d-errors-{trained.seed}", settings, lambda: _measure_log_losses(ctx, trained, settings))


@torch.no_grad()
def _measure_log_losses(ctx: Context, trained: Trained, settings: dict[str, Any]) -> list[float]:
    mean, totals = trained.best(ctx, BEST, Style(epsilon=0.1)), []
    buffer = simulate(ctx.engine, mean, settings["games"], settings["seed"])
    for rows in torch.split(torch.arange(buffer.used, device=ctx.device), DECISIONS_AT_ONCE):
        logits, (won, _) = mean.ensemble.logits(buffer.pairs(rows, mean.ensemble.turns)), buffer.outcomes(rows)
        logits = torch.cat([logits, mean_logit(logits)[None].float()])
        totals.append(log_loss(logits, won.expand_as(logits)).double().sum(1))
    losses: list[float] = (torch.stack(totals).sum(0) / buffer.used).tolist()
    return losses


def _members(study: Study, trained: Trained, style: Style) -> dict[str, BatchAgent]:
    best = enumerate(trained.ranking[:BEST])
    return {f"member {i}": player(study.ctx, trained.nets, name, style) for i, name in best}


def _against_members(study: Study, stage: str, trained: Trained, style: Style, of_members: Style) -> Tensor:
    """[members, deals] what the mean of the best nets won against each of them."""
    players = _members(study, trained, of_members) | {MEAN: trained.best(study.ctx, BEST, style)}
    return study.duel(stage, players, [(MEAN, f"member {i}") for i in range(BEST)], trained.seed)


def _differing(study: Study, loss_name: str) -> str:
    """The share of positions in which two of the best nets choose differently, seed by seed."""
    shares = []
    for seen, trained in zip(study.choices(loss_name), study.populations(loss_name), strict=True):
        best = [list(trained.nets).index(name) for name in trained.ranking[:BEST]]
        cells = seen["different"][best][:, best]
        shares.append(cells.sum().item() / (BEST * (BEST - 1)))  # none differs from itself
    return ", ".join(f"{share:.3f}" for share in shares)
