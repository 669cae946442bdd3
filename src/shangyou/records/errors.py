"""Errors in records, with the record, the line and the play they are about."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shangyou.games import BadInput, Game

LONGEST_QUOTE = 400  # characters; a broken file can be one line of a million


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read, in place of the record. The fields about a play are empty if the error is not in one."""

    number: int  # of the record in its file, from 1
    line: int  # of the error in the file, from 1
    reason: str
    name: str = ""
    play_number: int = 0  # from 1, counting the plays that are written
    play: str = ""
    hand: str = ""  # of the seat that made the play

    def __str__(self) -> str:
        if not self.play_number:
            return self.reason
        hand = f" with hand {self.hand}" if self.hand else ""
        return f'play {self.play_number} "{self.play}"{hand}: {self.reason}'


class RecordError(BadInput):
    """An error in a record, raised where it is found; reading the file turns it into a `BadRecord`."""

    def __init__(self, reason: str, line: int, play_number: int = 0, play: str = "", hand: str = "") -> None:
        super().__init__(reason)
        self.line, self.play_number, self.play, self.hand = line, play_number, play, hand

    def bad_record(self, number: int, name: str) -> BadRecord:
        return BadRecord(number, self.line, _cut(str(self)), _cut(name), self.play_number, _cut(self.play), self.hand)


def _cut(text: str) -> str:
    """Both ends of a long text: a message begins with the input and ends with the reason."""
    half = LONGEST_QUOTE // 2
    return text if len(text) <= LONGEST_QUOTE else f"{text[:half]} [...] {text[-half:]}"


@contextmanager
def at_line(line: int) -> Iterator[None]:
    """Give this line to errors of bad input that have no line yet."""
    try:
        yield
    except RecordError:
        raise
    except BadInput as error:
        raise RecordError(str(error), line) from error


def check_game(game: Game, name: str) -> None:
    """Refuse cards of another game."""
    if name != game.name:
        raise BadInput(f"that was a game of {name}, not of {game.name}")


def check_decoded(text: str) -> None:
    """Refuse bytes that were not UTF-8, which reading a file turns into lone surrogates."""
    strange = [f"0x{ord(sign) - 0xDC00:02x}" for sign in text if 0xDC80 <= ord(sign) <= 0xDCFF]
    if strange:
        more = ", ..." if len(strange) > 4 else ""
        raise BadInput(f"the line has bytes that are not UTF-8 text: {', '.join(strange[:4])}{more}")
