"""`shangyou serve` as a process of its own, which can be killed and started again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FREE = {f"SHANGYOU_{name}": "1000000" for name in ("REQUESTS", "SOCKETS", "MESSAGES", "CONNECTIONS", "NEW_TABLES")}


@dataclass
class OwnServer:
    """Keeps its database and its logs in a folder, and its port from one start to the next."""

    folder: Path
    port: int = 0
    program: tuple[str, ...] = ("-m", "shangyou")
    process: subprocess.Popen[str] | None = None
    database: str = ""  # a file in the folder, unless one is named

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def start(self, **environment: str) -> str:
        """Its address; it listens, though it may still be starting."""
        database = self.database or f"sqlite:///{self.folder / 'a.db'}"
        words = [sys.executable, *self.program, "serve", "--port", str(self.port), "--database", database]
        settings = os.environ | {"COLUMNS": "200", "PYTHONUNBUFFERED": "1"} | environment
        with self.log.open("a") as log:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True, env=settings)
        assert self.process.stdout
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.process.stdout.readline())
        assert found, f"the server did not start:\n{self.log.read_text()}"
        self.port = int(found[1])
        return self.address

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> None:
        """Nothing if it does not run."""
        if self.process is None:
            return
        assert self.process.stdout
        self.process.send_signal(with_signal)
        self.process.wait(20)
        self.process.stdout.close()
        self.process = None


@contextmanager
def own_server(
    folder: Path, stop: signal.Signals = signal.SIGKILL, program: tuple[str, ...] = OwnServer.program, **environment: str
) -> Iterator[Any]:
    """A server that ends with the block."""
    server = OwnServer(folder, program=program)
    try:
        server.start(**environment)
        yield server
    finally:
        server.stop(stop)


@contextmanager
def two_servers(folder: Path, database: str, **environment: str) -> Iterator[Any]:
    """Both start at the same moment, on an empty database, without limits unless some are given."""
    servers = []
    try:
        for name in ("one", "two"):
            (folder / name).mkdir()
            servers.append(OwnServer(folder / name, database=database))
        with ThreadPoolExecutor(2) as threads:
            list(threads.map(lambda server: server.start(**(FREE | environment)), servers))
        yield servers
        for server in servers:
            assert '"level": "error"' not in server.log.read_text(), server.log.read_text()
    finally:
        for server in servers:
            server.stop(signal.SIGKILL)
