"""JSON that is exactly what it should be, or an error that names the key, the value and the reason."""

from __future__ import annotations

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
    """The last of two equal keys would win in silence."""
    key, times = max(Counter(key for key, _ in pairs).items(), key=itemgetter(1), default=("", 0))
    if times > 1:
        raise BadInput(f"the key {key!r} is there {times} times")
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise BadInput(f"this is not JSON: {name} is no number")


def check_type(value: Any, kind: type, where: str) -> None:
    if type(value) is not kind:  # not isinstance: true is no number here
        raise BadInput(f"{where}: {_quote(value)} is not {JSON_NAMES[kind]}")


def _quote(value: Any) -> str:
    """Lists and objects by their kind alone: they may be nested deeper than can be printed."""
    return JSON_NAMES[type(value)] if isinstance(value, list | dict) else json.dumps(value)


def check_object(value: Any, shape: dict[str, type], where: str) -> None:
    """Whether an object has these keys with values of these types, and no others."""
    check_type(value, dict, where)
    for key in value:
        if key not in shape:
            raise BadInput(f"{where}: unknown key {key!r}; there are {', '.join(shape)}")
    for key, kind in shape.items():
        if key not in value:
            raise BadInput(f"{where}: the key {key!r} is missing")
        check_type(value[key], kind, f"{where}: {key}")


def one_string(value: Any, where: str) -> str:
    check_type(value, str, where)
    return str(value)


def strings(value: Any, where: str) -> list[str]:
    check_type(value, list, where)
    return [one_string(entry, where) for entry in value]


def whole_numbers(value: Any, where: str) -> list[int]:
    check_type(value, list, where)
    for entry in value:
        check_type(entry, int, where)
    return list(value)
