"""More than one at a table: a friend, a second tab, an onlooker, an opponent that fails."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import expect

from web.e2e.at_the_table import (
    LANDSCAPE,
    READY,
    address_of,
    bid_or_play,
    choose_rule,
    my_turn,
    open_lobby,
    open_more,
    play_to_the_end,
    sit_down,
)
from web.e2e.conftest import Open

SHORT = 6  # cards each


def seat_for_a_friend(page: Any, server: str) -> str:
    """Opens a table for two; its address."""
    open_lobby(page, server, "zsy2")
    open_more(page)
    choose_rule(page, "cards_each", str(SHORT))
    page.select_option("[data-seat='1']", "open")
    page.click(".go")
    page.wait_for_selector(".face[data-kind=open]")
    return address_of(page)


def test_a_friend_by_link_plays_to_the_end(server: str, open_page: Open) -> None:
    host, friend = open_page(), open_page(locale="zh-CN")
    friend.goto(seat_for_a_friend(host, server))
    expect(host.locator(".note")).to_have_text("Waiting for a friend: send the link.")
    friend.click("[data-does=join-hints]")  # the host allows hints; the game is practice if both do
    for page in (host, friend):
        expect(page.locator(".hand .card")).to_have_count(SHORT)
    while not any(page.locator(".ending:not([hidden])").count() for page in (host, friend)):
        acting = next((page for page in (host, friend) if page.locator("[data-does=hint]:enabled").count()), None)
        if acting:
            bid_or_play(acting)
    for page in (host, friend):
        page.wait_for_selector(".ending:not([hidden]) .endseats li >> nth=1")
    results = [host.locator(".ending h2").inner_text()[:7], friend.locator(".ending h2").inner_text()[:3]]
    assert results in (["You won", "你输了"], ["You los", "你赢了"])


def test_an_opponent_from_the_papers(server: str, open_page: Open) -> None:
    page = open_page()
    open_lobby(page, server, "zsy2")
    open_more(page)
    choose_rule(page, "pace", "0")
    seat = page.locator("[data-seat='1']")
    expect(seat.locator("optgroup")).to_have_attribute("label", "From the papers of 2018 and 2019, and after them")
    seat.select_option(label="Expert (paper/deep-q-2)")
    page.click(".go")
    page.get_by_role("group", name="Expert").wait_for()
    while page.locator(".turns li").count() < 2:  # it answers, or has led already
        bid_or_play(page)


def test_first_visit_to_first_card_in_two_clicks(server: str, open_page: Open) -> None:
    """The game, then Play, on the first screen: with bidding, against the usual level, and rated if hints are not wanted."""
    page = open_page()
    page.goto(server)
    page.wait_for_selector(READY)
    page.click("[data-game=doudizhu]")
    for width, height in LANDSCAPE:
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator(".go")).to_be_in_viewport(ratio=1)
    page.click(".go")
    expect(page.locator(".hand .card").first).to_be_visible()
    id = address_of(page).rpartition("/")[2]
    table = page.evaluate("id => fetch(`/api/v1/tables/${id}`).then((answer) => answer.json())", id)
    usual = levels_of(page, table)["skilled"]
    assert "bidding=true" in table["rules"]
    assert [seat["name"] for seat in table["seats"]][1:] == [usual["agent"]] * 2


def levels_of(page: Any, table: Any) -> Any:
    """As the server has them under the rules of a table."""
    ask = "query => fetch(`/api/v1/levels?${new URLSearchParams(query)}`).then((answer) => answer.json())"
    found = page.evaluate(ask, {"game": table["game"], "rules": table["rules"]})
    return {level["level"]: level for level in found["levels"]}


def test_the_level_chosen_plays_in_all_seats_and_is_remembered(server: str, open_page: Open) -> None:
    page = open_page()
    open_lobby(page, server, "zsy4")
    levels = levels_of(page, {"game": "zsy4", "rules": ""})
    page.check("[name=level][value=expert]")
    shares = page.locator(".level .figures b").all_inner_texts()
    assert shares == [f"{100 * level['measured']['win_rate']:.0f}%" for level in levels.values()]
    page.reload()
    page.wait_for_selector(READY)
    expect(page.locator("[name=level][value=expert]")).to_be_checked()
    open_more(page)
    for seat in "123":
        expect(page.locator(f"[data-seat='{seat}']")).to_have_value(levels["expert"]["agent"])
    page.select_option("[data-seat='3']", "greedy")
    expect(page.locator("[name=level]:checked")).to_have_count(0)  # not all at one level
    page.check("[name=level][value=beginner]")
    expect(page.locator("[data-seat='3']")).to_have_value("random")


def test_under_house_rules_a_level_is_told_not_to_be_measured(server: str, open_page: Open) -> None:
    """Nets know one table of plays: their levels are not offered under rules with another."""
    page = open_page()
    open_lobby(page, server, "zsy2")
    page.check("[name=level][value=champion]")
    expect(page.locator("details.more summary .mark")).to_have_count(0)
    open_more(page)
    choose_rule(page, "shortest_chain", "3")
    expect(page.locator("[name=level][value=champion]")).to_have_count(0)
    expect(page.locator(".levels .key")).to_have_text("Not measured under these rules.")
    expect(page.locator("details.more summary .mark")).to_have_text("1 changed")
    page.click(".go")
    page.get_by_role("group", name="Skilled").wait_for()


def test_two_tabs_on_one_table(server: str, open_page: Open) -> None:
    """Both show the same; what one does the other sees; nothing is done twice."""
    one = open_page()
    sit_down(one, server, "zsy2", cards=SHORT)
    two = one.context.new_page()
    two.goto(address_of(one))
    my_turn(one)
    my_turn(two)
    expect(one).to_have_title(re.compile("^● Table"))  # whoever looks elsewhere sees whose turn it is
    held = one.locator(".hand .card").count()
    expect(two.locator(".hand .card")).to_have_count(held)
    version = one.locator(".table").get_attribute("data-version")
    bid_or_play(one)
    two.wait_for_selector(f".table:not([data-version='{version}'])")
    play_to_the_end(two)
    one.wait_for_selector(".ending:not([hidden])")
    assert one.locator(".log li").count() == two.locator(".log li").count()


def test_giving_up(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy4")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("[data-does=leave]")
    expect(page.locator(".ending h2")).to_have_text("This table was given up.")
    page.goto(server)
    page.wait_for_selector(READY)
    expect(page.locator("text=Back to my last table")).to_have_count(0)


def test_onlooker_and_unknown_table(server: str, open_page: Open) -> None:
    page, onlooker = open_page(), open_page()
    sit_down(page, server, "zsy4")
    onlooker.goto(address_of(page))
    onlooker.wait_for_selector(".seat .pile")
    expect(onlooker.locator(".hand .card, [data-does=play], [data-does=leave]")).to_have_count(0)
    onlooker.goto(f"{server}/#/table/nowhere")
    onlooker.wait_for_selector(".actions a[href='#/']")
    expect(onlooker.locator(".note")).to_have_text("There is no such table.")


def test_a_click_is_not_lost_when_the_table_changes_between_press_and_release(server: str, open_page: Open) -> None:
    """Somebody comes to look on just then: the bar shows it, the button that is held down stays."""
    page, onlooker = open_page(), open_page()
    sit_down(page, server, "zsy2")
    my_turn(page)
    page.hover("[data-does=hint]")
    page.mouse.down()
    onlooker.goto(address_of(page))
    expect(page.locator(".mark.onlookers")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".hints .bar").first).to_be_visible()


def test_a_click_is_not_lost_while_the_lobby_loads(server: str, open_page: Open) -> None:
    page = open_page()
    asked: list[Any] = []
    page.route("**/api/v1/agents?*", lambda route: asked.append(route))  # its answer is waited for
    page.goto(server)
    while not asked:
        page.wait_for_timeout(20)
    page.hover(".go")
    page.mouse.down()
    with page.expect_response("**/api/v1/agents?*"):
        for route in asked:
            route.continue_()
    page.wait_for_timeout(500)  # it would be drawn again by now
    expect(page.locator(READY)).to_have_count(0)
    page.mouse.up()
    page.unroute("**/api/v1/agents?*")
    page.wait_for_selector(".hand .card")


def test_an_opponent_that_fails_is_spoken_of(server: str, open_page: Open) -> None:
    """What the server says then is put on the wire here; the next state takes the words away again."""
    page = open_page(locale="zh-CN")
    words = {"why": "agent_failed", "values": {"name": "champion/zsy2"}}
    fault = {"kind": "refused", "code": "agent_failed", "reason": "champion/zsy2 has failed", "words": words}
    sockets = []

    def between(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket(re.compile("/live$"), between)
    sit_down(page, server, "zsy2", cards=SHORT)
    my_turn(page)
    sockets[0].send(json.dumps(fault))
    expect(page.locator(".note[data-kind=bad]")).to_contain_text("champion/zsy2 出了故障")
    assert bid_or_play(page)
    expect(page.locator(".note[data-kind=bad]")).to_have_count(0)
