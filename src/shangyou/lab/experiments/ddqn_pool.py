"""Four-player ZhengShangYou by Double DQN: a base recipe, and one change of it at a time.

The project this follows prints no results, so that there is nothing to compare with but the rows themselves, greedy and the
champion.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from math import inf, isfinite
from statistics import mean
from typing import Any, NamedTuple

import torch

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.play import play
from shangyou.agents.batch.value_net import QNetAgent, TorchNetAgent
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import Matchup, PlayedDeals, play_deals, play_matchups
from shangyou.evaluation.intervals import student_half_width
from shangyou.lab.figures import curves, heat_map
from shangyou.lab.page import Page
from shangyou.lab.runs import TrainedRun
from shangyou.lab.stages import Context, Setup
from shangyou.nets.value_net import Size
from shangyou.training import dmc
from shangyou.training.algorithm import TimedArgs
from shangyou.training.ddqn import Args
from shangyou.training.settings import changed

TITLE = "Double DQN and a pool of past versions, on four-player ZhengShangYou"
SETUPS = {scale: Setup("zsy4") for scale in ("smoke", "small", "paper")}
TWO_PACKS = {scale: Setup("zsy4", {"decks": 2}) for scale in SETUPS}
BASE, CHAMPION = "base", "champion/zsy4"
EVEN = 0.25  # the share of games in which one of four equals is first out
ROWS: dict[str, tuple[str, list[str]]] = {  # what each row changes of the base, in words and as settings
    BASE: ("a pool of past versions, 0.25 a card, prioritized replay, every card by itself and counted by rank", []),
    "DQN": ("the copy of the net chooses, too", ["double=false"]),
    "uniform replay": ("decisions drawn evenly", ["replay=uniform"]),
    "weighted replay": ("drawn evenly, weighted by their errors", ["replay=weighted"]),
    "0.25 a play": ("0.25 for each play, however many cards", ["reward=play"]),
    "first only": ("nothing but 1 for the first out", ["reward=first"]),
    "points": ("3, 1, -1, -3 by place", ["reward=points"]),
    "cards only": ("every card by itself, nothing counted", ["encoding=cards"]),
    "own encoder": ("the encoder of our champions", ["encoding=own"]),
    "LSTM": ("an LSTM over the last plays", ["size.turns=15", "size.history=lstm"]),
    "bots": ("against three greedy", ["others=bots"]),
    "self-play": ("against itself", ["others=self"]),
}
SMALL_ROWS = [BASE, "uniform replay", "0.25 a play", "own encoder", "bots", "self-play"]
DMC, DMC_SAME = "DMC, as long", "DMC, as many decisions"
DMC_BATCHES = 24  # of the run with as many decisions as the base
DUEL_ROWS = [BASE, "weighted replay", "first only", "own encoder", "bots", "self-play", DMC]  # each needs nets of every seed


@dataclass(frozen=True)
class Scale:
    args: Args
    rows: Sequence[str]
    seeds: int
    deals: int  # of a measurement against greedy
    champion_deals: int  # and against champions
    duel_deals: int  # and of each two rows
    dmc: Mapping[str, Any]  # settings of the row that learns by Monte Carlo


TINY = Size(trunk=32, trunk_depth=1, head=32, head_depth=1, turns=0)
CPU_SIZE = Size(trunk=128, trunk_depth=1, head=128, head_depth=1, turns=0)
COMMON = Args(
    "zsy4", encoding="counts", eval_deals=500, eval_seconds=10.0, opponents=("greedy",), checkpoint_seconds=1e9, untimed=1
)
SMALL = replace(COMMON, minutes=1.5, games=256, steps=16, minibatch=512, capacity=300_000, size=CPU_SIZE, eval_deals=200)
SMOKE = replace(SMALL, batches=2, games=24, steps=2, minibatch=64, capacity=20_000, size=TINY, eval_deals=2)
SCALES = {
    "smoke": Scale(SMOKE, SMALL_ROWS, 1, 3, 2, 1, {"size": TINY, "batch": 64, "minibatch": 64}),
    "small": Scale(SMALL, SMALL_ROWS, 1, 500, 100, 50, {"size": dmc.SMALL, "batch": 512, "minibatch": 512}),
    "paper": Scale(replace(COMMON, batches=30), list(ROWS), 3, 5000, 2500, 500, {"size": Size(trunk=512, head=512)}),
}


class Trained:
    """One row of one seed. It is trained, or its net read, only if something is still to be measured: nets are large."""

    def __init__(self, ctx: Context, row: str, seed: int) -> None:
        self.ctx, self.row, self.seed = ctx, row, seed
        self.algorithm = "dmc" if row in (DMC, DMC_SAME) else "ddqn"

    @cached_property
    def run(self) -> TrainedRun:
        return TrainedRun(self.ctx, _stage(self.ctx, self.row, self.seed), self.algorithm, self._args())

    def _args(self) -> Any:
        ctx, scale = self.ctx, SCALES[self.ctx.scale]
        args: Any = replace(scale.args, rules=str(ctx.game.rules), device=str(ctx.device), seed=ctx.seed + self.seed)
        args = replace(args, games=args.games // ctx.game.deck.packs)  # with two packs, games are about twice as long
        if self.algorithm == "ddqn":
            return changed(args, ROWS[self.row][1])
        same = {field.name: getattr(args, field.name) for field in fields(TimedArgs)}
        args, base = dmc.Args(**same, points_scale=3.0, **scale.dmc), Trained(ctx, BASE, self.seed).curve[-1]
        if self.row == DMC:
            return replace(args, minutes=base["seconds"] / 60, batches=0)
        games = base["games"] // 4  # all four seats learn, where the base has one
        return replace(args, batches=min(DMC_BATCHES, games), batch=max(1, games // DMC_BATCHES))

    def measured(self, what: str, settings: Any, work: Callable[[], Any]) -> Any:
        """A stage of this row: what was measured of it."""
        return self.ctx.stage(_stage(self.ctx, self.row, self.seed, what), {**self.run.settings, "of": settings}, work)

    @property
    def curve(self) -> list[dict[str, Any]]:
        return self.measured("curve", "training", lambda: self.run.curve)  # type: ignore[no-any-return]

    @cached_property
    def agent(self) -> BatchAgent:
        if self.algorithm == "dmc":
            return TorchNetAgent(self.ctx.game, self.run.net, name=self.row)
        return QNetAgent(self.ctx.engine, self.run.net, self.row)


def _stage(ctx: Context, *parts: object) -> str:
    """A name for a file, from the names of rows and agents."""
    words = ["ddqn", *map(str, parts), *(["two packs"] if ctx.game.deck.packs == 2 else [])]
    return "-".join(words).replace(",", "").replace(" ", "-").replace("/", "-")


def results_of(played: PlayedDeals) -> dict[str, float]:
    """Of A, who is alone in every game: the share of games it was first out in, its mean place and points."""
    mine = played.places[:, played.mine]
    return {"first": float(played.win.mean()), "place": float(mine.mean()), "points": float(played.points.mean())}


def plays_a_game(ctx: Context, agents: Sequence[BatchAgent], deals: int, seed: int) -> float:
    """How often the first of the agents puts cards down: many plays are small ones. It has each seat in turn."""
    number = torch.arange(deals, device=ctx.device)
    seats = torch.ones(deals, 4, dtype=torch.long, device=ctx.device)
    seats[number, number % 4] = 0
    played = play(ctx.engine, agents, seats, ctx.engine.deal(deals, seed))
    return float(played.puts[number, number % 4].float().mean())


def measure(trained: Trained, against: str, deals: int) -> dict[str, float]:
    """Of a row against three of the same opponent, on deals of its seed."""
    ctx = trained.ctx
    deal_seed = ctx.deal_seed(17, trained.seed)

    def work() -> dict[str, float]:
        backend = BatchBackend(ctx.engine, [trained.agent, load_batch(against, ctx.game, device=ctx.device)], deal_seed)
        plays = {} if against == CHAMPION else {"plays": plays_a_game(ctx, backend.agents, deals, deal_seed)}
        return results_of(play_deals(backend, range(deals))) | plays

    return trained.measured(f"against {against}", {"deals": deals, "seed": deal_seed}, work)  # type: ignore[no-any-return]


def rows_of(ctx: Context) -> dict[str, list[Trained]]:
    """Every row with its seeds. With two packs, for which there is no champion: the pool, plain self-play and Monte Carlo."""
    scale = SCALES[ctx.scale]
    rows = [*scale.rows, DMC, DMC_SAME] if ctx.game.deck.packs == 1 else [BASE, "self-play", DMC]
    return {row: [Trained(ctx, row, seed) for seed in range(scale.seeds)] for row in rows}


def with_two_packs(ctx: Context) -> Context:
    return Context(TWO_PACKS, ctx.scale, ctx.seed, str(ctx.device), ctx.folder.parent, ctx.console)


def measure_all(trained: Trained) -> None:
    """Everything that needs the net of a row but duels. Rows depend on nothing but the base of their seed."""
    scale = SCALES[trained.ctx.scale]
    assert trained.curve
    measure(trained, "greedy", scale.deals)
    if trained.ctx.game.deck.packs == 1:
        measure(trained, CHAMPION, scale.champion_deals)


def run(ctx: Context, page: Page) -> None:
    scale, rows, two_packs = SCALES[ctx.scale], rows_of(ctx), rows_of(with_two_packs(ctx))
    for seed in range(scale.seeds):  # a whole seed before the next: a run that is cut off has something to show
        for row in [*rows.values(), *two_packs.values()]:
            measure_all(row[seed])
    greedy = {row: [measure(one, "greedy", scale.deals) for one in seeds] for row, seeds in rows.items()}
    champion = {row: [measure(one, CHAMPION, scale.champion_deals) for one in seeds] for row, seeds in rows.items()}
    verdicts = {row: (compared(greedy, row), compared(champion, row)) for row in list(rows)[1:]}
    _open(page, scale, verdicts)
    _table(page, greedy, champion)
    _compare(page, verdicts, rows)
    page.heading("Against each other")
    _duels(ctx, page, {row: rows[row] for row in DUEL_ROWS if row in rows})
    page.figure("curves", curves(_lines(rows), "decisions learned from, millions"))
    page.figure("ratings", curves(_ratings(rows[BASE][0]), "batches"))
    _write_two_packs(page, two_packs)


class Comparison(NamedTuple):
    """A row less the base with the same seed, in the share first out."""

    gain: float
    width: float  # half of Student's interval over the seeds; infinite with one seed

    @property
    def verdict(self) -> str:
        return "undecided" if abs(self.gain) <= self.width else "better" if self.gain > 0 else "worse"

    def __str__(self) -> str:
        return f"{self.gain:+.3f}" + (f" ± {self.width:.3f}" if isfinite(self.width) else "")


Results = Mapping[str, Sequence[dict[str, float]]]


def compared(results: Results, row: str) -> Comparison:
    gains = [one["first"] - base["first"] for one, base in zip(results[row], results[BASE], strict=True)]
    return Comparison(mean(gains), student_half_width(gains) if len(gains) > 1 else inf)


Verdicts = Mapping[str, tuple[Comparison, Comparison]]
"""By row: against three greedy, and against three champions."""


def _open(page: Page, scale: Scale, verdicts: Verdicts) -> None:
    args = scale.args
    length = f"{args.batches} batches" if args.batches else f"{60 * args.minutes:g} seconds"
    page.text(
        "Which parts of the recipe matter: Double DQN, prioritized replay, 0.25 a card, the encoding, an LSTM, a pool of rated "
        "past versions? The project it comes from prints no results."
    )
    page.text(
        "\n".join(
            f"- {who}: {_in_words(verdicts, place)}." for place, who in enumerate(("Against greedy", "Against champions"))
        )
    )
    page.text(
        f"Each row is trained for {length}, {scale.seeds} seed{'s' if scale.seeds > 1 else ''}. A row changes one thing of the "
        f"base: {ROWS[BASE][0]}; {args.games:,} games, then {args.steps} steps on {args.minibatch:,} decisions of a replay of "
        f"{args.capacity:,}. `{DMC}` is the algorithm of the champions, on our own encoder, for the seconds that the base "
        f"took; `{DMC_SAME}` learns from as many decisions as the base. Rates are of {4 * scale.deals:,} games against three "
        f"greedy and of {4 * scale.champion_deals:,} against three champions for each seed, whose deals are its own; the seat "
        "that is measured takes turns. Equals are first out in 0.25 of the games."
    )


def _in_words(verdicts: Verdicts, place: int) -> str:
    by_verdict = {
        which: [row for row in verdicts if verdicts[row][place].verdict == which] for which in ("better", "worse", "undecided")
    }
    return "; ".join(f"{which} than the base: {', '.join(rows)}" if which != "undecided" else f"undecided: {', '.join(rows)}"
                     for which, rows in by_verdict.items() if rows)  # fmt: skip


def _mean(results: Sequence[dict[str, float]], name: str) -> str:
    """The mean over seeds with Student's interval."""
    values = [result[name] for result in results]
    return f"{mean(values):.3f}" + (f" ± {student_half_width(values):.3f}" if len(values) > 1 else "")


def _table(page: Page, greedy: Results, champion: Results) -> None:
    columns = ["row", "change", "first, greedy", "place", "points", "plays a game", "first, champions"]
    page.table(columns, [
        [row, ROWS[row][0] if row in ROWS else "Monte Carlo in place of Double DQN", _mean(greedy[row], "first"),
         _mean(greedy[row], "place"), _mean(greedy[row], "points"), _mean(greedy[row], "plays"), _mean(champion[row], "first")]
        for row in greedy
    ])  # fmt: skip


def _compare(page: Page, verdicts: Verdicts, rows: Mapping[str, Sequence[Trained]]) -> None:
    """Each row against the base, seed by seed."""
    page.heading("What holds up")
    page.text("The share first out, less that of the base with the same seed. A row is called better or worse where Student's "
              "interval over the seeds leaves out 0. The steepest gradient is the greatest norm of any step.")  # fmt: skip
    steepest = {row: max(p["metrics"].get("steepest", 0.0) for one in rows[row] for p in one.curve) for row in rows}
    page.table(
        ["row", "against greedy", "verdict", "against champions", "verdict", "steepest gradient"],
        [[BASE, None, None, None, None, steepest[BASE]]]
        + [[row, str(a), a.verdict, str(b), b.verdict, steepest[row] or None] for row, (a, b) in verdicts.items()],
    )


Duels = list[list[dict[str, float]]]
"""Results of every row alone against three of every other; a row against itself is left out."""


def duels(ctx: Context, rows: Mapping[str, Sequence[Trained]], seed: int) -> Duels:
    """Among the nets of a seed."""
    deals, count = SCALES[ctx.scale].duel_deals, len(rows)

    def work() -> Duels:
        agents = [row[seed].agent for row in rows.values()]
        pairs, backend = list(product(range(count), repeat=2)), BatchBackend(ctx.engine, agents, ctx.deal_seed(18, seed))
        played = play_matchups(backend, [Matchup(a, b, range(deals if a != b else 0)) for a, b in pairs])
        found = [results_of(part) if len(part) else {} for part in played]
        return [found[i * count : (i + 1) * count] for i in range(count)]

    return ctx.stage(_stage(ctx, "duels", seed), {"rows": list(rows), "deals": deals}, work)


def _duels(ctx: Context, page: Page, rows: Mapping[str, Sequence[Trained]]) -> None:
    """A heat map of who is first out against whom, and a table of every row against all others."""
    scale, names = SCALES[ctx.scale], list(rows)
    seeds = [duels(ctx, rows, seed) for seed in range(scale.seeds)]
    cells = [[mean(one[a][b].get("first", EVEN) for one in seeds) for b in range(len(names))] for a in range(len(names))]
    packs = "-two-packs" if ctx.game.deck.packs == 2 else ""
    page.text(f"A row alone against three of the column, {4 * scale.duel_deals:,} games a seed, mean of the seeds; in the table "
              "against all other rows.")  # fmt: skip
    page.figure(f"duels{packs}", heat_map("first out, alone against three", names, cells, middle=EVEN))
    overall = {
        row: [{key: mean(cell[key] for cell in one[a] if cell) for key in ("first", "place", "points")} for one in seeds]
        for a, row in enumerate(names)
    }
    page.table(["row", "first", "place", "points"],
               [[row, *(_mean(overall[row], key) for key in ("first", "place", "points"))] for row in names])  # fmt: skip


def _lines(rows: Mapping[str, Sequence[Trained]]) -> dict[str, Any]:
    """The share first out against greedy while the first seed was trained."""
    points = {row: seeds[0].curve for row, seeds in rows.items()}
    line = {
        row: ([p["learned"] / 1e6 for p in curve], [p["strength"]["greedy"][0] for p in curve]) for row, curve in points.items()
    }
    return {"first out against three greedy": line}


def _ratings(base: Trained) -> dict[str, Any]:
    """Of the pool: ratings of the learner, the lowest and the highest version."""
    points = [point for point in base.curve if "rating" in point["metrics"]]
    across = [float(point["iterations"]) for point in points]
    names = {"learner": "rating", "lowest of the pool": "lowest of pool", "highest of the pool": "highest of pool"}
    return {"ratings": {name: (across, [point["metrics"][key] for point in points]) for name, key in names.items()}}


def _write_two_packs(page: Page, trained: Mapping[str, Sequence[Trained]]) -> None:
    """There is no champion for two packs: the net trained by Monte Carlo stands in for it."""
    ctx = trained[BASE][0].ctx
    page.heading("Two packs")
    greedy = {row: [measure(one, "greedy", SCALES[ctx.scale].deals) for one in trained[row]] for row in trained}
    page.table(["row", "first, greedy", "place", "points"],
               [[row, *(_mean(greedy[row], name) for name in ("first", "place", "points"))] for row in trained])  # fmt: skip
    _duels(ctx, page, trained)


def nets(ctx: Context) -> dict[str, torch.nn.Module]:
    """The nets that are exported as models."""
    rows = {"ddqn-pool": BASE, "ddqn-bot": "bots", "ddqn-lstm": "LSTM"}
    known = {name: row for name, row in rows.items() if row in SCALES[ctx.scale].rows}
    return {name: Trained(ctx, row, 0).agent.net for name, row in known.items()}  # type: ignore[attr-defined]
