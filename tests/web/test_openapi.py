"""What the API says of itself is what it does: every route is called, and every answer held against its schema."""

import re
from random import Random

import pytest

from web.arena_client import Guest
from web.schema_check import check

POSITION = {"game": "zsy2", "hand": "3 55 8", "played": ["66 77 88 99 TT JJ QQ", "33 44 9"], "last": "9"}
OPENED = {"game": "zsy2", "seats": ["me", "open"], "pace": 0}
GOOD = {
    "get /games": {},
    "get /games/{game}": {"id": "game", "query": "?rules=decks=2"},
    "get /agents": {"query": "?game=doudizhu"},
    "get /levels": {"query": "?game=doudizhu&rules=bidding=true"},
    "get /health": {},
    "get /me": {},
    "post /me": {"json": {"nickname": "Ann"}},
    "post /tables": {"json": OPENED},
    "get /tables/{id}": {"id": "table"},
    "post /tables/{id}/join": {"id": "table"},
    "get /tables": {},
    "post /quick": {"json": {"game": "zsy2"}},
    "get /me/tables": {},
    "post /matches": {"json": {"deals": 2, "opponent": "greedy", "partner": "greedy", "pace": 0}},
    "get /matches": {},
    "get /matches/{id}": {"id": "match"},
    "post /matches/{id}/deals": {"id": "match"},
    "get /daily": {},
    "post /daily/{game}": {"id": "game", "json": {"pace": 0}},
    "get /daily/{day}/{game}": {"id": "today", "query": "?limit=3"},
    "get /me/daily": {},
    "post /legal": {"json": POSITION},
    "post /suggest": {"json": POSITION},
    "post /solve": {"json": {"game": "zsy2", "hands": ["45S", "46K"]}},
    "get /puzzles/{game}": {"id": "game"},
    "get /puzzles/{game}/{number}": {"id": "puzzle"},
    "post /puzzles/{game}/{number}": {"id": "puzzle", "json": {"moves": []}},
    "get /me/games": {},
    "get /me/export": {},
    "get /me/reviews": {},
    "post /me/reviews": {},
    "get /me/profile": {},
    "post /me/recover": {"known": "code"},
    "post /me/code": {},
    "get /replays/{id}": {"id": "replay"},
    "get /replays/{id}/record": {"id": "replay"},
    "get /replays/{id}/review": {"id": "replay"},
    "get /replays/{id}/truth": {"id": "replay"},
    "get /replays/{id}/thought": {"id": "replay", "query": "?turn=0"},
    "post /records": {"content": "game: zsy2\nrules: cards_each=4\nplayers: A,B\n3334;559S\n1,55;\n\n3334;5599\n0,44;\n"},
    "delete /records/{id}": {"id": "record"},
    "get /ratings": {"query": "?game=doudizhu"},
    "get /ratings/bots": {"query": "?game=doudizhu"},
    "get /me/bots": {},
    "post /me/bots": {"json": {"name": "Iris"}},
    "delete /me/bots/{bot}": {"id": "bot"},
    "get /bots": {},
    "post /challenges": {"json": {"game": "zsy2", "seats": ["me", "greedy"], "pace": 0}},
    "get /sockets.schema.json": {},
    "delete /me/games": {},  # the last: what these forget the others need
    "delete /me/devices/{device}": {"id": "device"},
    "delete /me": {},
}
BAD = {
    "get /games/{game}": {"id": "nowhere"},
    "get /agents": {"query": "?game=chess"},
    "get /levels": {"query": "?game=zsy2&rules=cards_each=1000"},
    "post /me": {"json": {"nickname": 5}},
    "post /tables": {"json": OPENED | {"seats": []}},
    "post /quick": {"json": {"game": "chess"}},
    "post /tables/{id}/join": {"id": "nowhere"},
    "get /ratings": {"query": "?game=doudizhu&limit=1000"},
    "get /ratings/bots": {"query": "?game=chess"},
    "get /tables/{id}": {"id": "nowhere"},
    "post /matches": {"json": {"rules": "bidding=true"}},
    "get /matches/{id}": {"id": "nowhere"},
    "post /matches/{id}/deals": {"id": "nowhere"},
    "post /daily/{game}": {"id": "nowhere", "json": {}},
    "get /daily/{day}/{game}": {"id": "long_ago"},
    "post /me/bots": {"json": {"name": ""}},
    "delete /me/bots/{bot}": {"id": "nobody"},
    "post /challenges": {"json": {"game": "zsy2", "seats": ["me", "bot:0"]}},
    "post /legal": {"json": POSITION | {"hand": "X"}},
    "post /suggest": {"json": POSITION | {"top": 0}},
    "post /solve": {"json": {"game": "zsy2", "hands": ["45S"]}},
    "get /puzzles/{game}": {"id": "nowhere"},
    "post /puzzles/{game}/{number}": {"id": "no_puzzle", "json": {"moves": []}},
    "get /replays/{id}/record": {"id": "nowhere"},
    "get /replays/{id}/truth": {"id": "nowhere"},
    "get /replays/{id}/thought": {"id": "replay", "query": "?turn=999"},
    "post /records": {"content": ""},
    "post /me/recover": {"json": {"code": "0000"}},
    "delete /me/devices/{device}": {"id": "nowhere"},
    "delete /records/{id}": {"id": "nowhere"},
}


@pytest.fixture(scope="module")
def spec(client):
    return client.get("/api/v1/openapi.json").json()


@pytest.fixture(scope="module")
def guest(client):
    return Guest(client, "A")


@pytest.fixture(scope="module")
def known(guest):
    """A game of every kind that ids can name."""
    with guest.sit(guest.open("doudizhu", rules="bidding=true", hints=False)) as seat:
        replay = seat.play_out(Random(1))["replay"]
    match = guest.post("matches", {"opponent": "greedy", "partner": "greedy", "pace": 0}).json()["match"]
    bot = str(guest.post("me/bots", {"name": "Known"}).json()["bot"])
    table, other = guest.open("zsy2", ["me", "open"]), Guest(guest.client)
    code = other.post("me/recover", guest.post("me/code").json()).json()["code"]
    (device,) = [one["device"] for one in other.get("me/profile").json()["devices"] if one["this"]]
    (record,) = guest.request("POST", "records", **GOOD["post /records"]).json()[:1]
    ids = {"game": "zsy4", "match": match, "table": table, "replay": replay, "record": record["replay"], "device": str(device)}
    today = guest.get("daily").json()["day"]
    days = {"today": (today, "doudizhu"), "long_ago": ("1990-01-01", "doudizhu")}
    numbered = {"puzzle": ("zsy2", "1"), "no_puzzle": ("zsy2", "999999")}
    return ids | days | numbered | {"code": code, "bot": bot, "nobody": "0", "nowhere": "nowhere"}


def operations(spec):
    return {f"{method} {path.removeprefix('/api/v1')}" for path, methods in spec["paths"].items() for method in methods}


def ask(guest, known, name, how):
    method, path = name.split(" ")
    named = known[how["id"]] if "id" in how else ()
    parts = iter((named,) if isinstance(named, str) else named)
    path = re.sub(r"\{\w+\}", lambda _: next(parts), path) + how.get("query", "")
    if "known" in how:
        how = {"json": {how["known"]: known[how["known"]]}}
    return guest.request(method.upper(), path[1:], **{key: how[key] for key in ("json", "content") if key in how})


def declared(spec, name, status, kind):
    method, path = name.split(" ")
    return spec["paths"][f"/api/v1{path}"][method]["responses"][status]["content"][kind]["schema"]


def test_every_route_is_called_here(spec):
    assert set(GOOD) == operations(spec)


@pytest.mark.parametrize("name", GOOD)
def test_answers_are_as_declared(spec, guest, known, name):
    answer = ask(guest, known, name, GOOD[name])
    assert answer.status_code == 200, answer.text
    kind = answer.headers["content-type"].split(";")[0]
    value = answer.json() if kind == "application/json" else answer.text
    check(spec["components"]["schemas"], declared(spec, name, "200", kind), value, name)


@pytest.mark.parametrize("name", BAD)
def test_refusals_are_as_declared(spec, guest, known, name):
    answer = ask(guest, known, name, BAD[name])
    assert 400 <= answer.status_code < 500
    schema = declared(spec, name, "4XX", "application/json")
    assert schema["$ref"].endswith("/Fault")
    check(spec["components"]["schemas"], schema, answer.json(), name)
