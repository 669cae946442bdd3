"""A real server and a real browser. `make test` and `make browser` run these tests, and fail if Chromium is missing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from web.own_server import own_server

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
ONE_CORE = {"OMP_NUM_THREADS": "1"}
MANY_VISITS = {"SHANGYOU_NEW_TABLES": "1000", "SHANGYOU_REQUESTS": "10000"}  # all tests come from one address
PATIENCE = 30_000  # milliseconds; states are waited for, and this long only if something is wrong
EXPECTED = r"WebSocket|ERR_CONNECTION|status of 4\d\d .*/api/v1/"  # a server that was killed, a request that was refused
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with own_server(tmp_path_factory.mktemp("arena"), **ONE_CORE, **MANY_VISITS) as running:
        yield running.address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if os.environ.get("SHANGYOU_BROWSER") != "required":
        pytest.skip("tests in the browser run alone, after the others: make test, make browser")
    from playwright.sync_api import expect, sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        pytest.fail(f"there is none of {', '.join(BROWSERS)} here")
    expect.set_options(timeout=PATIENCE)
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
        page.on("console", lambda line: wrong.append(f"{line.text} {line.location['url']}") if line.type == "error" else None)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not [text for text in wrong if not re.search(EXPECTED, text)]
