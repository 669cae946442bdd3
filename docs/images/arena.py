"""Draws the pictures of the arena: lobby, table with hints, replay, review, and a phone upright and on its side.

PYTHONPATH=tests python docs/images/arena.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from web.e2e.at_the_table import MOST_ACTIONS, bid_or_play, my_turn, open_lobby
from web.own_server import own_server

FOLDER = Path(__file__).parent
DESK, UPRIGHT, ON_ITS_SIDE = ({"width": 1280, "height": 800}, {"width": 360, "height": 740}, {"width": 844, "height": 390})
SEED, TURNS = 11, 2  # of the deal; of mine before the picture of the table
OPEN_TABLE = """async (wish) => {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch("/api/v1/tables", { method: "POST", headers, body: JSON.stringify(wish) });
  return (await answer.json()).table;
}"""


def table_with_hints(page: Any, server: str) -> None:
    """Always the same cards: the landlord is I, the champion has the two other seats."""
    champion = "champion/doudizhu"
    page.goto(server)
    wish = {"game": "doudizhu", "seats": ["me", champion, champion], "seed": SEED, "hints": True, "pace": 0}
    page.goto(f"{server}/#/table/{page.evaluate(OPEN_TABLE, wish)}")
    for _ in range(TURNS):
        my_turn(page)
        bid_or_play(page)
    my_turn(page)
    page.click("[data-does=hint]:enabled")
    page.wait_for_selector(".hints:not([hidden]) .bar")


def play_badly_to_the_end(page: Any) -> None:
    """The highest card, or a pass: so that there is something to review."""
    for _ in range(MOST_ACTIONS):
        page.wait_for_selector(".note[data-kind=turn], .ending:not([hidden])")
        if page.locator(".ending:not([hidden])").count():
            return
        version = page.locator(".table").get_attribute("data-version")
        if page.locator("[data-does=pass]:enabled").count():
            page.click("[data-does=pass]")
        else:
            page.locator(".hand .card").first.click(position={"x": 8, "y": 20})
            page.click("[data-does=play]:enabled")
        page.wait_for_selector(f".table:not([data-version='{version}'])")


def shoot(page: Any, name: str) -> None:
    page.wait_for_timeout(1000)  # what moves has come to rest
    file = FOLDER / f"arena-{name}.png"
    page.screenshot(path=file)
    picture = Image.open(file).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=8)  # a third of the size
    picture.save(file, optimize=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, own_server(Path(folder)) as server, sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])

        def page_of(size: dict[str, int], locale: str = "en", scale: float = 1) -> Any:
            phone = size is not DESK
            return browser.new_context(viewport=size, locale=locale, device_scale_factor=scale, has_touch=phone).new_page()

        desk = page_of(DESK)
        open_lobby(desk, server.address, "doudizhu")
        shoot(desk, "lobby")
        table_with_hints(desk, server.address)
        shoot(desk, "table")
        desk.click(".hints header button")
        play_badly_to_the_end(desk)
        replay = desk.evaluate("document.querySelector('.ending a[href*=replay]').href")
        desk.goto(replay)
        desk.wait_for_selector(".replay .card:not(.back)")
        shoot(desk, "replay")
        desk.goto(replay.replace("replay", "review"))
        desk.wait_for_selector(".review svg")
        shoot(desk, "review")
        for name, size, locale in (("phone", UPRIGHT, "zh-CN"), ("landscape", ON_ITS_SIDE, "en")):
            page = page_of(size, locale, 1.5)
            table_with_hints(page, server.address)
            shoot(page, name)
        browser.close()


if __name__ == "__main__":
    main()
