"""Limits on what one address may ask for: requests, new tables, sockets and so on."""

import ipaddress
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from shangyou.web.settings import Settings

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
MOST_ADDRESSES = 10_000  # with a bucket at once; beyond, the full buckets are dropped


def group_of(address: str) -> str:
    """What counts as one address: of IPv6 the network of 64 bits, of which a household has all."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else address


class RateLimit:
    """A token bucket for each address: so many in a span of time, and as many at once."""

    def __init__(self, most: int, span: float = MINUTE) -> None:
        self.most, self.span = most, span
        self.refill = span / most if most else inf  # seconds for one more
        self.full_at: dict[str, float] = {}  # when the bucket of an address is full again

    def take(self, address: str = "", count: int = 1) -> bool:
        now = time.monotonic()
        if len(self.full_at) > MOST_ADDRESSES:
            self.full_at = {other: full_at for other, full_at in self.full_at.items() if full_at > now}
        full_at = max(now, self.full_at.get(address, now)) + count * self.refill
        allowed = full_at - now < self.span * (1 + 1e-7)  # sums of floats are not exact
        if allowed:
            self.full_at[address] = full_at
        return allowed


class Limits:
    def __init__(self, settings: Settings) -> None:
        self.requests, self.tables = RateLimit(settings.requests), RateLimit(settings.new_tables)
        self.rules, self.records = RateLimit(settings.new_rules), RateLimit(settings.records, DAY)
        self.codes = RateLimit(settings.codes, HOUR)
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
