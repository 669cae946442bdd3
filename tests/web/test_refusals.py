"""Whatever is sent, it is done if it is allowed, and else refused with a reason, the game as it was."""

import json
import os
import time
from random import Random

import pytest
from starlette.websockets import WebSocketDisconnect

from shangyou import games
from shangyou.engines import reference
from web.arena_client import Guest, action, arena

MESSAGES = int(os.environ.get("SHANGYOU_FUZZ_MESSAGES", "1000"))  # in each game


@pytest.fixture(scope="module")
def guest(client):
    return Guest(client, "A")


@pytest.fixture
def seat(guest):
    """A fresh game of zsy2 in which it is my turn: I lead."""
    with guest.sit(guest.open("zsy2", rules="first_lead=seat0", seed=11)) as sitting:
        sitting.wait_turn()
        yield sitting


BAD_MESSAGES = [
    ("", "malformed"),
    ("{", "malformed"),
    ("[]", "malformed"),
    ("null", "malformed"),
    ('{"kind": "shout"}', "malformed"),
    ('{"kind": "play", "version": 0}', "malformed"),
    ('{"kind": "play", "version": 0, "play": 1, "cards": ["3"]}', "malformed"),
    ('{"kind": "play", "version": "0", "play": 1}', "malformed"),
    ('{"kind": "play", "version": 0, "play": 1.0}', "malformed"),
    ('{"kind": "play", "version": 0, "play": true}', "malformed"),
    ('{"kind": "play", "version": 0, "play": -1}', "malformed"),
    ('{"kind": "play", "version": 0, "play": 1, "seat": 1}', "malformed"),
    ('{"kind": "play", "version": 0, "play": 99999999999999999999999}', "malformed"),
    ('{"kind": "play", "version": 0, "cards": "3"}', "malformed"),
    ('{"kind": "play", "version": 0, "cards": ["a long way to say three"]}', "malformed"),
    ('{"kind": "ping", "pad": "' + "x" * 5000 + '"}', "too_long"),
    ('{"kind": "play", "version": 0, "play": 1000000}', "illegal"),
    ('{"kind": "play", "version": 0, "play": 0}', "illegal"),
    ('{"kind": "play", "version": 0, "cards": []}', "illegal"),
    ('{"kind": "play", "version": 0, "cards": ["Z"]}', "illegal"),
    ('{"kind": "play", "version": 0, "cards": ["3", "3", "3", "3", "3"]}', "illegal"),
    ('{"kind": "play", "version": 1, "play": 1}', "stale"),
    ('{"kind": "bid", "version": 0, "points": 3}', "illegal"),
    ('{"kind": "hint", "version": 5}', "stale"),
]


@pytest.mark.parametrize(("text", "code"), BAD_MESSAGES, ids=lambda value: value[:50])
def test_a_bad_message_is_refused(seat, text, code):
    before = seat.state
    seat.socket.send_text(text)
    answer = seat.hear()
    assert (answer["kind"], answer["code"]) == ("refused", code)
    assert answer["reason"]
    assert "x" * 50 not in answer["reason"]
    assert seat.ask(kind="ping") == {"kind": "pong"}
    assert seat.state == before


def test_bytes_are_read_like_text(seat):
    seat.socket.send_bytes(b'{"kind": "ping"}')
    assert seat.hear() == {"kind": "pong"}
    seat.socket.send_bytes(b"\xff\xfe")
    assert seat.hear()["code"] == "malformed"


def test_an_illegal_play_is_explained_in_words(seat):
    held = seat.state["hand"]
    missing = next(rank for rank in "3456789TJQKA2SB" if rank not in held)
    answer = seat.ask(kind="play", version=0, cards=[missing])
    assert f"lacks {missing}" in answer["reason"]
    assert "is no play of zsy2" in seat.ask(kind="play", version=0, cards=["3", "5"])["reason"]


def test_a_message_sent_again_does_nothing(seat):
    play = action(seat.state, Random(1))
    seat.say(**play)
    seat.say(**play)
    seat.say(**play)
    seat.until(lambda state: state["version"] >= 1)
    codes = set()
    while len(codes) < 1 or seat.texts[-1].find("refused") < 0:
        codes.add(seat.hear().get("code"))
    assert codes & {"stale", "not_your_turn"}
    assert sum(turn["seat"] == 0 for turn in seat.state["history"]) == 1


def test_nobody_plays_for_another_seat(client, guest):
    """With the link one may look on; a foreign or invented cookie makes no seat."""
    table = guest.open("zsy2", rules="first_lead=seat0")
    stranger, liar = Guest(client, "B"), Guest(client)
    liar.token = "A" * 43
    with guest.sit(table) as mine:
        before = mine.wait_turn()
        for other in (stranger, liar, Guest(client)):
            with other.sit(table) as looking:
                assert looking.hear()["seat"] is None
                assert looking.ask(**action(before, Random(1)))["code"] == "not_seated"
                assert looking.ask(kind="hint", version=0)["code"] == "not_seated"
        mine.ask(kind="ping")
        assert mine.state["version"] == 0


def test_out_of_turn_and_after_the_end(client):
    one, two = Guest(client, "A"), Guest(client, "B")
    table = one.open("zsy2", ["me", "open"], rules="first_lead=seat0")
    two.post(f"tables/{table}/join")
    with one.sit(table) as mine, two.sit(table) as theirs:
        mine.wait_turn()
        theirs.hear()
        assert theirs.ask(kind="play", version=0, play=1)["code"] == "not_your_turn"
        chance = Random(1)
        while mine.state["status"] != "over":
            acting = mine if mine.state["legal"] else theirs
            version = mine.state["version"]
            acting.until(lambda state, now=version: state["version"] == now)
            acting.say(**action(acting.state, chance))
            for seat in (mine, theirs):
                seat.until(lambda state, now=version: state["version"] > now)
        assert mine.ask(kind="play", version=mine.state["version"], play=1)["code"] == "over"


def test_who_sits_there_may_leave(client, guest):
    """The game ends without a result, for everybody; an onlooker ends nothing."""
    table = guest.open("doudizhu", ["me", "open", "greedy"])
    with guest.sit(table) as mine, Guest(client).sit(table) as looking:
        assert looking.ask(kind="leave")["code"] == "not_seated"
        mine.say(kind="leave")
        assert mine.until(lambda state: state["status"] == "left")["result"] is None
        assert looking.until(lambda state: state["status"] == "left")["legal"] == []
        assert mine.ask(kind="leave")["code"] == "over"
        assert mine.ask(kind="play", version=0, play=1)["code"] == "over"
    assert guest.get(f"tables/{table}").json()["status"] == "left"
    assert Guest(client).post(f"tables/{table}/join").json()["code"] == "full"


def test_an_agent_does_not_play_on_when_everybody_has_left(guest):
    with guest.sit(guest.open("zsy2", ["greedy", "me"], rules="first_lead=seat0", pace=200)) as seat:
        assert seat.hear()["seats"][0]["turn"]
        seat.say(kind="leave")
        seat.until(lambda state: state["status"] == "left")
        time.sleep(0.3)
        seat.ask(kind="ping")
        assert seat.state["version"] == 0


def test_hints_only_where_the_table_has_them(client, guest):
    with guest.sit(guest.open("zsy2", hints=False)) as seat:
        version = seat.wait_turn()["version"]
        assert seat.ask(kind="hint", version=version)["code"] == "no_hints"
        assert seat.state["rated"]
    table = guest.open("zsy2", rules="first_lead=seat0")
    with guest.sit(table) as seat:
        legal = seat.wait_turn()["legal"]
        hint = seat.ask(kind="hint", version=0)
        assert {one["play"] for one in hint["suggestions"]} <= {play["play"] for play in legal}
        assert hint["suggestions"] == sorted(hint["suggestions"], key=lambda one: -one["value"])
        assert all(0 <= one["win"] <= 1 for one in hint["suggestions"])
        assert not seat.state["rated"]  # settled before the deal, whether a hint is taken or not
        assert [one["helped"] for one in seat.state["seats"]] == [1, 0]


def test_a_hint_for_a_bid(guest):
    game = games.load_text("doudizhu", "bidding=true")
    mine = next(seed for seed in range(100) if reference.deal(game, seed).turn == 0)  # I bid first
    with guest.sit(guest.open("doudizhu", ["me", "greedy", "greedy"], rules="bidding=true", seed=mine)) as seat:
        state = seat.wait_turn()
        hint = seat.ask(kind="hint", version=state["version"])
        assert hint["bid"] in state["bids"]
        assert hint["suggestions"] == []


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://testserver.evil.example"])
def test_a_socket_from_another_page_is_turned_away(guest, origin):
    with guest.sit(guest.open("zsy2"), origin=origin) as seat:
        assert seat.hear()["code"] == "foreign"
        with pytest.raises(WebSocketDisconnect) as closed:
            seat.hear()
    assert closed.value.code == 4403


def test_our_own_page_is_let_in_and_a_wrong_table_is_named(guest):
    with guest.sit(guest.open("zsy2"), origin="http://testserver") as seat:
        assert seat.hear()["kind"] == "state"
    with guest.sit("tnone") as seat:
        assert seat.hear()["code"] == "no_table"


def test_limits_for_an_address(tmp_path):
    with arena(tmp_path / "a.db", sockets=2, new_tables=3) as client:
        guest = Guest(client, "A")
        table = guest.open("zsy2")
        with guest.sit(table), guest.sit(table), guest.sit(table) as third:
            assert third.hear()["code"] == "too_many"
        with guest.sit(table) as again:
            assert again.hear()["kind"] == "state"
        guest.open("zsy2")
        answer = guest.post("tables", {"game": "zsy2", "seats": ["me", "greedy"]})
        assert (answer.status_code, answer.json()["code"]) == (429, "too_many")
    with arena(tmp_path / "a.db", requests=5) as client:
        assert [client.get("/api/v1/health").status_code for _ in range(7)] == [200] * 5 + [429] * 2


def test_who_floods_waits(tmp_path):
    with arena(tmp_path / "a.db", messages=3) as client:
        guest = Guest(client, "A")
        with guest.sit(guest.open("zsy2")) as seat:
            assert all(seat.ask(kind="ping")["kind"] == "pong" for _ in range(4))


@pytest.mark.parametrize(("game", "rules"), [("zsy2", ""), ("zsy4", ""), ("doudizhu", "bidding=true")])
def test_a_thousand_random_messages(guest, game, rules, caplog):
    """Each gets a refusal, a harmless answer or, if it happens to be right, a new state; every game can be finished after."""
    chance, left, refused = Random(f"fuzz {game}"), MESSAGES, 0
    while left:
        with guest.sit(guest.open(game, rules=rules)) as seat:
            while left and seat.wait_turn()["status"] != "over":
                left -= 1
                refused += pester(seat, noise(chance, seat.state)) == "refused"
            assert sum(seat.play_out(chance)["scores"]) == 0
    assert refused > MESSAGES / 2
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def pester(seat, text):
    """Send anything; the kind of the answer. Unless it is a new state, the old one stands."""
    before = seat.state
    seat.socket.send_text(text)
    while (answer := seat.hear())["kind"] == "state" and answer["version"] == before["version"]:
        before = answer  # everybody sees that a hint is asked for
    assert answer["kind"] in ("refused", "hint", "pong", "state"), text
    assert answer.get("code") != "failed", text
    assert (answer["kind"] == "state") == (seat.state["version"] == before["version"] + 1), text
    return answer["kind"]


def noise(chance, state):
    """From plain bytes over JSON of the wrong kind to messages that are almost right."""
    kind = chance.choice(["play", "play", "play", "bid", "hint", "ping", "nothing", 3, None])
    near = [state["version"], state["version"] + 1, 0, -1, "0", None, 10**12, 1.5, [], {}]
    if chance.random() < 0.2:
        return "".join(chr(chance.choice([chance.randrange(32, 127), chance.randrange(0x4E00, 0x9FFF)])) for _ in range(30))
    message = {"kind": kind, "version": chance.choice(near)}
    if chance.random() < 0.6:
        message["play"] = chance.choice([0, 1, 10**6, -5, "1", None, chance.randrange(30_000)])
    if chance.random() < 0.4:
        deck = ["3", "4♠", "T♥", "S", "B", "2", "", "♠", "33", "x", 4, *state["hand"]]
        message["cards"] = [chance.choice(deck) for _ in range(chance.randrange(6))]
    if chance.random() < 0.3:
        message["points"] = chance.choice([0, 1, 2, 3, 4, -1, "3", 10**9])
    if chance.random() < 0.1:
        message[chance.choice(["seat", "table", "think_ms", "__proto__"])] = chance.choice([0, 1, "x"])
    return json.dumps(message, ensure_ascii=chance.random() < 0.5)
