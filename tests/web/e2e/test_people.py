"""Two people who find each other in the lobby: a public table, a clock, phrases, a rematch, and time that runs out."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from web.e2e.at_the_table import READY, address_of, choose_rule, open_lobby, open_more
from web.e2e.conftest import Open

OPEN_TABLE = """async clock => {
  const wish = {game: "zsy2", seats: ["me", "open"], hints: false, clock};
  const json = {"Content-Type": "application/json"};
  const answer = await fetch("/api/v1/tables", {method: "POST", headers: json, body: JSON.stringify(wish)});
  return (await answer.json()).table;
}"""


def open_public_table(page: Any, server: str) -> None:
    """Two cards each, and the host leads: soon over."""
    open_lobby(page, server, "zsy2")
    page.fill("[name=nickname]", "Ann")
    open_more(page)
    choose_rule(page, "cards_each", "2")
    choose_rule(page, "first_lead", "seat0")
    page.select_option("[data-seat='1']", "open")
    page.check("[name=listed]")
    expect(page.locator("[name=clock]")).to_have_value("normal")
    page.click(".go")
    page.wait_for_selector(".face[data-kind=open]")


def test_two_people_with_a_clock_and_a_rematch(server: str, open_page: Open) -> None:
    host, friend = open_page(), open_page(locale="zh-CN", viewport={"width": 390, "height": 844})
    open_public_table(host, server)
    expect(host.locator(".hand .card")).to_have_count(0)  # nothing is dealt before all are there
    friend.goto(server)
    friend.wait_for_selector(READY)
    friend.locator("[data-table]", has_text="Ann").locator("[data-does=join-public]").click()
    for page in (host, friend):
        expect(page.locator(".hand .card")).to_have_count(2)
        expect(page.locator(".clock.runs")).to_have_text(re.compile(r"0:\d\d \+ 1:00"))
        expect(page.locator("[data-does=hint]")).to_have_count(0)  # not everybody agreed
    before = host.locator(".clock.runs").inner_text()
    expect(host.locator(".clock.runs")).not_to_have_text(before)  # it counts down
    talk(host, friend)
    win(host, friend)
    first = address_of(host)
    host.click("[data-does=rematch]")
    expect(friend.locator(".ending")).to_contain_text("想再来一局：Ann")
    friend.click("[data-does=rematch]")
    for page in (host, friend):
        expect(page.locator(".hand .card")).to_have_count(2)
        page.wait_for_function("first => location.href !== first", arg=first)
    assert address_of(host) == address_of(friend)
    friend.goto(f"{server}/#/")
    friend.get_by_role("heading", name="我正在打的牌局").wait_for()
    expect(friend.locator(".mytables a")).to_have_count(1)


def talk(host: Any, friend: Any) -> None:
    """What one says the other sees, unless it is muted."""
    host.click(".phrases summary")
    host.get_by_role("button", name="Well played!").click()
    expect(friend.locator(".said")).to_contain_text("打得好！")
    friend.click(".phrases summary")
    friend.check("[name=muted]")
    friend.keyboard.press("Escape")
    host.click(".phrases summary")
    host.get_by_role("button", name="Thank you!").click()
    expect(host.locator(".said [data-phrase=thanks]")).to_be_visible()
    expect(friend.locator(".said [data-phrase=thanks]")).to_have_count(0)


def win(host: Any, friend: Any) -> None:
    """The host plays one card, the friend passes, the host plays the other."""
    host.locator(".hand .card").first.click()
    host.click("[data-does=play]:enabled")
    friend.click("[data-does=pass]:enabled")
    host.locator(".hand .card").first.click()
    host.click("[data-does=play]:enabled")
    for page in (host, friend):
        page.wait_for_selector(".ending:not([hidden])")


def test_time_that_runs_out(server: str, open_page: Open) -> None:
    """A program plays on for who thought too long; the other is told and goes on."""
    one, two = open_page(), open_page()
    one.goto(server)
    one.wait_for_selector(READY)
    table = one.evaluate(OPEN_TABLE, {"move": 3, "reserve": 0})
    for page in (one, two):
        page.goto(f"{server}/#/table/{table}")
    two.click("[data-does=join]")
    for page in (one, two):
        page.wait_for_selector(".clock.runs")
    late, quick = (one, two) if one.locator(".note[data-kind=turn]").count() else (two, one)
    expect(late.locator(".note[data-kind=bad]")).to_have_text(re.compile("your time ran out"))
    expect(late.locator(".hand .card")).to_have_count(0)
    expect(quick.locator(".mark.standin")).to_have_text("a program plays on")
    expect(quick.locator(".hand .card")).to_have_count(18)


def test_who_clicks_twice_is_one_person_in_one_seat(server: str, open_page: Open) -> None:
    """Also on the first visit, when each request would make a new person."""
    page, asked = open_page(), []
    open_lobby(page, server, "zsy4")
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    page.dblclick("[data-does=quick]")
    page.wait_for_selector(".table[data-version]")
    assert len(asked) == 1
    names = page.locator(".badge strong")
    expect(names).to_have_count(4)
    expect(names.filter(has_text="You")).to_have_count(1)
    expect(page.locator(".mark.away")).to_have_count(0)
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("[data-does=leave]")


def test_quick_match(server: str, open_page: Open) -> None:
    """One click opens a table or joins the one that waits."""
    one, two = open_page(), open_page()
    for page in (one, two):
        open_lobby(page, server, "zsy2")
        page.click("[data-does=quick]")
        page.wait_for_selector(".table[data-version]")
    for page in (one, two):
        expect(page.locator(".hand .card")).to_have_count(18)
        expect(page.locator(".mark.practice")).to_have_count(0)
    one.once("dialog", lambda dialog: dialog.accept())
    one.click("[data-does=leave]")
    expect(one.locator(".note[data-kind=bad]")).to_have_text(re.compile("it counts as lost"))
    expect(two.locator(".mark.standin")).to_be_visible()
