"""JSON that is exactly what it should be, or an error that names the key, the value and the reason."""

import json
from collections import Counter
from operator import itemgetter
from typing import Any

from shangyou.games import BadInput

JSON_NAMES = {str: "a string", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def parse(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except BadInput:
        raise
    except RecursionError:
        raise BadInput("this is not JSON we read: it is nested too deeply") from None
    except ValueError as error:  # also a number of thousands of digits
        raise BadInput(f"this is not JSON: {error}") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two equal keys, json would drop the first in silence."""
    key, times = max(Counter(key for key, _ in pairs).items(), key=itemgetter(1), default=("", 0))
    if times > 1:
        raise BadInput(f"the key {key!r} is there {times} times")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise BadInput(f"this is not JSON: {name} is no number")


def check(value: Any, shape: Any, where: str) -> Any:
    """The value, if it has this shape: a type, `[shape]` for a list, `{key: shape}` for an object with exactly these keys."""
    kind: Any = shape if isinstance(shape, type) else type(shape)
    if type(value) is not kind:  # not isinstance: true is no number here
        # A list or an object is named by its kind alone: it may be nested deeper than can be printed.
        quoted = JSON_NAMES[type(value)] if isinstance(value, list | dict) else json.dumps(value)
        raise BadInput(f"{where}: {quoted} is not {JSON_NAMES[kind]}")
    if isinstance(shape, list):
        for entry in value:
            check(entry, shape[0], where)
    elif isinstance(shape, dict):
        _check_keys(value, shape, where)
    return value


def _check_keys(value: dict[str, Any], shape: dict[str, Any], where: str) -> None:
    for key in value:
        if key not in shape:
            raise BadInput(f"{where}: unknown key {key!r}; there are {', '.join(shape)}")
    for key, inner in shape.items():
        if key not in value:
            raise BadInput(f"{where}: the key {key!r} is missing")
        check(value[key], inner, f"{where}: {key}")
