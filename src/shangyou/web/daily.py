"""The deal of a day: when it runs, and which cards a secret gives to everybody. No clock and no database."""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta

SEAT = (
    0  # everybody's: the landlord's where the deal names one, since the landlord decides most; else any seat is like the others
)
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


def seed_of(secret: bytes, day: str, game: str) -> int:
    """The seed of the cards. Who does not have the secret cannot know it, nor learn from other days what it will be."""
    return int.from_bytes(hmac.digest(secret, f"{day} {game}".encode(), hashlib.sha256)[:8]) >> 1


def days_in_a_row(days: Iterable[str], today: str) -> tuple[int, int]:
    """How many days in a row, up to today or yesterday, and the most there ever were; `days` may come in any order."""
    numbers = sorted({date.fromisoformat(day).toordinal() for day in days})
    lengths, best = dict[int, int](), 0
    for number in numbers:
        lengths[number] = lengths.get(number - 1, 0) + 1
        best = max(best, lengths[number])
    now = date.fromisoformat(today).toordinal()
    return lengths.get(now, lengths.get(now - 1, 0)), best
