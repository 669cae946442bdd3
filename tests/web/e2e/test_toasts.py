"""Short messages: each can be put away, by mouse, finger or key, and none lies over cards of mine or on the table."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import READY, bid_or_play, my_turn, sit_down
from web.e2e.conftest import Open

SIZES = [(1280, 800), (1024, 768), (768, 1024), (390, 844), (320, 568), (844, 390)]
LONG = "The server cannot be reached. Is there a connection to the network?"
ON_CARDS = """() => {
  const boxes = (what) => [...document.querySelectorAll(what)].map((one) => one.getBoundingClientRect());
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  const cards = boxes(":is(.hand, .put, .public) .card");
  return boxes(".toast").flatMap((toast) => cards.filter((card) => !apart(toast, card))).length;
}"""


def say(page: Any, *texts: str) -> None:
    for text in texts:
        page.evaluate("text => import('/dom.js').then(({ toast }) => toast(text))", text)


@pytest.mark.parametrize(("locale", "label"), [("en-GB", "Close"), ("zh-CN", "关闭")])
def test_a_message_is_put_away(server: str, open_page: Open, locale: str, label: str) -> None:
    """By a click or a tap anywhere on it, by its button, and by Esc, the latest first."""
    page = open_page(locale=locale, has_touch=True)
    page.goto(server)
    page.wait_for_selector(READY)
    say(page, "one", "two", "three", "four")
    toasts = page.locator(".toast span")
    page.get_by_text("two", exact=True).tap()
    expect(toasts).to_have_text(["one", "three", "four"])
    page.keyboard.press("Escape")
    expect(toasts).to_have_text(["one", "three"])
    page.get_by_role("button", name=label).last.press("Enter")
    expect(toasts).to_have_text(["one"])
    page.get_by_role("button", name=label).click()
    expect(toasts).to_have_count(0)


def test_escape_is_about_the_message_before_the_cards(server: str, open_page: Open) -> None:
    """The cards stay chosen; a dialog in front of the message comes first."""
    page = open_page()
    sit_down(page, server, "zsy2")
    my_turn(page)
    page.locator(".hand .card").first.click()
    say(page, LONG)
    page.keyboard.press("Escape")
    expect(page.locator(".toast")).to_have_count(0)
    expect(page.locator(".hand .card.chosen")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".hand .card.chosen")).to_have_count(0)
    page.click(".gear")
    say(page, LONG)
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".toast")).to_have_count(1)


@pytest.mark.parametrize("game", ["doudizhu", "zsy2", "zsy4"])
def test_no_message_lies_over_cards(server: str, open_page: Open, game: str) -> None:
    page = open_page()
    sit_down(page, server, game)
    assert bid_or_play(page)
    my_turn(page)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        say(page, LONG)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # the cards lie anew
        expect(page.locator(".toast")).to_have_count(1)
        assert page.evaluate(ON_CARDS) == 0, f"{width}x{height}"
        page.keyboard.press("Escape")
