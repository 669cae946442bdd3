"""The page about me: the same person on a second device, devices signed out, everything deleted."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from web.e2e.at_the_table import play_to_the_end, sit_down
from web.e2e.conftest import Open

SHORT = 6  # cards each


def open_me(page: Any, server: str) -> None:
    page.goto(f"{server}/#/me")
    page.reload()
    page.wait_for_selector(".profile")


def make_code(page: Any, server: str) -> str:
    open_me(page, server)
    page.click(".make")
    return str(page.locator(".recovery").inner_text())


def test_the_same_person_on_a_second_device(server: str, open_page: Open) -> None:
    desk, phone = open_page(), open_page(viewport={"width": 360, "height": 740}, locale="zh-CN", has_touch=True)
    sit_down(desk, server, "zsy2", cards=SHORT)
    play_to_the_end(desk)
    open_me(desk, server)
    desk.fill("[name=nickname]", "Ann of two devices")
    desk.click(".save")
    expect(desk.locator(".toast.good span")).to_have_text("Saved.")
    code = make_code(desk, server)

    open_me(phone, server)
    expect(phone.locator(".unknown")).to_be_visible()
    phone.fill("[name=code]", "0000")
    phone.click(".recover")
    expect(phone.locator(".toast").first).to_contain_text("恢复码无效")
    phone.fill("[name=code]", code.lower())
    phone.press("[name=code]", "Tab")
    phone.keyboard.press("Enter")  # on the button beside it
    expect(phone.locator(".typed .recovery")).not_to_have_text(code)  # the next code
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.click(".goon")
    expect(phone.locator("[name=nickname]")).to_have_value("Ann of two devices")
    expect(phone.locator(".strength tbody tr")).to_have_count(1)
    expect(phone.locator(".devices li")).to_have_count(2)
    phone.goto(f"{server}/#/records")
    expect(phone.locator(".mygames .list li")).to_have_count(1)

    open_me(desk, server)
    desk.click(".signout")
    expect(desk.locator(".devices li")).to_have_count(1)
    open_me(phone, server)
    expect(phone.locator(".unknown")).to_be_visible()


def test_everything_about_me_is_deleted(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy2", cards=SHORT)
    play_to_the_end(page)
    page.goto(f"{server}/#/records")
    page.click("[data-does=send]")
    expect(page.locator(".results a")).to_have_count(1)
    open_me(page, server)
    expect(page.locator(".sent li")).to_have_count(1)
    page.once("dialog", lambda dialog: dialog.accept())
    page.click(".forget .danger")
    expect(page.locator(".unknown")).to_be_visible()
    assert page.context.cookies() == []
    page.goto(f"{server}/#/records")
    expect(page.locator(".mygames p:not(.links)")).to_have_text("No finished games yet.")
