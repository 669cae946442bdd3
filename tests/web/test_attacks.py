"""What somebody with bad intentions may try: the server goes on for everybody else."""

import socket
import time
from random import Random

import httpx2 as httpx
import pytest
from websockets.sync.client import connect as connect_socket

from shangyou import games
from shangyou.games import BadInput
from shangyou.web.proxies import Proxies
from web.arena_client import API, Guest, arena
from web.own_server import own_server

ATTACKER = "127.0.0.2"  # the whole of 127.0.0.0/8 is this machine
HALF = b"POST /api/v1/me HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
MANY = 1200  # connections


# -- connections ------------------------------------------------------------------------------------------------------


def connect(server, send=b""):
    attacker = socket.socket()
    attacker.bind((ATTACKER, 0))
    attacker.settimeout(5)
    attacker.connect(("127.0.0.1", server.port))
    attacker.sendall(send)
    return attacker


def is_closed(attacker):
    """Whether the server has hung up by now."""
    attacker.settimeout(0.001)
    try:
        return attacker.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def health(server):
    return httpx.get(f"{server.address}{API}/health", timeout=5).json()["status"]


def test_half_open_requests_stop_nobody_else(tmp_path):
    """With none, some or all of their headers, or with a part of the body."""
    beginnings = [b"", b"GET / HT", HALF, HALF + b"\r\n{"]
    with own_server(tmp_path, SHANGYOU_CONNECTIONS="100", SHANGYOU_REQUEST_SECONDS="2") as server:
        attackers = [connect(server, beginnings[i % 4]) for i in range(MANY)]
        try:
            started = time.monotonic()
            assert health(server) == "up"
            assert sum(not is_closed(one) for one in attackers) <= 100
            dripping = attackers[:4]  # are among those that were let in
            while time.monotonic() < started + 3.5:
                for one in dripping:
                    if not is_closed(one):
                        one.send(b"x")
                time.sleep(0.2)
            assert all(is_closed(one) for one in attackers)
            again = connect(server, b"GET /api/v1/health HTTP/1.1\r\nHost: here\r\n\r\n")
            again.settimeout(5)
            assert again.recv(15) == b"HTTP/1.1 200 OK"  # the address may come back
            again.close()
        finally:
            for one in attackers:
                one.close()


def test_slow_but_whole_requests_are_answered(tmp_path):
    with own_server(tmp_path, SHANGYOU_REQUEST_SECONDS="3") as server:
        slow = connect(server)
        for _ in range(2):  # on one connection
            for part in (b"GET /api/v1/health HTT", b"P/1.1\r\nHost: here\r\n", b"\r\n"):
                time.sleep(0.3)
                slow.sendall(part)
            answer = b""
            while not answer.endswith(b"}"):
                answer += slow.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200 OK")
        slow.close()


def test_a_socket_stays_open_however_long(tmp_path):
    """It has no deadline: its request has arrived."""
    with own_server(tmp_path, SHANGYOU_REQUEST_SECONDS="1") as server:
        answer = httpx.post(f"{server.address}{API}/tables", json={"game": "zsy2", "seats": ["me", "open"]}, timeout=20)
        url = f"{server.address.replace('http', 'ws', 1)}{API}/tables/{answer.json()['table']}/live"
        with connect_socket(url) as live:
            live.recv(timeout=20)
            time.sleep(2.5)
            live.send('{"kind": "ping"}')
            assert live.recv(timeout=20) == '{"kind":"pong"}'


# -- rules ------------------------------------------------------------------------------------------------------------


def odd_rules():
    for cards in range(1, 21):
        for chain in range(2, 10):
            for two in ("true", "false"):
                rules = f"cards_each={cards} shortest_chain={chain} two_in_chain={two}"
                if games.rules_of("zsy2").parse(rules).changes():
                    yield rules


def test_asking_for_many_rules_delays_nobody_who_plays(tmp_path):
    rules = list(odd_rules())
    with arena(tmp_path / "a.db", new_rules=20) as client:
        guest = Guest(client, "A")
        guest.open("zsy2")
        answers = [guest.get(f"agents?game=zsy2&rules={one}").status_code for one in rules]
        assert answers == [200] * 20 + [429] * (len(rules) - 20)
        assert guest.get(f"agents?game=zsy2&rules={rules[19]}").status_code == 200  # it is there already
        for path, body in (
            ("tables", {"game": "zsy2", "seats": ["me", "greedy"], "rules": rules[99]}),
            ("legal", {"game": "zsy2", "hand": "3", "rules": rules[99]}),
            ("suggest", {"game": "zsy2", "hand": "3", "rules": rules[99]}),
            ("matches", {"game": "zsy2", "rules": rules[99]}),
        ):
            assert guest.post(path, body).json()["code"] == "too_many", path
        guest.open("zsy2")  # the rules everybody plays by
        built = client.app.state.arena.rules.built
        assert len(built) == 20 + len(games.names())


def test_few_rules_are_stored_and_the_default_ones_always(tmp_path):
    with arena(tmp_path / "a.db", new_rules=1000) as client:
        guest = Guest(client, "A")
        for base in range(2, 102):
            assert guest.get(f"agents?game=doudizhu&rules=base={base}").status_code == 200
        built = client.app.state.arena.rules.built
        assert len(built) == 64
        assert [rules.game for rules in built if not rules.changes()] == list(games.names())
        queues = client.app.state.arena.inference.queues
        for cards in range(2, 8):
            with guest.sit(guest.open("zsy2", rules=f"cards_each={cards}")) as seat:
                seat.play_out(Random(1))
        assert list(queues) == [("greedy", "zsy2")]  # and one thread, whatever the rules


# -- proxies ----------------------------------------------------------------------------------------------------------

FORWARDED = {"x-forwarded-for": "6.6.6.6, 9.9.9.9", "x-forwarded-proto": "https", "x-forwarded-host": "arena.example"}


@pytest.fixture
def through_proxy(tmp_path):
    """A client whose connections seem to come from an address."""

    def make(address, **settings):
        running = arena(tmp_path / "a.db", **settings)
        client = running.__enter__()
        client._transport.client = (address, 1234)
        opened.append(running)
        return client

    opened = []
    yield make
    for running in opened:
        running.__exit__(None, None, None)


def test_a_named_proxy_is_believed(through_proxy):
    client = through_proxy("10.1.2.3", proxies="127.0.0.1, 10.0.0.0/8", requests=3)
    answer = client.post("/api/v1/me", json={}, headers=FORWARDED | {"origin": "https://arena.example"})
    assert answer.status_code == 200  # its origin is the host it was sent to
    assert "; Secure" in answer.headers["set-cookie"]
    assert client.post("/api/v1/me", json={}, headers=FORWARDED | {"origin": "http://testserver"}).status_code == 403
    others = [FORWARDED | {"x-forwarded-for": f"6.6.6.{i}, 9.9.9.9, 10.9.9.9"} for i in range(3)]
    assert [client.get("/api/v1/me", headers=one).status_code for one in others] == [200, 429, 429]  # all from 9.9.9.9
    assert client.get("/api/v1/me", headers=FORWARDED | {"x-forwarded-for": "8.8.8.8"}).status_code == 200


def test_nobody_else_is_believed(through_proxy):
    client = through_proxy("10.1.2.3", proxies="127.0.0.1", requests=3)
    answer = client.post("/api/v1/me", json={}, headers=FORWARDED | {"origin": "https://arena.example"})
    assert answer.json()["code"] == "foreign"
    answer = client.post("/api/v1/me", json={}, headers=FORWARDED)
    assert "secure" not in answer.headers["set-cookie"].lower()
    others = [FORWARDED | {"x-forwarded-for": f"6.6.6.{i}"} for i in range(3)]
    assert [client.get("/api/v1/me", headers=one).status_code for one in others] == [200, 429, 429]  # all from 10.1.2.3


def test_a_household_counts_as_one_address(through_proxy):
    client = through_proxy("2001:db8::1", requests=2)
    for last, status in (("1", 200), ("ffff:2", 200), ("3", 429)):
        client._transport.client = (f"2001:db8::{last}", 1)
        assert client.get("/api/v1/me").status_code == status
    client._transport.client = ("2001:db8:0:1::1", 1)
    assert client.get("/api/v1/me").status_code == 200


def test_a_proxy_that_is_no_address_is_named():
    assert "::1" in Proxies("::1,10.0.0.0/8")
    assert "somewhere" not in Proxies("10.0.0.0/8")
    with pytest.raises(BadInput, match="proxy 'nginx' is no address"):
        Proxies("127.0.0.1,nginx")
