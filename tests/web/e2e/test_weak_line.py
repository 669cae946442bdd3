"""The connection is lost while browser and server go on: the page says so, comes back, and nothing is played twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import bid_or_play, my_turn, play_to_the_end, sit_down
from web.e2e.conftest import Open
from web.e2e.weak_line import WeakLine

CARDS = 8
LOST = "The connection is lost; trying again …"


@pytest.fixture
def line(server: str) -> Iterator[WeakLine]:
    port = urlsplit(server).port
    assert port
    with WeakLine(port) as line:
        yield line


def play_into_silence(line: WeakLine, open_page: Open) -> Any:
    """I lead, so any card will do; the page, when it has noticed that nobody heard it."""
    page = open_page()
    sit_down(page, line.address, "zsy2", cards=CARDS)
    my_turn(page)
    line.fall_silent()
    page.locator(".hand .card").last.click()
    page.click("[data-does=play]:enabled")
    page.wait_for_selector("body.offline")
    return page


def test_cut_off_in_mid_game(line: WeakLine, open_page: Open) -> None:
    page = open_page()
    sit_down(page, line.address, "zsy2", cards=CARDS)
    assert bid_or_play(page)
    my_turn(page)
    held = page.locator(".hand .card").count()
    line.cut()
    page.wait_for_selector("body.offline")
    expect(page.locator(".note")).to_have_text(LOST)
    line.mend()
    page.wait_for_selector("body:not(.offline)")
    expect(page.locator(".hand .card")).to_have_count(held)
    play_to_the_end(page)


def test_a_browser_that_knows_it_is_offline_says_so_at_once(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy2", cards=CARDS)
    my_turn(page)
    page.context.set_offline(True)
    expect(page.locator(".note")).to_have_text(LOST, timeout=2000)
    page.context.set_offline(False)
    page.wait_for_selector("body:not(.offline)")
    play_to_the_end(page)


def test_a_play_into_a_line_that_fell_silent_can_be_made_again(line: WeakLine, open_page: Open) -> None:
    page = play_into_silence(line, open_page)
    expect(page.locator(".note")).to_have_text(LOST)
    expect(page.locator(".hand .card")).to_have_count(CARDS)
    line.mend()
    page.wait_for_selector("body:not(.offline)")
    my_turn(page)
    expect(page.locator(".hand .card")).to_have_count(CARDS)
    page.click("[data-does=play]:enabled")  # the card is still chosen
    expect(page.locator(".hand .card")).to_have_count(CARDS - 1)
    play_to_the_end(page)


def test_a_play_that_arrives_late_counts_once(line: WeakLine, open_page: Open) -> None:
    page = play_into_silence(line, open_page)
    line.arrive_late()
    page.wait_for_selector("body:not(.offline)")
    expect(page.locator(".hand .card")).to_have_count(CARDS - 1)
    play_to_the_end(page)
