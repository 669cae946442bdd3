"""What is trained: the full net, a smaller one that learns from it, one that goes on by a policy gradient, and a sweep."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from shangyou.lab.runs import TrainedRun
from shangyou.lab.stages import Context, Setup
from shangyou.nets.deeprocket import ConvSize, Size
from shangyou.training import hands, policy_gradient
from shangyou.training.settings import changed
from shangyou.training.supervised import Args

SETUPS = {scale: Setup("doudizhu") for scale in ("smoke", "small", "paper")}
CHAMPION = "champion/doudizhu"
FULL, SMALL, GRADIENT_NET = "full", "distilled", "by policy gradient"
SWEEP: dict[str, tuple[str, list[str]]] = {  # nets trained for a short time: what each changes, in words and as settings
    "base": ("the full net, for a short time", []),
    "a net a role": ("three policy nets", ["size.roles=models"]),
    "minibatches of 256": ("as in the paper", ["minibatch=256"]),
    "minibatches of 4096": ("and twice the rate", ["minibatch=4096", "lr=0.001"]),
    "half the rate": ("Adam's, 2.5e-4 instead of 5e-4", ["lr=0.00025"]),
    "twice the rate": ("1e-3", ["lr=0.001"]),
    "256 filters": ("half as many", ["size.policy.filters=256"]),
    "five layers": ("half as many", ["size.policy.strides=11,12,12,21,22"]),
    "one stride": ("halved once in either direction, at the end", ["size.policy.strides=11,11,11,11,11,11,11,22,12,22"]),
    "rows first": ("rows joined by three layers, ranks never halved", ["size.policy.strides=13,13,13,11,11,11,11,11,11,11"]),
    "batch norm": ("before each ReLU", ["size.policy.batch_norm=true"]),
    "more for kickers": ("128 filters instead of 64", ["size.kicker.filters=128"]),
}


@dataclass(frozen=True)
class Scale:
    args: Args  # of the full net
    small: Size  # of the net that is distilled from it
    small_minutes: float
    sweep_minutes: float
    rows: Sequence[str]  # of SWEEP
    games: int  # on which accuracy is measured
    round_deals: int  # of a round of the smaller net against an agent without a net, two games each
    full_deals: int  # of such a round of the full net
    duel_deals: int  # of each two nets
    gradient: policy_gradient.Args  # of the net that goes on from the one that is distilled
    hands: hands.Args  # of the net that infers hidden hands
    hand_games: int  # on which it is measured
    workers: int = os.cpu_count() or 1  # processes that play the rounds


COMMON = Args(
    "doudizhu", teacher=CHAMPION, temperature=0.001, minibatch=1024, opponents=("greedy",), checkpoint_seconds=60.0,
    eval_seconds=120.0,
)  # fmt: skip
PAPER = replace(COMMON, minutes=17.0, untimed=1, size=Size(roles="outputs"))
DISTILLED = Size(ConvSize(144, PAPER.size.policy.strides), ConvSize(32, PAPER.size.kicker.strides), roles="outputs")
TINY = Size(ConvSize(16, ("12", "12", "22")), ConvSize(8, ("12", "22")), roles="outputs")
CPU = replace(COMMON, minutes=2.5, batch=256, minibatch=256, warmup=2000, lr=2e-3, eval_deals=20, eval_games=50)
CPU_SIZE = Size(ConvSize(32, ("11", "12", "12", "21", "22")), ConvSize(16, ("11", "12", "21")), roles="outputs")
SMALL_ARGS = replace(CPU, size=CPU_SIZE)
SMOKE = replace(CPU, batches=1, batch=24, minibatch=64, eval_deals=1, eval_games=4, size=TINY)
GRADIENT = policy_gradient.Args("doudizhu", minutes=4.0, opponents=("greedy",), eval_deals=2000, untimed=1)
CPU_GRADIENT = replace(GRADIENT, minutes=1.5, batch=128, minibatch=512, eval_deals=50)
SMOKE_GRADIENT = replace(CPU_GRADIENT, batches=1, batch=16, eval_deals=1)
HANDS = hands.Args("doudizhu", teachers=(CHAMPION,), temperature=COMMON.temperature, minutes=4.0, untimed=1)
CPU_HANDS = replace(HANDS, minutes=1.5, batch=256, minibatch=1024, size=hands.SMALL)
SMOKE_HANDS = replace(CPU_HANDS, batches=1, batch=24)
SCALES = {
    "smoke": Scale(SMOKE, TINY, 0.0, 0.0, ["base", "a net a role"], 8, 1, 1, 2, SMOKE_GRADIENT, SMOKE_HANDS, 30, workers=1),
    "small": Scale(SMALL_ARGS, TINY, 1.2, 0.5, ["base", "a net a role"], 200, 25, 5, 50, CPU_GRADIENT, CPU_HANDS, 1000),
    "paper": Scale(PAPER, DISTILLED, 3.8, 0.75, list(SWEEP), 20_000, 2500, 250, 10_000, GRADIENT, HANDS, 100_000),
}


def full_run(ctx: Context) -> TrainedRun:
    return TrainedRun(ctx, f"deeprocket-{FULL}", "supervised", args_of(ctx))


def small_run(ctx: Context) -> TrainedRun:
    """It learns the probabilities of the full net."""
    full, scale = full_run(ctx), SCALES[ctx.scale]
    args = replace(args_of(ctx), size=scale.small, distill=str(full.path), minutes=scale.small_minutes)
    return TrainedRun(ctx, f"deeprocket-{SMALL}", "supervised", args, full)


def gradient_run(ctx: Context) -> TrainedRun:
    """It goes on from the smaller net, playing earlier versions of itself."""
    small, settings = small_run(ctx), SCALES[ctx.scale].gradient
    args = replace(settings, device=str(ctx.device), seed=ctx.seed, init=str(small.path), size=small.args.size)
    return TrainedRun(ctx, "deeprocket-gradient", "policy-gradient", args, small)


def hands_run(ctx: Context) -> TrainedRun:
    args = replace(SCALES[ctx.scale].hands, device=str(ctx.device), seed=ctx.seed)
    return TrainedRun(ctx, "deeprocket-hands", "hands", args)


def sweep_run(ctx: Context, row: str) -> TrainedRun:
    args = changed(replace(args_of(ctx), minutes=SCALES[ctx.scale].sweep_minutes or 1.0), SWEEP[row][1])
    return TrainedRun(ctx, f"deeprocket-{row}".replace(" ", "-"), "supervised", args)


def args_of(ctx: Context) -> Args:
    return replace(SCALES[ctx.scale].args, device=str(ctx.device), seed=ctx.seed)
