"""Strange texts and numbers wherever a request may hold them: each is answered or refused with a reason, on either database."""

import json
import os
import re

import pytest
from starlette.testclient import TestClient

from shangyou.web.app import create_app
from shangyou.web.settings import Settings
from web.arena_client import MUCH, Guest
from web.test_openapi import GOOD, POSITION

TEXTS = [
    "\0",
    "a\0b",
    "\ud800",
    "\udfffx",
    "",
    "\u202e",
    "💥" * 40,
    "x" * 3000,
    "../../etc",
    "%00",
    "'; --",
    "[",
    "{",
    "½",
    "１",
]
NUMBERS = [-1, 1 << 31, 1 << 63, -(1 << 63) - 1, 10**400, 0.5, True, None, [], {}]
IN_PATHS = ["%00", "a%00b", "%ED%A0%80", "%FF", "%F0%9F%92%A5", "..%2F..", "x" * 3000, "%25", "-1", "9" * 30, "[", "%0d%0a"]
HEADERS = [
    {"origin": "http://["},
    {"origin": "http://[::1"},
    {"host": "["},
    {"cookie": "shangyou=\x01"},
    {"user-agent": "x" * 5000},
]
BODIES = [
    b"",
    b"\0",
    b"\xff\xfe",
    b"[" * 30_000,
    b'{"nickname": "\\ud800"}',
    b'{"\\ud800": 1}',
    b'{"a": NaN}',
    b"1e999",
    b'"\\u0000"',
]
EVERY = int(os.environ.get("SHANGYOU_STRANGE_EVERY", "5"))  # of the strange bodies; 1: all of them
RECORD = "game: zsy2\nrules: cards_each=4\nname: {}\nplayers: {},B\n3334;559S\n1,55;\n"


def odd_versions(value):
    """A body with one place at a time filled with something strange."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from (value | {key: odd} for odd in odd_versions(one))
        yield from (value | {text: 1} for text in TEXTS)
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from ([*value[:i], odd, *value[i + 1 :]] for odd in odd_versions(one))
    yield from TEXTS
    yield from NUMBERS


FULL = {
    "post /me": {"nickname": "A", "keep": True},
    "post /me/recover": {"code": "A"},
    "post /tables": {
        "game": "zsy2", "rules": "", "seats": ["me", "greedy"], "hints": True, "pace": 0, "seed": 1, "same_deal": "g",
        "from": {"replay": "g", "turn": 1},
    },
    "post /matches": {"game": "doudizhu", "rules": "", "deals": 1, "opponent": "greedy", "partner": "greedy", "pace": 0},
    "post /legal": POSITION | {"rules": "", "last_by": 1, "left": [3], "role": "", "public": "", "history": "", "first": 0},
    "post /suggest": POSITION | {"agent": "greedy", "top": 3},
}  # fmt: skip
QUERIES = {
    "get /agents": ("game", "rules"), "get /ratings": ("game",), "get /replays/{id}/record": ("form",),
    "post /records": ("game", "rules"),
}  # fmt: skip


def requests():
    """Method, path and content of every request that is tried."""
    for name in GOOD:
        method, path = name.split(" ")
        known = re.sub(r"\{\w+\}", "1", path)
        if known != path:
            yield from ((method, re.sub(r"\{\w+\}", text, path), b"") for text in IN_PATHS)
        for query in QUERIES.get(name, ()):
            yield from ((method, f"{known}?game=zsy2&{query}={text}", b"") for text in IN_PATHS)
        if method == "post":
            yield from ((method, known, body) for body in BODIES)
    for name, good in FULL.items():
        for body in list(odd_versions(good))[::EVERY]:
            yield *name.split(" "), json.dumps(body).encode()
    for text in TEXTS:
        written = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        yield "post", "/records", RECORD.format(written, written).encode()
        yield (
            "post",
            "/records",
            json.dumps({"format": "shangyou-record", "name": text, "game": text, "players": [text]}).encode(),
        )


def ask_everything(client):
    guest, asked = Guest(client, "A"), set()
    for method, path, content in requests():
        if (method, path, content) in asked or (method == "delete" and path in ("/me", "/me/games")):
            continue
        asked.add((method, path, content))
        kind = "text/plain" if path == "/records" else "application/json"
        answer = guest.request(method.upper(), path[1:], content=content, headers={"content-type": kind})
        assert answer.status_code < 500, (method, path, content[:200], answer.text)
        if answer.status_code >= 400:
            assert set(answer.json()) == {"code", "reason", "words"}, (method, path, content[:200])
            assert answer.json()["reason"]
    for headers in HEADERS:
        for method, path in (("POST", "me"), ("GET", "me"), ("GET", "nothing")):
            assert guest.request(method, path, json={}, headers=headers).status_code < 500, headers
    return len(asked)


def say_everything(guest):
    """On a socket, and in its address."""
    with guest.sit(guest.open("zsy2", rules="first_lead=seat0")) as seat:
        seat.wait_turn()
        parts = [{"kind": "play", "play": 1}, {"kind": "play", "cards": ["3"]}, {"kind": "bid", "points": 1}]
        messages = [part | {"version": 0} for part in parts]
        for message in messages:
            for odd in odd_versions(message):
                if odd != message:
                    seat.socket.send_text(json.dumps(odd))
                    answer = seat.hear()
                    assert (answer["kind"], answer.get("code") == "failed") == ("refused", False), odd
        assert seat.ask(kind="ping") == {"kind": "pong"}
    for text in (text for text in IN_PATHS if "%2F" not in text):
        with guest.sit(text) as seat:
            assert seat.hear()["code"] == "no_table", text


@pytest.fixture
def served():
    """A server on a database."""

    def serve(database):
        settings = Settings(
            database=database, requests=MUCH, new_tables=MUCH, messages=MUCH, new_rules=MUCH, records=MUCH, codes=MUCH
        )
        return TestClient(create_app(settings), raise_server_exceptions=False)

    return serve


def test_in_sqlite(served, tmp_path, caplog):
    with served(f"sqlite:///{tmp_path / 'a.db'}") as client:
        assert ask_everything(client) > 500
        say_everything(Guest(client, "A"))
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_in_postgresql(served, postgres, caplog):
    with served(postgres) as client:
        assert ask_everything(client) > 500
        say_everything(Guest(client, "A"))
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
