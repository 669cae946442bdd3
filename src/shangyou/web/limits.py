"""Limits on the requests, new tables and sockets of one address."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from shangyou.web.settings import Settings

MOST_ADDRESSES = 10_000  # buckets at once; beyond, the full ones are dropped


class Bucket:
    """So many a minute, and as many at once."""

    def __init__(self, a_minute: int) -> None:
        self.rate, self.size = a_minute / 60, float(a_minute)
        self.rest, self.at = self.size, time.monotonic()

    @property
    def level(self) -> float:
        return min(self.size, self.rest + (time.monotonic() - self.at) * self.rate)

    @property
    def full(self) -> bool:
        return self.level >= self.size

    def take(self) -> bool:
        level, self.at = self.level, time.monotonic()
        self.rest = level - 1 if level >= 1 else level
        return level >= 1


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

    def _take(self, buckets: defaultdict[str, Bucket], address: str) -> bool:
        if len(buckets) > MOST_ADDRESSES:
            for full in [name for name, bucket in buckets.items() if bucket.full]:
                del buckets[full]
        return buckets[address].take()
