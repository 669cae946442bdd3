"""Four-player ZhengShangYou by Double DQN: a base recipe, and one change of it at a time.

The project this follows prints no results, so that there is nothing to compare with but the rows themselves, greedy and the
champion.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from statistics import mean
from typing import Any

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


@dataclass(frozen=True)
class Scale:
    args: Args
    rows: Sequence[str]
    seeds: int
    deals: int  # of a measurement against greedy
    champion_deals: int  # and against champions, which play on a CPU
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
    "paper": Scale(replace(COMMON, minutes=0.75), list(ROWS), 3, 5000, 500, 500, {"size": Size(trunk=512, head=512)}),
}


class Trained:
    """One row of one seed. It is trained, or its net read, only if something is still to be measured: nets are large."""

    def __init__(self, ctx: Context, row: str, seed: int) -> None:
        self.ctx, self.row, self.seed = ctx, row, seed
        self.algorithm = "dmc" if row in (DMC, DMC_SAME) else "ddqn"
        self.run = TrainedRun(ctx, _stage(ctx, row, seed), self.algorithm, self._args())

    def _args(self) -> Any:
        ctx, scale = self.ctx, SCALES[self.ctx.scale]
        args: Any = replace(scale.args, rules=str(ctx.game.rules), device=str(ctx.device), seed=ctx.seed + self.seed)
        if self.algorithm == "ddqn":
            return changed(args, ROWS[self.row][1])
        same = {field.name: getattr(args, field.name) for field in fields(TimedArgs)}
        args = dmc.Args(**same, points_scale=3.0, **scale.dmc)
        if self.row != DMC_SAME:
            return args
        games = Trained(ctx, BASE, self.seed).curve[-1]["games"] // 4  # all four seats learn, where the base has one
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


def run(ctx: Context, page: Page) -> None:
    scale = SCALES[ctx.scale]
    rows = [*scale.rows, DMC, DMC_SAME]
    trained = {row: [Trained(ctx, row, seed) for seed in range(scale.seeds)] for row in rows}
    two_packs = _two_packs(ctx, scale)
    for seed in range(scale.seeds):  # a whole seed before the next: a run that is cut off has something to show
        for one in (trained[row][seed] for row in rows):
            _measure_all(one, scale)
        for row in two_packs:
            measure(two_packs[row][seed], "greedy", scale.deals)
    _open(page, scale)
    greedy = {row: [measure(one, "greedy", scale.deals) for one in trained[row]] for row in rows}
    champion = {row: [measure(one, CHAMPION, scale.champion_deals) for one in trained[row]] for row in rows}
    _table(page, rows, greedy, champion)
    _findings(page, rows, greedy, trained)
    _duels(ctx, page, rows, trained, scale)
    page.figure("curves", curves(_lines(rows, trained), "seconds"))
    page.figure("ratings", curves(_ratings(trained), "batches"))
    _write_two_packs(page, two_packs, scale)


def _measure_all(trained: Trained, scale: Scale) -> None:
    """Everything that needs the net of a row, while it is here."""
    assert trained.curve
    measure(trained, "greedy", scale.deals)
    measure(trained, CHAMPION, scale.champion_deals)


def _open(page: Page, scale: Scale) -> None:
    args = scale.args
    length = f"{args.batches} batches" if args.batches else f"{60 * args.minutes:g} seconds"
    page.text(
        f"Each row is trained for {length}, {scale.seeds} seed{'s' if scale.seeds > 1 else ''}. A row changes one thing of the "
        f"base: {ROWS[BASE][0]}; {args.games:,} games, then {args.steps} steps on {args.minibatch:,} decisions of a replay of "
        f"{args.capacity:,}. `{DMC}` is the algorithm of the champions, on our own encoder, for the same time. Rates are of "
        f"{4 * scale.deals:,} games against three greedy and of {4 * scale.champion_deals:,} against three champions for each "
        "seed, whose deals are its own; the seat that is measured takes turns. Equals are first out in 0.25 of the games."
    )


def _mean(results: Sequence[dict[str, float]], name: str) -> str:
    """The mean over seeds with Student's interval."""
    values = [result[name] for result in results]
    return f"{mean(values):.3f}" + (f" ± {student_half_width(values):.3f}" if len(values) > 1 else "")


Results = Mapping[str, Sequence[dict[str, float]]]


def _table(page: Page, rows: Sequence[str], greedy: Results, champion: Results) -> None:
    columns = ["row", "change", "first, greedy", "place", "points", "plays a game", "first, champions"]
    page.table(columns, [
        [row, ROWS[row][0] if row in ROWS else "Monte Carlo in place of Double DQN", _mean(greedy[row], "first"),
         _mean(greedy[row], "place"), _mean(greedy[row], "points"), _mean(greedy[row], "plays"), _mean(champion[row], "first")]
        for row in rows
    ])  # fmt: skip


def _findings(page: Page, rows: Sequence[str], greedy: Results, trained: Mapping[str, Sequence[Trained]]) -> None:
    """Each row against the base, seed by seed."""
    page.heading("What holds up")
    page.text("The share first out against three greedy, less that of the base with the same seed. A row is called better or "
              "worse where Student's interval over the seeds leaves out 0.")  # fmt: skip
    lines = []
    for row in rows[1:]:
        gains = [one["first"] - base["first"] for one, base in zip(greedy[row], greedy[BASE], strict=True)]
        width = student_half_width(gains) if len(gains) > 1 else float("inf")
        verdict = "undecided" if abs(mean(gains)) <= width else "better" if mean(gains) > 0 else "worse"
        steepest = max(point["metrics"].get("steepest", 0.0) for one in trained[row] for point in one.curve)
        lines.append([row, mean(gains), width if len(gains) > 1 else None, verdict, steepest or None])
    page.table(["row", "gain", "±", "verdict", "steepest gradient"], lines)


def _duels(ctx: Context, page: Page, rows: Sequence[str], trained: Mapping[str, Sequence[Trained]], scale: Scale) -> None:
    """Every row of the first seed alone against three of every other."""
    deals, count = scale.duel_deals, len(rows)

    def work() -> list[list[float]]:
        agents = [trained[row][0].agent for row in rows]
        pairs, backend = list(product(range(count), repeat=2)), BatchBackend(ctx.engine, agents, ctx.deal_seed(18))
        played = play_matchups(backend, [Matchup(a, b, range(deals)) for a, b in pairs])
        won = [0.25 if a == b else float(part.win.mean()) for (a, b), part in zip(pairs, played, strict=True)]
        return [won[i * count : (i + 1) * count] for i in range(count)]

    cells = ctx.stage("ddqn-duels", {"rows": list(rows), "deals": deals}, work)
    page.heading("Against each other")
    page.text(f"First out of a row alone against three of the column, {4 * deals:,} games each, the first seed.")
    page.figure("duels", heat_map("first out, alone against three", list(rows), cells, middle=0.25))


def _lines(rows: Sequence[str], trained: Mapping[str, Sequence[Trained]]) -> dict[str, Any]:
    """The share first out against greedy while the first seed was trained."""
    points = {row: trained[row][0].curve for row in rows}
    line = {row: ([p["seconds"] for p in curve], [p["strength"]["greedy"][0] for p in curve]) for row, curve in points.items()}
    return {"first out against three greedy": line}


def _ratings(trained: Mapping[str, Sequence[Trained]]) -> dict[str, Any]:
    """The pool of the base's first seed: ratings of the learner, the lowest and the highest version."""
    points = [point for point in trained[BASE][0].curve if "rating" in point["metrics"]]
    across = [float(point["iterations"]) for point in points]
    names = {"learner": "rating", "lowest of the pool": "lowest of pool", "highest of the pool": "highest of pool"}
    return {"ratings": {name: (across, [point["metrics"][key] for point in points]) for name, key in names.items()}}


def _two_packs(ctx: Context, scale: Scale) -> dict[str, list[Trained]]:
    """The base, plain self-play and Monte Carlo with two packs, for which there is no champion."""
    other = Context(TWO_PACKS, ctx.scale, ctx.seed, str(ctx.device), ctx.folder.parent, ctx.console)
    return {row: [Trained(other, row, seed) for seed in range(scale.seeds)] for row in (BASE, "self-play", DMC)}


def _write_two_packs(page: Page, trained: Mapping[str, Sequence[Trained]], scale: Scale) -> None:
    page.heading("Two packs")
    greedy = {row: [measure(one, "greedy", scale.deals) for one in trained[row]] for row in trained}
    page.table(["row", "first, greedy", "place", "points"],
               [[row, *(_mean(greedy[row], name) for name in ("first", "place", "points"))] for row in trained])  # fmt: skip


def nets(ctx: Context) -> dict[str, torch.nn.Module]:
    """The nets that are exported as models."""
    rows = {"ddqn-pool": BASE, "ddqn-bot": "bots", "ddqn-lstm": "LSTM"}
    known = {name: row for name, row in rows.items() if row in SCALES[ctx.scale].rows}
    return {name: Trained(ctx, row, 0).agent.net for name, row in known.items()}  # type: ignore[attr-defined]
