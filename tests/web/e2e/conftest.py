"""A real server and a real browser. `make browser` runs these tests, and then fails if Chromium is missing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE = 15_000  # milliseconds


@dataclass
class Server:
    """`shangyou serve` as a process of its own."""

    database: Path
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        command = [
            sys.executable,
            "-m",
            "shangyou",
            "serve",
            "--port",
            str(self.port),
            "--database",
            f"sqlite:///{self.database}",
        ]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200", "SHANGYOU_NEW_TABLES": "1000"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        assert self.process.stdout
        said = []
        for line in self.process.stdout:
            said.append(line)
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
            if self.port and '"started"' in line:
                return f"http://127.0.0.1:{self.port}"
        raise AssertionError(f"the server did not start:\n{''.join(said)}")

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> None:
        assert self.process
        assert self.process.stdout
        self.process.send_signal(with_signal)
        self.process.wait(20)
        self.process.stdout.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    running = Server(tmp_path_factory.mktemp("arena") / "arena.db")
    yield running.start()
    running.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if os.environ.get("SHANGYOU_BROWSER") != "required":
        pytest.skip("tests in the browser run by themselves: make browser")
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not found:
        pytest.fail("there is no chromium here")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


Open = Callable[..., Any]


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Open]:
    """Opens pages, each of a person of its own; nothing may go wrong in any of them."""
    contexts, wrong = [], []

    def open_one(**options: Any) -> Any:
        settings = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", "reduced_motion": "reduce"}
        context = chromium.new_context(**settings | options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not [text for text in wrong if "WebSocket" not in text and "ERR_CONNECTION" not in text], wrong
