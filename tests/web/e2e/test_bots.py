"""Bots in the browser: one is made, connects with its token, is challenged, plays, and is revoked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import expect
from websockets.sync.client import connect

from web.e2e.at_the_table import MOST_ACTIONS, width
from web.e2e.conftest import Open

PHONE = {"viewport": {"width": 360, "height": 780}, "has_touch": True}


@contextmanager
def running(server: str, token: str) -> Iterator[None]:
    """A bot that accepts every challenge and always makes the first of its legal plays."""
    root, headers = server.replace("http", "ws", 1) + "/api/v1", {"Authorization": f"Bearer {token}"}

    def listen(stream: Any) -> None:
        for text in stream:
            message = json.loads(text)
            if message["kind"] == "challenge":
                stream.send(json.dumps({"kind": "accept", "challenge": message["challenge"]}))
            elif message["kind"] == "table":
                threads.submit(play, message["table"])

    def play(table: str) -> None:
        with connect(f"{root}/tables/{table}/live", additional_headers=headers) as socket:
            while (state := json.loads(socket.recv(60))).get("status") not in ("over", "left"):
                if state.get("legal"):
                    socket.send(json.dumps({"kind": "play", "version": state["version"], "play": state["legal"][0]["play"]}))

    with ThreadPoolExecutor(3) as threads, connect(f"{root}/bots/stream", additional_headers=headers) as stream:
        stream.send(json.dumps({"kind": "declare", "games": [{"game": "zsy2"}]}))
        while json.loads(stream.recv(20))["kind"] != "declared":
            pass
        threads.submit(listen, stream)
        yield
        stream.close()


def play_solos(page: Any) -> None:
    """Lead one card at a time and pass otherwise, until the end; there are no hints at this table."""
    for _ in range(MOST_ACTIONS):
        page.wait_for_selector("[data-does=pass]:enabled, .turn [data-kind=me], .ending:not([hidden])")
        if page.locator(".ending:not([hidden])").count():
            return
        version = page.locator(".table").get_attribute("data-version")
        passing = page.locator("[data-does=pass]:enabled")
        if passing.count():
            passing.click()
        else:
            page.locator(".hand .card").last.click()  # the others are half covered
            page.click("[data-does=play]:enabled")
        page.wait_for_selector(f".table:not([data-version='{version}'])")
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("look", [{}, PHONE], ids=["desk", "phone"])
def test_a_bot_is_made_challenged_and_revoked(server: str, open_page: Open, look: dict[str, Any]) -> None:
    page = open_page(**look)
    page.goto(f"{server}/#/ranking")
    page.click(".panel a[href='#/bots']")
    expect(page.locator(".online")).to_contain_text("No bot is connected.")
    name = "Iris on a phone" if look else "Iris"
    page.fill("[name=name]", name)
    page.keyboard.press("Enter")
    token = page.locator(".token code").first.inner_text()
    assert token.startswith("sybot_")
    assert width(page) <= page.viewport_size["width"]
    with running(server, token):
        page.reload()
        expect(page.locator(".token")).to_have_count(0)
        expect(page.locator(".mybots li")).to_contain_text("connected")
        page.click(".online li [data-game=zsy2]")
        page.wait_for_selector(".hand .card")
        expect(page.locator(".badge", has_text=name)).to_contain_text("bot")
        play_solos(page)
    page.goto(f"{server}/#/bots")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("[data-does=revoke]")
    expect(page.locator(".mybots li")).to_have_count(0)
