"""Limits on the requests, new tables and sockets of one address."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from shangyou.web.settings import Settings

MINUTE = 60.0
MOST_ADDRESSES = 10_000  # with a bucket at once; beyond, the full buckets are dropped


class RateLimit:
    """A token bucket for each address: so many a minute, and as many at once."""

    def __init__(self, a_minute: int) -> None:
        self.refill = MINUTE / a_minute if a_minute else inf  # seconds for one more
        self.full_at: dict[str, float] = {}  # when the bucket of an address is full again

    def take(self, address: str = "") -> bool:
        now = time.monotonic()
        if len(self.full_at) > MOST_ADDRESSES:
            self.full_at = {other: full_at for other, full_at in self.full_at.items() if full_at > now}
        full_at = max(now, self.full_at.get(address, now)) + self.refill
        allowed = full_at - now < MINUTE + 1e-6  # sums of floats are not exact
        if allowed:
            self.full_at[address] = full_at
        return allowed


class Limits:
    def __init__(self, settings: Settings) -> None:
        self.requests, self.tables = RateLimit(settings.requests), RateLimit(settings.new_tables)
        self.most_sockets = settings.sockets
        self.sockets: Counter[str] = Counter()

    @contextmanager
    def socket(self, address: str) -> Iterator[bool]:
        """Whether one more socket may be open; if so it counts until the end of the block."""
        allowed = self.sockets[address] < self.most_sockets
        self.sockets[address] += allowed
        try:
            yield allowed
        finally:
            self.sockets[address] -= allowed
            if not self.sockets[address]:
                del self.sockets[address]
