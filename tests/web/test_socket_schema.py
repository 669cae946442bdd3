"""The published schema of the sockets, held against every message of whole games, in both directions."""

import json
from random import Random

import pytest

from web.arena_client import API, Guest, Seat, action
from web.schema_check import check, fits
from web.test_bots import ANY, Bot, challenged

VARIANTS = [("zsy2", ""), ("zsy4", "decks=2"), ("doudizhu", "bidding=true")]


@pytest.fixture(scope="module")
def defs(client):
    answer = client.get(f"{API}/sockets.schema.json")
    assert answer.headers["content-type"] == "application/schema+json"
    return answer.json()["$defs"]


def check_said(defs, seat, said, name):
    """All that a socket was sent and has sent."""
    kinds = set()
    for text in seat.texts:
        check(defs, defs[f"{name}_from_server"], json.loads(text), name)
        kinds.add(json.loads(text)["kind"])
    for message in said:
        check(defs, defs[f"{name}_to_server"], message, name)
        kinds.add(message["kind"])
    return kinds


@pytest.mark.parametrize(("game", "rules"), VARIANTS)
def test_messages_of_a_table(client, defs, game, rules):
    guest, chance, said = Guest(client, "A"), Random(5), []

    def say(seat, **message):
        said.append(message)
        seat.say(**message)

    table = guest.open(game, rules=rules)
    with guest.sit(table) as seat, Guest(client).sit(table) as onlooker:
        while seat.wait_turn()["status"] != "over":
            version = seat.state["version"]
            late = {"kind": "bid", "version": version + 1, "points": 0}
            for question in ({"kind": "ping"}, {"kind": "hint", "version": version}, late):
                say(seat, **question)
                while seat.hear()["kind"] == "state":
                    pass
            say(seat, **action(seat.state, chance))
            seat.until(lambda state, before=version: state["version"] > before)
        onlooker.until(lambda state: state["status"] == "over")
    with guest.sit(guest.open(game, rules=rules)) as left:
        say(left, kind="leave")
        left.until(lambda state: state["status"] == "left")
    kinds = (
        check_said(defs, seat, said, "table") | check_said(defs, left, [], "table") | check_said(defs, onlooker, [], "table")
    )
    assert kinds >= {"state", "hint", "refused", "pong", "play", "ping", "bid", "leave"}


def test_messages_of_a_stream(client, defs):
    owner, said = Guest(client, "Owner"), [ANY]
    bot = Bot(client, owner.post("me/bots", {"name": "Streamer"}).json())

    def answer(stream, kind):
        with challenged(Guest(client, "A"), seats=["me", f"bot:{bot.number}"]):
            said.append({"kind": kind, "challenge": stream.hear()["challenge"]})
            stream.say(**said[-1])
            stream.hear()

    with bot.stream() as stream:
        answer(stream, "accept")
        answer(stream, "decline")
        for message in ({"kind": "ping"}, {"kind": "accept", "challenge": "c"}):
            said.append(message)
            stream.ask(**message)
    kinds = check_said(defs, stream, said, "stream")
    ours = {"declare", "accept", "decline", "ping"}
    assert kinds == ours | {"hello", "declared", "challenge", "challenge_over", "table", "refused", "pong"}


WRONG = [
    {},
    {"kind": "play"},
    {"kind": "play", "version": 1},
    {"kind": "play", "version": 1, "play": 0, "cards": []},
    {"kind": "play", "version": -1, "play": 0},
    {"kind": "play", "version": 1, "play": "0"},
    {"kind": "play", "version": 1, "play": 0, "more": 1},
    {"kind": "play", "version": 1, "cards": ["3"] * 61},
    {"kind": "bid", "version": 0, "points": 1000},
    {"kind": "bid", "version": True, "points": 0},
    {"kind": "declare", "games": []},
    {"kind": "pong"},
]


@pytest.mark.parametrize("message", WRONG, ids=json.dumps)
def test_what_the_server_cannot_read_does_not_fit(client, defs, message):
    guest = Guest(client, "A")
    assert not fits(defs, defs["table_to_server"], message, "")
    with guest.sit(guest.open("zsy2")) as seat:
        assert seat.ask(**message)["code"] == "malformed"


def test_an_outsider_is_refused_as_declared(client, defs):
    with client.websocket_connect(f"{API}/bots/stream") as socket:
        seat = Seat(socket)
        assert seat.hear()["code"] == "nobody"
    assert check_said(defs, seat, [], "stream") == {"refused"}
