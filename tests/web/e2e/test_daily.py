"""The daily deal in the browser: a try from the lobby to the ranking, the picture to share, no second try, the day after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import web.serve_later
from web.e2e.at_the_table import MOST_ACTIONS, READY, address_of, width
from web.e2e.conftest import MANY_VISITS, ONE_CORE, Open
from web.e2e.test_nothing_covered import COVERED
from web.e2e.test_sanity import LEAST_CONTRAST, LOOK, grave_faults
from web.own_server import own_server

DAY = 26 * 3600  # seconds: the deal of the day is closed then
NO_WAITING = (
    """localStorage.setItem("shangyou-settings", JSON.stringify({lobby: {wishes: {zsy2: {pace: 0}}}, nickname: "Ann"}))"""
)
SHARES = """navigator.canShare = ({files}) => files.length === 1;
navigator.share = async ({files: [{name, type, size}], text}) => { window.shared = {text, name, type, size}; };"""
SHARED = "async () => { while (!window.shared) await new Promise((done) => setTimeout(done, 20)); return window.shared; }"
AGAIN = """game => fetch(`/api/v1/daily/${game}`, {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"})
  .then(answer => answer.json())"""
DESK = {"color_scheme": "light", "locale": "en-GB"}
PHONE = {
    "color_scheme": "dark", "locale": "zh-CN", "viewport": {"width": 844, "height": 390}, "has_touch": True, "is_mobile": True,
}  # fmt: skip
UPRIGHT = {"width": 360, "height": 780}


class Later:
    """A server, and the clock it goes by."""

    def __init__(self, address: str, clock: Path) -> None:
        self.address, self.clock, self.days = address, clock, 0

    def next_day(self) -> None:
        self.days += 1
        self.clock.write_text(str(self.days * DAY), encoding="utf-8")


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Later]:
    folder = tmp_path_factory.mktemp("later")
    clock = folder / "clock"
    clock.write_text("0", encoding="utf-8")
    program = (str(web.serve_later.__file__),)
    with own_server(folder, program=program, CLOCK=str(clock), **ONE_CORE, **MANY_VISITS) as running:
        yield Later(running.address, clock)


def play_without_hints(page: Any) -> None:
    """Pass where that is possible, else lead the first card."""
    for _ in range(MOST_ACTIONS):
        page.wait_for_selector("[data-does=pass]:enabled, .ending:not([hidden]), .note[data-kind=turn]")
        if page.locator(".ending:not([hidden])").count():
            return
        version = page.locator(".table").get_attribute("data-version")
        if page.locator("[data-does=pass]:enabled").count():
            page.click("[data-does=pass]")
        else:
            page.locator(".hand .card").last.click(position={"x": 8, "y": 20})
            page.click("[data-does=play]:enabled")
        page.wait_for_selector(f".table:not([data-version='{version}']), .ending:not([hidden])")
    raise AssertionError("the game does not end")


def faults(page: Any) -> list[str]:
    """What keeps people out, and what has too little contrast."""
    thin = [one["text"] for one in page.evaluate("look.texts()") if one["contrast"] < LEAST_CONTRAST and not one["large"]]
    return [*grave_faults(page), *thin]


def play_today(page: Any, server: str) -> list[str]:
    """From the lobby through a whole try to its ranking; the hand I was dealt."""
    page.goto(server)
    page.wait_for_selector(READY)
    assert page.locator(".today .countdown").inner_text().count(":") == 2
    assert page.locator(".today").bounding_box()["y"] < page.viewport_size["height"] / 2
    page.click(".today")
    page.click("[data-game=zsy2] [data-does=begin]")
    page.wait_for_selector(".hand .card")
    hand = ranks(page)
    expect(page.locator("[data-does=hint]")).to_have_count(0)
    play_without_hints(page)
    expect(page.locator(".endseats li")).to_have_count(2)
    assert not page.locator(".endseats .card, [data-does=replay], [data-does=review], [data-does=same]").count()
    assert not page.evaluate("covered()")
    page.click("[data-does=daily]")
    expect(page.locator(".ranks .own")).to_have_count(1)
    expect(page.locator(".figure b")).to_have_count(4)
    expect(page.locator(".figure b").last).not_to_have_text("–")  # what the champion made of it
    return hand


def ranks(page: Any) -> list[str]:
    return sorted(page.locator(".hand .card").evaluate_all("cards => cards.map(card => card.dataset.card[0])"))


def test_a_day_and_the_day_after(later: Later, open_page: Open) -> None:
    page, friend = open_page(**DESK), open_page()
    for script in (NO_WAITING, LOOK, COVERED):
        page.add_init_script(script)
    hand, deal = play_today(page, later.address), address_of(page)
    with page.expect_download() as download:
        page.click("[data-does=share]")
    assert download.value.suggested_filename.endswith("-zsy2.png")
    content = Path(download.value.path()).read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")) == (1200, 630)
    assert not page.locator("[data-does=begin], .ranks a, [data-does=practice]").count()
    assert page.evaluate(AGAIN, "zsy2")["words"]["why"] == "daily_played"
    friend.goto(deal)  # has not played
    expect(friend.locator(".ranks")).to_contain_text("1 person has played.")
    expect(friend.locator(".ranks")).to_contain_text("You will see it when your own game is over.")
    assert not friend.locator(".ranks tr, .figure").count()

    later.next_day()
    page.goto(f"{later.address}/#/daily")
    page.wait_for_selector(".recent li .button")
    expect(page.locator("[data-does=begin]")).to_have_count(3)
    expect(page.locator(".results li")).to_have_count(1)
    page.goto(deal)
    page.wait_for_selector(".ranks .own")
    assert not faults(page)
    friend.reload()
    expect(friend.locator(".ranks td a")).to_have_count(1)
    friend.click("[data-does=champion]")
    friend.wait_for_selector(".chart .line")
    page.click("[data-does=practice]")
    page.wait_for_selector(".hand .card")
    assert ranks(page) == hand


def test_on_a_telephone_lying_on_its_side(later: Later, open_page: Open) -> None:
    page = open_page(**PHONE)
    for script in (NO_WAITING, LOOK, COVERED, SHARES):
        page.add_init_script(script)
    play_today(page, later.address)
    page.tap("[data-does=share]")
    shared = page.evaluate(SHARED)
    assert shared["name"].endswith("-zsy2.png")
    assert (shared["type"], shared["size"] > 10_000) == ("image/png", True)
    assert shared["text"] == page.locator(".picture").get_attribute("aria-label")
    assert "双人争上游" in shared["text"]
    assert shared["text"].endswith(address_of(page))
    colours = "canvas => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, 1200, 630).data.buffer)).size"
    assert page.locator(".picture").evaluate(colours) > 100  # something is drawn
    page.set_viewport_size(UPRIGHT)
    assert width(page) <= UPRIGHT["width"]
    assert (
        page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.top nav'))") == 0
    )
    assert not faults(page)


def test_a_try_given_up(later: Later, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{later.address}/#/daily")
    page.click("[data-game=doudizhu] [data-does=begin]")
    page.wait_for_selector(".hand .card")
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.click("[data-does=leave]")
    page.click("[data-does=daily]")
    expect(page.locator(".ranks .own")).to_contain_text("given up")
    assert asked == ["Give up? You have one try at this deal; it would be lost."]
    page.click("text=All daily deals")
    expect(page.locator("[data-game=doudizhu] .outcome")).to_contain_text("given up")
    expect(page.locator("[data-game=doudizhu] [data-does=begin]")).to_have_count(0)
