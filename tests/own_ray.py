"""Ray clusters that tests and bench/cluster.py start with `ray start`, on loopback and behind a token, and stop again."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
RAY = Path(sys.executable).parent / "ray"
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}  # Ray listens on all addresses
STORE = 100_000_000  # bytes of a node's object store
HEAD = "127.0.0.2"  # one machine has several nodes if each has an address of its own; all of these are loopback


class OwnRay:
    """A head with so many CPUs to work with, and a node for each number of CPUs after that."""

    def __init__(self, head: int, nodes: Sequence[int] = ()) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # sockets need short paths
        self.address = f"{HEAD}:{_free_port()}"
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
        self.environment = TOKEN | {"PYTHONPATH": path, "RAY_memory_monitor_refresh_ms": "0"}
        self._nodes: list[subprocess.Popen[bytes]] = []
        try:
            port = self.address.split(":")[1]
            own = f"--temp-dir={self.folder}", "--include-dashboard=false"
            self._start("--head", f"--port={port}", f"--node-ip-address={HEAD}", f"--num-cpus={head}", *own)
            for number, count in enumerate(nodes, 3):
                self._start(f"--address={self.address}", f"--node-ip-address=127.0.0.{number}", f"--num-cpus={count}")
        except BaseException:
            self.close()
            raise

    def _start(self, *options: str) -> None:
        """In a session of its own, by which its processes are found."""
        words = [str(RAY), "start", *options, f"--object-store-memory={STORE}", "--disable-usage-stats", "--block"]
        log = self.folder / f"start-{len(self._nodes)}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                words, env=os.environ | self.environment, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
            )
        self._nodes.append(process)
        deadline = time.monotonic() + 120
        while b"Ray runtime started" not in log.read_bytes():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"ray start did not: {log.read_text()}")
            time.sleep(0.1)

    def processes(self, node: int) -> list[int]:
        """The processes of a node: 0 is the head, 1 the first of the others."""
        session = self._nodes[node].pid
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[3]) == session:
                    found.append(int(folder.name))
            except OSError:  # it has ended
                continue
        return found

    def kill(self, node: int) -> None:
        """kill -9 of everything on a node at once, as if its power were gone."""
        for process in self.processes(node):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def close(self) -> None:
        for node, process in reversed(list(enumerate(self._nodes))):
            self.kill(node)
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as own:
        own.bind((HEAD, 0))
        return own.getsockname()[1]
