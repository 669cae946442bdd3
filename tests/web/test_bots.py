"""Bots from outside: tokens, the stream, challenges, and whole games of a bot at the table."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random

import pytest
from starlette.websockets import WebSocketDisconnect

from shangyou.web.live import bots as live_bots
from shangyou.web.storage import bot_tokens
from web.arena_client import API, Guest, Seat, arena

ANY = {"kind": "declare", "games": [{"game": "zsy2"}, {"game": "doudizhu", "rules": ["", "bidding=true"]}]}


class Bot(Guest):
    """A program with a token: no cookie."""

    def __init__(self, client, made):
        super().__init__(client)
        self.number, self.name, self.token = made["bot"], made["name"], made["token"]

    @property
    def headers(self):
        return {"authorization": f"Bearer {self.token}"}

    @contextmanager
    def stream(self, declare=ANY):
        with self.client.websocket_connect(f"{API}/bots/stream", headers=self.headers) as socket:
            stream = Seat(socket)
            hello = stream.hear()
            assert (hello["kind"], hello["bot"], hello["name"]) == ("hello", self.number, self.name)
            if declare:
                stream.say(**declare)
                while stream.hear()["kind"] != "declared":
                    pass
            yield stream


@pytest.fixture
def owner(client):
    return Guest(client, "Owner")


@pytest.fixture
def bot(client, owner):
    return Bot(client, owner.post("me/bots", {"name": f"Bot {time.monotonic_ns()}"}).json())


@contextmanager
def challenged(guest, **wish):
    """The answer to a challenge, which comes when the bots have answered."""
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(guest.post, "challenges", {"game": "zsy2", "pace": 0} | wish)


def accept(guest, stream, **wish):
    """The table after a challenge that the bot accepts."""
    with challenged(guest, **wish) as answer:
        challenge = stream.hear()
        assert challenge["kind"] == "challenge"
        stream.say(kind="accept", challenge=challenge["challenge"])
        ready = stream.hear()
        assert (ready["kind"], ready["challenge"]) == ("table", challenge["challenge"])
        assert answer.result().json() == {"table": ready["table"], "seat": challenge["by"]}
    return ready["table"]


# -- tokens -----------------------------------------------------------------------------------------------------------


def test_tokens_are_made_listed_and_revoked(client, owner):
    made = owner.post("me/bots", {"name": "  Iris \n II "}).json()
    assert made["name"] == "Iris II"
    assert made["token"].startswith(bot_tokens.PREFIX)
    assert len(made["token"]) > 40
    (mine,) = owner.get("me/bots").json()
    assert (mine["bot"], mine["name"], mine["online"]) == (made["bot"], "Iris II", False)
    assert "already" in Guest(client, "B").post("me/bots", {"name": "Iris II"}).json()["reason"]
    bot = Bot(client, made)
    with bot.stream() as stream:
        assert owner.get("me/bots").json()[0]["online"]
        assert Guest(client, "B").request("DELETE", f"me/bots/{made['bot']}").json()["code"] == "no_bot"
        assert owner.request("DELETE", f"me/bots/{made['bot']}").json() == {"revoked": made["bot"]}
        with pytest.raises(WebSocketDisconnect) as closed:
            stream.hear()
        assert closed.value.code == 4401
    assert owner.get("me/bots").json() == []
    assert bot.post("challenges", {"game": "zsy2", "seats": ["me", "greedy"]}).json()["code"] == "nobody"
    assert owner.post("me/bots", {"name": "Iris II"}).status_code == 200  # the name is free again


def test_only_the_hash_of_a_token_is_stored(tmp_path):
    with arena(tmp_path / "a.db") as client:
        token = Guest(client, "A").post("me/bots", {"name": "B"}).json()["token"]
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert token.encode() not in stored
    assert token.removeprefix(bot_tokens.PREFIX).encode() not in stored
    with arena(tmp_path / "a.db") as client, Bot(client, {"bot": 2, "name": "B", "token": token}).stream():
        assert [bot["name"] for bot in client.get(f"{API}/bots").json()] == ["B"]


@pytest.mark.parametrize(
    ("name", "code"), [("", "bad_input"), (" \n", "bad_input"), ("x" * 25, "bad_input"), ("a\0b", "malformed")]
)
def test_bad_names(owner, name, code):
    assert owner.post("me/bots", {"name": name}).json()["code"] == code


def test_a_person_has_so_many_bots(owner, monkeypatch):
    monkeypatch.setattr(bot_tokens, "MOST_BOTS", 1)
    assert owner.post("me/bots", {"name": "First of one"}).status_code == 200
    assert owner.post("me/bots", {"name": "Second of one"}).json()["reason"].startswith("you have 1 bot,")


def test_what_a_bot_may_not_do(client, bot, owner):
    """Whatever is a person's: to be renamed, to make bots, to take seats of people, to be asked for its games."""
    for path, body in [("me", {"nickname": "C"}), ("me/bots", {"name": "C"}), ("matches", {})]:
        assert bot.post(path, body).json()["code"] == "not_for_bots", path
    table = owner.open("zsy2", ["me", "open"])
    assert bot.post(f"tables/{table}/join").json()["code"] == "not_for_bots"
    for path in ("me", "me/games", "me/bots"):
        assert bot.get(path).json()["code"] == "not_for_bots"
    with client.websocket_connect(f"{API}/bots/stream", headers=owner.headers) as socket:
        assert Seat(socket).hear()["code"] == "nobody"


@pytest.mark.parametrize("header", [b"Bearer", b"Bearer ", b"Bearer x", b"bearer sybot_\xe9"])
def test_unknown_tokens(client, header):
    answer = client.post(
        f"{API}/challenges", json={"game": "zsy2", "seats": ["me", "greedy"]}, headers={"authorization": header}
    )
    assert (answer.status_code, answer.json()["code"]) == (401, "nobody")


# -- the stream -------------------------------------------------------------------------------------------------------


def test_what_a_bot_declares_is_checked_and_listed(client, bot):
    with bot.stream(declare=None) as stream:
        assert bot.number not in [one["bot"] for one in client.get(f"{API}/bots").json()]
        assert stream.ask(kind="ping")["kind"] == "pong"
        stream.say(**ANY)
        plays = stream.hear()["plays"]
        assert plays[0] == {"game": "zsy2", "rules": None}
        assert ["bidding=true" in rules for rules in plays[1]["rules"]] == [False, True]
        assert [one["plays"] for one in client.get(f"{API}/bots").json() if one["bot"] == bot.number] == [plays]
        for wrong, code in [
            ({"kind": "declare", "games": [{"game": "chess"}]}, "bad_input"),
            ({"kind": "declare", "games": [{"game": "zsy2", "rules": ["decks=9"]}]}, "bad_input"),
            ({"kind": "accept", "challenge": "c1"}, "no_challenge"),
            ({"kind": "play", "version": 1, "play": 0}, "malformed"),
            ({"kind": "decline", "challenge": "c1", "reason": "x" * 5000}, "too_long"),
        ]:
            assert stream.ask(**wrong)["code"] == code
    assert bot.number not in [one["bot"] for one in client.get(f"{API}/bots").json()]


def test_a_second_stream_replaces_the_first(bot):
    with bot.stream() as first, bot.stream():
        with pytest.raises(WebSocketDisconnect) as closed:
            first.hear()
        assert closed.value.code == live_bots.REPLACED


# -- challenges -------------------------------------------------------------------------------------------------------


def play_together(seats, chance):
    """Each acts when it may, until the end."""
    while True:
        for seat in seats:
            if (seat.state or {}).get("status") == "over":
                return seat.state["result"]
        for seat in seats:
            behind = seat.state is None or seat.state["version"] < max(other.state["version"] for other in seats if other.state)
            if behind:
                seat.hear()
                break
        else:
            acting = next((seat for seat in seats if seat.state["legal"] or seat.state["bids"]), None)
            acting.act(chance) if acting else seats[0].hear()


def test_a_person_challenges_a_bot_and_they_play(client, bot):
    guest = Guest(client, "Human")
    with bot.stream() as stream:
        table = accept(guest, stream, seats=["me", f"bot:{bot.number}"])
        with guest.sit(table) as mine, bot.sit(table) as theirs:
            mine.hear()
            assert [seat["kind"] for seat in mine.state["seats"]] == ["me", "bot"]
            assert mine.state["seats"][1]["name"] == bot.name
            assert not mine.state["rated"]
            assert not mine.state["hints"]
            result = play_together([mine, theirs], Random(1))
    replay = guest.get(f"replays/{result['replay']}").json()
    assert [(player["name"], player["kind"]) for player in replay["players"]] == [("Human", "person"), (bot.name, "bot")]
    names = [line["name"] for line in guest.get("ratings?game=zsy2").json()["rows"]]
    assert bot.name not in names
    assert "Human" not in names


def test_a_bot_challenges_a_bot_with_bidding(client, bot, owner):
    other = Bot(client, owner.post("me/bots", {"name": f"Other {bot.number}"}).json())
    with bot.stream() as stream, other.stream() as theirs:
        wish = {"game": "doudizhu", "rules": "bidding=true", "seats": [f"bot:{other.number}", "greedy", "me"]}
        table = accept(bot, theirs, **wish)
        challenge = json.loads(theirs.texts[-1])["challenge"]
        assert stream.hear() == {"kind": "table", "table": table, "challenge": challenge}
        with bot.sit(table) as one, other.sit(table) as two:
            result = play_together([one, two], Random(2))
        assert sum(result["scores"]) == 0
        assert [seat["kind"] for seat in two.state["seats"]] == ["me", "agent", "bot"]


def test_running_tables_come_after_hello(client, bot):
    guest = Guest(client, "Human")
    with bot.stream() as stream:
        table = accept(guest, stream, seats=["me", f"bot:{bot.number}"])
    with bot.stream(declare=None) as stream:
        assert stream.hear() == {"kind": "table", "table": table, "challenge": None}
    with guest.sit(table) as seat:
        seat.say(kind="leave")
        seat.until(lambda state: state["status"] == "left")
    with bot.stream(declare=None) as stream:
        assert stream.ask(kind="ping")["kind"] == "pong"  # no table before it


def test_who_declines_is_not_seated(client, bot, owner, monkeypatch):
    guest = Guest(client, "Human")
    seats = ["me", f"bot:{bot.number}"]
    with bot.stream() as stream:
        with challenged(guest, seats=seats) as answer:
            stream.say(kind="decline", challenge=stream.hear()["challenge"], reason="at lunch")
        refused = answer.result()
        assert (refused.status_code, refused.json()["code"]) == (409, "declined")
        assert refused.json()["reason"] == f"{bot.name} declines: at lunch"
        assert stream.hear()["kind"] == "challenge_over"
        monkeypatch.setattr(live_bots, "ANSWER_WITHIN", 0.05)
        with challenged(guest, seats=seats) as answer:
            late = stream.hear()["challenge"]
            assert answer.result().json()["reason"].endswith("it did not answer in time")
        assert stream.ask(kind="accept", challenge=late)["kind"] == "challenge_over"
        assert stream.hear()["code"] == "no_challenge"
    with bot.stream() as stream, challenged(guest, seats=seats) as answer:
        stream.hear()
        stream.socket.close()
        assert "it has gone away" in answer.result().json()["reason"] or "in time" in answer.result().json()["reason"]


@pytest.mark.parametrize(
    ("wish", "code", "reason"),
    [
        ({"game": "zsy4", "seats": ["me", "{bot}", "greedy", "greedy"]}, "declined", "declines: it plays zsy2, doudizhu"),
        ({"game": "doudizhu", "rules": "spring=true", "seats": ["me", "{bot}", "rule"]}, "declined", "not under these rules"),
        ({"game": "zsy2", "seats": ["me", "bot:999999"]}, "no_bot", "'999999'"),
        ({"game": "zsy2", "seats": ["me", "bot:x"]}, "no_bot", "'x'"),
        ({"game": "zsy2", "seats": ["{bot}", "{bot}"]}, "bad_input", "one of them is 'me'"),
        ({"game": "doudizhu", "seats": ["me", "{bot}", "{bot}"]}, "bad_input", "a bot has one seat"),
        ({"game": "zsy2", "seats": ["me", "/etc/passwd"]}, "bad_input", "no agent '/etc/passwd'"),
        ({"game": "zsy2", "seats": ["me", "greedy"], "seed": 7}, "malformed", "seed"),
    ],
)
def test_challenges_that_cannot_be(client, bot, wish, code, reason):
    wish = wish | {"seats": [seat.format(bot=f"bot:{bot.number}") for seat in wish["seats"]]}
    with bot.stream() as stream:
        refused = Guest(client, "Human").post("challenges", wish).json()
        assert (refused["code"], reason in refused["reason"]) == (code, True), refused
        assert stream.ask(kind="ping")["kind"] == "pong"  # the bot heard nothing of it


def test_only_so_many_challenges_wait_for_a_bot(client, bot, monkeypatch):
    monkeypatch.setattr(live_bots, "MOST_WAITING", 1)
    seats = ["me", f"bot:{bot.number}"]
    with bot.stream() as stream, challenged(Guest(client, "A"), seats=seats) as answer:
        challenge = stream.hear()["challenge"]
        refused = Guest(client, "B").post("challenges", {"game": "zsy2", "seats": seats}).json()
        assert refused["reason"].endswith("too many others challenge it now")
        stream.say(kind="accept", challenge=challenge)
        assert answer.result().status_code == 200
