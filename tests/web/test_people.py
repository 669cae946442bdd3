"""People who find each other: public tables, quick match, rematch, phrases, onlookers, my running games."""

import time
from datetime import timedelta
from random import Random

import pytest

from shangyou.web.live import arena as live_arena
from web.arena_client import Guest, arena

LISTED = {"seats": ["me", "open"], "hints": False, "listed": True, "clock": {"move": 20, "reserve": 60}}


@pytest.fixture
def client(tmp_path):
    """A server of its own for every test: the list of public tables is that of all."""
    with arena(tmp_path / "a.db") as running:
        yield running


def listed(guest, game=""):
    return guest.get(f"tables?game={game}").json()


def quick(guest, game="zsy2"):
    answer = guest.post("quick", {"game": game})
    assert answer.status_code == 200, answer.text
    return answer.json()["table"]


# -- public tables ----------------------------------------------------------------------------------------------------


def test_tables_are_private_unless_opened_as_public(client):
    host, other = Guest(client, "Ann"), Guest(client, "Bob")
    private, public = host.open("zsy2", ["me", "open"]), host.open("zsy2", **LISTED)
    with host.sit(private), host.sit(public):
        (found,) = listed(other)
        assert (found["table"], found["mine"], found["rated"]) == (public, False, True)
        assert [seat["name"] for seat in found["seats"]] == ["Ann", ""]
        assert listed(host)[0]["mine"]
        assert listed(other, "doudizhu") == []
        other.post(f"tables/{public}/join")
        assert listed(other) == []  # full


def test_a_public_table_needs_a_clock_and_a_free_seat(client):
    for change in ({"clock": None}, {"seats": ["me", "greedy"]}):
        answer = Guest(client).post("tables", {"game": "zsy2"} | LISTED | change)
        assert answer.json()["code"] == "no_clock"


def test_who_closes_the_page_does_not_wait_any_more(client, monkeypatch):
    monkeypatch.setattr(live_arena, "ABSENT", 0.1)
    monkeypatch.setattr(live_arena, "JUST_OPENED", timedelta(0))
    host, friend = Guest(client, "A"), Guest(client, "B")
    id = host.open("doudizhu", **LISTED | {"seats": ["me", "open", "open"]})
    with friend.sit(id) as theirs:
        friend.post(f"tables/{id}/join")
        with host.sit(id) as mine:
            mine.hear()  # the server knows that the host is here
        assert theirs.until(lambda state: state["seats"][0]["kind"] == "open")["status"] == "open"
    assert listed(host) == []
    end = time.monotonic() + 5
    while friend.get(f"tables/{id}").json()["status"] != "left" and time.monotonic() < end:
        time.sleep(0.05)
    assert friend.get(f"tables/{id}").json()["status"] == "left"


# -- quick match ------------------------------------------------------------------------------------------------------


def test_a_quick_match_opens_a_table_and_the_next_joins_it(client):
    one, two, three = (Guest(client, name) for name in "ABC")
    id = quick(one)
    assert quick(one) == id  # still waiting
    with one.sit(id) as mine:
        assert (mine.hear()["status"], mine.state["listed"], mine.state["clock"]["move"]) == ("open", True, 20)
        assert quick(two) == id
        assert mine.until(lambda state: state["status"] == "playing")["rated"]
    assert quick(three) not in (id, None)


def test_a_quick_match_of_three_bids_for_the_landlord(client):
    guests = [Guest(client, name) for name in "ABC"]
    ids = {quick(guest, "doudizhu") for guest in guests}
    assert len(ids) == 1
    table = guests[0].get(f"tables/{ids.pop()}").json()
    assert (table["status"], table["rules"].split()[0]) == ("bidding", "bidding=true")


def test_a_quick_match_joins_no_table_with_agents_hints_or_house_rules(client):
    for wish in ({"rules": "cards_each=5"}, {"hints": True}):
        Guest(client, "A").open("zsy2", **LISTED | wish)
    other = Guest(client, "A").open("doudizhu", **LISTED | {"seats": ["me", "open", "greedy"]})
    assert quick(Guest(client, "B"), "doudizhu") != other
    assert len(listed(Guest(client), "zsy2")) == 2
    quick(Guest(client, "B"))
    assert len(listed(Guest(client), "zsy2")) == 3


def test_who_waits_may_have_agents_fill_the_table(client):
    guest = Guest(client, "A")
    with guest.sit(quick(guest, "doudizhu")) as seat, Guest(client).sit(seat_table(guest)) as looking:
        seat.hear()
        assert looking.ask(kind="fill")["code"] == "not_seated"
        seat.say(kind="fill")
        state = seat.until(lambda state: state["status"] == "bidding")
        assert [one["name"] for one in state["seats"][1:]] == ["champion/doudizhu"] * 2
        assert (state["rated"], len(state["hand"])) == (True, 17)
        assert seat.ask(kind="fill")["code"] == "dealt"


def seat_table(guest):
    return guest.get("me/tables").json()[0]["table"]


# -- rematch ----------------------------------------------------------------------------------------------------------


def play_together(one, two, **options):
    """A finished short game of two; its table."""
    id = one.open("zsy2", ["me", "open"], rules="cards_each=2", hints=False, **options)
    two.post(f"tables/{id}/join")
    with one.sit(id) as mine, two.sit(id) as theirs:
        while True:
            for seat in (mine, theirs):
                seat.ask(kind="ping")
            if mine.state["status"] == "over":
                return id
            acting = mine if mine.state["legal"] else theirs
            acting.act(Random(1))


def test_a_rematch_takes_everybody_along(client):
    one, two = Guest(client, "A"), Guest(client, "B")
    id = play_together(one, two, clock={"move": 30, "reserve": 5})
    with one.sit(id) as mine, two.sit(id) as theirs, Guest(client).sit(id) as looking:
        assert mine.hear()["rematch"] == {"seats": [], "table": None}
        assert looking.ask(kind="rematch")["code"] == "not_seated"
        mine.say(kind="rematch")
        assert theirs.until(lambda state: state["rematch"]["seats"])["rematch"] == {"seats": [0], "table": None}
        mine.say(kind="rematch")  # a second press is no second person
        theirs.say(kind="rematch")
        new = mine.until(lambda state: state["rematch"]["table"])["rematch"]["table"]
        assert looking.until(lambda state: state["rematch"]["table"])["rematch"]["table"] == new
        theirs.say(kind="rematch")
        theirs.ask(kind="ping")
        assert theirs.state["rematch"]["table"] == new
    with one.sit(new) as mine, two.sit(new) as theirs:
        assert (mine.hear()["seat"], theirs.hear()["seat"]) == (1, 0)  # who sat second is first
        assert (mine.state["rules"], mine.state["clock"]["move"]) == (one.get(f"tables/{id}").json()["rules"], 30)
        assert (mine.state["status"], mine.state["version"]) == ("playing", 0)
        assert mine.ask(kind="rematch")["code"] == "not_over"


def test_agents_come_along_and_the_seat_of_who_left_is_open(client):
    one, two = Guest(client, "A"), Guest(client, "B")
    id = one.open("doudizhu", ["me", "open", "random"], hints=False)
    two.post(f"tables/{id}/join")
    with one.sit(id) as mine, two.sit(id) as theirs:
        theirs.hear()
        theirs.say(kind="leave")
        mine.play_out(Random(2))
        assert theirs.until(lambda state: state["status"] == "over")["rematch"] is not None
        assert theirs.ask(kind="rematch")["code"] == "not_seated"
        mine.say(kind="rematch")
        new = mine.until(lambda state: state["rematch"]["table"])["rematch"]["table"]
    table = one.get(f"tables/{new}").json()
    assert [(seat["name"], seat["kind"]) for seat in table["seats"]] == [("", "open"), ("random", "agent"), ("A", "person")]
    assert table["status"] == "open"


def test_a_rematch_is_found_again_after_a_restart(tmp_path):
    with arena(tmp_path / "a.db") as client:
        one, two = Guest(client, "A"), Guest(client, "B")
        id = play_together(one, two)
        with one.sit(id) as mine:
            mine.say(kind="rematch")
            mine.until(lambda state: state["rematch"]["seats"] == [0])
    with arena(tmp_path / "a.db") as client:  # who wants it is known there too
        one.client = two.client = client
        with one.sit(id) as mine, two.sit(id) as theirs:
            assert mine.hear()["rematch"]["seats"] == [0]
            theirs.say(kind="rematch")
            new = mine.until(lambda state: state["rematch"]["table"])["rematch"]["table"]
    with arena(tmp_path / "a.db") as again:
        one.client = again
        with one.sit(id) as mine:
            assert mine.hear()["rematch"]["table"] == new
        assert one.get(f"tables/{new}").json()["status"] == "playing"


# -- phrases, onlookers -----------------------------------------------------------------------------------------------


def test_phrases_are_few_and_not_too_many(client):
    one, two = Guest(client, "A"), Guest(client, "B")
    id = one.open("zsy2", ["me", "open"])
    two.post(f"tables/{id}/join")
    with one.sit(id) as mine, two.sit(id) as theirs, Guest(client).sit(id) as looking:
        mine.until(lambda state: state["seats"][1]["online"] and state["onlookers"] == 1)  # or else they may miss the phrase
        mine.say(kind="phrase", phrase="well_played")
        for seat in (mine, theirs, looking):
            while (heard := seat.hear())["kind"] == "state":
                pass
            assert heard == {"kind": "phrase", "seat": 0, "phrase": "well_played"}
        assert looking.ask(kind="phrase", phrase="hello")["code"] == "not_seated"
        assert theirs.ask(kind="phrase", phrase="anything else")["code"] == "malformed"
        codes = [mine.ask(kind="phrase", phrase="thanks").get("code") for _ in range(8)]
        assert codes == [None] * 7 + ["too_fast"]
        assert theirs.ask(kind="phrase", phrase="thanks")["kind"] == "phrase"  # each seat has its own limit


def test_onlookers_are_counted_and_see_no_hand(client):
    guest, known = Guest(client, "A"), Guest(client, "B")
    id = guest.open("zsy2")
    with guest.sit(id) as mine:
        assert mine.hear()["onlookers"] == 0
        with known.sit(id) as one, known.sit(id), Guest(client).sit(id) as other:
            assert mine.until(lambda state: state["onlookers"] == 2)  # one in two tabs, and one nobody knows
            for seat in (one, other):
                assert seat.hear()["hand"] == []
        assert mine.until(lambda state: state["onlookers"] == 0)


# -- my running games -------------------------------------------------------------------------------------------------


def test_my_running_games(tmp_path):
    with arena(tmp_path / "a.db") as client:
        one, shared = my_running_games(client)
    with arena(tmp_path / "a.db") as again:
        one.client = again
        assert [table["table"] for table in one.get("me/tables").json()] == [shared]


def my_running_games(client):
    one, two = Guest(client, "A"), Guest(client, "B")
    assert Guest(client).get("me/tables").json()["code"] == "nobody"
    alone, shared = one.open("zsy2", rules="first_lead=seat0"), one.open("zsy2", ["me", "open"])
    assert [table["table"] for table in one.get("me/tables").json()] == [shared, alone]
    assert [(table["status"], table["my_turn"]) for table in one.get("me/tables").json()] == [
        ("open", False),
        ("playing", True),
    ]
    two.post(f"tables/{shared}/join")
    (mine,) = two.get("me/tables").json()
    assert [seat["name"] for seat in mine["seats"]] == ["A", "B"]
    with two.sit(shared) as seat:
        seat.hear()
        seat.say(kind="leave")
        seat.until(lambda state: state["forfeited"] == 1)
    assert two.get("me/tables").json() == []
    with one.sit(alone) as seat:
        seat.play_out(Random(1))
    return one, shared
