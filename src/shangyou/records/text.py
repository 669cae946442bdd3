"""The text format: the notation of the DeepRocket paper, made to hold every game. `docs/records.md` describes it."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from shangyou import games
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, BadInput, Cards, Deal, Game
from shangyou.games.errors import Why as OfGames
from shangyou.games.game import Phase
from shangyou.records.errors import BadRecord, RecordError, Why, at_line, check_decoded, check_game
from shangyou.records.jsonl import check_json, parse_json
from shangyou.records.record import (
    Record,
    WrittenPlay,
    needed_turns,
    opening,
    play_on,
    read_seat,
    said,
    with_passes,
    write_cards,
)

HEADER_KEYS = ("game", "rules")  # hold for all records that follow
ONCE_KEYS = ("name", "players", "bids", "doubles", "first", "cards", "result")
BODY_KEYS = ("cards", "plays", "result")  # once one of these is there, any line but the last two starts a new record
OTHER_NAMES = {"game process": "plays"}  # in the paper
KEYS = (*HEADER_KEYS, *ONCE_KEYS, "plays")
LINE_WIDTH = 100

SAID: dict[str, Phase] = {"bids": "bid", "doubles": "double"}
"""Lines of what is said before the first play, and what is due for them."""


class Line(NamedTuple):
    number: int
    key: str
    value: str


Lines = dict[str, Line]  # by key


# -- reading ----------------------------------------------------------------------------------------------------------


def read_text(lines: Iterable[tuple[int, str]], game: str = "", rules: str = "") -> Iterator[Record | BadRecord]:
    """The records of numbered lines. `game` and `rules` hold until the lines name a game; `rules` also after that."""
    header = outside = {"game": Line(0, "game", game), "rules": Line(0, "rules", rules)}
    number = 0
    for block in _blocks(_split(lines)):
        for line in block:
            if line.key in HEADER_KEYS:
                header = (outside if line.key == "game" else header) | {line.key: line}
        if all(line.key in HEADER_KEYS for line in block):
            continue  # the end of the file
        number += 1
        try:
            yield _read_record(block, header)
        except RecordError as error:
            yield error.bad_record(number, next((line.value for line in block if line.key == "name"), ""))


def read_text_deals(lines: Iterable[tuple[int, str]], game: Game) -> Iterator[Deal]:
    """The deals of numbered lines for this game, whatever rules the lines name; an error has its line."""
    for block in _blocks(_split(lines)):
        for line in block:
            if line.key == "game":
                with at_line(line.number):
                    check_game(game, line.value)
        lines_of_deal = _by_key(block)
        acts = [play for line in block if line.key in ("bids", "plays") for play in _split_plays(line)]
        if "cards" in lines_of_deal:
            with at_line(lines_of_deal["cards"].number):
                yield _read_deal(game, lines_of_deal, acts)
        elif any(line.key not in HEADER_KEYS for line in block):
            raise RecordError(Why.no_cards_line(), block[0].number)


def _split(lines: Iterable[tuple[int, str]]) -> Iterator[Line]:
    for number, text in lines:
        text = text.strip()
        if not text or text.startswith("#"):
            continue
        before, colon, after = text.partition(":")
        key = before.strip().lower()
        if colon and re.fullmatch(r"[^\W\d][\w ]*", key):
            yield Line(number, OTHER_NAMES.get(key, key), after.strip())
        else:
            yield Line(number, "plays" if re.match(r"\d+\s*,", text) else "cards", text)


def _blocks(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """The lines of each record."""
    block: list[Line] = []
    keys: set[str] = set()
    for line in lines:
        goes_on = line.key == "result" or (line.key == "plays" and "result" not in keys)
        if not keys.isdisjoint(BODY_KEYS) and not goes_on:
            yield block
            block, keys = [], set()
        block.append(line)
        keys.add(line.key)
    if block:
        yield block


def _read_record(block: list[Line], header: Lines) -> Record:
    lines = _by_key(block)
    start = next(line.number for line in block if line.key not in HEADER_KEYS)
    with at_line(max(line.number for line in header.values()) or start):
        if not header["game"].value:
            raise BadInput(Why.game_missing())
        game = games.load_text(header["game"].value, header["rules"].value)
    plays = [play for line in block if line.key == "plays" for play in _split_plays(line)]
    spoken = {key: list(_split_plays(lines[key])) if key in lines else [] for key in SAID}
    if "cards" not in lines:
        raise RecordError(Why.no_cards_line(), start)
    with at_line(lines["cards"].number):
        state = reference.start(game, _read_deal(game, lines, spoken["bids"] + plays))
    for key, words in spoken.items():
        with at_line(lines.get(key, lines["cards"]).number):
            state = _read_said(state, key, words)
            if state.landlord not in (NOBODY, 0):
                raise BadInput(Why.bids_landlord(seat=state.landlord))
    state = play_on(state, plays, with_passes)
    if "result" in lines:
        with at_line(lines["result"].number):
            _check_result(state, lines["result"].value)
    return _named(state, lines)


def _by_key(block: list[Line]) -> Lines:
    """The lines by key; of several with plays the last."""
    lines: Lines = {}
    for line in block:
        with at_line(line.number):
            check_decoded(f"{line.key}{line.value}")
            if line.key not in KEYS:
                raise BadInput(Why.unknown_key(key=line.key, options=KEYS))
            if line.key in ONCE_KEYS and line.key in lines:
                raise BadInput(Why.second_line(key=line.key, value=line.value))
            lines[line.key] = line
    return lines


def _pieces(text: str) -> list[str]:
    """The parts between semicolons; the last may be followed by one."""
    return text.strip().removesuffix(";").split(";") if text.strip() else []


def _split_plays(line: Line) -> Iterator[WrittenPlay]:
    for piece in _pieces(line.value):
        seat, _, cards = piece.partition(",")
        yield WrittenPlay(line.number, seat.strip(), cards.strip())


def _read_deal(game: Game, lines: Lines, acts: list[WrittenPlay]) -> Deal:
    """The deal. Who acts first is given by a line of its own, or by the first bid or play."""
    hands, public = _read_hands(game, lines["cards"].value)
    deal = game.make_deal(hands, public)
    if "first" in lines:
        with at_line(lines["first"].number):
            return game.make_deal(hands, public, read_seat(game, lines["first"].value))
    allowed = game.may_act_first(hands)
    if not acts and len(allowed) > 1:
        raise BadInput(Why.who_first(seat=allowed[0]))
    return next((replace(deal, first=seat) for seat in allowed if acts and acts[0].seat == str(seat)), deal)


def _read_hands(game: Game, text: str) -> tuple[tuple[Cards, ...], Cards]:
    names = [OfGames.hand_of(seat=seat) for seat in range(game.seats)] + [OfGames.public_cards()] * bool(game.public_size)
    pieces = _pieces(text)
    if len(pieces) != len(names):
        raise BadInput(Why.cards_line(text=text, n=len(pieces), game=game.name, wanted=len(names), options=names))
    cards = [game.deck.parse(piece) for piece in pieces]
    return tuple(cards[: game.seats]), sum(cards[game.seats :])


def _read_said(state: State, key: str, words: list[WrittenPlay]) -> State:
    """The state after the bids, or the doubles, of a line."""
    game = state.game
    if words and key == "bids" and not game.has_bidding:
        raise BadInput(Why.no_bidding(game=game.name))
    if words and key == "doubles" and not game.has_doubling:
        raise BadInput(Why.no_doubling(game=game.name))
    for number, word in enumerate(words, 1):
        if state.phase != SAID[key]:
            raise BadInput(Why.said_late(key=key, text=str(word)))
        if read_seat(game, word.seat) != state.turn:
            raise BadInput(Why.said_turn(key=key, number=number, text=str(word), seat=state.turn))
        state = said(state, _read_number(word.cards))
    return state


def _read_number(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", text.strip()):
        raise BadInput(Why.not_whole(text=text))
    return int(text)


def _check_result(state: State, text: str) -> None:
    if not state.over:
        raise BadInput(Why.result_early(result=text))
    if tuple(map(_read_number, text.split(","))) != state.scores:
        raise BadInput(Why.result_wrong(result=text, wanted=",".join(map(str, state.scores))))


def _named(state: State, lines: Lines) -> Record:
    """The record with its name and those of its players; a name that is not plain is written as JSON."""
    name = lines["name"].value if "name" in lines else ""
    if name.startswith('"'):
        with at_line(lines["name"].number):
            name = check_json(parse_json(name), str, "name")
    if "players" not in lines:
        return Record.from_state(state, (), name)
    text = lines["players"].value
    with at_line(lines["players"].number):
        players = check_json(parse_json(text), [str], "players") if text.startswith("[") else map(str.strip, text.split(","))
        return Record.from_state(state, tuple(players), name)


# -- writing ----------------------------------------------------------------------------------------------------------


def format_text(records: Iterable[Record]) -> str:
    """The records as one text, to be read again by `read_text`."""
    blocks, last_header = [], ""
    for record in records:
        header = f"game: {record.game.name}\nrules: {record.game.rules}\n"
        if header != last_header:
            blocks.append(header)
            last_header = header
        blocks.append("\n".join(_format_record(record)) + "\n")
    return "\n".join(blocks)


def _format_record(record: Record) -> Iterator[str]:
    landlord = opening(record.game, record.deal, record.bids).landlord
    record = record if landlord == NOBODY else record.turned(landlord)  # who is listed first
    game, deal = record.game, record.deal
    if record.name:
        yield f"name: {record.name if _is_plain(record.name) else json.dumps(record.name)}"
    if record.players:
        plain = all(map(_is_plain, record.players))
        yield f"players: {','.join(record.players) if plain else json.dumps(record.players)}"
    words = [f"{seat},{points};" for seat, points in zip(game.bidders(deal.first, record.bids), record.bids, strict=True)]
    bids = len(game.auction(record.bids))
    if bids:
        yield f"bids: {''.join(words[:bids])}"
    elif not record.turns and len(game.may_act_first(deal.hands)) > 1:
        yield f"first: {deal.first}"
    if words[bids:]:
        yield f"doubles: {''.join(words[bids:])}"
    yield ";".join(map(game.deck.format, (*deal.hands, *([deal.public] if game.public_size else []))))
    plays = " ".join(f"{seat},{write_cards(game, cards)};" for seat, cards in needed_turns(record))
    yield from (line.replace(" ", "") for line in textwrap.wrap(plays, LINE_WIDTH, break_long_words=False))
    if record.result.finished:
        yield f"result: {','.join(map(str, record.result.scores))}"


def _is_plain(name: str) -> bool:
    """Whether a name is read back unchanged, alone or between commas."""
    return name.isprintable() and name.strip() == name != "" and not name.startswith(("[", '"')) and "," not in name
