"""What is compared: the rows, their settings by scale, and a row of one seed as a training run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.value_net import QNetAgent, TorchNetAgent
from shangyou.lab.runs import TrainedRun
from shangyou.lab.stages import Context, Setup
from shangyou.nets.value_net import Size
from shangyou.training import dmc
from shangyou.training.algorithm import TimedArgs
from shangyou.training.ddqn import Args
from shangyou.training.settings import changed

SETUPS = {scale: Setup("zsy4") for scale in ("smoke", "small", "paper")}
TWO_PACKS = {scale: Setup("zsy4", {"decks": 2}) for scale in SETUPS}
BASE = "base"
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
DUEL_ROWS = [BASE, "bots", "self-play", DMC]  # duels need the nets of every seed
GRADIENT_ROWS: dict[str, list[str]] = {  # rewards within and outside of 0..1, with either loss
    "Huber loss": [],
    "Huber loss, rewards times 40": ["reward_scale=40"],
    "squared error": ["loss=squared"],
    "squared error, rewards times 40": ["loss=squared", "reward_scale=40"],
}


@dataclass(frozen=True)
class Scale:
    args: Args
    gradient_args: Args  # of the runs that compare gradients
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
SMALL = replace(COMMON, minutes=0.6, games=256, steps=16, minibatch=512, capacity=300_000, size=CPU_SIZE, eval_deals=200)
SMOKE = replace(SMALL, batches=2, games=24, steps=2, minibatch=64, capacity=20_000, size=TINY, eval_deals=2)
GRADIENTS = replace(SMALL, batches=100, others="self", eval_seconds=0.0, eval_deals=25)  # measured after every batch
SMOKE_GRADIENTS = replace(SMOKE, others="self", eval_seconds=0.0)
SCALES = {
    "smoke": Scale(SMOKE, SMOKE_GRADIENTS, SMALL_ROWS, 1, 3, 2, 1, {"size": TINY, "batch": 64, "minibatch": 64}),
    "small": Scale(
        SMALL, replace(GRADIENTS, batches=30), SMALL_ROWS, 1, 500, 100, 50, {"size": dmc.SMALL, "batch": 512, "minibatch": 512}
    ),
    "paper": Scale(replace(COMMON, batches=30), GRADIENTS, list(ROWS), 3, 5000, 2500, 500, {"size": Size(trunk=512, head=512)}),
}


class Trained:
    """One row of one seed. It is trained, or its net read, only if something is still to be measured: nets are large."""

    def __init__(self, ctx: Context, row: str, seed: int) -> None:
        self.ctx, self.row, self.seed = ctx, row, seed
        self.algorithm = "dmc" if row in (DMC, DMC_SAME) else "ddqn"

    @cached_property
    def run(self) -> TrainedRun:
        return TrainedRun(self.ctx, stage_name(self.ctx, self.row, self.seed), self.algorithm, self._args())

    def _args(self) -> Any:
        ctx, scale = self.ctx, SCALES[self.ctx.scale]
        common = scale.gradient_args if self.row in GRADIENT_ROWS else scale.args
        args: Any = replace(common, rules=str(ctx.game.rules), device=str(ctx.device), seed=ctx.seed + self.seed)
        args = replace(args, games=args.games // ctx.game.deck.packs)  # with two packs, games are about twice as long
        if self.algorithm == "ddqn":
            return changed(args, GRADIENT_ROWS[self.row] if self.row in GRADIENT_ROWS else ROWS[self.row][1])
        same = {field.name: getattr(args, field.name) for field in fields(TimedArgs)}
        args, base = dmc.Args(**same, points_scale=3.0, **scale.dmc), Trained(ctx, BASE, self.seed).curve[-1]
        if self.row == DMC:
            return replace(args, minutes=base["seconds"] / 60, batches=0)
        games = base["games"] // 4  # all four seats learn, where the base has one
        return replace(args, batches=min(DMC_BATCHES, games), batch=max(1, games // DMC_BATCHES))

    def measured(self, what: str, settings: Any, work: Callable[[], Any]) -> Any:
        """A stage of this row: what was measured of it."""
        return self.ctx.stage(stage_name(self.ctx, self.row, self.seed, what), {**self.run.settings, "of": settings}, work)

    @property
    def curve(self) -> list[dict[str, Any]]:
        return self.measured("curve", "training", lambda: self.run.curve)  # type: ignore[no-any-return]

    @cached_property
    def agent(self) -> BatchAgent:
        if self.algorithm == "dmc":
            return TorchNetAgent(self.ctx.game, self.run.net, name=self.row)
        return QNetAgent(self.ctx.engine, self.run.net, self.row)


def stage_name(ctx: Context, *parts: object) -> str:
    """A name for a file, from the names of rows and agents."""
    words = ["ddqn", *map(str, parts), *(["two packs"] if ctx.game.deck.packs == 2 else [])]
    return "-".join(words).replace(",", "").replace(" ", "-").replace("/", "-")


def rows_of(ctx: Context) -> dict[str, list[Trained]]:
    """Every row with its seeds. With two packs, for which there is no champion: the pool, plain self-play and Monte Carlo."""
    scale = SCALES[ctx.scale]
    rows = [*scale.rows, DMC, DMC_SAME] if ctx.game.deck.packs == 1 else [BASE, "self-play", DMC]
    return seeds_of(ctx, rows)


def seeds_of(ctx: Context, rows: Sequence[str]) -> dict[str, list[Trained]]:
    return {row: [Trained(ctx, row, seed) for seed in range(SCALES[ctx.scale].seeds)] for row in rows}


def with_two_packs(ctx: Context) -> Context:
    return Context(TWO_PACKS, ctx.scale, ctx.seed, str(ctx.device), ctx.folder.parent, ctx.console)
