"""What the API says of itself is what it does: every route is called, and every answer held against its schema."""

from random import Random

import pytest

from web.arena_client import Guest

POSITION = {"game": "zsy2", "hand": "3 55 8", "played": ["66 77 88 99 TT JJ QQ", "33 44 9"], "last": "9"}
OPENED = {"game": "zsy2", "seats": ["me", "open"], "pace": 0}
GOOD = {
    "get /games": {},
    "get /agents": {"query": "?game=doudizhu"},
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
    "post /legal": {"json": POSITION},
    "post /suggest": {"json": POSITION},
    "get /me/games": {},
    "get /me/export": {},
    "get /replays/{id}": {"id": "replay"},
    "get /replays/{id}/record": {"id": "replay"},
    "get /replays/{id}/review": {"id": "replay"},
    "post /records": {"content": "game: zsy2\nrules: cards_each=4\nplayers: A,B\n3334;559S\n1,55;\n\n3334;5599\n0,44;\n"},
    "get /ratings": {"query": "?game=doudizhu"},
    "get /ratings/bots": {"query": "?game=doudizhu"},
    "delete /me/games": {},  # the last: what it forgets the others need
}
BAD = {
    "get /agents": {"query": "?game=chess"},
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
    "post /legal": {"json": POSITION | {"hand": "X"}},
    "post /suggest": {"json": POSITION | {"top": 0}},
    "get /replays/{id}/record": {"id": "nowhere"},
    "post /records": {"content": ""},
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
    return {"match": match, "table": guest.open("zsy2", ["me", "open"]), "replay": replay, "nowhere": "nowhere"}


def operations(spec):
    return {f"{method} {path.removeprefix('/api/v1')}" for path, methods in spec["paths"].items() for method in methods}


def ask(guest, known, name, how):
    method, path = name.split(" ")
    path = path.replace("{id}", known[how["id"]] if "id" in how else "") + how.get("query", "")
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
    check(spec, declared(spec, name, "200", kind), answer.json() if kind == "application/json" else answer.text, name)


@pytest.mark.parametrize("name", BAD)
def test_refusals_are_as_declared(spec, guest, known, name):
    answer = ask(guest, known, name, BAD[name])
    assert 400 <= answer.status_code < 500
    schema = declared(spec, name, "4XX", "application/json")
    assert schema["$ref"].endswith("/Fault")
    check(spec, schema, answer.json(), name)


TYPES = {
    "string": str,
    "integer": int,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
    "number": (int, float),
}


def check(spec, schema, value, where):
    """As much of JSON Schema as FastAPI writes; nothing may be left open, and nothing come that is not declared."""
    assert schema, f"{where} says nothing of its type"
    if "$ref" in schema:
        check(spec, spec["components"]["schemas"][schema["$ref"].rpartition("/")[2]], value, where)
    elif "anyOf" in schema:
        assert any(fits(spec, one, value, where) for one in schema["anyOf"]), (where, value)
    else:
        assert isinstance(value, TYPES[schema["type"]]), (where, value)
        assert isinstance(value, bool) == (schema["type"] == "boolean"), (where, value)
        assert value in schema.get("enum", [value])
        assert value == schema.get("const", value)
        check_parts(spec, schema, value, where)


def fits(spec, schema, value, where):
    try:
        check(spec, schema, value, where)
    except AssertionError:
        return False
    return True


def check_parts(spec, schema, value, where):
    if isinstance(value, list):
        parts = schema.get("prefixItems") or [schema["items"]] * len(value)
        assert len(parts) == len(value), where
        for number, (part, one) in enumerate(zip(parts, value, strict=True)):
            check(spec, part, one, f"{where}[{number}]")
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value), where
        for key, one in value.items():
            assert key in schema.get("properties", {}) or schema.get("additionalProperties"), f"{where}.{key} is not declared"
            check(spec, schema.get("properties", {}).get(key) or schema["additionalProperties"], one, f"{where}.{key}")
