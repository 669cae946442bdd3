"""What people read in place of technical names: agents by their level, rules in the words of the lobby."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from web.e2e.at_the_table import READY, my_turn, open_lobby, open_more, play_to_the_end
from web.e2e.conftest import Open

WORDS = {"en-GB": ("Casual", "Hints: Champion", "休闲"), "zh-CN": ("休闲", "提示：冠军", "Casual")}
RULES = {
    "en-GB": ("Champion", "Bidding: no · Base: 1 · Doubling: no · Spring: no", "Bidding: yes · Base: 1 · Doubling: no"),
    "zh-CN": ("冠军", "叫分：否 · 底分：1 · 加倍：否 · 春天：否", "叫分：是 · 底分：1 · 加倍：否"),
}


@pytest.mark.parametrize("locale", WORDS)
def test_an_agent_is_called_by_its_level_everywhere(server: str, open_page: Open, locale: str) -> None:
    """At the table, in hints, the replay and the review, as in the lobby; its own name is in the title."""
    casual, hints, other = WORDS[locale]
    page = open_page(locale=locale)
    open_lobby(page, server, "zsy2")
    page.check("[name=level][value=casual]")
    expect(page.locator(".level:has(:checked)")).to_contain_text(f"{casual}paper-greedy")
    open_more(page)
    page.select_option("[name=pace]", "0")
    expect(page.locator("[data-seat='1'] option:checked")).to_have_text(f"{casual} (paper-greedy)")
    page.click(".go")
    my_turn(page)
    expect(opponent(page)).to_have_text(casual)
    expect(opponent(page)).to_have_attribute("title", f"{casual} · paper-greedy")
    page.click("[data-does=hint]")
    expect(page.locator(".hints h2")).to_have_text(hints)
    page.keyboard.press("Escape")
    play_to_the_end(page)
    expect(page.locator(".endseats")).to_contain_text(casual)
    page.click("[data-does=replay]")
    expect(opponent(page)).to_have_text(casual)
    expect(opponent(page)).to_have_attribute("title", f"{casual} · paper-greedy")
    page.click(".head a[href*=review]")
    expect(page.locator(".review select option").nth(1)).to_have_text(casual)
    page.click(".language")
    expect(page.locator(".review select option").nth(1)).to_have_text(other)
    expect(page.locator("main")).not_to_contain_text(re.compile("greedy|champion/"))


def opponent(page: Any) -> Any:
    """The name on the badge of the other seat."""
    return page.locator("[data-seat='1'] .badge strong")


def test_a_level_is_that_of_the_game(server: str, open_page: Open) -> None:
    """Greedy is skilled at one game and casual at another; who has no level, and what is no agent's name, stay as they are."""
    page = open_page()
    page.goto(server)
    page.wait_for_selector(READY)
    called = "([name, game]) => import('/names.js').then(({ agentName }) => agentName(name, game))"
    names = {
        ("greedy", "zsy2"): "Skilled",
        ("greedy", "zsy4"): "Casual",
        ("paper/ddqn-bot", "zsy4"): "Expert",
        ("paper/ddqn-pool", "zsy4"): "ddqn-pool",
        ("champion/zsy4:points", "zsy4"): "Champion (points)",
        ("search@1s:champion/doudizhu", "doudizhu"): "Champion, thinking 1s",
    }
    assert {asked: page.evaluate(called, list(asked)) for asked in names} == names
    player = "kind => import('/names.js').then(({ playerName }) => playerName({ name: 'greedy', kind }, 'zsy2'))"
    assert [page.evaluate(player, kind) for kind in ("agent", "person", "unknown")] == ["Skilled", "greedy", "greedy"]


@pytest.mark.parametrize("locale", RULES)
def test_the_ranking_says_the_rules_in_words(server: str, open_page: Open, locale: str) -> None:
    """Agents by their level there, too, with their own names beside it."""
    page = open_page(locale=locale)
    page.goto(f"{server}/#/ranking/doudizhu")
    champion, *all_rules = RULES[locale]
    expect(page.locator(".bots tbody th").first).to_have_text(f"{champion}champion/doudizhu")
    said = page.locator(".bots .key:not(:has(code))")
    for number, rules in enumerate(all_rules):
        expect(said.nth(number)).to_contain_text(rules)
        expect(said.nth(number)).not_to_contain_text(re.compile("=|true|false"))


def test_without_the_levels_agents_have_their_own_names(server: str, open_page: Open) -> None:
    page = open_page()
    page.route("**/levels.json", lambda route: route.fulfill(status=200, body="{}", content_type="application/json"))
    open_lobby(page, server, "zsy2")
    page.check("[name=level][value=casual]")
    page.click(".go")
    my_turn(page)
    expect(opponent(page)).to_have_text("paper-greedy")
