"""What is wrong with a record, said so that a person finds the place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shangyou.games import BadInput

LONGEST_QUOTE = 400  # a broken file can be one line of a million characters; nobody wants it all in the error


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read, in the place where it stood. Fields about a play are empty where none is to blame."""

    number: int  # of the record in its file, from 1
    line: int  # of the file, from 1: where the trouble is
    reason: str
    name: str = ""
    play_number: int = 0  # from 1, counting what is written down
    play: str = ""
    hand: str = ""  # of the seat that made the play

    def __str__(self) -> str:
        if not self.play_number:
            return self.reason
        hand = f" with hand {self.hand}" if self.hand else ""
        return f'play {self.play_number} "{self.play}"{hand}: {self.reason}'


class Fault(BadInput):
    """An error on its way from the place that found it to the record it spoils."""

    def __init__(self, reason: str, line: int, play_number: int = 0, play: str = "", hand: str = "") -> None:
        super().__init__(reason)
        self.line, self.play_number, self.play, self.hand = line, play_number, play, hand

    def bad_record(self, number: int, name: str) -> BadRecord:
        return BadRecord(number, self.line, _cut(str(self)), _cut(name), self.play_number, _cut(self.play), self.hand)


def _cut(text: str) -> str:
    """Both ends of a long text: an error begins with the input and ends with the reason."""
    half = LONGEST_QUOTE // 2
    return text if len(text) <= LONGEST_QUOTE else f"{text[:half]} [...] {text[-half:]}"


@contextmanager
def at_line(line: int) -> Iterator[None]:
    """Bad input met in here is the fault of this line, unless it already knows better."""
    try:
        yield
    except Fault:
        raise
    except BadInput as error:
        raise Fault(str(error), line) from error


def check_decoded(text: str) -> None:
    """Complain of bytes that were not UTF-8; reading a file turns them into lone surrogates."""
    strange = [f"0x{ord(sign) - 0xDC00:02x}" for sign in text if 0xDC80 <= ord(sign) <= 0xDCFF]
    if strange:
        more = ", ..." if len(strange) > 4 else ""
        raise BadInput(f"the line has bytes that are not UTF-8 text: {', '.join(strange[:4])}{more}")
