"""JSON Lines: a record to a line, with everything, passes and result included, so that any tool can read it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from typing import Any

from shangyou import games
from shangyou.engines.reference import State
from shangyou.games import BadInput, Deal, Game
from shangyou.records import strict_json
from shangyou.records.errors import BadRecord, Fault, at_line, check_decoded
from shangyou.records.plays import WrittenPlay, play_on, write_cards
from shangyou.records.record import Record, Result, in_turn, opening

FORMAT, VERSION = "shangyou-record", 1
RECORD_KEYS = {
    "format": str, "version": int, "game": str, "rules": dict, "table": str, "deal": dict, "bids": list, "plays": list,
    "players": list, "name": str, "result": dict,
}  # fmt: skip
DEAL_KEYS = {"hands": list, "public": str, "first": int}
RESULT_KEYS = {"finished": bool, "scores": list, "winners": list, "places": list}


# -- reading ----------------------------------------------------------------------------------------------------------


def read_jsonl(lines: Iterable[tuple[int, str]]) -> Iterator[Record | BadRecord]:
    """The records of numbered lines."""
    filled = ((line, text) for line, text in lines if text.strip())
    for number, (line, text) in enumerate(filled, 1):
        value: Any = None
        try:
            with at_line(line):
                check_decoded(text)
                value = strict_json.parse(text)
                yield from_json(value, line)
        except Fault as fault:
            yield fault.bad_record(number, _name_in(value))


def _name_in(value: Any) -> str:
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


def from_json(value: Any, line: int = 1) -> Record:
    """The record an object stands for; `line` is where it was found, for the error."""
    _check_version(value)
    strict_json.check_object(value, RECORD_KEYS, "record")
    game = _read_game(value)
    state = opening(game, _read_deal(game, value["deal"]), strict_json.whole_numbers(value["bids"], "bids"))
    state = play_on(state, _read_plays(value["plays"], line), in_turn)
    _check_result(state, value["result"])
    return Record.from_state(state, strict_json.strings(value["players"], "players"), value["name"])


def _check_version(value: Any) -> None:
    """Before all else: another version may have other keys."""
    strict_json.check_type(value, dict, "record")
    for key, expected in (("format", FORMAT), ("version", VERSION)):
        if key not in value:
            raise BadInput(f"record: the key {key!r} is missing")
        strict_json.check_type(value[key], type(expected), key)
        if value[key] != expected:
            raise BadInput(f"{key}: {value[key]!r} is not {expected!r}, the only one we read")


def _read_game(value: dict[str, Any]) -> Game:
    rules = games.rules_of(value["game"])
    for field in dataclasses.fields(rules):
        if field.name not in value["rules"]:
            raise BadInput(f"rules: the key {field.name!r} is missing")
        strict_json.check_type(value["rules"][field.name], type(field.default), f"rules: {field.name}")
    game = games.load(value["game"], **value["rules"])
    if value["table"] != game.table.hash:
        raise BadInput(f"table: {value['table']!r} is not {game.table.hash!r}, the plays of {game.name} under these rules")
    return game


def _read_deal(game: Game, deal: Any) -> Deal:
    strict_json.check_object(deal, DEAL_KEYS, "deal")
    hands = strict_json.strings(deal["hands"], "deal: hands")
    return game.make_deal(tuple(map(game.deck.parse, hands)), game.deck.parse(deal["public"]), deal["first"])


def _read_plays(plays: list[Any], line: int) -> Iterator[WrittenPlay]:
    for number, play in enumerate(plays, 1):
        where = f"plays: entry {number}"
        strict_json.check_type(play, list, where)
        if len(play) != 2:
            raise BadInput(f"{where}: a list of {len(play)} is not [seat, cards]")
        strict_json.check_type(play[0], int, f"{where}: seat")
        yield WrittenPlay(line, str(play[0]), strict_json.one_string(play[1], f"{where}: cards"))


def _check_result(state: State, given: Any) -> None:
    strict_json.check_object(given, RESULT_KEYS, "result")
    replayed = _result_to_json(Result.of(state))
    for key, expected in replayed.items():
        if RESULT_KEYS[key] is list:
            strict_json.whole_numbers(given[key], f"result: {key}")
        if given[key] != expected:
            raise BadInput(f"result: {key} {json.dumps(given[key])} is not what the plays give: {json.dumps(expected)}")


def _result_to_json(result: Result) -> dict[str, Any]:
    lists = {"scores": list(result.scores), "winners": list(result.winners), "places": list(result.places)}
    return {"finished": result.finished, **lists}


# -- writing ----------------------------------------------------------------------------------------------------------


def to_json(record: Record) -> dict[str, Any]:
    game, deal = record.game, record.deal
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "rules": game.rules.as_dict(),
        "table": game.table.hash,
        "deal": {
            "hands": [game.deck.format(hand) for hand in deal.hands],
            "public": game.deck.format(deal.public),
            "first": deal.first,
        },
        "bids": list(record.bids),
        "plays": [[seat, write_cards(game, cards)] for seat, cards in record.turns],
        "players": list(record.players),
        "name": record.name,
        "result": _result_to_json(record.result),
    }


def format_jsonl(records: Iterable[Record]) -> str:
    return "".join(json.dumps(to_json(record)) + "\n" for record in records)
