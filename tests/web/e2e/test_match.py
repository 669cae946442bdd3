"""A duplicate match in the browser: from the lobby through a deal to the report, which a reload keeps."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import address_of, open_lobby, open_more, play_to_the_end, width
from web.e2e.conftest import Open

PHONE = {"viewport": {"width": 360, "height": 780}, "has_touch": True}


def start_match(page: Any, server: str, deals: int) -> None:
    """From the lobby to the page of a new match, in which nobody dawdles and hints are given."""
    open_lobby(page, server, "doudizhu")
    open_more(page)
    page.select_option("[name=pace]", "0")
    page.click("a[href='#/match']")
    page.select_option("[name=opponent]", "greedy")
    page.select_option("[name=partner]", "rule")
    page.select_option("[name=deals]", str(deals))
    page.check("[name=hints]")
    page.click(".match .go")
    page.wait_for_selector(".match[data-over]")


@pytest.mark.parametrize("look", [{}, PHONE], ids=["desk", "phone"])
def test_two_deals(server: str, open_page: Open, look: dict[str, Any]) -> None:
    page = open_page(**look)
    start_match(page, server, 2)
    expect(page.locator(".match .panel")).to_contain_text("No deal has been played yet.")
    for number in (1, 2):
        expect(page.locator("[data-does=deal]")).to_have_text(f"Play deal {number} of 2")
        page.click("[data-does=deal]")
        page.wait_for_selector(".hand .card")
        play_to_the_end(page)
        page.click("[data-does=match]")
        expect(page.locator(".match tbody tr")).to_have_count(2 * number)
    first, second = (page.locator(".match tbody tr").nth(i) for i in range(2))
    expect(first).to_contain_text("YouSkilledSkilled")
    expect(second).to_contain_text("SkilledExpertExpert")
    expect(page.locator(".match[data-over=true]")).to_be_visible()
    assert page.locator(".match tbody a").count() == 4
    assert width(page) <= page.viewport_size["width"]
    assert (
        page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.scroll'))") <= 0
    )
    shown = page.locator(".match table").inner_text()
    page.reload()
    expect(page.locator(".match table")).to_be_visible()
    assert page.locator(".match table").inner_text() == shown
    page.click("text=All matches")
    expect(page.locator(".mymatches li")).to_have_count(1)
    expect(page.locator(".mymatches li small")).to_have_text("2 of 2 deals")


def test_a_deal_that_is_still_played_can_be_gone_back_to(server: str, open_page: Open) -> None:
    page = open_page()
    start_match(page, server, 1)
    match = address_of(page)
    page.click("[data-does=deal]")
    page.wait_for_selector(".hand .card")
    table = address_of(page)
    page.goto(match)
    expect(page.locator(".match tbody")).to_contain_text("being played")
    expect(page.locator(".match tbody")).to_contain_text("after your game")
    page.click("[data-does=deal] >> text=Back to deal 1 of 1")
    page.wait_for_selector(".hand .card")
    assert address_of(page) == table


def test_a_deal_given_up_is_lost(server: str, open_page: Open) -> None:
    page = open_page(locale="zh-CN")
    start_match(page, server, 1)
    page.click("[data-does=deal]")
    page.wait_for_selector(".hand .card")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("[data-does=leave]")
    page.click("[data-does=match]")
    expect(page.locator(".match tbody tr").first).to_contain_text("−6（放弃）")


def test_without_a_mouse(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{server}/#/match")
    page.locator("[name=opponent]").focus()
    for name in ("partner", "deals", "hints"):
        page.keyboard.press("Tab")
        expect(page.locator(f"[name={name}]")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("[data-does=deal]").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".hand .card")
