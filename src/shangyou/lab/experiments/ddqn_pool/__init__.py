"""Four-player ZhengShangYou by Double DQN: a base recipe, and one change of it at a time.

The project this follows prints no results, so that there is nothing to compare with but the rows themselves, greedy and the
champion. rows.py has what is compared, results.py what is measured; the page is here.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import mean
from typing import Any

import torch

from shangyou.evaluation.intervals import student_half_width
from shangyou.lab.experiments.ddqn_pool.results import (
    CHAMPION,
    Comparison,
    Results,
    compared,
    duels,
    measure,
    measure_all,
)
from shangyou.lab.experiments.ddqn_pool.rows import (
    BASE,
    DMC,
    DMC_SAME,
    DUEL_ROWS,
    GRADIENT_ROWS,
    ROWS,
    SCALES,
    SETUPS,
    Trained,
    rows_of,
    seeds_of,
    with_two_packs,
)
from shangyou.lab.figures import curves, dots, heat_map
from shangyou.lab.page import Page
from shangyou.lab.stages import Context, Stage

__all__ = ["SETUPS", "TITLE", "nets", "run"]

TITLE = "Double DQN and a pool of past versions, on four-player ZhengShangYou"
LAST = 10  # measurements of a run that its strength at the end is the mean of
EVEN = 0.25  # the share of games in which one of four equals is first out
OPPONENTS = ("greedy", "champions")
CLAIMS = {  # what the project says or hopes: the row that tests it, and whether the claim is that the row beats the base
    "Double DQN, not DQN": ("DQN", False),
    "prioritized replay samples what is important": ("uniform replay", False),
    "or weights it, 'how I understood it'": ("weighted replay", True),
    "0.25 for playing a card helps": ("first only", False),
    "an LSTM for historical cards is a possible addition": ("LSTM", True),
    "play a pool of past versions, not only yourself": ("self-play", False),
    "a model trained on bots learns to beat them": ("bots", True),
}
KINDS = {
    "how decisions are drawn": ("DQN", "uniform replay", "weighted replay"),
    "rewards": ("0.25 a play", "first only", "points"),
    "nets": ("cards only", "own encoder", "LSTM"),
    "opponents and algorithm": ("bots", "self-play", DMC, DMC_SAME),
}
MEASURES = ("first", "place", "points")
Verdicts = Mapping[str, tuple[Comparison, ...]]
"""By row, against each of `OPPONENTS`."""


def run(ctx: Context, page: Page) -> None:
    scale, rows, two_packs = SCALES[ctx.scale], rows_of(ctx), rows_of(with_two_packs(ctx))
    for seed in range(scale.seeds):  # a whole seed before the next: a run that is cut off has something to show
        for row in [*rows.values(), *two_packs.values()]:
            measure_all(row[seed])
    greedy = {row: [measure(one, "greedy", scale.deals) for one in seeds] for row, seeds in rows.items()}
    champion = {row: [measure(one, CHAMPION, scale.champion_deals) for one in seeds] for row, seeds in rows.items()}
    both = (greedy, 4 * scale.deals), (champion, 4 * scale.champion_deals)
    verdicts = {row: tuple(compared(results, row, games) for results, games in both) for row in list(rows)[1:]}
    gradients = seeds_of(ctx, list(GRADIENT_ROWS))
    _open(ctx, page, verdicts)
    _claims(page, verdicts, gradients)
    _rows(ctx, page, greedy, champion, verdicts)
    _gradients(page, gradients)
    page.heading("Against each other")
    _duels(ctx, page, {row: rows[row] for row in DUEL_ROWS if row in rows})
    page.heading("While they learn")
    page.text("The share first out against three greedy while the first seed was trained; and the ratings of the base's pool.")
    page.figure("curves", curves(_lines(rows), "seconds of training"))
    page.figure("ratings", curves(_ratings(rows[BASE][0]), "batches"))
    _two_packs(page, two_packs)


def waves(ctx: Context) -> list[list[Stage]]:
    """The base comes first: how long it took says how long the rows with another algorithm may."""
    rows = [(row, 1) for row in (*rows_of(ctx), *GRADIENT_ROWS)] + [(row, 2) for row in rows_of(with_two_packs(ctx))]
    base, others = ([one for one in rows if (one[0] == BASE) == first] for first in (True, False))
    seeds = range(SCALES[ctx.scale].seeds)
    return [
        [partial(train_row, row=row, packs=packs, seed=seed) for seed in seeds for row, packs in wave]
        for wave in (base, others)
    ]


def train_row(ctx: Context, row: str, seed: int, packs: int) -> None:
    assert Trained(ctx if packs == 1 else with_two_packs(ctx), row, seed).run.checkpoint


# -- what holds up ----------------------------------------------------------------------------------------------------


def _open(ctx: Context, page: Page, verdicts: Verdicts) -> None:
    scale = SCALES[ctx.scale]
    args = scale.args
    length = f"{args.batches} batches" if args.batches else f"{60 * args.minutes:g} seconds"
    gains = {who: {row: {"gain": two[place]} for row, two in verdicts.items()} for place, who in enumerate(OPPONENTS)}
    panels = {f"first out against three {who}, less the base": gains[who] for who in OPPONENTS}
    found = (f"against {who}, {_in_words(verdicts, place)}" for place, who in enumerate(OPPONENTS))
    page.open(
        "which parts of the recipe matter: Double DQN, prioritized replay, 0.25 a card, the encoding, an LSTM, a pool of rated "
        "past versions?",
        "the project it comes from prints no results.",
        f"by the share of games first out, beside the base: {'. '.join(found)}.",
        ("gains", dots(panels, dict.fromkeys(panels, 0.0))),
    )
    page.text(
        f"Each row is trained for {length}, {scale.seeds} seed{'s' if scale.seeds > 1 else ''}. A row changes one thing of the "
        f"base: {ROWS[BASE][0]}; {args.games:,} games, then {args.steps} steps on {args.minibatch:,} decisions of a replay of "
        f"{args.capacity:,}. `{DMC}` is the algorithm of the champions, on our own encoder, for the seconds that the base "
        f"took; `{DMC_SAME}` learns from as many decisions as the base. Rates are of {4 * scale.deals:,} games against three "
        f"greedy and of {4 * scale.champion_deals:,} against three champions for each seed, whose deals are its own; the seat "
        "that is measured takes turns. Equals are first out in 0.25 of the games. A row is called better or worse where 0 is "
        "outside of two 95% intervals, Student's over the seeds and that of the games, of which the wider is shown. Of "
        f"{2 * len(verdicts)} comparisons, one or two may be decided by chance.",
    )


def _in_words(verdicts: Verdicts, place: int) -> str:
    by_verdict = {
        which: [row for row in verdicts if verdicts[row][place].verdict == which] for which in ("better", "worse", "undecided")
    }
    return "; ".join(f"{which}: {', '.join(f'`{row}`' for row in rows)}" for which, rows in by_verdict.items() if rows)


def _claims(page: Page, verdicts: Verdicts, gradients: Mapping[str, Sequence[Trained]]) -> None:
    page.heading("What of the recipe holds up")
    lines = [
        [claim, f"`{row}`", *map(str, verdicts[row]), _judged([two.verdict for two in verdicts[row]], row_should_win)]
        for claim, (row, row_should_win) in CLAIMS.items()
        if row in verdicts
    ]
    page.table(["the project says", "row", *(f"row less base, {who}" for who in OPPONENTS), "does it hold?"], lines)
    steepest, late = _steepest(gradients), _late(gradients)
    plain, times = (steepest[row] for row in ("squared error", "squared error, rewards times 40"))
    huber = steepest["Huber loss, rewards times 40"]
    page.text(
        f"'Rewards between 0 and 1 keep gradients from exploding': with the squared error the steepest gradient grows from "
        f"{_short(plain)} to {_short(times)} when rewards are 40 times as large; the Huber loss holds it at {_short(huber)} "
        "([gradients](#gradients)). With the squared error the share first out against greedy at the end is "
        f"{late['squared error']:.3f} and, with rewards 40 times as large, {late['squared error, rewards times 40']:.3f}."
    )


def _judged(verdicts: Sequence[str], row_should_win: bool) -> str:
    """Whether a claim holds against each opponent, in one word where they agree."""
    right, wrong = ("better", "worse") if row_should_win else ("worse", "better")
    words = [{right: "yes", wrong: "no"}.get(verdict, "undecided") for verdict in verdicts]
    if len(set(words)) == 1:
        return words[0]
    return "; ".join(f"{who}: {word}" for who, word in zip(OPPONENTS, words, strict=True))


# -- tables -----------------------------------------------------------------------------------------------------------


def _rows(ctx: Context, page: Page, greedy: Results, champion: Results, verdicts: Verdicts) -> None:
    page.heading("All rows")
    changes = {row: ROWS[row][0] if row in ROWS else "Monte Carlo in place of Double DQN" for row in greedy}
    page.table(["row", "change", "first, greedy", "place", "points", "plays a game"], [
        [row, change, *(_mean(greedy[row], name) for name in (*MEASURES, "plays"))] for row, change in changes.items()
    ])  # fmt: skip
    page.table(["row", "first, champions", "place", "points"], [
        [row, *(_mean(results, name) for name in MEASURES)] for row, results in champion.items()
    ])  # fmt: skip
    if SCALES[ctx.scale].seeds > 1:
        page.text("Means over the seeds with Student's interval.")
    lines = [[row, *(cell for one in two for cell in (str(one), one.verdict))] for row, two in verdicts.items()]
    page.table(["first out, less the base", "against greedy", "verdict", "against champions", "verdict"], lines)


def _mean(results: Sequence[dict[str, float]], name: str) -> str:
    """The mean over seeds with Student's interval."""
    values = [result[name] for result in results]
    return f"{mean(values):.3f}" + (f" ± {student_half_width(values):.3f}" if len(values) > 1 else "")


def _steepest(rows: Mapping[str, Sequence[Trained]]) -> dict[str, float]:
    """The greatest norm of a gradient in any batch of any seed."""
    return {row: max(point["metrics"].get("steepest", 0.0) for one in rows[row] for point in one.curve) for row in rows}


def _late(rows: Mapping[str, Sequence[Trained]]) -> dict[str, float]:
    """The share first out against greedy, the mean of the last measurements."""
    return {
        row: mean(point["strength"]["greedy"][0] for one in seeds for point in one.curve[-LAST:]) for row, seeds in rows.items()
    }


def _short(number: float) -> str:
    """Three digits, and no powers of ten."""
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _gradients(page: Page, rows: Mapping[str, Sequence[Trained]]) -> None:
    """Small nets, so that every batch can be measured and the same runs are made at all scales."""
    args = rows["Huber loss"][0].run.args
    page.heading("Gradients")
    page.text(
        f"Nets of {args.size.head} units, self-play, {args.batches} batches of {args.games} games and {args.steps} steps. The "
        "norm of the gradient, the greatest of any step and the mean of the last batch; first out is the mean of the last "
        f"{LAST} measurements of {4 * args.eval_deals} games against greedy."
    )
    steepest, late = _steepest(rows), _late(rows)
    ends = {row: [one.curve[-1]["metrics"] for one in seeds] for row, seeds in rows.items()}
    page.table(["loss and rewards", "steepest", "mean at the end", "mean Q at the end", "first, greedy"], [
        [row, _short(steepest[row]), *(_short(mean(end[key] for end in ends[row])) for key in ("gradient", "Q")), late[row]]
        for row in rows
    ])  # fmt: skip


def _duels(ctx: Context, page: Page, rows: Mapping[str, Sequence[Trained]]) -> None:
    """A heat map of who is first out against whom, and a table of every row against all others."""
    scale, names = SCALES[ctx.scale], list(rows)
    seeds = [duels(ctx, rows, seed) for seed in range(scale.seeds)]
    cells = [[mean(one[a][b].get("first", EVEN) for one in seeds) for b in range(len(names))] for a in range(len(names))]
    packs = "-two-packs" if ctx.game.deck.packs == 2 else ""
    page.text(
        f"A row alone against three of the column, {4 * scale.duel_deals:,} games a seed, mean of the seeds; below it against "
        "all other rows."
    )
    page.figure(f"duels{packs}", heat_map("first out, alone against three", names, cells, middle=EVEN))
    overall = {
        row: [{key: mean(cell[key] for cell in one[a] if cell) for key in MEASURES} for one in seeds]
        for a, row in enumerate(names)
    }
    page.table(["row", *MEASURES], [[row, *(_mean(overall[row], key) for key in MEASURES)] for row in names])


def _two_packs(page: Page, trained: Mapping[str, Sequence[Trained]]) -> None:
    """There is no champion for two packs: the net trained by Monte Carlo stands in for it."""
    ctx = trained[BASE][0].ctx
    page.heading("Two packs")
    page.text(f"Games are twice as long, so that a batch has half as many. There is no champion; `{DMC}` stands in for it.")
    greedy = {row: [measure(one, "greedy", SCALES[ctx.scale].deals) for one in trained[row]] for row in trained}
    page.table(
        ["row", "first, greedy", "place", "points"], [[row, *(_mean(greedy[row], key) for key in MEASURES)] for row in trained]
    )
    _duels(ctx, page, trained)


# -- curves -----------------------------------------------------------------------------------------------------------


def _lines(rows: Mapping[str, Sequence[Trained]]) -> dict[str, Any]:
    """A panel for each kind of change, the base in all of them."""
    points = {row: seeds[0].curve for row, seeds in rows.items()}
    line = {row: ([p["seconds"] for p in curve], [p["strength"]["greedy"][0] for p in curve]) for row, curve in points.items()}
    panels = {kind: [row for row in names if row in line] for kind, names in KINDS.items()}
    return {kind: {row: line[row] for row in (BASE, *names)} for kind, names in panels.items() if names}


def _ratings(base: Trained) -> dict[str, Any]:
    """Of the pool: ratings of the learner, the lowest and the highest version."""
    points = [point for point in base.curve if "rating" in point["metrics"]]
    across = [float(point["iterations"]) for point in points]
    names = {"learner": "rating", "lowest of the pool": "lowest of pool", "highest of the pool": "highest of pool"}
    return {"ratings": {name: (across, [point["metrics"][key] for point in points]) for name, key in names.items()}}


def nets(ctx: Context) -> dict[str, torch.nn.Module]:
    """The nets that are exported as models."""
    rows = {"ddqn-pool": BASE, "ddqn-bot": "bots", "ddqn-lstm": "LSTM"}
    known = {name: row for name, row in rows.items() if row in SCALES[ctx.scale].rows}
    return {name: Trained(ctx, row, 0).agent.net for name, row in known.items()}  # type: ignore[attr-defined]
