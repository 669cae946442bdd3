"""From the lobby to the end of a game, as people go."""

from __future__ import annotations

import re
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from web.e2e.at_the_table import bid_or_play, play_to_the_end, sit_down, width
from web.e2e.conftest import Open, Server

GAMES = ("doudizhu", "zsy2", "zsy4")
SEATS = {"doudizhu": 3, "zsy2": 2, "zsy4": 4}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.mark.parametrize("game", GAMES)
def test_whole_game_then_replay_then_review(server: str, open_page: Open, game: str) -> None:
    page = open_page()
    sit_down(page, server, game)
    play_to_the_end(page)
    assert page.locator(".endseats li").count() == SEATS[game]

    page.click("[data-does=replay]")
    page.wait_for_selector(".chart .line")
    page.click("[data-does=next]")
    assert "turn=1" in page.url
    page.wait_for_selector(".candidates .bar, .candidates .key")
    page.select_option("[data-does=hands]", "0")
    assert page.locator(".seat .open").count() == 1
    page.click("[data-does=last]")
    with page.expect_download() as file:
        page.click("text=JSON")
    assert '"shangyou-record"' in Path(file.value.path()).read_text()

    page.click("header.head >> text=Review")
    page.wait_for_selector(".totals .figure")
    assert page.locator(".chart .line").count() >= 1


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
    page.goto(server)
    page.click("[data-game=doudizhu]")
    page.click("details.rules summary")
    page.check("[name=bidding]")
    page.select_option("[name=pace]", "0")
    page.click(".go")
    page.wait_for_selector("[data-does=bid], [data-does=play]")
    for _ in range(3):
        bid_or_play(page)
    assert page.locator(".mark.landlord").count() == 1
    assert re.search(r"×\d", page.inner_text(".times"))


def test_an_illegal_choice_is_explained(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{server}/#/learn/zsy2")  # only to have been somewhere else before
    page.wait_for_selector(".lesson")
    sit_down(page, server, "doudizhu")
    page.wait_for_selector("[data-does=hint]:enabled")
    ranks = page.eval_on_selector_all(".hand .card", "cards => cards.map(card => card.dataset.card)")
    for rank in list(dict.fromkeys(ranks))[-2:]:
        page.keyboard.press(rank)
    assert page.inner_text(".note") == "No legal play looks like this."
    page.click("text=Why not?")
    page.wait_for_selector(".note[data-kind=bad]")
    assert len(page.inner_text(".note")) > 10
    assert page.locator(".hand .card").count() == 20


def test_keyboard_alone(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "doudizhu")
    page.wait_for_selector("[data-does=hint]:enabled")
    lowest = page.locator(".hand .card").last.get_attribute("data-card")
    page.keyboard.press(lowest)
    assert page.locator(".hand .card.chosen").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".hand .card.chosen").count() == 0
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    assert page.locator(".hand .card.chosen").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector(".hand .card >> nth=19", state="detached")
    assert page.inner_text("#live")


def test_dragging_across_chooses(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "doudizhu")
    boxes = [page.locator(".hand .card").nth(i).bounding_box() for i in (8, 11)]
    page.mouse.move(boxes[0]["x"] + 16, boxes[0]["y"] + 30)
    page.mouse.down()
    page.mouse.move(boxes[1]["x"] + 16, boxes[1]["y"] + 40, steps=12)
    page.mouse.up()
    assert page.locator(".hand .card.chosen").count() == 4


def test_reload_in_mid_game_goes_on(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy4")
    for _ in range(2):
        assert bid_or_play(page)
    page.wait_for_selector("[data-does=hint]:enabled")
    held, version = page.locator(".hand .card").count(), page.locator(".table").get_attribute("data-version")
    page.reload()
    page.wait_for_selector("[data-does=hint]:enabled")
    assert page.locator(".hand .card").count() == held
    assert page.locator(".table").get_attribute("data-version") == version
    assert bid_or_play(page)


def test_server_killed_in_mid_game(tmp_path: Path, open_page: Open) -> None:
    own = Server(tmp_path / "arena.db")
    page = open_page()
    sit_down(page, own.start(), "zsy2")
    try:
        assert bid_or_play(page)
        page.wait_for_selector("[data-does=hint]:enabled")
        held = page.locator(".hand .card").count()
        own.stop(signal.SIGKILL)
        page.wait_for_selector("body.offline")
        own.start()
        page.wait_for_selector("body:not(.offline)")
        assert page.locator(".hand .card").count() == held
        assert bid_or_play(page)
    finally:
        own.stop()


def test_a_friend_by_link(server: str, open_page: Open) -> None:
    host, friend = open_page(), open_page(locale="zh-CN")
    host.goto(server)
    host.click("[data-game=zsy2]")
    host.select_option("[data-seat='1']", "open")
    host.click(".go")
    host.wait_for_selector(".face[data-kind=open]")
    friend.goto(host.url)
    friend.click("[data-does=join]")
    for page in (host, friend):
        page.wait_for_selector(".hand .card >> nth=17")
    host.wait_for_selector(".face[data-kind=open]", state="detached")
    assert host.locator(".hand .card").count() == friend.locator(".hand .card").count() == 18


def test_phone(server: str, open_page: Open) -> None:
    page = open_page(**PHONE)
    page.goto(server)
    page.wait_for_selector(".tile")
    assert width(page) <= 360
    sit_down(page, server, "doudizhu")
    page.wait_for_selector("[data-does=hint]:enabled")
    assert width(page) <= 360
    steps = page.eval_on_selector_all(".hand .card", "cards => cards.map(card => card.getBoundingClientRect().left)")
    assert min(abs(b - a) for a, b in pairwise(steps[:10])) >= 24  # room for a finger
    page.locator(".hand .card").last.tap()
    assert page.locator(".hand .card.chosen").count() == 1
    page.tap("[data-does=clear]")
    for _ in range(3):
        assert bid_or_play(page)
    assert width(page) <= 360


def test_every_page_fits_a_phone(server: str, open_page: Open) -> None:
    page = open_page(**PHONE)
    for address in ("learn", "learn/zsy4", "position", "records", "ranking/doudizhu"):
        page.goto(f"{server}/#/{address}")
        page.wait_for_selector(f"main.part-{address.split('/')[0]} h1")
        page.wait_for_load_state("networkidle")
        assert width(page) <= 360, address


def test_chinese(server: str, open_page: Open) -> None:
    page = open_page(locale="zh-CN")
    page.goto(server)
    assert page.inner_text("[data-game=doudizhu] strong") == "斗地主"
    page.click(".language")
    assert page.inner_text("[data-game=doudizhu] strong") == "Dou Dizhu"
    page.click(".language")
    sit_down(page, server, "zsy2")
    page.wait_for_selector("[data-does=hint]:enabled")
    assert page.inner_text("[data-does=pass]").startswith("不出")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert not untranslated(page)


def untranslated(page: Any) -> list[str]:
    """Keys that were shown instead of their words."""
    return re.findall(r"\b[a-z]+\.[a-z]+\b", page.inner_text("body"))


def test_onlooker_and_unknown_table(server: str, open_page: Open) -> None:
    page, onlooker = open_page(), open_page()
    sit_down(page, server, "zsy4")
    onlooker.goto(page.url)
    onlooker.wait_for_selector(".seat .pile")
    assert onlooker.locator(".hand .card").count() == 0
    assert onlooker.locator("[data-does=play]").count() == 0
    onlooker.goto(f"{server}/#/table/nowhere")
    onlooker.wait_for_selector(".actions a[href='#/']")
    assert onlooker.inner_text(".note")
