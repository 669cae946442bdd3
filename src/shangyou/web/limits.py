"""How much one address may ask for."""

from __future__ import annotations

import time
from collections import Counter, defaultdict

from shangyou.web.settings import Settings

MOST_ADDRESSES = 10_000  # remembered at once; beyond, those with nothing to remember are forgotten


class Bucket:
    """So many a minute, and as many at once."""

    def __init__(self, a_minute: int) -> None:
        self.rate, self.size = a_minute / 60, float(a_minute)
        self.level, self.at = self.size, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self.level, self.at = min(self.size, self.level + (now - self.at) * self.rate), now
        if self.level < 1:
            return False
        self.level -= 1
        return True

    @property
    def full(self) -> bool:
        return self.level + (time.monotonic() - self.at) * self.rate >= self.size


class Limits:
    def __init__(self, settings: Settings) -> None:
        self.most_sockets = settings.sockets
        self.sockets: Counter[str] = Counter()
        self.requests: defaultdict[str, Bucket] = defaultdict(lambda: Bucket(settings.requests))
        self.tables: defaultdict[str, Bucket] = defaultdict(lambda: Bucket(settings.new_tables))

    def request(self, address: str) -> bool:
        return self._take(self.requests, address)

    def table(self, address: str) -> bool:
        return self._take(self.tables, address)

    def enter(self, address: str) -> bool:
        """Whether one more socket may be opened; if so it counts until `leave`."""
        if self.sockets[address] >= self.most_sockets:
            return False
        self.sockets[address] += 1
        return True

    def leave(self, address: str) -> None:
        self.sockets[address] -= 1
        if not self.sockets[address]:
            del self.sockets[address]

    def _take(self, buckets: defaultdict[str, Bucket], address: str) -> bool:
        if len(buckets) > MOST_ADDRESSES:
            for full in [name for name, bucket in buckets.items() if bucket.full]:
                del buckets[full]
        return buckets[address].take()
