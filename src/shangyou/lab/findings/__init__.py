"""What of the papers holds up: each claim measured, over several seeds where it needs them."""

from __future__ import annotations

from pathlib import Path

from shangyou.lab.claims import EVEN
from shangyou.lab.figures import dots
from shangyou.lab.findings.aggregation import aggregation
from shangyou.lab.findings.champion import champion
from shangyou.lab.findings.populations import dense_or_convolutional, loss, ties
from shangyou.lab.findings.study import Study
from shangyou.lab.findings.training import one_net_alone, recurrent, simulated_by_aggregate, taught
from shangyou.lab.page import Page
from shangyou.lab.populations import ROUND_ROBIN, SEEDS
from shangyou.lab.workshop import Lab

FINDINGS = (
    loss, ties, dense_or_convolutional, aggregation, one_net_alone, simulated_by_aggregate, recurrent, champion, taught,
)  # fmt: skip


def run(lab: Lab, results: Path) -> Page:
    page = Page(lab, "findings", "Findings: what holds up", results)
    study = Study(lab, page)
    page.say(
        f"Populations are those of Experiment 2: twelve nets, {ROUND_ROBIN[lab.scale].epochs} epochs, nobody removed, "
        f"{SEEDS[lab.scale]} seed(s). Rates are shares won over deals played from both sides, with 95% intervals; nobody "
        "explores. An interval says how sure a rate of these nets is; how much nets of other seeds differ is told by the "
        "rates of every seed. In short: [all together](#all-together), at the end."
    )
    for finding in FINDINGS:
        finding(study)
    page.heading("All together")
    page.say(
        "What the first named won against the second; one half is even. There are two intervals: of the games, beside the "
        "rate, and of the seeds, by Student, in a column of its own, since nets of other seeds would differ. It is decided who "
        "is stronger where neither holds one half."
    )
    rows = [
        [words, claim.rate, claim.seeds, _plus_minus(claim.over_seeds), claim.verdict] for words, claim in study.claims.items()
    ]
    page.table(["", "won by the first", "of each seed", "over seeds", "is the first stronger?"], rows)
    shown = {words: {"won": claim.rate} for words, claim in study.claims.items()}
    page.figure("claims", dots({"won by the first named": shown}, {"won by the first named": EVEN}))
    return page


def _plus_minus(half_width: float | None) -> str | None:
    return None if half_width is None else f"± {half_width:.3f}"
