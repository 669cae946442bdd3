"""What a tool for web pages would look at: weight, first paint, names of controls, contrast, in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import my_turn, play_to_the_end, sit_down
from web.e2e.conftest import Open

MOST_BYTES, LONGEST_PAINT, LEAST_CONTRAST = 300_000, 1000, 4.5
LARGE = 3.0  # contrast that is enough for large text
LOOKS = [("light", "en-GB"), ("dark", "zh-CN")]
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")


def test_weight_and_first_paint(server: str, open_page: Open) -> None:
    """Everything the lobby and a table need, nothing cached; the paint is the best of three, as machines are busy."""
    page, sizes, paints = open_page(), [], []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    sit_down(page, server, "doudizhu")
    for _ in range(3):
        page.goto("about:blank")
        page.goto(server)
        page.wait_for_selector(".tile")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    weight = sum(sizes)
    print(f"{weight} bytes, first paint after {min(paints):.0f} ms")
    assert 50_000 < weight < MOST_BYTES
    assert min(paints) < LONGEST_PAINT


def visits(page: Any, server: str) -> Any:
    """Every page, one after the other, by name."""
    sit_down(page, server, "zsy2")
    my_turn(page)
    page.click("[data-does=hint]")
    page.wait_for_selector(".hints .bar")
    yield "table"
    page.keyboard.press("Escape")
    play_to_the_end(page)
    yield "end"
    page.click("[data-does=replay]")
    page.wait_for_selector(".chart .line")
    yield "replay"
    page.click(".head a[href*=review]")
    page.wait_for_selector(".totals .figure")
    yield "review"
    for address, drawn in {
        "": "details.rules",
        "learn": ".tile",
        "learn/doudizhu": ".lesson",
        "position": ".picker",
        "records": ".mygames .list",
        "ranking/zsy2": ".course .chart",
        "match": ".mymatches p:not(.key)",
        "bots": ".mybots [name=name]",
    }.items():
        page.goto(f"{server}/#/{address}")
        page.wait_for_selector(drawn)
        yield address or "lobby"
    page.click(".gear")
    page.wait_for_selector("dialog")
    yield "settings"


@pytest.mark.parametrize(("theme", "locale"), LOOKS)
def test_names_and_contrast(server: str, open_page: Open, theme: str, locale: str) -> None:
    page = open_page(color_scheme=theme, locale=locale)
    page.add_init_script(LOOK)
    page.goto(server)
    found = []
    for name in visits(page, server):
        expect(page.locator("main h1, main h2, dialog h2").first).to_be_attached()
        found += [f"{name}: {what} has no name" for what in page.evaluate("look.unnamed()")]
        found += [
            f"{name}: {one['text']!r} has contrast {one['contrast']:.2f} ({one['what']})"
            for one in page.evaluate("look.texts()")
            if one["contrast"] < (LARGE if one["large"] else LEAST_CONTRAST)
        ]
    assert not found, "\n".join(dict.fromkeys(found))
