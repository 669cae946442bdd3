"""A line between browser and server that can be cut, or fall silent without a word, while both go on."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

AT_ONCE = 65_536  # bytes


class WeakLine:
    """Listens on a port of its own and passes on what it receives, both ways."""

    def __init__(self, server_port: int) -> None:
        self.server_port = server_port
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.flows = threading.Event()
        self.flows.set()
        self.refuses = False
        self.ends: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}"

    def cut(self) -> None:
        """Both sides notice."""
        self.refuses = True
        self._drop()

    def fall_silent(self) -> None:
        """Neither side notices; what is sent waits."""
        self.flows.clear()

    def mend(self) -> None:
        """For new connections; what waited on the old ones is lost."""
        self._drop()
        self.refuses = False
        self.flows.set()

    def arrive_late(self) -> None:
        """What waited is passed on."""
        self.flows.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # not listening any more
            while True:
                browser, _ = self.listening.accept()
                if self.refuses:
                    browser.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.server_port))
                self.ends += [browser, server]
                for one, other in ((browser, server), (server, browser)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):  # cut
            while heard := one.recv(AT_ONCE):
                self.flows.wait()
                other.sendall(heard)
            self.flows.wait()
            other.shutdown(socket.SHUT_WR)

    def _drop(self) -> None:
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.ends = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.listening.close()
        self._drop()
        self.flows.set()
