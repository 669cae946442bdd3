"""Settings that suit a game and a machine: where a run starts from unless told otherwise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import torch

from shangyou.games import BadInput
from shangyou.nets.value_net import Size
from shangyou.training import bids
from shangyou.training.dmc import Args, Checkpoint, args_of

OPPONENTS = {"zsy2": ("random", "greedy", "paper-greedy")}
AIMS = {"zsy2": ("win",)}  # where a game is won or lost and nothing else, points tell nothing new
POINTS_SCALE = {"zsy2": 1.0, "zsy4": 3.0}
SIZES = {"zsy2": Size(trunk=512, head=384)}  # one rival and at most 18 cards: a wider net learns no more
SPARRING = {"zsy2": ("random", "random", "greedy", "paper-greedy")}  # a net that only knows itself lets the weak off lightly
BATCH = {"zsy2": 524_288}  # short games: more of them at once to keep a GPU busy
MINIBATCH = {"zsy2": 16_384}
FOR_CPU = Size(trunk=192, trunk_depth=1, head=128, head_depth=2, turns=6)

KINDS = {int: "a whole number", float: "a number", bool: "true or false"}


def args_for(game: str, device: str = "auto") -> Args:
    args = Args(game, device=found_device(device))
    args = replace(
        args,
        opponents=OPPONENTS.get(game, args.opponents),
        aims=AIMS.get(game, args.aims),
        points_scale=POINTS_SCALE.get(game, args.points_scale),
        size=SIZES.get(game, args.size),
        sparring=SPARRING.get(game, ()),
        batch=BATCH.get(game, args.batch),
        minibatch=MINIBATCH.get(game, args.minibatch),
    )
    if args.device == "cpu":
        return replace(args, size=FOR_CPU, batch=512, minibatch=512, gauge_games=500)
    return args


def changed(args: Args, settings: Sequence[str]) -> Args:
    """Settings written as name=value, `size.turns=0` among them; values as in JSON, or plain words."""
    for setting in settings:
        name, equals, text = setting.partition("=")
        part, dot, inner = name.partition(".")
        whole: Args | Size = args.size if dot and part == "size" else args
        key = inner if dot and part == "size" else name
        if not equals or key not in asdict(whole) or key == "size":
            raise BadInput(f"setting {setting!r}: write NAME=VALUE, where the name is one of {', '.join(_names(args))}")
        value = _value(setting, text, getattr(whole, key))
        args = replace(args, size=replace(args.size, **{key: value})) if whole is args.size else replace(args, **{key: value})
    return args


def _names(args: Args) -> list[str]:
    return [name for name in asdict(args) if name != "size"] + [f"size.{name}" for name in asdict(args.size)]


def _value(setting: str, text: str, now: object) -> Any:
    """What is written, as the type of what is there now; lists may be written with commas."""
    if isinstance(now, tuple):
        return tuple(filter(None, text.split(",")))
    if isinstance(now, str):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    kinds = (int, float) if isinstance(now, float) else type(now)
    if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(now, bool):
        raise BadInput(f"setting {setting!r}: {text!r} is not {KINDS[type(now)]}")
    return value


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
