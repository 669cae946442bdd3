"""Cards as they look: suits for the eye that stay, twins, sorting, names of plays, warnings; what is heard and what moves."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from web.e2e.at_the_table import bid_or_play, my_turn, play_to_the_end, sit_down
from web.e2e.conftest import Open

FACES = "cards => cards.map(card => card.dataset.face)"


def faces(page: Any, where: str) -> list[str]:
    return list(page.eval_on_selector_all(f"{where} .card", FACES))


def test_the_twin_of_a_played_card_is_not_chosen(server: str, open_page: Open) -> None:
    """The right one of two cards of a rank is played: the left one stays, as it was, not chosen."""
    page = open_page()
    sit_down(page, server, "doudizhu")
    my_turn(page)
    held = faces(page, ".hand")
    ranks = [face[0] for face in held]
    right = next(at for at in range(1, 20) if ranks[at] == ranks[at - 1] and at + 1 < 20 and ranks[at + 1] != ranks[at])
    page.locator(".hand .card").nth(right).click(position={"x": 10, "y": 30})
    expect(page.locator(".hand .card.chosen")).to_have_attribute("data-face", held[right])
    page.click("[data-does=play]")
    expect(page.locator(".hand .card")).to_have_count(19)
    expect(page.locator(".hand .card.chosen")).to_have_count(0)
    assert faces(page, ".hand") == held[:right] + held[right + 1 :]
    expect(page.locator(f".log .own .card[data-face='{held[right]}']")).to_have_count(1)


TABLE = """() => {
  const faces = (where) => [...document.querySelectorAll(where)].map((card) => card.dataset.face);
  const seats = [...document.querySelectorAll(".seat:not(.me)")];
  const plays = [...document.querySelectorAll(".put")].filter((put) => put.querySelector(".card"));
  return {
    held: faces(".hand .card"), played: faces(".log .card"), mine: faces(".log .own .card"),
    left: seats.map((seat) => [Number(seat.querySelector(".pile b").innerText), Boolean(seat.querySelector(".mark.few"))]),
    plays: plays.map((put) => [put.querySelectorAll(".card").length, put.querySelector(".pattern")?.innerText ?? ""]),
  };
}"""


def test_through_a_whole_game(server: str, open_page: Open) -> None:
    """In a game without suits cards keep those they seem to have, and none is seen twice; longer plays are named, and a seat
    with two cards or fewer is marked."""
    page, names = open_page(), set()
    while not names:  # in some games nobody makes a longer play
        names |= names_through_a_game(page, server)
    assert all("." not in name for name in names)


def names_through_a_game(page: Any, server: str) -> set[str]:
    sit_down(page, server, "doudizhu")
    my_turn(page)
    dealt, names, going = faces(page, ".hand"), set(), True
    assert len(set(dealt)) == 20
    while going:
        table = page.evaluate(TABLE)
        assert sorted(table["held"] + table["mine"]) == sorted(dealt)
        assert len({*table["held"], *table["played"]}) == len(table["held"]) + len(table["played"])
        assert all(marked == (0 < left <= 2) for left, marked in table["left"])
        assert all(bool(name) == (cards > 2 or name == "rocket") for cards, name in table["plays"])
        names |= {name for _, name in table["plays"] if name}
        going = bid_or_play(page)
    return names


def test_three_ways_to_sort(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy4")
    order = "3456789TJQKA2SB"
    ranks = [order.index(face[0]) for face in faces(page, ".hand")]
    assert ranks == sorted(ranks, reverse=True)
    page.click("[data-does=sort]")
    ranks = [order.index(face[0]) for face in faces(page, ".hand")]
    assert ranks == sorted(ranks)
    page.click("[data-does=sort]")
    sizes = [ranks.count(order.index(face[0])) for face in faces(page, ".hand")]
    assert sizes == sorted(sizes, reverse=True)
    page.reload()
    my_turn(page)
    expect(page.locator("[data-does=sort]")).to_have_attribute("aria-label", "Hand: Large groups left")


# A speaker that writes down how often it was started instead of sounding.
SPEAKER = """window.tones = []; window.shaken = [];
navigator.vibrate = (pattern) => shaken.push(pattern);
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (at) { tones.push(this.frequency.value); start.call(this, at); };"""


def test_sound_and_its_switch(server: str, open_page: Open) -> None:
    page = open_page()
    page.add_init_script(SPEAKER)
    sit_down(page, server, "zsy2")
    my_turn(page)
    assert page.evaluate("tones.length") > 5  # cards were dealt, and it is my turn
    assert page.evaluate("shaken.length") > 0
    page.click("[data-does=sound]")
    before = page.evaluate("tones.length")
    bid_or_play(page)
    my_turn(page)
    assert page.evaluate("tones.length") == before
    page.click("[data-does=sound]")
    bid_or_play(page)
    page.wait_for_function(f"tones.length > {before}")


SOUNDS = """async () => {
  const { soundsOf } = await import("/sound.js");
  const seat = (left, bomb) => ({ left, put: bomb === undefined ? null : { bomb } });
  const state = (history, seats, more) =>
    ({ version: history.length, status: "playing", seat: 0, hand: ["3"], history, seats, ...more });
  const card = { seat: 1, cards: ["3"] }, pass = { seat: 1, cards: [] };
  const start = state([], [seat(5), seat(4)]);
  return {
    deal: soundsOf(null, start),
    card: soundsOf(start, state([card], [seat(5), seat(3, false)])),
    pass: soundsOf(start, state([pass], [seat(5), seat(4, false)])),
    bomb: soundsOf(start, state([card], [seat(5), seat(3, true)])),
    few: soundsOf(start, state([card], [seat(5), seat(2, false)])),
    turn: soundsOf(start, state([card], [seat(5), seat(3, false)], { legal: [1] })),
    won: soundsOf(start, state([card], [seat(0), seat(3, false)], { status: "over", result: { winners: [0] } })),
    lost: soundsOf(start, state([card], [seat(5), seat(0, false)], { status: "over", result: { winners: [1] } })),
    again: soundsOf(start, start),
  };
}"""


def test_what_sounds_when(server: str, open_page: Open) -> None:
    page = open_page()
    page.goto(server)
    assert page.evaluate(SOUNDS) == {
        "deal": ["deal"],
        "card": ["card"],
        "pass": ["pass"],
        "bomb": ["bomb"],
        "few": ["card", "few"],
        "turn": ["card", "turn"],
        "won": ["card", "won"],
        "lost": ["card", "lost"],
        "again": [],
    }


def test_places_are_shown_only_where_they_are_played_for(server: str, open_page: Open) -> None:
    page = open_page()
    sit_down(page, server, "zsy2", cards=6)
    play_to_the_end(page)
    expect(page.locator(".mark.out:has-text('Place')")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".ending")).to_be_hidden()
    page.click("[data-does=result]")
    expect(page.locator(".ending")).to_be_focused()


MOVED = """window.moved = []; const animate = Element.prototype.animate;
Element.prototype.animate = function (...all) { moved.push(this.className); return animate.apply(this, all); };"""


def test_motion_and_none_for_those_who_want_none(server: str, open_page: Open) -> None:
    for reduced, moves in (("no-preference", True), ("reduce", False)):
        page = open_page(reduced_motion=reduced)
        page.add_init_script(MOVED)
        sit_down(page, server, "doudizhu")
        my_turn(page)
        assert page.evaluate("moved.length") == (20 if moves else 0)  # the deal
        while bid_or_play(page) and page.locator(".log li").count() < 12:
            pass
        assert page.evaluate("moved.some((name) => name.includes('swept'))") is moves
        assert page.evaluate("moved.length > 20") is moves


TWINS = """async (at) => {
  const { Hand } = await import("/hand.js");
  const hand = new Hand(() => {});
  hand.set(["7♠", "7♠", "K♥"]);
  hand.toggle(hand.cards[at]);
  hand.set(["7♠", "K♥"]);
  return { chosen: hand.chosen, held: hand.cards.map((one) => one.text), drawn: hand.element.children.length };
}"""


def test_of_two_cards_that_are_alike_the_chosen_one_goes(server: str, open_page: Open) -> None:
    """With two packs: of the sevens of spades, at the second and third place from the left, one is chosen and played."""
    page = open_page()
    page.goto(server)
    for at in (1, 2):
        assert page.evaluate(TWINS, at) == {"chosen": [], "held": ["K♥", "7♠"], "drawn": 2}
