"""What a person does at a table, through the page."""

from __future__ import annotations

from typing import Any

MOST_ACTIONS = 200
READY = ".lobby[aria-busy=false]"
LANDSCAPE = [(844, 390), (932, 430), (896, 414), (740, 360), (667, 375)]  # telephones lying on their side


def sit_down(page: Any, server: str, game: str, *, cards: int | None = None, switch: str = "", nickname: str = "") -> None:
    """From the lobby to a table with cards, against the strongest. zsy2 with fewer cards is soon over, so I lead there."""
    open_lobby(page, server, game)
    page.locator("[name=level]").last.check()
    open_more(page)
    page.select_option("[name=pace]", "0")
    if game == "doudizhu":
        switch_rule(page, "bidding", False)
    if cards:
        choose_rule(page, "cards_each", str(cards))
        choose_rule(page, "first_lead", "seat0")
    if switch:
        switch_rule(page, switch, True)
    if nickname:
        page.fill("[name=nickname]", nickname)
    page.click(".go")
    page.wait_for_selector(".hand .card")


def open_lobby(page: Any, server: str, game: str) -> None:
    """The lobby, when all of it has come: before, it is drawn again under the mouse."""
    page.goto(server)
    page.wait_for_selector(READY)
    page.click(f"[data-game={game}]")
    page.wait_for_selector(f"{READY} [data-game={game}][aria-checked=true]")


def open_more(page: Any) -> None:
    """Seats, speed, clock and house rules."""
    page.click("details.more > summary")


def switch_rule(page: Any, name: str, on: bool) -> None:
    page.set_checked(f"[name={name}]", on)
    page.wait_for_selector(READY)


def choose_rule(page: Any, name: str, value: str) -> None:
    page.select_option(f"[name={name}]", value)
    page.wait_for_selector(READY)


def my_turn(page: Any) -> None:
    page.wait_for_selector("[data-does=hint]:enabled")


def address_of(page: Any) -> str:
    """As the page itself has it: what the driver knows comes later."""
    return str(page.evaluate("location.href"))


def follow_hint(page: Any) -> None:
    """Ask, click the first suggestion, play it."""
    page.click("[data-does=hint]:enabled")
    page.locator(".hints:not([hidden]) .bar").first.click()
    played = page.locator("[data-does=play]:enabled")
    (played if played.count() else page.locator("[data-does=pass]:enabled")).click()


def bid_or_play(page: Any) -> bool:
    """One action of mine, when it is my turn; whether the game goes on."""
    page.wait_for_selector("[data-does=hint]:enabled, [data-does=bid], .ending:not([hidden])")
    if page.locator(".ending:not([hidden])").count():
        return False
    version = page.locator(".table").get_attribute("data-version")
    bids = page.locator("[data-does=bid]")
    if bids.count():
        bids.last.click()
    else:
        follow_hint(page)
    page.wait_for_selector(f".table:not([data-version='{version}'])")
    return True


def play_to_the_end(page: Any) -> None:
    for _ in range(MOST_ACTIONS):
        if not bid_or_play(page):
            return
    raise AssertionError("the game does not end")


def width(page: Any) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth"))
