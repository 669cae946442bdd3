"""Deep Monte-Carlo self-play: play a batch of games to their end, learn what became of every decision, repeat.

    net = train(Args("zsy2", minutes=10), RunFolder(path), report=print)

The value of a play is learned as it is: whether the game was won and for how many points, by cross entropy and squared error.
No bootstrapping, no replay: games are cheap here, and the freshest are the best.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor
from torch.nn import functional

from shangyou import games
from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.agents.seating import seatings
from shangyou.engines.batch import BatchEngine, check_device
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import play_deals
from shangyou.games import BadInput, Game
from shangyou.nets.inputs import Inputs
from shangyou.nets.spec import AIMS
from shangyou.nets.value_net import Size, ValueNet
from shangyou.training.ranks import Ranks, local_device
from shangyou.training.recording import Recording
from shangyou.training.self_play import Explorer, Lessons, play_lessons

HALF = 0.5  # of a run
EVAL_SEED = 1_000_003  # of the deals that measure a net: training deals have other seeds, or other numbers


@dataclass(frozen=True)
class Args:
    """All a run depends on, kept with it."""

    game: str
    rules: str = ""  # rule fields that differ from the game's own, "spring=true base=3"
    minutes: float = 10.0  # wall clock of the whole run; the learning rate falls to nothing by then
    batches: int = 0  # if not 0, the run is so many batches long instead: the same however fast the machine is
    device: str = "cuda"
    seed: int = 0
    batch: int = 262_144  # games played before learning from them; each process plays so many
    minibatch: int = 32_768  # decisions a step of the optimiser
    lr: float = 1e-3
    epsilon: float = 0.01  # share of decisions made by lot
    aims: tuple[str, ...] = AIMS  # what the games are played for, in equal parts
    points_scale: float = 4.0  # points are learned in units of this
    points_weight: float = 1.0  # of their error beside the cross entropy of winning
    sparring: tuple[str, ...] = ()  # agents that have one side in a share of the games; in the others the net plays itself
    sparring_share: float = 0.4
    size: Size = field(default_factory=Size)
    opponents: tuple[str, ...] = ("random", "greedy")  # to measure against
    gauge_games: int = 8192  # deals of a measurement
    gauge_seconds: float = 30.0  # between measurements
    keep_seconds: float = 30.0  # between checkpoints: what an interruption can cost

    def share_left(self, progress: Progress) -> float:
        """Of the run, 1 at its start and 0 at its end."""
        done = progress.iterations / self.batches if self.batches else progress.seconds / (60 * self.minutes)
        return max(0.0, 1 - done)

    def load_game(self) -> Game:
        return games.load_text(self.game, self.rules)


@dataclass
class Progress:
    """How far a run has come."""

    seconds: float = 0.0  # of wall clock, measurements counted in
    iterations: int = 0
    games: int = 0
    decisions: int = 0
    learned: int = 0  # decisions with a choice: those learned from
    pairs: int = 0  # plays the net looked at to make them
    acting: float = 0.0  # seconds
    learning: float = 0.0
    loss: float | None = None  # mean of the last batch
    strength: dict[str, tuple[float, float]] = field(default_factory=dict)  # by opponent: share won, points
    measured: float | None = None  # the seconds at which it was

    def count(self, games: float, decisions: float, learned: float, pairs: float) -> None:
        self.games += int(games)
        self.decisions += int(decisions)
        self.learned += int(learned)
        self.pairs += int(pairs)


Checkpoint = dict[str, Any]


class Keeper(Protocol):
    """Where a run is kept, by whoever started it."""

    def save(self, checkpoint: Checkpoint) -> None: ...

    def save_half(self, checkpoint: Checkpoint) -> None:
        """The net at half time, without the optimiser's memory: what the final one should beat."""

    def log(self, progress: Progress) -> None:
        """A point of the learning curve."""


class Losses(NamedTuple):
    win: Tensor
    points: Tensor


def make_net(args: Args, game: Game) -> ValueNet:
    torch.manual_seed(args.seed)
    return ValueNet(game, args.size, args.points_scale)


def make_optimiser(args: Args, net: ValueNet) -> torch.optim.Optimizer:
    """Its learning rate is a tensor, so that it can change in a step that was recorded."""
    device = net.answer.weight.device
    on_gpu = device.type == "cuda"
    return torch.optim.Adam(net.parameters(), lr=torch.tensor(args.lr, device=device), fused=on_gpu, capturable=on_gpu)


def load_net(kept: Checkpoint) -> ValueNet:
    """The net of a checkpoint, whatever run it is from."""
    args = args_of(kept)
    game = args.load_game()
    if game.table.hash != kept["table"]:
        raise BadInput(f"the checkpoint was made for another table of plays: {kept['table']}, not {game.table.hash}")
    net = make_net(args, game)
    net.load_state_dict(kept["net"])
    return net


def args_of(kept: Checkpoint) -> Args:
    return Args(**{**kept["args"], "size": Size(**kept["args"]["size"])})


def train(
    args: Args,
    keeper: Keeper,
    report: Callable[[Progress], None] = lambda progress: None,
    resume: Checkpoint | None = None,
    against: ValueNet | None = None,
) -> ValueNet:
    """The trained net. With `against`, a frozen net has one side in every game, and is what is learned to beat."""
    game, device = args.load_game(), check_device(local_device(args.device))
    torch.set_float32_matmul_precision("high")
    with Ranks(device) as ranks:
        engine = BatchEngine(game, device)
        net = make_net(args, game).to(device)
        optimiser = make_optimiser(args, net)
        progress = Progress()
        if resume is not None:
            progress = restore(resume, args, net, optimiser)
        learner = TorchNetAgent(game, net)
        opponent = TorchNetAgent(game, against.to(device)) if against is not None else None
        if opponent is not None:
            seating = Seating(args, game, learner, [opponent], share=1.0)
        else:
            partners = [load_batch(name, game) for name in args.sparring]
            seating = Seating(args, game, learner, partners, args.sparring_share)
        step = Step(net, optimiser, args, ranks)
        started, kept = time.perf_counter() - progress.seconds, progress.seconds
        first_half = args.share_left(progress) > HALF

        while True:
            progress.seconds = ranks.same(time.perf_counter() - started)
            left = args.share_left(progress)
            if left == 0 or progress.measured is None or progress.seconds - progress.measured >= args.gauge_seconds:
                progress.measured = progress.seconds
                if ranks.first:
                    progress.strength = measure(args, engine, learner, opponent)
                    keeper.log(progress)
            if left == 0 or progress.seconds - kept >= args.keep_seconds:
                if ranks.first:
                    keeper.save(checkpoint(args, net, optimiser, progress))
                kept = progress.seconds
            if first_half and left <= HALF:
                first_half = False
                if ranks.first:
                    keeper.save_half(checkpoint(args, net, None, progress))
            if left == 0:
                report(progress)  # with the last measurement in it
                return net
            began = time.perf_counter()
            lessons = play_batch(args, engine, seating, progress, ranks)
            progress.acting += _seconds_since(began, device)
            began = time.perf_counter()
            progress.loss = step.learn(lessons, left, seed=progress.iterations)
            learner.refresh(net)
            progress.learning += _seconds_since(began, device)
            progress.iterations += 1
            progress.count(*ranks.total(args.batch, lessons.decisions, len(lessons.plays), lessons.pairs))
            report(progress)


def play_batch(args: Args, engine: BatchEngine, seating: Seating, progress: Progress, ranks: Ranks) -> Lessons:
    """The next games of the run: a process that comes back from a checkpoint goes on with the deals it would have had."""
    batch = progress.iterations * ranks.count + ranks.rank
    seating.explorer.generator.manual_seed(args.seed * 1_000_003 + batch)
    start = engine.deal(args.batch, args.seed, batch * args.batch)
    return play_lessons(engine, seating.explorer, seating.partners, seating.seats, start)


class Seating:
    """Who sits where in a batch: the learner everywhere, but on one side of some games, where others spar with it.

    Games with sparring partners come first, a block for each partner; in a block sides take turns. Aims take turns everywhere.
    """

    def __init__(self, args: Args, game: Game, learner: TorchNetAgent, partners: Sequence[BatchAgent], share: float) -> None:
        device = learner.of_plays.device
        number = torch.arange(args.batch, device=device)
        block = int(args.batch * share / len(partners)) if partners else 0
        seats = torch.tensor(seatings(game), device=device)
        aims = torch.tensor([AIMS.index(aim) for aim in args.aims], device=device)
        side_taken = seats[number // len(aims) % len(seats)]  # [B, S]
        partner = number // block if block else number + len(partners)
        spars = ~side_taken & (partner < len(partners))[:, None]
        self.seats = torch.where(spars, 1 + partner[:, None], 0)  # [B, S]
        self.explorer, self.partners = Explorer(learner, aims[number % len(aims)], args.epsilon), partners


class Step:
    """Learning from a batch of games, once through, in minibatches drawn by lot."""

    def __init__(self, net: ValueNet, optimiser: torch.optim.Optimizer, args: Args, ranks: Ranks) -> None:
        self.net, self.optimiser, self.args, self.ranks = net, optimiser, args, ranks
        self.device = net.answer.weight.device
        on_gpu = self.device.type == "cuda"
        self._losses = torch.compile(self.losses) if on_gpu else self.losses
        self._take = Recording(self.take) if on_gpu and ranks.count == 1 else self.take

    def losses(self, seen: Inputs, plays: Tensor, won: Tensor, points: Tensor) -> Losses:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            position, of_plays = self.net.position(seen), self.net.plays(plays)
            features = self.net.judge(position, seen.hand, plays, of_plays)
        answers = self.net.answer(features.float())
        win = functional.binary_cross_entropy_with_logits(answers[:, 0], won)
        return Losses(win, functional.mse_loss(answers[:, 1], points / self.args.points_scale))

    def take(self, columns: Sequence[Tensor]) -> Tensor:
        """One step of the optimiser, on a minibatch; its loss."""
        *seen, plays, won, points = columns
        losses = self._losses(Inputs(*seen), plays.long(), won, points)
        loss = losses.win + self.args.points_weight * losses.points
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.ranks.average_gradients(self.net.parameters())
        self.optimiser.step()
        return loss.detach()

    def learn(self, lessons: Lessons, left: float, seed: int) -> float:
        """The mean loss. `left` is the share of the run that is left; the seed draws the minibatches."""
        for group in self.optimiser.param_groups:
            group["lr"].fill_(self.args.lr * left)
        total, steps = torch.zeros((), device=self.device), 0
        for columns in self.minibatches(lessons, seed):
            total, steps = total + self._take(columns), steps + 1
        return total.item() / steps

    def minibatches(self, lessons: Lessons, seed: int) -> Iterator[Sequence[Tensor]]:
        """Of one size; as many in every process, since they learn in step. What fills no minibatch is left out."""
        decisions = len(lessons.plays)
        size = min(self.args.minibatch, self.ranks.least(decisions))
        generator = torch.Generator(self.device).manual_seed(seed)
        order = torch.randperm(decisions, generator=generator, device=self.device)
        shuffled = [column[order] for column in lessons.columns]  # once: slices cost nothing
        for i in range(self.ranks.least(decisions // size)):
            yield [column[i * size : (i + 1) * size] for column in shuffled]


def measure(
    args: Args, engine: BatchEngine, learner: TorchNetAgent, opponent: TorchNetAgent | None
) -> dict[str, tuple[float, float]]:
    """Share won and points against the fixed opponents, playing to win."""
    players = {name: load_batch(name, engine.game) for name in args.opponents}
    if opponent is not None:
        players["frozen"] = opponent
    deals = range(args.gauge_games)
    played = {name: play_deals(BatchBackend(engine, [learner, other], EVAL_SEED), deals) for name, other in players.items()}
    return {name: (float(part.win.mean()), float(part.points.mean())) for name, part in played.items()}


def checkpoint(args: Args, net: ValueNet, optimiser: torch.optim.Optimizer | None, progress: Progress) -> Checkpoint:
    kept = {"args": asdict(args), "table": args.load_game().table.hash, "net": net.state_dict(), "progress": asdict(progress)}
    return kept if optimiser is None else kept | {"optimiser": optimiser.state_dict()}


def restore(kept: Checkpoint, args: Args, net: ValueNet, optimiser: torch.optim.Optimizer) -> Progress:
    """Go on from a checkpoint. What a run is may not change on the way, but for how long it takes and where.

    A checkpoint may come without the optimiser's memory, a third of the size: that is found again within some steps.
    """
    may_change = {"minutes", "batches", "device", "gauge_games", "gauge_seconds", "keep_seconds", "opponents"}
    before, now = asdict(args_of(kept)), asdict(args)
    changed = [name for name in now if name not in may_change and before[name] != now[name]]
    if changed:
        raise BadInput(f"the checkpoint was made with other {', '.join(changed)}: start a new run instead")
    net.load_state_dict(kept["net"])
    if "optimiser" in kept:
        settings = optimiser.state_dict()["param_groups"]  # those that suit this device
        optimiser.load_state_dict({"state": kept["optimiser"]["state"], "param_groups": settings})
    return Progress(**kept["progress"])


def _seconds_since(began: float, device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - began
