"""JSON Lines: one record per line, complete with passes and result, so that any tool can read it."""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from shangyou import games
from shangyou.games import BadInput, Deal, Game
from shangyou.records.errors import BadRecord, RecordError, Why, at_line, check_decoded, check_game
from shangyou.records.record import Record, Result, WrittenPlay, in_turn, opening, play_on, write_cards

FORMAT, VERSION = "shangyou-record", 1
JSON_NAMES = {str: Why.json_string, int: Why.json_whole, bool: Why.json_truth, list: Why.json_list, dict: Why.json_object}
RECORD = {
    "format": str, "version": int, "game": str, "rules": dict, "table": str,
    "deal": {"hands": [str], "public": str, "first": int}, "bids": [int], "plays": list, "players": [str], "name": str,
    "result": {"finished": bool, "scores": [int], "winners": [int], "places": [int]},
}  # fmt: skip


# -- reading ----------------------------------------------------------------------------------------------------------


def read_jsonl(lines: Iterable[tuple[int, str]]) -> Iterator[Record | BadRecord]:
    """The records of numbered lines."""
    filled = ((line, text) for line, text in lines if text.strip())
    for number, (line, text) in enumerate(filled, 1):
        value: Any = None
        try:
            with at_line(line):
                check_decoded(text)
                value = parse_json(text)
                yield from_json(value, line)
        except RecordError as error:
            name = value.get("name") if isinstance(value, dict) else None
            yield error.bad_record(number, name if isinstance(name, str) else "")


def read_jsonl_deals(lines: Iterable[tuple[int, str]], game: Game) -> Iterator[Deal]:
    """The deals of the records of numbered lines for this game, whatever rules the records name; an error has its line.

    Without bidding the landlord is seat 0, so a deal that was bid for is turned to have its landlord there.
    """
    for line, text in lines:
        if not text.strip():
            continue
        with at_line(line):
            check_decoded(text)
            value = _check_record(parse_json(text))
            check_game(game, value["game"])
            dealt, bids = value["deal"], value["bids"]
            if value["rules"].get("bidding") and any(bids) and not game.has_bidding:
                landlord = _read_game(value).landlord(dealt["first"], tuple(bids))
                dealt = dealt | {"hands": dealt["hands"][landlord:] + dealt["hands"][:landlord], "first": 0}
            yield deal_from_json(game, dealt)


def from_json(value: Any, line: int = 1) -> Record:
    """The record of a JSON object; `line` is its place in the file, for the error."""
    game = _read_game(_check_record(value))
    state = opening(game, deal_from_json(game, value["deal"]), value["bids"])
    state = play_on(state, _read_plays(value["plays"], line), in_turn)
    for key, expected in _result_to_json(Result.of(state)).items():
        if value["result"][key] != expected:
            given, wanted = json.dumps(value["result"][key]), json.dumps(expected)
            raise BadInput(Why.result_part(key=key, given=given, wanted=wanted))
    return Record.from_state(state, value["players"], value["name"])


def _check_record(value: Any) -> dict[str, Any]:
    """The record, if it has the right keys; its version before all else: another may have other keys."""
    check_json(value, dict, "record")
    for key, expected in (("format", FORMAT), ("version", VERSION)):
        check_json({name: value[name] for name in value if name == key}, {key: type(expected)}, "record")
        if value[key] != expected:
            raise BadInput(Why.only_one_read(key=key, given=value[key], wanted=expected))
    checked: dict[str, Any] = check_json(value, RECORD, "record")
    return checked


def _read_game(value: dict[str, Any]) -> Game:
    types = {field.name: type(field.default) for field in dataclasses.fields(games.rules_of(value["game"]))}
    check_json({name: setting for name, setting in value["rules"].items() if name in types}, types, "rules")
    game = games.load(value["game"], **value["rules"])
    if value["table"] != game.table.hash:
        raise BadInput(Why.other_table(given=value["table"], wanted=game.table.hash, game=game.name))
    return game


def deal_from_json(game: Game, deal: dict[str, Any]) -> Deal:
    read = game.deck.parse
    return game.make_deal(tuple(map(read, deal["hands"])), read(deal["public"]), deal["first"])


def _read_plays(plays: list[Any], line: int) -> Iterator[WrittenPlay]:
    for number, play in enumerate(plays, 1):
        where = f"plays: entry {number}"
        if len(check_json(play, list, where)) != 2:
            raise BadInput(Why.no_seat_cards(where=where, n=len(play)))
        seat, cards = check_json(play[0], int, f"{where}: seat"), check_json(play[1], str, f"{where}: cards")
        yield WrittenPlay(line, str(seat), cards)


# -- writing ----------------------------------------------------------------------------------------------------------


def to_json(record: Record) -> dict[str, Any]:
    game = record.game
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "rules": game.rules.as_dict(),
        "table": game.table.hash,
        "deal": deal_to_json(game, record.deal),
        "bids": list(record.bids),
        "plays": [[seat, write_cards(game, cards)] for seat, cards in record.turns],
        "players": list(record.players),
        "name": record.name,
        "result": _result_to_json(record.result),
    }


def deal_to_json(game: Game, deal: Deal) -> dict[str, Any]:
    write = game.deck.format
    return {"hands": [write(hand) for hand in deal.hands], "public": write(deal.public), "first": deal.first}


def _result_to_json(result: Result) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in dataclasses.asdict(result).items()}


def format_jsonl(records: Iterable[Record]) -> str:
    return "".join(json.dumps(to_json(record)) + "\n" for record in records)


# -- JSON that is exactly what it should be, or an error that names the key, the value and the reason ------------------


def parse_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except BadInput:
        raise
    except RecursionError:
        raise BadInput(Why.json_deep()) from None
    except ValueError as error:  # also a number of thousands of digits
        raise BadInput(Why.not_json(error=str(error))) from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two equal keys, json would drop the first in silence."""
    for key, times in Counter(key for key, _ in pairs).most_common(1):
        if times > 1:
            raise BadInput(Why.key_twice(key=key, n=times))
    return dict(pairs)


def _no_constant(name: str) -> None:
    raise BadInput(Why.json_number(name=name))


def check_json(value: Any, shape: Any, where: str) -> Any:
    """The value, if it has this shape: a type, `[shape]` for a list, `{key: shape}` for an object with exactly these keys."""
    kind: Any = shape if isinstance(shape, type) else type(shape)
    if type(value) is not kind:  # not isinstance: true is no number here
        # A list or an object is named by its kind alone: it may be nested deeper than can be printed.
        quoted = JSON_NAMES[type(value)]() if isinstance(value, list | dict) else json.dumps(value)
        raise BadInput(Why.json_type(where=where, value=quoted, kind=JSON_NAMES[kind]()))
    if isinstance(shape, list):
        for entry in value:
            check_json(entry, shape[0], where)
    elif isinstance(shape, dict):
        _check_keys(value, shape, where)
    return value


def _check_keys(value: dict[str, Any], shape: dict[str, Any], where: str) -> None:
    for key in value:
        if key not in shape:
            raise BadInput(Why.unknown_key_in(where=where, key=key, options=list(shape)))
    for key, inner in shape.items():
        if key not in value:
            raise BadInput(Why.key_missing(where=where, key=key))
        check_json(value[key], inner, f"{where}: {key}")
