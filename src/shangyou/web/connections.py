"""Connections before there is a request on them: how long one may take to arrive, and how many an address may have at once.

uvicorn closes a connection that is idle after an answer, but waits for the first request, or the rest of one, for ever.
"""

import asyncio
import sys
from collections import Counter
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from shangyou.web.limits import group_of
from shangyou.web.proxies import Proxies
from shangyou.web.settings import Settings


def protocol_of(settings: Settings) -> type[asyncio.Protocol]:
    """The protocol of uvicorn with the limits of these settings."""

    class Limited(LimitedProtocol):
        most, seconds, proxies = settings.connections, settings.request_seconds, Proxies(settings.proxies)
        open: ClassVar = Counter[str]()

    return Limited


class LimitedProtocol(H11Protocol):
    most: int
    seconds: int
    proxies: Proxies
    open: ClassVar[Counter[str]]  # connections of each address that have not become sockets

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.counted_as: str | None = None
        self.deadline: asyncio.TimerHandle | None = None
        self.is_socket = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        if address not in self.proxies:  # a proxy has the connections of everybody, and limits of its own
            self.counted_as = group_of(address)
            self.open[self.counted_as] += 1
            if self.open[self.counted_as] > self.most:
                transport.abort()
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self.is_socket = True
        self._leave()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """The deadline stands from when a request may begin until it is here as a whole, however many pieces it comes in."""
        waiting = self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.is_socket
        if waiting and self.deadline is None:
            self.deadline = self.loop.call_later(self.seconds, self.transport.abort)
        elif not waiting:
            self._forget_deadline()

    def _forget_deadline(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
            self.deadline = None

    def _leave(self) -> None:
        self._forget_deadline()
        if self.counted_as is not None:
            self.open[self.counted_as] -= 1
            if not self.open[self.counted_as]:
                del self.open[self.counted_as]
            self.counted_as = None


def raise_file_limit() -> None:
    """Every connection is an open file; many systems allow 1,024 unless a process asks for more."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
