"""The deal of a day: when it runs, and which cards and seat a secret gives to everybody. No clock and no database."""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta

from shangyou.games import Game

GRACE = timedelta(hours=1)  # after the end of a day tries that were begun in it may be finished, and its cards stay hidden


def day_of(moment: datetime) -> str:
    """The day a moment belongs to, in UTC."""
    return moment.astimezone(UTC).date().isoformat()


def ends_at(day: str) -> datetime:
    """From then on nobody can begin the deal of that day."""
    return datetime.combine(date.fromisoformat(day) + timedelta(days=1), time(), UTC)


def closes_at(day: str) -> datetime:
    """From then on the results are final and the cards known."""
    return ends_at(day) + GRACE


def draw(secret: bytes, day: str, game: Game) -> tuple[int, int]:
    """The seed of the cards and the seat to play them from. Who does not have the secret can know neither beforehand."""
    bits = hmac.digest(secret, f"{day} {game.name}".encode(), hashlib.sha256)
    return int.from_bytes(bits[:8]) >> 1, int.from_bytes(bits[8:16]) % game.seats


def days_in_a_row(days: Iterable[str], today: str) -> tuple[int, int]:
    """How many days in a row, up to today or yesterday, and the most there ever were; `days` may come in any order."""
    numbers = sorted({date.fromisoformat(day).toordinal() for day in days})
    lengths, best = dict[int, int](), 0
    for number in numbers:
        lengths[number] = lengths.get(number - 1, 0) + 1
        best = max(best, lengths[number])
    now = date.fromisoformat(today).toordinal()
    return lengths.get(now, lengths.get(now - 1, 0)), best
