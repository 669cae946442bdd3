"""Without a mouse: a whole game, and every page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import MOST_ACTIONS, READY, my_turn, open_lobby, open_more, sit_down
from web.e2e.conftest import Open

PAGES = (
    "",
    "learn",
    "learn/doudizhu",
    "position",
    "records",
    "ranking/zsy2",
    "match",
    "daily",
    "puzzle/zsy2",
    "me",
    "progress",
    "bots",
)


def tab_to(page: Any, wanted: str, key: str = "Tab") -> None:
    """Tab until the element has the focus."""
    for _ in range(80):
        page.keyboard.press(key)
        if page.evaluate("wanted => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"Tab does not lead to {wanted}")


def test_a_whole_game_without_a_mouse(server: str, open_page: Open) -> None:
    """From the lobby through hints to the end: Tab, Enter, letters and arrows only."""
    page = open_page()
    page.goto(server)
    page.wait_for_selector(READY)
    tab_to(page, "[data-game=zsy2]")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"{READY} [data-game=zsy2][aria-checked=true]")
    tab_to(page, "[name=level]")
    page.keyboard.press("ArrowUp")
    expect(page.locator("[name=level][value=casual]")).to_be_focused()
    expect(page.locator("[name=level][value=casual]")).to_be_checked()
    tab_to(page, "details.more > summary")
    page.keyboard.press("Enter")
    tab_to(page, "[name=pace]")
    page.keyboard.press("Home")
    expect(page.locator("[name=pace]")).to_have_value("0")
    tab_to(page, ".go", "Shift+Tab")
    page.keyboard.press("Enter")
    for _ in range(MOST_ACTIONS):
        page.wait_for_selector("[data-does=hint]:enabled, .ending:not([hidden])")
        if page.locator(".ending:not([hidden])").count():
            break
        version = page.locator(".table").get_attribute("data-version")
        page.keyboard.press("h")
        best = page.locator(".hints:not([hidden]) .bar").first
        best.wait_for()
        cards = best.locator(".card").evaluate_all("cards => cards.map(card => card.dataset.card)")
        page.keyboard.press("Escape")
        for card in cards:
            page.keyboard.press(card)
        expect(page.locator(".hand .card.chosen")).to_have_count(len(cards))
        page.keyboard.press("Enter" if cards else "p")
        page.wait_for_selector(f".table:not([data-version='{version}'])")
    expect(page.locator(".ending")).to_be_focused()
    tab_to(page, "[data-does=review]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".totals .figure")


def test_the_lobby_is_drawn_again_and_the_focus_stays(server: str, open_page: Open) -> None:
    page = open_page()
    open_lobby(page, server, "doudizhu")
    open_more(page)
    for field, key in (("seat1", "Home"), ("bidding", "Space"), ("spring", "Space"), ("seat2", "End")):
        tab_to(page, f"[name={field}]")
        page.keyboard.press(key)
        page.wait_for_selector(READY)
        expect(page.locator(f"[name={field}]")).to_be_focused()
    expect(page.locator(".more > summary .mark")).to_have_text("2 changed")


def test_letters_arrows_and_escape_choose(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "doudizhu")
    my_turn(page)
    chosen = page.locator(".hand .card.chosen")
    page.keyboard.press(page.locator(".hand .card").last.get_attribute("data-card"))
    expect(chosen).to_have_count(1)
    page.keyboard.press("Escape")
    expect(chosen).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    expect(chosen).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".hand .card")).to_have_count(19)
    assert page.inner_text("#live")


SEEN = """() => {
  const element = document.activeElement, style = getComputedStyle(element);
  return element === document.body ? null : {
    what: element.outerHTML.slice(0, 90),
    shows: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none",
  };
}"""


@pytest.mark.parametrize("address", PAGES)
def test_the_focus_can_be_seen_everywhere(server: str, open_page: Open, address: str) -> None:
    page = open_page()
    page.goto(f"{server}/#/{address}")
    page.wait_for_selector("main h1")
    seen = []
    for _ in range(25):
        page.keyboard.press("Tab")
        if focused := page.evaluate(SEEN):
            seen.append(focused)
    assert len(seen) > 5
    assert not [one["what"] for one in seen if not one["shows"]]
