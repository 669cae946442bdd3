"""Settings that suit a game and a machine: where a run starts from unless told otherwise."""

from __future__ import annotations

from dataclasses import replace

import torch

from shangyou.games import BadInput
from shangyou.nets.value_net import Size
from shangyou.training import bids
from shangyou.training.dmc import Args, Checkpoint, args_of

OPPONENTS = {"zsy2": ("random", "greedy", "paper-greedy")}
AIMS = {"zsy2": ("win",)}  # where a game is won or lost and nothing else, points tell nothing new
POINTS_SCALE = {"zsy2": 1.0, "zsy4": 3.0}
FOR_CPU = Size(trunk=192, trunk_depth=1, head=128, head_depth=2, turns=6)


def args_for(game: str, device: str = "auto") -> Args:
    args = Args(game, device=found_device(device))
    args = replace(
        args,
        opponents=OPPONENTS.get(game, args.opponents),
        aims=AIMS.get(game, args.aims),
        points_scale=POINTS_SCALE.get(game, args.points_scale),
    )
    if args.device == "cpu":
        return replace(args, size=FOR_CPU, batch=512, minibatch=512, gauge_games=500)
    return args


def resumed(kept: Checkpoint, game: str, device: str, minutes: float | None) -> Args:
    """The settings a run goes on with: its own, but for where it runs and how long."""
    args = args_of(kept)
    if args.game != game:
        raise BadInput(f"this is a run of {args.game}, not of {game}")
    return replace(args, device=found_device(device), minutes=minutes or args.minutes)


def bid_args_for(device: str, minutes: float, seed: int) -> bids.Args:
    args = bids.Args(minutes, found_device(device), seed)
    return replace(args, batch=256, minibatch=256) if args.device == "cpu" else args


def found_device(device: str) -> str:
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    return device
