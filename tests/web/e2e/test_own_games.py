"""My games: seen, taken away, sent back, forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from shangyou.records import Record, read_bytes
from web.e2e.at_the_table import play_to_the_end, sit_down
from web.e2e.conftest import Open

PLAYED = 2


@pytest.fixture
def page(server: str, open_page: Open) -> Any:
    """The page of records, of somebody who has played."""
    page = open_page()
    for _ in range(PLAYED):
        sit_down(page, server, "zsy2", cards=4)
        play_to_the_end(page)
    page.goto(f"{server}/#/records")
    expect(page.locator(".mygames .list li")).to_have_count(PLAYED)
    return page


def downloaded(page: Any, what: str) -> Path:
    with page.expect_download() as file:
        page.click(what)
    return Path(file.value.path())


def records_in(path: Path) -> list[Record]:
    found = list(read_bytes(path.read_bytes()))
    assert all(isinstance(record, Record) for record in found), found
    return [record for record in found if isinstance(record, Record)]


def test_all_my_games_as_a_file_and_back_again(page: Any) -> None:
    taken = downloaded(page, "[data-does=export]")
    assert [record.game.name for record in records_in(taken)] == ["zsy2"] * PLAYED
    page.set_input_files("input[type=file]", taken)
    page.click("[data-does=send]")
    expect(page.locator(".results li")).to_have_count(PLAYED)
    expect(page.locator(".results li.bad")).to_have_count(0)
    page.locator(".results a").first.click()
    page.wait_for_selector(".replay .controls")


def test_one_game_as_a_file(page: Any) -> None:
    page.locator(".mygames .list li a").first.click()
    (text,), (line,) = (records_in(downloaded(page, f".head >> text={form}")) for form in ("Text", "JSON"))
    assert text.result.finished
    assert text.turns == line.turns


def test_my_games_are_deleted_when_i_say_so(page: Any, server: str) -> None:
    page.locator(".mygames .list li a").first.click()
    page.wait_for_selector(".replay .controls")
    replay = page.evaluate("location.hash")
    page.goto(f"{server}/#/records")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.click("[data-does=delete]")
    expect(page.locator(".mygames .list li")).to_have_count(PLAYED)
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("[data-does=delete]")
    expect(page.locator(".mygames")).to_contain_text("No finished games yet.")
    assert page.locator("[data-does=export]").is_disabled()
    page.goto(f"{server}/{replay}")
    expect(page.locator(".failed")).to_contain_text("There is no such game.")


def test_a_file_that_is_no_record_is_told_so(page: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("game: zsy2\nrules: cards_each=4\n3334;559S\n1,55;0,9;\n")
    page.click(".language")
    page.wait_for_selector("h1:text-is('牌谱')")  # drawn again, once its words have come
    page.set_input_files("input[type=file]", bad)
    page.click("[data-does=send]")
    expect(page.locator(".results li.bad")).to_contain_text("第 2 手“0,9”（手牌 3334）：手牌 3334 出 9 还缺 9")
