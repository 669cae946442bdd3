"""Nothing lies over what a person has to touch, on telephones either way up and on a desk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import (
    LANDSCAPE,
    READY,
    address_of,
    bid_or_play,
    my_turn,
    open_lobby,
    open_more,
    play_to_the_end,
    sit_down,
)
from web.e2e.conftest import Open

ALL = os.environ.get("SHANGYOU_ALL") == "1"  # make test-all
SIZES = [*LANDSCAPE, (360, 640), (320, 568), (1280, 800)]
MORE_SIZES = [(568, 320), (915, 412), (390, 844), (768, 1024), (1024, 768), (1920, 1080)]
TWENTY = {"doudizhu": {}, "zsy2": {"cards": 20}, "zsy4": {}}  # as many cards in hand as the game deals at most

HINTS_SEEN = """() => {
  const { bottom } = document.querySelector(".hints .bars").getBoundingClientRect();
  return [...document.querySelectorAll(".hints .bar")].filter((one) => one.getBoundingClientRect().top + 20 <= bottom).length;
}"""
OPEN = "wish => import('/api.js').then(({ post }) => post('tables', wish)).then(({ table }) => table)"
LEAD = {"game": "zsy2", "seats": ["me", "champion/zsy2"], "rules": "first_lead=seat0", "hints": True, "pace": 0, "seed": 5}
COVERED = (Path(__file__).parent / "covered.js").read_text(encoding="utf-8")


def covered(page: Any, what: str, sizes: list[tuple[int, int]]) -> list[str]:
    found = []
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found += [f"{what}, {width}x{height}: {one}" for one in page.evaluate("covered()")]
        found += [f"{what}, {width}x{height}: wider than the screen"] * page.evaluate("innerWidth < document.body.scrollWidth")
    return found


@pytest.fixture
def sizes() -> list[tuple[int, int]]:
    return SIZES + MORE_SIZES * ALL


@pytest.mark.parametrize("game", TWENTY)
def test_a_whole_table(server: str, open_page: Open, game: str, sizes: list[tuple[int, int]]) -> None:
    """My lead with all cards, cards chosen, hints, plays of everybody, settings, the end, and the cards after it."""
    page = open_page()
    page.add_init_script(COVERED)
    sit_down(page, server, game, **TWENTY[game])
    my_turn(page)
    held = page.locator(".hand .card").count()
    assert held >= {"doudizhu": 20, "zsy2": 20, "zsy4": 12}[game]
    found = covered(page, "lead", sizes)
    page.locator(".hand .card").nth(held // 2).click(position={"x": 8, "y": 20})
    expect(page.locator(".hand .card.chosen")).to_have_count(1)
    found += covered(page, "chosen", sizes)
    page.click("[data-does=clear]")
    for _ in range(2):
        bid_or_play(page)
    my_turn(page)
    found += covered(page, "in the middle", sizes)
    page.click("[data-does=hint]")
    page.wait_for_selector(".hints .bar")
    found += covered(page, "hints", sizes)
    page.click(".hints .close")
    page.set_viewport_size({"width": 844, "height": 390})
    page.click("[data-does=settings]")
    found += covered(page, "settings", sizes)
    page.click("dialog .close")
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("size", "least"), [((390, 844), 8), ((360, 640), 5), ((320, 568), 3)])
def test_hints_on_an_upright_telephone(server: str, open_page: Open, size: tuple[int, int], least: int) -> None:
    """So many of eight can be seen at once, at least in part; the rest scrolls, and neither plays nor hand are covered."""
    page = open_page()
    page.add_init_script(COVERED)
    page.goto(server)
    page.wait_for_selector(READY)
    page.goto(f"{server}/#/table/{page.evaluate(OPEN, LEAD)}")
    my_turn(page)
    page.click("[data-does=hint]")
    expect(page.locator(".hints .bar")).to_have_count(8)
    assert not covered(page, "hints", [size])
    assert page.evaluate(HINTS_SEEN) >= least
    page.locator(".hints .bar").last.scroll_into_view_if_needed()
    page.locator(".hints .bar").last.click(timeout=3000)
    expect(page.locator(".hand .card.chosen, .note[data-kind=good]").first).to_be_visible()


def test_bids_are_free_and_can_be_clicked(server: str, open_page: Open, sizes: list[tuple[int, int]]) -> None:
    page = open_page()
    page.add_init_script(COVERED)
    open_lobby(page, server, "doudizhu")
    open_more(page)
    page.select_option("[name=pace]", "0")
    found: list[str] = []
    for points in ("Bid 3", "No bid"):
        page.set_viewport_size({"width": 1280, "height": 800})
        page.click(".go")
        page.wait_for_selector("[data-does=bid], [data-does=play]")
        if page.locator("[data-does=bid]").count():
            found += covered(page, f"before {points}", sizes)
            page.set_viewport_size({"width": 667, "height": 375})
            page.get_by_role("button", name=points).click(timeout=3000)
            page.wait_for_selector("[data-does=play], [data-does=bid]")
        page.goto(server)
        page.wait_for_selector(READY)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("game", TWENTY if ALL else ["doudizhu"])
def test_two_people_with_a_clock_and_phrases(server: str, open_page: Open, game: str, sizes: list[tuple[int, int]]) -> None:
    """A long name, both clocks, phrases, and what the marks of a badge leave free for its number of cards."""
    host, friend = open_page(), open_page()
    host.add_init_script(COVERED)
    open_lobby(host, server, game)
    host.fill("[name=nickname]", "A name of 24 characters.")
    host.uncheck("[name=hints]")
    open_more(host)
    host.select_option("[data-seat='1']", "open")
    host.select_option("[name=clock]", "calm")
    host.select_option("[name=pace]", "0")
    host.click(".go")
    host.wait_for_selector(".face[data-kind=open]")
    found = covered(host, "waiting", sizes)
    friend.goto(address_of(host))
    friend.click("[data-does=join]")
    host.wait_for_selector(".hand .card")
    expect(host.locator(".badge .clock")).to_have_count(2)
    found += covered(host, "dealt", sizes)
    host.click("[data-does=phrases]")
    host.click("[data-does=say-hello]")
    expect(friend.locator(".said")).to_contain_text("Hello!")
    assert not found, "\n".join(found)


def test_a_window_that_gets_narrower(server: str, open_page: Open) -> None:
    """Cards that have not yet moved do not widen the page: a telephone would show it smaller, and leave it so."""
    page = open_page(viewport={"width": 932, "height": 430}, has_touch=True, is_mobile=True)
    sit_down(page, server, "doudizhu")
    my_turn(page)
    for width, height in ((740, 360), (1280, 800), (667, 375), (375, 667)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("width => innerWidth === width && visualViewport.scale === 1", arg=width)


@pytest.mark.parametrize("game", TWENTY if ALL else ["zsy2"])
def test_a_game_on_a_telephone_lying_on_its_side(server: str, open_page: Open, game: str) -> None:
    """Every button by touch: sort, mute, hints, cards, clear, pass or play; to the end, whose result can be put aside."""
    page = open_page(viewport={"width": 740, "height": 360}, has_touch=True, is_mobile=True)
    page.add_init_script(COVERED)
    sit_down(page, server, game, cards=6 if game == "zsy2" else None)
    my_turn(page)
    assert not page.locator(".top").is_visible()
    for does, before, after in (
        ("sort", "Hand: High cards left", "Hand: Low cards left"),
        ("sort", "Hand: Low cards left", "Hand: Large groups left"),
        ("sound", "Turn sound off", "Turn sound on"),
    ):
        button = page.locator(f"[data-does={does}]")
        expect(button).to_have_attribute("aria-label", before)
        button.tap()
        expect(button).to_have_attribute("aria-label", after)
    ranks = page.eval_on_selector_all(".hand .card", "cards => cards.map(card => card.dataset.card[0])")
    groups = [ranks.count(rank) for rank in ranks]
    assert groups == sorted(groups, reverse=True)
    play_to_the_end(page)
    assert not page.evaluate("covered()")
    page.tap(".ending .close")
    expect(page.locator(".ending")).to_be_hidden()
    assert not page.evaluate("covered()")
    page.tap("[data-does=result]")
    expect(page.locator(".ending")).to_be_visible()
    page.tap(".ending [data-does=replay]")
    look_at_the_replay(page)


def look_at_the_replay(page: Any) -> None:
    """Lying on its side it is one screen: hands, controls and candidates, without scrolling."""
    expect(page.locator(".graph")).not_to_contain_text("Thinking")  # the review has come, and all is drawn
    for width, height in LANDSCAPE:
        page.set_viewport_size({"width": width, "height": height})
        for what in (".me .open", ".me .badge", "[data-does=first]", "[data-does=from]", ".candidates"):
            box = page.locator(what).bounding_box()
            assert box, what
            assert box["y"] >= 0, what
            if what != ".candidates":  # a list may go on below
                assert box["y"] + box["height"] <= height, what
            assert box["x"] >= 0, what
            assert box["x"] + box["width"] <= width, what
