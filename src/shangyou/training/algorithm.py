"""The frame of training: what an algorithm is, what it is given to run in, and what a checkpoint holds.

    net = start("dmc", dmc.Args("zsy2", minutes=10), RunFolder(path), report=print)

An algorithm knows nets and games. The clock, evaluation, curves, checkpoints and resuming are the same for all, and are here;
disks and terminals are behind `Keeper` and `report`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Protocol

import torch
from torch import nn

from shangyou import games
from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.engines.batch import BatchEngine, check_device
from shangyou.engines.game_columns import GameColumns
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import play_deals
from shangyou.games import BadInput, Game
from shangyou.nets.papers import ensemble_of
from shangyou.nets.spec import ENCODING
from shangyou.training import ALGORITHMS
from shangyou.training.distributed import DistributedContext, local_device
from shangyou.training.settings import found_device, from_dict

Checkpoint = dict[str, Any]
HALF = 0.5  # of a run
MOST_COMPILED = 256  # versions of a function in a process; beyond this, torch would run it uncompiled
EVAL_SEED = 1_000_003  # of the deals that measure a net: training deals have other seeds, or other numbers
OPPONENTS = {"zsy2": {"opponents": ("random", "greedy", "paper-greedy"), "eval_deals": 2000}}  # a preset of the papers' nets
NETS = ("net", "nets")  # what of a checkpoint is a net; the rest is only for going on


@dataclass(frozen=True)
class BaseArgs:
    """The settings that every algorithm has; with its own they are all a run depends on."""

    MAY_CHANGE: ClassVar = frozenset({"device", "opponents", "eval_deals", "eval_seconds", "checkpoint_seconds"})
    LENGTH: ClassVar[str] = ""  # the setting that says how many iterations a run has

    game: str
    rules: str = ""  # rule fields that differ from the game's own, "spring=true base=3"
    device: str = "cuda"
    seed: int = 0
    opponents: tuple[str, ...] = ("random", "greedy")  # to measure against
    eval_deals: int = 8192  # of a measurement
    eval_seconds: float = 30.0  # between measurements
    checkpoint_seconds: float = 30.0  # between checkpoints: what an interruption can cost
    untimed: int = 0  # iterations at the start that take no time of the run: in the first ones, kernels are compiled

    def share_left(self, progress: Progress) -> float:
        """Of the run, 1 at its start and 0 at its end."""
        length: int = getattr(self, self.LENGTH)
        return max(0.0, 1 - (progress.iterations + progress.part) / length)

    def load_game(self) -> Game:
        return games.load_text(self.game, self.rules)


@dataclass(frozen=True)
class TimedArgs(BaseArgs):
    """Of an algorithm that trains for a given time."""

    MAY_CHANGE: ClassVar = BaseArgs.MAY_CHANGE | {"minutes", "batches"}

    minutes: float = 10.0  # wall clock of the whole run; the learning rate falls to nothing by then
    batches: int = 0  # if not 0, the run is so many batches long instead: the same however fast the machine is

    def share_left(self, progress: Progress) -> float:
        done = progress.iterations / self.batches if self.batches else progress.seconds / (60 * self.minutes)
        return max(0.0, 1 - done)


@dataclass(frozen=True)
class WarmArgs(TimedArgs):
    """Of an algorithm whose runs may go on from weights alone, and then warm up."""

    MAY_CHANGE: ClassVar = TimedArgs.MAY_CHANGE | {"warmup", "store_optimiser"}

    warmup: int = 0  # steps over which the learning rate rises, wherever the optimiser begins without memory
    store_optimiser: bool = True  # in checkpoints; without its memory they are a third as large, or half


@dataclass
class Progress:
    """How far a run has come."""

    seconds: float = 0.0  # of wall clock, measurements counted in
    iterations: int = 0
    part: float = 0.0  # of the iteration that is going on, where one takes long
    games: int = 0
    decisions: int = 0
    learned: int = 0  # decisions with a choice: those learned from
    pairs: int = 0  # plays the net looked at to make them
    acting: float = 0.0  # seconds
    learning: float = 0.0
    loss: float | None = None  # mean of the last iteration
    strength: dict[str, tuple[float, float]] = field(default_factory=dict)  # by opponent: share won, points
    measured: float | None = None  # the seconds at which it was
    metrics: dict[str, float] = field(default_factory=dict)  # what else the algorithm logs

    def count(self, games: int, decisions: int = 0, learned: int = 0, pairs: int = 0) -> None:
        self.games += games
        self.decisions += decisions
        self.learned += learned
        self.pairs += pairs


Report = Callable[[Progress], None]


class StoredGames(Protocol):
    def chunks(self, held_out: bool | None, share: float, size: int, seed: int | None) -> Iterator[GameColumns]:
        """Every game once, of those that are held out, of the others, or with None of all; with a seed in random order."""


class Keeper(Protocol):
    """Where a run is stored, by whoever started it."""

    def save(self, checkpoint: Checkpoint) -> None: ...

    def save_half(self, checkpoint: Checkpoint) -> None:
        """The net in the middle of the run, without what only training needs: what the final one should beat."""

    def log(self, progress: Progress) -> None:
        """A point of the learning curve."""

    def load(self, run: str) -> Checkpoint:
        """The checkpoint of another run."""

    def games(self, files: Sequence[str], game: Game) -> StoredGames:
        """The games of files that are of this game."""


class Run:
    """One run of an algorithm. Whoever makes it closes its `context`, the connections to other processes."""

    def __init__(self, algorithm: str, args: Any, keeper: Keeper, report: Report, resumed: Checkpoint | None) -> None:
        self.algorithm, self.args, self.keeper, self.report, self.resumed = algorithm, args, keeper, report, resumed
        if resumed:
            check_same_settings(args, resumed)
        self.progress = Progress(**resumed["progress"]) if resumed else Progress()
        self.game, self.device = args.load_game(), check_device(local_device(args.device))
        self.context = DistributedContext(self.device)
        self.rivals: dict[str, BatchAgent] = {}  # measured against, beside the opponents that settings name

    @cached_property
    def engine(self) -> BatchEngine:
        return BatchEngine(self.game, self.device)

    def load_net(self, run: str) -> Any:
        """The net of another run, here."""
        return net_of(self.keeper.load(run)).to(self.device)

    def restore(self, net: nn.Module, optimiser: torch.optim.Optimizer) -> None:
        """Weights and optimiser of the checkpoint, if there is one. Without the optimiser's memory some steps build it anew
        (`learning_rate.py`)."""
        stored = self.resumed or {}
        if "net" in stored:
            net.load_state_dict(stored["net"])
        if "optimiser" in stored:
            settings = optimiser.state_dict()["param_groups"]  # those that suit this device
            optimiser.load_state_dict({"state": stored["optimiser"]["state"], "param_groups": settings})

    def learn(
        self, net: nn.Module, optimiser: torch.optim.Optimizer, agent: Callable[[], BatchAgent] | None = None
    ) -> Iterator[float]:
        """`steps` of one net with its optimiser."""
        stored: dict[str, Any] = {"net": net}
        if not isinstance(self.args, WarmArgs) or self.args.store_optimiser:
            stored["optimiser"] = optimiser
        return self.steps(lambda: {name: part.state_dict() for name, part in stored.items()}, agent)

    def steps(self, state: Callable[[], dict[str, Any]], agent: Callable[[], BatchAgent] | None = None) -> Iterator[float]:
        """The share of the run that is left, once for every iteration; measured, logged and stored in between when due.

        `state` is what a checkpoint adds: the nets, and all else that training goes on from. `agent` is what is measured.
        """
        args, progress, first = self.args, self.progress, self.context.first
        started, saved = time.perf_counter() - progress.seconds, progress.seconds
        first_half = args.share_left(progress) > HALF
        while True:
            progress.seconds = self.context.same(time.perf_counter() - started)
            left = args.share_left(progress)
            if left == 0 or progress.measured is None or progress.seconds - progress.measured >= args.eval_seconds:
                progress.measured = progress.seconds
                if first:
                    progress.strength = self.evaluate(agent()) if agent else {}
                    self.keeper.log(progress)
            if left == 0 or progress.seconds - saved >= args.checkpoint_seconds:
                if first:
                    self.keeper.save(checkpoint(self.algorithm, args, progress, state()))
                saved = progress.seconds
            if first_half and left <= HALF:
                first_half = False
                if first:
                    nets = {name: value for name, value in state().items() if name in NETS}
                    self.keeper.save_half(checkpoint(self.algorithm, args, progress, nets))
            if left == 0:
                self.report(progress)  # with the last measurement in it
                self.context.wait()  # one that leaves while another still measures may be aborted by torch on its way out
                return
            yield left
            progress.iterations, progress.part = progress.iterations + 1, 0.0
            if progress.iterations <= args.untimed:
                started = time.perf_counter() - progress.seconds
            self.report(progress)

    def evaluate(self, agent: BatchAgent) -> dict[str, tuple[float, float]]:
        """Share won and points against each opponent."""
        others = {name: load_batch(name, self.game) for name in self.args.opponents} | self.rivals
        backends = {name: BatchBackend(self.engine, [agent, other], EVAL_SEED) for name, other in others.items()}
        played = {name: play_deals(backend, range(self.args.eval_deals)) for name, backend in backends.items()}
        return {name: (float(part.win.mean()), float(part.points.mean())) for name, part in played.items()}

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Adds to the seconds of `acting` or `learning`."""
        began = time.perf_counter()
        yield
        if self.device.type == "cuda":
            torch.cuda.current_stream(self.device).synchronize()  # not for games that are played meanwhile
        setattr(self.progress, what, getattr(self.progress, what) + time.perf_counter() - began)


def checkpoint(algorithm: str, args: BaseArgs, progress: Progress, state: dict[str, Any]) -> Checkpoint:
    game = args.load_game()
    made_for = {"game": game.name, "rules": str(game.rules), "table": game.table.hash, "encoding": ENCODING}
    return {"algorithm": algorithm, "args": asdict(args), **made_for, "progress": asdict(progress), **state}


@dataclass(frozen=True)
class Algorithm:
    """What the frame must know of an algorithm."""

    args: type[Any]  # its settings, a subclass of BaseArgs
    train: Callable[[Any, Run], Any]  # with these settings; the trained net
    make_net: Callable[[Any, Game], Any] | None = None  # an untrained net, whose weights a checkpoint has as `net`
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # settings that suit a game
    cpu: Mapping[str, Any] = field(default_factory=dict)  # settings that suit a machine without a GPU
    file: str = ""  # if named, its checkpoint lies under this name beside the one of the run that its setting `player` names


def find_algorithm(name: str) -> Algorithm:
    if name not in ALGORITHMS:
        raise BadInput(f"there is no algorithm {name!r}; there are {', '.join(ALGORITHMS)}")
    return import_module(f"shangyou.training.{name.replace('-', '_')}").ALGORITHM  # type: ignore[no-any-return]


def preset(algorithm: str, game: str, device: str = "auto") -> Any:
    """Settings that suit a game and a machine."""
    chosen, device = find_algorithm(algorithm), found_device(device)
    return chosen.args(game, device=device, **{**chosen.presets.get(game, {}), **(chosen.cpu if device == "cpu" else {})})


def start(
    algorithm: str, args: Any, keeper: Keeper, report: Report = lambda progress: None, resumed: Checkpoint | None = None
) -> Any:
    """Train from new weights, or go on from a checkpoint; the trained net."""
    torch.set_float32_matmul_precision("high")
    run = Run(algorithm, args, keeper, report, resumed)
    if run.device.type == "cuda":  # nets of many shapes, trained one after another, are all compiled
        torch._dynamo.config.recompile_limit = MOST_COMPILED
    with closing(run.context):
        return find_algorithm(algorithm).train(args, run)


def args_of(stored: Checkpoint) -> Any:
    """The settings of a checkpoint."""
    return from_dict(find_algorithm(stored["algorithm"]).args, stored["args"])


def nets_of(stored: Checkpoint) -> dict[str, Any]:
    """The nets of a checkpoint by name, whatever algorithm it is from."""
    args = args_of(stored)
    game = args.load_game()
    if game.table.hash != stored.get("table", game.table.hash):
        raise BadInput(f"the checkpoint was made for another table of plays: {stored['table']}, not {game.table.hash}")
    make_net = find_algorithm(stored["algorithm"]).make_net
    if make_net is None:
        return {name: ensemble_of(game, stored["nets"], [name]) for name in stored["nets"]}
    net = make_net(args, game)
    net.load_state_dict(stored["net"])
    return {"net": net}


def check_same_settings(args: Any, stored: Checkpoint) -> None:
    """Whether these settings go on with a checkpoint: some may change, most may not."""
    before, now = asdict(args_of(stored)), asdict(args)
    if changed := [name for name in now if name not in args.MAY_CHANGE and before[name] != now[name]]:
        raise BadInput(f"the checkpoint was made with other {', '.join(changed)}: start a new run instead")


def net_of(stored: Checkpoint) -> Any:
    """The only net of a checkpoint."""
    nets = nets_of(stored)
    if len(nets) != 1:
        raise BadInput(f"the run has {len(nets)} nets, where one is needed: {', '.join(nets)}")
    return next(iter(nets.values()))
