"""Settings of a run as a person writes them (`--set size.turns=0`) and as a checkpoint stores them, by older names too."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import torch

from shangyou.games import BadInput

Args = TypeVar("Args")
KINDS = {int: "a whole number", float: "a number", bool: "true or false"}
OLD_NAMES = {
    "aims": "objectives",
    "gauge_games": "eval_deals",
    "gauge_seconds": "eval_seconds",
    "keep_seconds": "checkpoint_seconds",
}


def found_device(device: str) -> str:
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if not re.fullmatch(r"cpu|cuda(:\d+)?", device):
        raise BadInput(f"device {device!r}: cpu, cuda or auto")
    return device


def changed(args: Args, settings: Sequence[str]) -> Args:
    """Settings written as name=value, `size.turns=0` among them; values as in JSON, or plain words."""
    for setting in settings:
        name, equals, text = setting.partition("=")
        path = OLD_NAMES.get(name, name).split(".")
        if not equals or ".".join(path) not in setting_names(args):
            raise BadInput(f"setting {setting!r}: write NAME=VALUE, where the name is one of {', '.join(setting_names(args))}")
        args = _replaced(args, path, setting, text)
    return args


def setting_names(args: Any, above: str = "") -> list[str]:
    """Settings in settings are named with a dot, and come last."""
    values = {field.name: getattr(args, field.name) for field in fields(args)}
    plain = [above + name for name, value in values.items() if not is_dataclass(value)]
    inner = [setting_names(value, f"{above}{name}.") for name, value in values.items() if is_dataclass(value)]
    return plain + [name for names in inner for name in names]


def _replaced(args: Any, path: list[str], setting: str, text: str) -> Any:
    name, *inner = path
    now = getattr(args, name)
    return replace(args, **{name: _replaced(now, inner, setting, text) if inner else _value(setting, text, now)})


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


def from_dict(kind: type[Args], values: Mapping[str, Any]) -> Args:
    """The inverse of `asdict`. Settings that are not among the values have their defaults."""
    made: Any = kind(**{name: value for name, value in values.items() if not isinstance(value, dict)})
    inner = {name: from_dict(type(getattr(made, name)), value) for name, value in values.items() if isinstance(value, dict)}
    return replace(made, **inner)  # type: ignore[no-any-return]


def upgraded(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint with the names of this version. Those without an algorithm are of dmc or, with a width, of bids."""
    args = {OLD_NAMES.get(name, name): value for name, value in checkpoint["args"].items()}
    progress = {name: value for name, value in checkpoint["progress"].items() if name != "bids"}
    algorithm = checkpoint.get("algorithm", "bids" if "width" in args else "dmc")
    if algorithm == "bids":
        args = {"game": "doudizhu", "rules": "bidding=true", **args}
    return {**checkpoint, "algorithm": algorithm, "args": args, "progress": progress}
