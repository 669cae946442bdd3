"""Learning, positions, records and ranking in the browser."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from shangyou import agents, games
from shangyou.agents.play import play_game
from shangyou.records import Record
from shangyou.records.text import format_text
from web.e2e.at_the_table import address_of, bid_or_play, my_turn, open_lobby, play_to_the_end, sit_down
from web.e2e.conftest import Open
from web.e2e.test_play import PHONE

RECORD = """game: zsy2
rules: cards_each=4
players: Ann,Bob
3334;559S
1,55;1,9;0,pass;1,S;
result: -1,1
"""


@pytest.mark.parametrize("game", ["doudizhu", "zsy2", "zsy4"])
def test_tutorial_ends_in_a_guided_game(server: str, open_page: Open, game: str) -> None:
    page = open_page()
    page.goto(f"{server}/#/learn")
    page.click(f"[data-game={game}]")
    for _ in range(30):
        page.wait_for_selector(".lesson [data-does=next], .lesson [data-does=show], .lesson [data-does=guided]")
        if page.locator("[data-does=show]").count():
            page.click("[data-does=show]")
            page.click(".lesson [data-does=play]")
            page.wait_for_selector(".note[data-kind=good]")
        if page.locator("[data-does=guided]").count():
            break
        page.click("[data-does=next]")
    page.click("[data-does=guided]")
    page.wait_for_selector(".guide:not([hidden]) p")
    my_turn(page)
    assert bid_or_play(page)


def test_a_wrong_answer_is_told_apart(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{server}/#/learn/doudizhu")
    page.click("[data-does=next]")
    page.wait_for_selector(".hand .card")
    for ranks, said in (("4T", "That is no legal play here."), ("KK", "TT or KK. The low one keeps the kings for later.")):
        page.keyboard.press("Escape")
        for rank in ranks:
            page.keyboard.press(rank)
        page.keyboard.press("Enter")
        page.wait_for_selector(f".note:text-is({said!r})")


def test_position_and_its_address(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{server}/#/position")
    page.click("[data-does=ask]")
    page.wait_for_selector(".answer .bar")
    best = page.locator(".answer .bar").first.get_attribute("aria-label")
    elsewhere = open_page()
    elsewhere.goto(address_of(page))
    elsewhere.wait_for_selector(".answer .bar")
    assert elsewhere.locator(".answer .bar").first.get_attribute("aria-label") == best


def test_positions_of_other_games(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{server}/#/position")
    for game in ("zsy2", "zsy4"):
        page.select_option("[name=game]", game)
        page.wait_for_selector(".answer .bar", state="detached")
        page.click("[data-does=ask]")
        page.wait_for_selector(".answer .bar")


def test_a_position_is_put_together_by_taps(server: str, open_page: Open) -> None:
    """The pack knows what is left, text and piles say the same, and the server's objections stand beside the pile."""
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page.goto(f"{server}/#/position")
    page.select_option("[name=game]", "zsy2")
    page.click("[data-does=empty]")
    hand = page.locator(".pile-box", has=page.locator("[data-pile=hand]"))
    for rank in "333344445555666677":
        page.tap(f"[data-pick='{rank}']")
    expect(page.locator("[data-pick='3']")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("[data-pick='7'] small")).to_have_text("2")
    page.tap("[data-pick='3']", force=True)  # there is none left
    expect(hand.locator(".card")).to_have_count(18)
    expect(page.locator(".status.good")).to_contain_text("legal plays")
    expect(page.locator("[name=hand]")).to_have_value("3333 4444 5555 6666 77")

    hand.locator(".card").first.tap()
    expect(hand.locator(".fault")).to_contain_text("17 cards in the hand")
    expect(page.locator("[data-pick='3'] small")).to_have_text("1")
    page.focus("[data-pick='3']")
    page.keyboard.press("Enter")
    expect(page.locator("[data-pick='3']")).to_be_focused()
    expect(hand.locator(".fault")).to_be_hidden()

    page.tap("[data-pile=last]")
    page.tap("[data-pick='9']")  # somebody played what is to be beaten
    expect(page.locator("[data-pile=played1] b")).to_have_text("1")
    page.locator(".pile-box", has=page.locator("[data-pile=played1]")).locator(".card").tap()
    expect(page.locator("[data-pile=last] b")).to_have_text("0")

    page.click(".astext summary")
    page.fill("[name=hand]", "3 55")
    expect(hand.locator(".card")).to_have_count(3)


def test_how_many_cards_the_others_hold_is_offered(server: str, open_page: Open) -> None:
    """Four hands of 54 cards are not all equal: the server says what the others may hold."""
    page = open_page()
    page.goto(f"{server}/#/position")
    page.select_option("[name=game]", "zsy4")
    expect(page.locator(".picker .pick")).to_have_count(54)
    expect(page.locator(".status.good")).to_be_visible()
    page.click(".astext summary")
    page.fill("[name=left]", "")
    expect(page.locator(".status.bad")).to_contain_text("left is needed", ignore_case=True)
    page.locator(".lefts button").first.click()
    expect(page.locator(".status.good")).to_be_visible()
    assert page.input_value("[name=left]") == page.locator(".lefts [aria-pressed=true]").inner_text()


def test_play_from_any_turn_of_a_replay(server: str, open_page: Open) -> None:
    """In the seat that is to act, unless I take another; the others play at the level chosen."""
    page = open_page()
    page.goto(f"{server}/#/records")
    page.fill("textarea.records", RECORD)
    page.click("[data-does=send]")
    page.click(".results a")
    page.click("[data-does=next]")
    page.click("[data-does=from]")
    expect(page.locator("dialog label", has=page.locator("[name=seat]:checked"))).to_contain_text("is to act")
    page.locator("dialog [name=seat]:not(:checked)").check()
    page.check("dialog [name=level][value=beginner]")
    page.click("[data-does=from-go]")
    page.wait_for_selector(".mark.practice")
    page.get_by_role("group", name="Beginner").wait_for()
    expect(page.locator(".log li").last.locator(".card")).to_have_count(2)  # the fives that were played before
    expect(page.locator("dialog")).to_have_count(0)


def test_records(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(f"{server}/#/records")
    page.fill("textarea.records", RECORD + "3334;5599\n0,44;\n")
    page.click("[data-does=send]")
    page.wait_for_selector(".results li.bad")
    page.click(".results a")
    page.wait_for_selector(".replay .controls")


def send_a_game(page: Any, server: str, game: str, agent: str, rules: str = "") -> None:
    """A record of players who make mistakes; its review is then shown."""
    loaded = games.load_text(game, rules)
    end = play_game(loaded, [agents.load(agent, loaded, seed=seat) for seat in range(loaded.seats)], seed=5)
    page.goto(f"{server}/#/records")
    page.fill("textarea.records", format_text([Record.from_state(end)]))
    page.click("[data-does=send]")
    page.click(".results a")
    page.click("header.head >> text=Review")
    page.wait_for_selector(".mistake")


def test_try_again_from_a_mistake(server: str, open_page: Open) -> None:
    page = open_page()
    send_a_game(page, server, "zsy2", "random")
    page.locator("[data-does=again]").first.click()
    page.wait_for_selector(".mark.practice")
    assert bid_or_play(page)


def test_a_review_in_chances_and_in_points(server: str, open_page: Open) -> None:
    """Every mistake has its grade and a sentence why, in both measures and languages; bids are decisions too."""
    page = open_page()
    send_a_game(page, server, "doudizhu", "rule", "bidding=true")
    switch = "[data-measure={}][aria-pressed={}]"
    expect(page.locator(switch.format("win", "true"))).to_be_visible()
    bid = page.locator(".mistake:has(.bids)")
    expect(bid).to_contain_text("Bid too low: A bid of 3 is worth")
    expect(bid).to_contain_text("points")
    for language, title in (("en", "Review"), ("zh", "复盘")):
        page.wait_for_selector(f".review:has(h1:has-text('{title}')) .mistake")  # drawn again, once its words have come
        for measure, unit in (("points", {"en": "points", "zh": "分"}[language]), ("win", "%")):
            page.click(switch.format(measure, "false"))
            page.wait_for_selector(switch.format(measure, "true"))
            mistakes = page.locator(".mistake:not(:has(.bids))")
            assert mistakes.count() > 0
            for text in mistakes.locator(".loss").all_inner_texts():
                assert unit in text
            assert all(mistakes.locator(".why").all_inner_texts())
        page.click(".language")
    page.wait_for_selector(".review:has(h1:has-text('Review')) .account .part b")
    parts = page.locator(".account .part b").all_inner_texts()
    numbers = [int(part.strip("%").replace("−", "-").replace("+", "")) for part in parts]
    assert sum(numbers[:-1]) == numbers[-1]


def test_grades_in_the_replay(server: str, open_page: Open) -> None:
    page = open_page()
    send_a_game(page, server, "zsy2", "random")
    why = page.locator(".mistake .why").first.inner_text().partition(": ")[2]
    page.locator(".mistake >> text=Look at it").first.click()
    expect(page.locator(".candidates .why")).to_contain_text(why)
    expect(page.locator(".chart .dot")).not_to_have_count(0)
    expect(page.locator(".turns .grade")).not_to_have_count(0)


def test_what_was_won_by_force(server: str, open_page: Open) -> None:
    """Ann leads one card in place of three of a kind: the solver says so, and the turn is one click away."""
    page = open_page(**PHONE)
    page.goto(f"{server}/#/records")
    page.fill("textarea.records", "game: zsy2\nrules: cards_each=4\nplayers: Ann,Bob\n3334;559S\n0,4;1,S;1,55;1,9;\n")
    page.click("[data-does=send]")
    page.click(".results a")
    page.click("header.head >> text=Review")
    truth = page.locator(".truth")
    said = "Won by force, proven from turn 2: Bob."
    expect(truth).to_contain_text(said, timeout=120_000)  # the first to ask waits for a compiler
    expect(truth.locator("li")).to_contain_text("Ann gave the win away.")
    expect(truth.locator("li .better .card")).to_have_count(3)
    truth.locator("li a").click()
    expect(page.locator(".replay .count")).to_have_text("0 / 6")


def test_progress_over_my_games(server: str, open_page: Open) -> None:
    """Reviews are made while the page is there; afterwards they are stored."""
    page = open_page()
    page.goto(f"{server}/#/progress")
    expect(page.locator(".progress .none")).to_be_visible()
    for _ in range(2):
        sit_down(page, server, "zsy2")
        play_to_the_end(page)
    made = []
    page.on("request", lambda request: made.append(request.method) if request.url.endswith("me/reviews") else None)
    page.goto(f"{server}/#/progress")
    expect(page.locator(".roles tbody tr td >> nth=1")).to_have_text("2")
    assert made == ["GET", "POST", "POST"]
    expect(page.locator(".course .chart .line")).to_be_attached()
    page.reload()
    expect(page.locator(".roles tbody tr td >> nth=1")).to_have_text("2")
    assert made == ["GET", "POST", "POST", "GET"]


def test_ranking(server: str, open_page: Open) -> None:
    """A game under standard rules without hints counts, also for who leaves it; a name is shown as it was typed."""
    page = open_page()
    open_lobby(page, server, "zsy2")
    page.uncheck("[name=hints]")
    page.fill("[name=nickname]", "<b>Ann</b>")
    page.click(".go")
    page.wait_for_selector(".hand .card")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("[data-does=leave]")
    page.wait_for_selector(".ending:not([hidden])")
    page.goto(f"{server}/#/ranking/zsy2")
    expect(page.locator("tr.own")).to_contain_text("<b>Ann</b>")
    expect(page.locator(".bots tbody tr").first).to_contain_text("Champion")
    page.wait_for_selector(".course .chart .line")


def test_a_review_where_there_is_no_champion(server: str, open_page: Open) -> None:
    """Under odd rules another agent advises, which gives no chances of winning: the page shows none."""
    page = open_page()
    sit_down(page, server, "zsy2", cards=6)
    my_turn(page)
    page.click("[data-does=hint]")
    expect(page.locator(".hints h2")).to_have_text("Hints: Skilled")
    page.keyboard.press("Escape")
    play_to_the_end(page)
    page.click("[data-does=review]")
    expect(page.locator(".chance .key")).to_have_text(
        "Under these rules there is no champion; Skilled (greedy) advises, and gives no chances of winning."
    )
    expect(page.locator(".mistakes, .chart, .account, .switch")).to_have_count(0)
