"""Puzzles in a browser: the answer and the solver's replies; a wrong play; what the browser remembers."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from shangyou.engines import reference
from shangyou.search.puzzles import Judge, attempt, puzzle
from web.e2e.conftest import Open
from web.e2e.test_play import PHONE

NUMBER = 1


def choose(page: Page, one, cards: int) -> None:
    """Chooses cards of the hand and plays them, or passes."""
    if not cards:
        page.locator("[data-does=pass]").click()
        return
    for card in one.game.deck.split(cards):
        text = one.game.deck.format(card)
        page.locator(f".hand [data-card='{text}'][aria-pressed=false]").first.click(position={"x": 6, "y": 12})
    page.locator("[data-does=play]").click()


def test_a_puzzle_is_solved(server: str, open_page: Open) -> None:
    one, moves = puzzle("zsy2", NUMBER), []
    page = open_page(**PHONE)
    page.goto(f"{server}/#/puzzle/zsy2/{NUMBER}")
    expect(page.locator(".puzzle .hand .card").first).to_be_visible(timeout=120_000)  # the first to ask may wait for a compiler
    trial = attempt(one, moves)
    while not trial.over:
        moves.append(Judge(one.state).reply(trial.state, trial.goal))
        before = len(trial.state.history)
        choose(page, one, moves[-1])
        trial = attempt(one, moves)
        made = len(trial.state.history) - before
        assert made
        expect(page.locator(".puzzle-line li")).to_have_count(len(trial.state.history) - len(one.state.history))
    expect(page.locator(".puzzle .status")).to_contain_text("Solved")


def test_a_wrong_play_is_told_at_the_end(server: str, open_page: Open) -> None:
    one = puzzle("zsy2", NUMBER)
    wrong = [row for row in reference.legal(one.state).tolist() if one.game.table.labels[row] != one.answer]
    moves = [one.game.pick(one.state.hands[one.turn], wrong[-1])]
    page = open_page()
    page.goto(f"{server}/#/puzzle/zsy2/{NUMBER}")
    expect(page.locator(".puzzle .hand .card").first).to_be_visible(timeout=120_000)
    choose(page, one, moves[0])
    trial = attempt(one, moves)
    while not trial.over:
        moves.append(Judge(one.state).reply(trial.state, trial.goal))
        expect(page.locator(".puzzle-line li")).to_have_count(len(trial.state.history) - len(one.state.history))
        choose(page, one, moves[-1])
        trial = attempt(one, moves)
    expect(page.locator(".puzzle .status")).to_contain_text("your play number 1 gave it away")
