"""A small net that answers as a teacher does: the fast policy of playouts (`search/playout.py`).

    net = start("distill", Args("doudizhu", device="cpu", minutes=8), RunFolder(path), report=print)

Teacher and student play, in a share of the seats each, so that the student learns what to do in positions of its own making;
the teacher estimates every play of every decision, and the student learns the estimates and how they rank.

D decisions, N legal plays of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.agents.batch.exploring import gumbel
from shangyou.agents.batch.play import in_order, play
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines.batch import Legal, View
from shangyou.games import BadInput, Game
from shangyou.nets.inputs import Inputs, inputs_of, join
from shangyou.nets.spec import WIN
from shangyou.nets.value_net import Size, ValueNet
from shangyou.training.algorithm import Algorithm, Run, TimedArgs


@dataclass(frozen=True)
class Args(TimedArgs):
    MAY_CHANGE: ClassVar = TimedArgs.MAY_CHANGE | {"teacher"}

    teacher: str = ""  # the agent to learn from: it must estimate win chances
    temperature: float = 0.02  # in win chances: of the plays that are made, and of the ranking that is learned
    students: float = 0.5  # the share of seats that play by the student
    batch: int = 4096  # games played before learning from them
    remembered: int = 1  # batches of games that are learned from, the latest ones
    epochs: int = 1  # times a batch of games is learned from, each time it is remembered
    minibatch: int = 2048  # decisions a step of the optimiser
    lr: float = 2e-3  # falls to nothing
    ranking: float = 1.0  # weight of the loss of the ranking beside that of the win chances
    size: Size = field(default_factory=lambda: Size(trunk=160, trunk_depth=1, head=96, head_depth=0, turns=0))


class Lesson(NamedTuple):
    """Decisions with what the teacher thinks of them."""

    seen: Inputs  # [D]
    legal: Legal
    win: Tensor  # [N] the teacher's win chances

    def at(self, rows: Tensor) -> Lesson:
        legal = in_order(self.legal, rows)
        places = torch.arange(len(legal.plays), device=rows.device) + (self.legal.starts[rows] - legal.starts[:-1])[legal.rows]
        return Lesson(self.seen.at(rows), legal, self.win[places])

    @classmethod
    def joined(cls, parts: Sequence[Lesson]) -> Lesson:
        legal = Legal.of(torch.cat([one.legal.counts for one in parts]), torch.cat([one.legal.plays for one in parts]))
        return cls(join([one.seen for one in parts]), legal, torch.cat([one.win for one in parts]))


class Classroom(BatchAgent):
    """Plays by the teacher or the student, a little at random, and stores what the teacher thinks."""

    name = "distill"

    def __init__(self, teacher: BatchAgent, student: TorchNetAgent, args: Args, device: torch.device) -> None:
        super().__init__(teacher.game, teacher.bid_one)
        self.teacher, self.student, self.args = teacher, student, args
        self.generator = torch.Generator(device)
        self.lessons: list[Lesson] = []

    def values(self, view: View, legal: Legal) -> Tensor:
        win = self.teacher.win_chances(view, legal)
        self.lessons.append(Lesson(inputs_of(view, torch.full_like(view.last, WIN)), legal, win.float()))
        by_student = torch.rand(len(view.last), generator=self.generator, device=win.device) < self.args.students
        values = torch.where(by_student[legal.rows], self.student.win_chances(view, legal), win)
        noise = torch.rand(len(values), generator=self.generator, device=values.device)
        return values / self.args.temperature + gumbel(noise)


def make_net(args: Args, game: Game) -> ValueNet:
    torch.manual_seed(args.seed)
    return ValueNet(game, args.size)


def train(args: Args, run: Run) -> ValueNet:
    if not args.teacher:
        raise BadInput("distill: --set teacher=AGENT names the agent to learn from")
    net = make_net(args, run.game).to(run.device)
    optimiser = torch.optim.Adam(net.parameters(), lr=args.lr)
    run.restore(net, optimiser)
    student = TorchNetAgent(run.game, net)
    classroom = Classroom(load_batch(args.teacher, run.game, args.seed, run.device), student, args, run.device)
    memory, progress, generator = list[Lesson](), run.progress, torch.Generator(run.device)
    for left in run.learn(net, optimiser, lambda: student):
        for group in optimiser.param_groups:
            group["lr"] = args.lr * left
        for drawn in (generator, classroom.generator):
            drawn.manual_seed(args.seed * 1_000_003 + progress.iterations)
        with run.timed("acting"):
            start = run.engine.deal(args.batch, args.seed, progress.iterations * args.batch)
            play(run.engine, [classroom] * run.game.seats, None, start)
        memory = [*memory, Lesson.joined(classroom.lessons)][-args.remembered :]
        classroom.lessons.clear()
        with run.timed("learning"):
            lessons = [lesson for lesson in memory for _ in range(args.epochs)]
            losses = [
                step(net, optimiser, lesson.at(rows), args)
                for lesson in lessons
                for rows in torch.split(shuffled(len(lesson.seen.last), generator), args.minibatch)
            ]
        student.refresh(net)
        mean = torch.stack(losses).mean(0)
        progress.loss, progress.metrics["apart"] = mean[0].item(), mean[1].item()
        progress.count(args.batch, len(memory[-1].seen.last), len(memory[-1].seen.last), len(memory[-1].win))
    return net


def shuffled(n: int, generator: torch.Generator) -> Tensor:
    return torch.randperm(n, generator=generator, device=generator.device)


def step(net: ValueNet, optimiser: torch.optim.Optimizer, lesson: Lesson, args: Args) -> Tensor:
    """One step of the optimiser; [2] its loss, and the mean distance of the win chances."""
    position, rows = net.position(lesson.seen), lesson.legal.rows
    plays = lesson.legal.plays.long()
    logits = net.answer(net.pair_features(position[rows], lesson.seen.hand[rows], plays, net.plays(plays)).float())[:, 0]
    win = torch.sigmoid(logits)
    share = 1 / lesson.legal.counts[rows].float()  # every decision counts as much
    chances = (functional.binary_cross_entropy_with_logits(logits, lesson.win, reduction="none") * share).sum()
    wanted = _log_softmax(lesson.win / args.temperature, rows, len(position)).exp()
    ranking = -(wanted * _log_softmax(win / args.temperature, rows, len(position))).sum()
    loss = (chances + args.ranking * ranking) / len(position)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    optimiser.step()
    return torch.stack([loss.detach(), ((win.detach() - lesson.win).abs() * share).sum() / len(position)])


def _log_softmax(values: Tensor, rows: Tensor, positions: int) -> Tensor:
    """[N] over the plays of each position."""
    most = values.new_full((positions,), -torch.inf).scatter_reduce(0, rows, values.detach(), "amax")[rows]
    total = values.new_zeros(positions).index_add(0, rows, (values - most).exp())
    return values - most - total.log()[rows]


PRESETS = {name: {"teacher": f"champion/{name}"} for name in ("zsy2", "zsy4", "doudizhu")}
CPU = {"batch": 256, "remembered": 8, "minibatch": 512, "eval_deals": 300, "eval_seconds": 120.0}
ALGORITHM = Algorithm(Args, train, make_net, PRESETS, CPU)
