"""What a tool for web pages would look at: weight, first paint, accessibility by axe-core, contrast, in both themes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from web.e2e.at_the_table import my_turn, open_lobby, play_to_the_end, sit_down
from web.e2e.conftest import Open

MOST_BYTES, MOST_LOBBY_BYTES, LONGEST_PAINT, LEAST_CONTRAST = 150_000, 80_000, 1000, 4.5
LARGE = 3.0  # contrast that is enough for large text
LOOKS = [("light", "en-GB"), ("dark", "zh-CN")]
LOOK = (Path(__file__).parent / "look.js").read_text(encoding="utf-8")
GRAVE = ("serious", "critical")  # what axe-core calls faults that keep people out


def test_weight_and_first_paint(server: str, open_page: Open) -> None:
    """Everything on the wire with its headers, nothing cached; the paint is the best of three, as machines are busy."""
    page, paints, finished = open_page(), [], []
    page.on("requestfinished", lambda request: finished.append(request))
    open_lobby(page, server, "doudizhu")
    lobby = [on_the_wire(request) for request in finished]
    page.click(".go")
    page.wait_for_selector(".hand .card")
    both = [on_the_wire(request) for request in finished]
    for _ in range(3):
        page.goto("about:blank")
        page.goto(server)
        page.wait_for_selector(".tile")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    weights = [sum(size for _, size, _ in seen) for seen in (lobby, both)]
    print(f"lobby {weights[0]} bytes, with a table {weights[1]}, first paint after {min(paints):.0f} ms")
    assert 20_000 < weights[0] < MOST_LOBBY_BYTES
    assert weights[0] < weights[1] < MOST_BYTES
    squeezed = {name for name, _, encoding in both if encoding == "gzip"}
    assert {"lobby.js", "table.css", "games", "table.js"} <= squeezed
    assert min(paints) < LONGEST_PAINT


def on_the_wire(request: Any) -> tuple[str, int, str | None]:
    """The file, its bytes as sent, with headers, and how they are encoded."""
    size = request.sizes()
    encoding = request.response().headers.get("content-encoding")
    return request.url.rpartition("/")[2], size["responseBodySize"] + size["responseHeadersSize"], encoding


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
        "": "details.more",
        "learn": ".tile",
        "learn/doudizhu": ".lesson",
        "position": ".picker",
        "records": ".mygames .list",
        "ranking/zsy2": ".course .chart",
        "daily": ".dailies .deal",
        "puzzle/zsy2": ".puzzle .hand .card",
        "match": ".mymatches p:not(.key)",
        "me": ".strength tbody tr",
        "progress": ".roles tbody tr",
        "bots": ".mybots [name=name]",
    }.items():
        page.goto(f"{server}/#/{address}")
        page.wait_for_selector(drawn)
        yield address or "lobby"
    page.click(".gear")
    page.wait_for_selector("dialog")
    yield "settings"


@pytest.mark.parametrize(("theme", "locale"), LOOKS)
def test_accessibility_and_contrast(server: str, open_page: Open, theme: str, locale: str) -> None:
    page = open_page(color_scheme=theme, locale=locale)
    page.add_init_script(LOOK)
    page.goto(server)
    found = []
    for name in visits(page, server):
        expect(page.locator("main h1, main h2, dialog h2").first).to_be_attached()
        found += [f"{name}: {fault}" for fault in grave_faults(page)]
        found += [
            f"{name}: {one['text']!r} has contrast {one['contrast']:.2f} ({one['what']})"
            for one in page.evaluate("look.texts()")
            if one["contrast"] < (LARGE if one["large"] else LEAST_CONTRAST)
        ]
    assert not found, "\n".join(dict.fromkeys(found))


def grave_faults(page: Any) -> list[str]:
    """What axe-core finds: the rule, and the elements that break it."""
    violations = Axe().run(page).response["violations"]
    grave = (one for one in violations if one["impact"] in GRAVE)
    return [f"{one['id']}, {one['help']}: {[node['html'][:120] for node in one['nodes']]}" for one in grave]
