"""Errors in records, with the record, the line and the play they are about; and why a record is refused, in English."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shangyou.games import BadInput, Game
from shangyou.games.errors import Reason, Sentence, shortened


class Why(Sentence):
    play_with_hand = 'play {number} "{play}" with hand {hand}: {error}'
    play_number = 'play {number} "{play}": {error}'
    no_records = "there are no records"
    not_utf8 = "the line has bytes that are not UTF-8 text: {bytes}"
    other_game = "that was a game of {game}, not of {other}"
    players_number = "players {players}: {game} has {seats} seats, not {n}"
    # turns
    not_the_turn = "it is the turn of seat {turn}, not of seat {seat}"
    has_passed = "seat {seat} has passed and must wait until the round is over"
    has_no_cards = "seat {seat} has no cards left"
    is_to_lead = "seat {turn} is to lead, not seat {seat}"
    no_seat = "{text!r} is no seat; {game} has seats {options}"
    pass_word = "there are no cards; a pass is written {word}"
    nobody_bids = "nobody bids for landlord: the cards are dealt again, and a record starts from the last deal"
    # text
    game_missing = "no game is given: put a line such as `game: doudizhu` above the record"
    unknown_key = "unknown key {key!r}; there are {options}"
    second_line = "a second {key} line for the same record: {value!r}"
    no_cards_line = "there is no cards line"
    cards_line = "cards line {text!r} has {n:part|parts}; {game} needs {wanted}: {options}"
    who_first = "nothing says who acts first: add a line such as `first: {seat}`"
    no_bidding = "there are bids, but {game} under these rules has no bidding"
    no_doubling = "there are doubles, but {game} under these rules has no doubling"
    said_late = '{key}: "{text}" comes after the last one that is due'
    said_turn = '{key}, number {number} "{text}": it is the turn of seat {seat}'
    bids_landlord = "the bids make seat {seat} landlord; in a text record the landlord is seat 0, listed first"
    not_whole = "{text!r} is not a whole number"
    result_early = "the result {result!r} is given, but the game is unfinished"
    result_wrong = "the result {result!r} is not what the plays give: {wanted}"
    # JSON
    not_json = "this is not JSON: {error}"
    json_number = "this is not JSON: {name} is no number"
    json_deep = "this is not JSON we read: it is nested too deeply"
    json_type = "{where}: {value} is not {kind}"
    json_string = "a string"
    json_whole = "a whole number"
    json_truth = "true or false"
    json_list = "a list"
    json_object = "an object"
    key_twice = "the key {key!r} is there {n} times"
    key_missing = "{where}: the key {key!r} is missing"
    unknown_key_in = "{where}: unknown key {key!r}; there are {options}"
    no_seat_cards = "{where}: a list of {n} is not [seat, cards]"
    only_one_read = "{key}: {given!r} is not {wanted!r}, the only one we read"
    other_table = "table: {given!r} is not {wanted!r}, the plays of {game} under these rules"
    result_part = "result: {key} {given} is not what the plays give: {wanted}"


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read, in place of the record. The fields about a play are empty if the error is not in one."""

    number: int  # of the record in its file, from 1
    line: int  # of the error in the file, from 1
    why: Reason | str
    name: str = ""
    play_number: int = 0  # from 1, counting the plays that are written
    play: str = ""
    hand: str = ""  # of the seat that made the play

    @property
    def reason(self) -> str:
        return str(self.why)

    @property
    def full_why(self) -> Reason | str:
        """With the play it is about."""
        if not self.play_number:
            return self.why
        if not self.hand:
            return Why.play_number(number=self.play_number, play=self.play, error=self.why)
        return Why.play_with_hand(number=self.play_number, play=self.play, hand=self.hand, error=self.why)

    def __str__(self) -> str:
        return str(self.full_why)


class RecordError(BadInput):
    """An error in a record, raised where it is found; reading the file turns it into a `BadRecord`."""

    def __init__(self, reason: Reason | str, line: int, play_number: int = 0, play: str = "", hand: str = "") -> None:
        super().__init__(reason)
        self.line, self.play_number, self.play, self.hand = line, play_number, play, hand

    def bad_record(self, number: int, name: str) -> BadRecord:
        return BadRecord(number, self.line, self.reason, shortened(name), self.play_number, shortened(self.play), self.hand)


@contextmanager
def at_line(line: int) -> Iterator[None]:
    """Give this line to errors of bad input that have no line yet."""
    try:
        yield
    except RecordError:
        raise
    except BadInput as error:
        raise RecordError(error.reason, line) from error


def check_game(game: Game, name: str) -> None:
    """Refuse cards of another game."""
    if name != game.name:
        raise BadInput(Why.other_game(game=name, other=game.name))


def check_decoded(text: str) -> None:
    """Refuse bytes that were not UTF-8, which reading a file turns into lone surrogates."""
    strange = [f"0x{ord(sign) - 0xDC00:02x}" for sign in text if 0xDC80 <= ord(sign) <= 0xDCFF]
    if strange:
        raise BadInput(Why.not_utf8(bytes=strange[:4] + ["..."] * (len(strange) > 4)))
