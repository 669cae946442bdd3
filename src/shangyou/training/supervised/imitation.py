"""Supervised learning of stored games: the nets of DeepRocket learn which play was made.

    net = start("supervised", Args("doudizhu", data=("doudizhu.parquet",), minutes=20), RunFolder(path), report=print)

The loss is -log P(play), the mean over decisions with a choice: the cross entropy of the label among the legal labels and of
each kicker among the legal kickers. Where one answer is legal its probability is 1, and nothing is learned. Games come from
files or, without files, are played by a teacher as the run goes on. A share of the deals is held out and never learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.policy_net import PolicyNetAgent
from shangyou.engines.game_columns import GameColumns
from shangyou.games import BadInput, Game
from shangyou.nets.deeprocket import ConvSize, DeepRocket, Size
from shangyou.nets.deeprocket.questions import Questions
from shangyou.training.algorithm import Algorithm, Progress, Run, TimedArgs
from shangyou.training.cuda_graph import CudaGraphStep
from shangyou.training.supervised.accuracy import measure
from shangyou.training.supervised.decisions import DecisionBatch, decisions_of
from shangyou.training.supervised.generate import generate


@dataclass(frozen=True)
class Args(TimedArgs):
    MAY_CHANGE: ClassVar = TimedArgs.MAY_CHANGE | {"compile", "eval_games"}

    data: tuple[str, ...] = ()  # files of games: text, JSON Lines or Parquet
    teacher: str = ""  # without files: the agent that plays the games, all seats of deals 0, 1, 2, ... of the seed
    temperature: float = 0.001  # of the teacher: a play is chosen in proportion to exp(win chance / temperature)
    held_out: float = 0.1  # share of the deals that accuracy is measured on, and nothing is learned from
    distill: str = ""  # the run of a larger net, whose probabilities are learned instead of the plays
    batch: int = 16_384  # games read or played before learning from them
    minibatch: int = 256  # decisions a step of the optimiser, as in the paper
    lr: float = 5e-4  # reached after the warm-up; falls to nothing
    warmup: int = 128_000  # decisions over which the learning rate rises
    weight_decay: float = 0.01
    clip: float = 1.0  # the greatest norm of a gradient
    compile: bool = False  # the policy's convolutions, by torch.compile
    eval_deals: int = 500
    eval_games: int = 2000  # held-out games whose decisions are predicted at every measurement
    size: Size = field(default_factory=Size)

    def __post_init__(self) -> None:
        if not 0 < self.held_out < 1:
            raise BadInput(f"held_out {self.held_out:g}: a share between 0 and 1 is needed")


AT_ONCE = {"cpu": 1 << 12, "cuda": 1 << 16}  # decisions encoded together: 14 KB each in half precision
SMALL = Size(ConvSize(32, ("11", "12", "12", "21", "22")), ConvSize(16, ("11", "12", "21")), roles="outputs")
FOR_CPU = {"size": SMALL, "batch": 256, "eval_deals": 50, "eval_games": 100, "warmup": 2_000, "lr": 2e-3}


def make_net(args: Args, game: Game) -> DeepRocket:
    torch.manual_seed(args.seed)
    return DeepRocket(game, args.size)


def make_optimiser(args: Args, net: DeepRocket) -> torch.optim.Optimizer:
    """Its learning rate is a tensor, so that it can change in a step that was recorded."""
    device = net.kicker.answer.weight.device
    rate, on_gpu = torch.tensor(args.lr, device=device), device.type == "cuda"
    return torch.optim.AdamW(net.parameters(), rate, weight_decay=args.weight_decay, fused=on_gpu, capturable=on_gpu)


def train(args: Args, run: Run) -> DeepRocket:
    net: DeepRocket = make_net(args, run.game).to(run.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimiser = make_optimiser(args, net)
    run.restore(net, optimiser)
    step = Step(net, optimiser, args, load_teacher(args.distill, run) if args.distill else None)
    source, player, progress = open_games(args, run), PolicyNetAgent(run.game, net), run.progress
    batches, held_out = source.batches(progress.iterations), decisions_of(run.engine, source.held_out(), forced=True)

    def measured() -> BatchAgent:
        player.refresh(net)
        found = measure(run.game, [held_out], player.values)
        progress.metrics |= {"held-out accuracy": found.accuracy, "held-out kickers": found.kicker_accuracy}
        return player

    for left in run.steps(lambda: {"net": net.state_dict(), "optimiser": optimiser.state_dict()}, measured):
        with run.timed("acting"):
            games = next(batches)
            batch = decisions_of(run.engine, games)
        with run.timed("learning"):
            learn(step, batch, args, progress, left)
        progress.count(len(games), int(games.plays.lengths.sum()), pairs=len(batch.legal.plays))
    return net


def learn(step: Step, batch: DecisionBatch, args: Args, progress: Progress, left: float) -> None:
    """Once through the decisions, in random minibatches."""
    device = batch.plays.device
    generator = torch.Generator(device).manual_seed(args.seed * 1_000_003 + progress.iterations)
    sums = torch.zeros(len(Sums._fields), device=device)
    for part in step.minibatches(batch, args.minibatch, generator):
        progress.count(0, learned=len(part))
        sums += step(part, left * min(1.0, progress.learned / max(1, args.warmup)))
    found = Sums(*sums.tolist())
    progress.loss = found.loss / max(1, len(batch))
    progress.metrics |= {"accuracy": found.labels / max(1, len(batch)), "kickers": found.kickers / max(1.0, found.choices)}


def load_policy(setting: str, folder: str, run: Run) -> DeepRocket:
    """The net of the run that a setting names."""
    net = run.load_net(folder)
    if not isinstance(net, DeepRocket):
        raise BadInput(f"{setting} {folder}: its net gives no probabilities of plays; a run of supervised is needed")
    return net


def load_teacher(folder: str, run: Run) -> DeepRocket:
    net = load_policy("distill", folder, run)
    if net.encoder.context != run.args.size.context:  # both nets are asked with the same planes
        raise BadInput(f"distill {folder}: its net has size.context={str(net.encoder.context).lower()}")
    return net.eval()


class Sums(NamedTuple):
    """Over the decisions of a minibatch."""

    loss: float
    labels: float  # that were predicted
    kickers: float  # that were predicted
    choices: float  # kickers that were a choice


class Step:
    """Learning from a minibatch.

    On a GPU its few hundred kernels are recorded once for every number of kickers, to which minibatches are filled up. That
    cannot be done with a net a role, since the number of decisions of a role changes, nor where a mean over kickers is taken.
    """

    def __init__(
        self, net: DeepRocket, optimiser: torch.optim.Optimizer, args: Args, teacher: DeepRocket | None = None
    ) -> None:
        self.net, self.optimiser, self.args, self.teacher = net.train(), optimiser, args, teacher
        self.device = net.kicker.answer.weight.device.type
        self.records = self.device == "cuda" and net.size.roles == "outputs" and not net.size.kicker.batch_norm
        self._recorded: dict[int, CudaGraphStep] = {}
        if args.compile:
            for part in net.policies:  # the kicker net is small
                part.compile()

    def minibatches(self, batch: DecisionBatch, size: int, generator: torch.Generator) -> Iterator[Questions]:
        """Every decision once, in random order. Encoded many minibatches at a time."""
        for part in batch.shuffled(max(1, AT_ONCE[self.device] // size) * size, generator):
            with self._half_precision():
                questions = self.net.encode(part.seen, part.legal.rows, part.legal.plays, part.chosen)
            yield from questions.split(size, max(1, size // 8) if self.records else 0)

    def __call__(self, questions: Questions, rate: float) -> Tensor:
        """`rate` is the share of the learning rate; [4] what `Sums` has, overwritten by the next call."""
        for group in self.optimiser.param_groups:
            group["lr"].fill_(self.args.lr * rate)
        if not self.records:
            return self.take(questions.columns)
        kickers = len(questions.kicker)
        if kickers not in self._recorded:
            self._recorded[kickers] = CudaGraphStep(self.take)
        return self._recorded[kickers](questions.columns)

    def take(self, columns: Sequence[Tensor]) -> Tensor:
        questions = Questions(*columns)
        with self._half_precision():
            answers = self.net.predict(questions)
            with torch.no_grad():
                wanted = self.teacher.predict(questions) if self.teacher else None
        labels, kickers = answers.losses_to(wanted) if wanted else answers.losses()
        loss = labels.sum() + kickers.sum()
        self.optimiser.zero_grad(set_to_none=True)
        (loss / len(questions)).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.args.clip)
        self.optimiser.step()
        choice, (right_labels, right_kickers) = questions.allowed.sum(1) > 1, answers.correct()
        sums = [right_labels.sum(), (right_kickers & choice).sum(), choice.sum()]
        return torch.stack([loss.detach(), *(number.float() for number in sums)])

    def _half_precision(self) -> torch.autocast:
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda")


# -- where games come from --------------------------------------------------------------------------------------------


def open_games(args: Args, run: Run) -> FileGames | PlayedGames:
    if args.data:
        return FileGames(args, run)
    if not args.teacher:
        raise BadInput("there are no games to learn from: --data names files of them, --set teacher=AGENT who plays them")
    return PlayedGames(args, run)


class FileGames:
    """Games of files, again and again, each time in another order."""

    def __init__(self, args: Args, run: Run) -> None:
        self.args, self.files = args, run.keeper.games(args.data, run.game)

    def batches(self, first: int) -> Iterator[GameColumns]:
        """All batches from number `first` on; those before it are read and not replayed."""
        return islice(self._epochs(), first, None)

    def _epochs(self) -> Iterator[GameColumns]:
        for epoch in count():
            nothing = True
            for games in self._chunks(held_out=False, seed=self.args.seed + epoch):
                nothing = False
                yield games
            if nothing:
                raise BadInput(f"all games of {', '.join(self.args.data)} are held out: held_out={self.args.held_out:g}")

    def held_out(self) -> GameColumns:
        """The first of them."""
        if found := next(self._chunks(held_out=True, size=self.args.eval_games), None):
            return found
        raise BadInput(
            f"no game of {', '.join(self.args.data)} is held out: held_out={self.args.held_out:g}; more games are needed"
        )

    def _chunks(self, held_out: bool, size: int = 0, seed: int | None = None) -> Iterator[GameColumns]:
        return self.files.chunks(held_out, self.args.held_out, size or self.args.batch, seed)


class PlayedGames:
    """Games that the teacher plays when they are needed, none of them twice."""

    def __init__(self, args: Args, run: Run) -> None:
        self.args, self.engine = args, run.engine
        self.sampler = Sampler(load_batch(args.teacher, run.game, args.seed, run.device), run.device, args.temperature)

    def batches(self, first: int) -> Iterator[GameColumns]:
        """All batches from number `first` on."""
        return (self._play(number * self.args.batch, self.args.batch, False) for number in count(first))

    def held_out(self) -> GameColumns:
        """Those among the first deals."""
        return self._play(0, round(self.args.eval_games / self.args.held_out), True)

    def _play(self, first: int, games: int, held_out: bool) -> GameColumns:
        parts = generate(self.engine, self.sampler, games, self.args.seed, first)
        return GameColumns.joined([part.at(part.is_held_out(self.args.held_out) == held_out) for part in parts])


ALGORITHM = Algorithm(Args, train, make_net, cpu=FOR_CPU)
