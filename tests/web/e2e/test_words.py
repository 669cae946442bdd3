"""Texts of the page with what stands in their gaps."""

from __future__ import annotations

from typing import Any

from shangyou.engines.errors import Why
from shangyou.games.errors import Reason
from shangyou.games.errors import Why as OfGames
from shangyou.web.wire.reasons import Fault
from web.e2e.at_the_table import READY
from web.e2e.conftest import Open

HIGHER = OfGames.not_higher(mine="44", my_pattern="pair", theirs="55", their_pattern="pair")
NESTED = Why.in_history(number=2, cards="44", seat=1, error=HIGHER)
LISTED = OfGames.no_play(cards="34", game="zsy2", patterns=["solo", "pair"])


def refusal(page: Any, reason: Reason) -> str:
    fault = Fault.because("bad_input", reason).model_dump()
    return str(page.evaluate("fault => import('/words.js').then(({ refusal }) => refusal(fault))", fault))


def test_a_reason_of_the_server_in_both_languages(server: str, open_page: Open) -> None:
    """Reasons and lists can stand inside a reason."""
    page = open_page()
    page.goto(server)
    page.wait_for_selector(READY)
    assert refusal(page, NESTED) == "History, turn 2, '44' by seat 1: 44 (pair) is not higher than 55 (pair)."
    assert refusal(page, LISTED) == "34 is no play of zsy2; its patterns are solo, pair."
    page = open_page(locale="zh-CN")
    page.goto(server)
    page.wait_for_selector(READY)
    assert refusal(page, NESTED) == "历史第 2 步，1 号的 44：44（对子）不比 55（对子）大"
    assert refusal(page, LISTED) == "34 在双人争上游里不成牌型；牌型有 单张、对子"


def test_a_number_and_its_noun(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(server)
    page.wait_for_selector(READY)
    label = "n => import('/words.js').then(({ t }) => t('seat.label', { name: 'A', n }))"
    assert [page.evaluate(label, n) for n in (0, 1, 2)] == ["A, 0 cards left", "A, 1 card left", "A, 2 cards left"]
