"""From the lobby to the end of a game, as people go."""

from __future__ import annotations

import re
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import LANDSCAPE, READY, bid_or_play, my_turn, open_lobby, open_more, play_to_the_end, sit_down, width
from web.e2e.conftest import ONE_CORE, Open
from web.own_server import own_server

GAMES = ("doudizhu", "zsy2", "zsy4")
SEATS = {"doudizhu": 3, "zsy2": 2, "zsy4": 4}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
PAGES = {  # and what is there when all of it has come
    "learn": ".tile",
    "learn/zsy4": ".lesson [data-does=next]",
    "position": ".picker .pick",
    "records": ".mygames p:has-text('No finished games')",
    "ranking/doudizhu": ".course p",
    "puzzle/zsy2": ".puzzle .hand .card",
    "daily": ".dailies .deal",
    "match": ".mymatches p:has-text('No matches yet')",
    "me": ".profile .unknown",
    "progress": ".progress .none",
    "bots": ".mybots [name=name]",
}


@pytest.mark.parametrize("game", GAMES)
def test_whole_game_then_replay_then_review(server: str, open_page: Open, game: str) -> None:
    page = open_page()
    sit_down(page, server, game)
    play_to_the_end(page)
    expect(page.locator(".endseats li")).to_have_count(SEATS[game])

    page.click("[data-does=replay]")
    page.wait_for_selector(".chart .line")
    page.click("[data-does=next]")
    expect(page).to_have_url(re.compile("turn=1$"))
    page.wait_for_selector(".candidates .bar, .candidates .key")
    page.select_option("[data-does=hands]", "0")
    expect(page.locator(".seat .open")).to_have_count(1)
    if game != "zsy4":  # for which there is no search
        think_longer(page)
    page.click("[data-does=last]")
    with page.expect_download() as file:
        page.click("text=JSON")
    assert '"shangyou-record"' in Path(file.value.path()).read_text()

    page.click("header.head >> text=Review")
    page.wait_for_selector(".totals .figure")
    page.wait_for_selector(".chart .line")


def think_longer(page: Any) -> None:
    """At the first turn with a choice the adviser thinks longer; what it makes of the turn stays."""
    while not page.locator(".candidates .longer").count():
        page.click("[data-does=next]")
    page.click(".candidates .longer")
    page.wait_for_selector(".candidates h3 + .bars")
    expect(page.locator(".candidates [role=status]")).to_have_count(0, timeout=60_000)
    expect(page.locator(".candidates .longer")).to_have_count(0)


def test_play_again_and_the_same_deal_from_the_other_seat(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy2", cards=6)
    play_to_the_end(page)
    page.click("[data-does=same]")
    page.wait_for_selector(".ending[hidden]", state="attached")
    play_to_the_end(page)
    page.wait_for_selector(".duplicate:not([hidden])")
    page.click(".ending button.primary")
    page.wait_for_selector(".ending[hidden]", state="attached")
    page.wait_for_selector(".hand .card >> nth=5")


def test_bidding(server: str, open_page: Open) -> None:
    page = open_page()
    open_lobby(page, server, "doudizhu")
    open_more(page)
    page.select_option("[name=pace]", "0")
    page.click(".go")
    page.wait_for_selector("[data-does=bid], [data-does=play]")
    mine = page.locator("[data-does=bid]").count() > 0
    if mine:
        expect(page.locator(".middle")).to_contain_text("Who bids most is landlord")
    bid_or_play(page)  # the highest bid, which ends the bidding
    my_turn(page)
    expect(page.locator(".mark.landlord")).to_have_count(1)
    expect(page.locator(".times")).to_have_text(re.compile("×[36]" if mine else r"×\d"))  # 6 after a bomb


def test_doubling(server: str, open_page: Open) -> None:
    """Seats are asked before the first play, the landlord last; who doubled is marked, listed, and shown at the end."""
    page = open_page()
    sit_down(page, server, "doudizhu", switch="doubling")
    page.wait_for_selector("[data-does=bid]")
    expect(page.locator(".note")).to_have_text("Double?")
    expect(page.locator("[data-does=bid]")).to_have_text(["No double", "Double"])
    page.keyboard.press("h")
    expect(page.locator(".note")).to_have_text(re.compile(r"The champion would (not )?double\."))
    stake = int(page.inner_text(".times").strip("×"))
    page.keyboard.press("1")
    my_turn(page)
    expect(page.locator(".times")).to_have_text(f"×{2 * stake}")
    expect(page.locator(".seat.me .mark.doubled")).to_have_text("×2")
    says = [rf"Champion {number}: (No d|D)ouble" for number in (2, 3)]
    expect(page.locator(".turns .key")).to_have_text(re.compile(" · ".join([*says, "You: Double"])))
    said = page.inner_text(".turns .key")
    play_to_the_end(page)
    doubled = said.count(": Double")
    expect(page.locator(".endseats .mark.doubled")).to_have_count(doubled)
    page.click(".ending [data-does=replay]")
    expect(page.locator(".turns .key")).to_have_text(said)
    expect(page.locator(".seat .mark.doubled")).to_have_count(doubled)


def test_an_illegal_choice_is_explained(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{server}/#/learn/zsy2")  # only to have been somewhere else before
    page.wait_for_selector(".lesson")
    sit_down(page, server, "doudizhu")
    my_turn(page)
    ranks = page.eval_on_selector_all(".hand .card", "cards => cards.map(card => card.dataset.card)")
    for rank in list(dict.fromkeys(ranks))[-2:]:
        page.keyboard.press(rank)
    expect(page.locator(".note")).to_have_text("No legal play looks like this.")
    page.click("text=Why not?")
    page.wait_for_selector(".note[data-kind=bad]")
    assert len(page.inner_text(".note")) > 10
    expect(page.locator(".hand .card")).to_have_count(20)


def test_dragging_across_chooses(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "doudizhu")
    my_turn(page)
    boxes = [page.locator(".hand .card").nth(i).bounding_box() for i in (8, 11)]
    page.mouse.move(boxes[0]["x"] + 16, boxes[0]["y"] + 30)
    page.mouse.down()
    page.mouse.move(boxes[1]["x"] + 16, boxes[1]["y"] + 40, steps=12)
    page.mouse.up()
    expect(page.locator(".hand .card.chosen")).to_have_count(4)


def test_a_refusal_in_chinese(server: str, open_page: Open) -> None:
    page = open_page(locale="zh-CN")
    sit_down(page, server, "doudizhu")
    my_turn(page)
    cards = page.eval_on_selector_all(".hand .card", "cards => cards.map(card => card.dataset.card)")
    high, low = (list(dict.fromkeys(cards))[at] for at in (0, -1))
    for rank in (low, high):
        page.keyboard.press(rank)
    page.keyboard.press("Enter")
    page.wait_for_selector(".note[data-kind=bad]")
    expect(page.locator(".note")).to_contain_text(f"{low}{high} 在斗地主里不成牌型；牌型有 单张、对子、三张、三带一")


def test_hints_as_bars(server: str, open_page: Open) -> None:
    """Best first, a bar as long as the chance to win; a click chooses the cards; it is practice from then on."""
    page = open_page()
    sit_down(page, server, "doudizhu")
    my_turn(page)
    page.click("[data-does=hint]")
    bars = page.locator(".hints .bar")
    page.wait_for_selector(".hints .bar >> nth=3")
    shares = bars.evaluate_all("bars => bars.map(bar => Number(bar.style.getPropertyValue('--share')))")
    assert shares == sorted(shares, reverse=True)
    assert all(0 <= share <= 1 for share in shares)
    widths = bars.evaluate_all("bars => bars.map(bar => bar.querySelector('.fill').getBoundingClientRect().width)")
    assert widths == sorted(widths, reverse=True)
    assert re.search(r"wins \d+(\.\d)?%, [+−]?\d+\.\d points", bars.first.get_attribute("aria-label"))
    wanted = sorted(bars.nth(1).locator(".card").evaluate_all("cards => cards.map(card => card.dataset.card)"))
    bars.nth(1).click()
    chosen = page.eval_on_selector_all(".hand .card.chosen", "cards => cards.map(card => card.dataset.card)")
    assert sorted(chosen) == wanted
    page.click("[data-does=play]")
    page.wait_for_selector(".mark.practice")


def test_reload_in_mid_game_goes_on(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy4")
    for _ in range(2):
        assert bid_or_play(page)
    my_turn(page)
    held, version = page.locator(".hand .card").count(), page.locator(".table").get_attribute("data-version")
    page.reload()
    my_turn(page)
    expect(page.locator(".hand .card")).to_have_count(held)
    assert page.locator(".table").get_attribute("data-version") == version
    assert bid_or_play(page)


def test_server_killed_in_mid_game(tmp_path: Path, open_page: Open) -> None:
    page = open_page()
    with own_server(tmp_path, **ONE_CORE) as server:
        sit_down(page, server.address, "zsy2")
        assert bid_or_play(page)
        my_turn(page)
        held = page.locator(".hand .card").count()
        server.stop(signal.SIGKILL)
        page.wait_for_selector("body.offline")
        expect(page.locator(".note")).to_have_text("The connection is lost; trying again …")
        server.start(**ONE_CORE)
        page.wait_for_selector("body:not(.offline)")
        expect(page.locator(".hand .card")).to_have_count(held)
        play_to_the_end(page)


def test_phone(server: str, open_page: Open) -> None:
    page = open_page(**PHONE)
    page.goto(server)
    page.wait_for_selector(".tile")
    assert width(page) <= 360
    sit_down(page, server, "doudizhu")
    my_turn(page)
    assert width(page) <= 360
    steps = page.eval_on_selector_all(".hand .card", "cards => cards.map(card => card.getBoundingClientRect().left)")
    assert min(abs(b - a) for a, b in pairwise(steps[:10])) >= 24  # room for a finger
    page.locator(".hand .card").last.tap()
    expect(page.locator(".hand .card.chosen")).to_have_count(1)
    page.tap("[data-does=clear]")
    play_to_the_end(page)
    assert width(page) <= 360
    page.tap(".ending .close")
    expect(page.locator(".ending")).to_be_hidden()


@pytest.mark.parametrize(("address", "drawn"), PAGES.items())
def test_every_page_fits_a_phone(server: str, open_page: Open, address: str, drawn: str) -> None:
    page = open_page(**PHONE)
    page.goto(f"{server}/#/{address}")
    page.wait_for_selector(drawn)
    assert width(page) <= 360


@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_every_place_of_the_menu_is_seen(server: str, open_page: Open, locale: str) -> None:
    page = open_page(locale=locale)
    page.goto(server)
    page.wait_for_selector(READY)
    for size in [*LANDSCAPE, (360, 740), (390, 844), (768, 1024), (1280, 800)]:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        place, needed = page.eval_on_selector(".top nav", "nav => [nav.clientWidth, nav.scrollWidth]")
        assert needed <= place, size


def test_chinese(server: str, open_page: Open) -> None:
    page = open_page(locale="zh-CN")
    page.goto(server)
    expect(page.locator("[data-game=doudizhu] strong")).to_have_text("斗地主")
    page.click(".language")
    expect(page.locator("[data-game=doudizhu] strong")).to_have_text("Dou Dizhu")
    page.click(".language")
    sit_down(page, server, "zsy2")
    my_turn(page)
    assert page.inner_text("[data-does=pass]").startswith("不出")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert not untranslated(page)


def untranslated(page: Any) -> list[str]:
    """Keys that were shown instead of their words."""
    return re.findall(r"\b[a-z]+\.[a-z]+\b", page.inner_text("body"))
