"""One person on several devices, without an account; and how everything about a person is deleted."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from sqlalchemy import inspect, text
from starlette.websockets import WebSocketDisconnect

from shangyou.web.storage import archive, database, people
from shangyou.web.storage.database import Storage, now
from shangyou.web.storage.people import SIGNS, device_name, hash_token
from shangyou.web.storage.schema import metadata
from web.arena_client import Guest, arena

SENT = "game: zsy2\nrules: cards_each=4\nplayers: A,B\n3334;559S\n1,55;\n"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def play_game(guest, game="zsy2", **options):
    with guest.sit(guest.open(game, **options)) as seat:
        return seat.play_out(Random(1))["replay"]


def recover(client, code, **headers):
    """Another browser that types a recovery code, and what it is answered."""
    other = Guest(client)
    return other, other.request("POST", "me/recover", json={"code": code}, headers=headers)


# -- recovery codes, devices ------------------------------------------------------------------------------------------


def test_the_same_person_on_a_second_device(client):
    first = Guest(client, "Ann")
    replay = play_game(first)
    code = first.post("me/code").json()["code"]
    second, answer = recover(client, f" {code.lower().replace('-', ' ')} ", **{"user-agent": FIREFOX})
    assert answer.json()["nickname"] == second.get("me").json()["nickname"] == "Ann"
    assert [game["replay"] for game in second.get("me/games").json()] == [replay]
    assert second.token != first.token
    devices = second.get("me/profile").json()["devices"]
    assert {device["name"]: device["this"] for device in devices} == {"": False, "Firefox, Linux": True}


def test_a_code_is_long_random_and_not_stored(tmp_path):
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        codes = [guest.post("me/code").json()["code"] for _ in range(3)]
        assert guest.get("me/profile").json()["has_code"]
    signs = [code.replace("-", "") for code in codes]
    assert len(set(signs)) == 3
    assert all(len(SIGNS) ** len(one) >= 1 << 128 and set(one) <= set(SIGNS) for one in signs)
    stored = "".join(sqlite3.connect(tmp_path / "a.db").iterdump())
    assert hash_token(signs[2]) in stored
    assert not any(one in stored or code in stored for one, code in zip(signs, codes, strict=True))


def test_a_code_is_used_once_and_the_last_one_counts(client):
    guest = Guest(client, "A")
    old, code = (guest.post("me/code").json()["code"] for _ in range(2))
    assert recover(client, old)[1].status_code == 403
    following = recover(client, code)[1].json()["code"]
    assert recover(client, code)[1].json()["code"] == "wrong_code"
    assert recover(client, following)[1].status_code == 200
    assert recover(client, "")[1].status_code == recover(client, "O-O")[1].status_code == 403


def test_codes_cannot_be_tried_at_will(tmp_path):
    with arena(tmp_path / "a.db", codes=5) as client:
        code = Guest(client, "A").post("me/code").json()["code"]
        assert [recover(client, "0000")[1].status_code for _ in range(6)] == [403] * 5 + [429]
        assert recover(client, code)[1].json()["code"] == "too_many"


def test_another_device_is_signed_out_at_once(client):
    first = Guest(client, "A")
    second, _ = recover(client, first.post("me/code").json()["code"])
    other = next(one["device"] for one in first.get("me/profile").json()["devices"] if not one["this"])
    stranger = Guest(client, "B")
    assert stranger.request("DELETE", f"me/devices/{other}").json()["code"] == "no_device"
    table = second.open("zsy2", ["me", "open"])
    with second.sit(table) as seat:
        assert seat.hear()["seat"] == 0
        assert first.request("DELETE", f"me/devices/{other}").json() == {"forgotten": 1}
        with pytest.raises(WebSocketDisconnect) as closed:
            seat.until(lambda _: False)
        assert closed.value.code == 1013
    with second.sit(table) as seat:
        assert seat.hear()["seat"] is None  # an onlooker now
    assert not second.get("me").json()["known"]
    assert first.get("me").json()["known"]


def test_who_recovers_is_signed_out_of_who_they_were(client):
    code = Guest(client, "A").post("me/code").json()["code"]
    other = Guest(client, "B")
    before = other.token
    assert other.post("me/recover", {"code": code}).json()["nickname"] == "A"
    old = Guest(client)
    old.token = before
    assert not old.get("me").json()["known"]


def test_when_a_device_was_seen(tmp_path):
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    person, token = storage.run_now(people.add_person, "Chrome, Android")
    hour_ago = now() - timedelta(hours=1)
    storage.run_now(lambda db: db.execute(text("UPDATE tokens SET seen_at = :at"), {"at": hour_ago.replace(tzinfo=None)}))
    assert storage.run_now(people.find_person, token) == person
    (device,) = storage.run_now(people.devices_of, person)
    assert device.seen_at - hour_ago > timedelta(minutes=59)
    storage.close()


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126 Mobile Safari/537.36", "Chrome, Android"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1", "Safari, iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/126 Safari/537.36 Edg/126", "Edge, Windows"),
        ("curl/8", ""),
    ],
)  # fmt: skip
def test_names_of_devices(agent, name):
    assert device_name(agent) == name


# -- profile ----------------------------------------------------------------------------------------------------------


def test_strength_by_game_and_role(client):
    guest = Guest(client, "A")
    assert guest.get("me/profile").json()["strength"] == []
    for seat in range(3):
        play_game(guest, "doudizhu", seats=[*["greedy"] * seat, "me", *["greedy"] * (2 - seat)], seed=5)
    play_game(guest, "zsy4")
    rows = {(row["game"], row["role"]): row for row in guest.get("me/profile").json()["strength"]}
    assert {key: row["games"] for key, row in rows.items()} == {
        ("doudizhu", "landlord"): 1, ("doudizhu", "peasant"): 2, ("zsy4", ""): 1,
    }  # fmt: skip
    history = guest.get("me/games").json()
    for game in ("doudizhu", "zsy4"):
        mine = [row for row in rows.values() if row["game"] == game]
        assert sum(row["points"] * row["games"] for row in mine) == sum(one["score"] for one in history if one["game"] == game)
        assert sum(row["wins"] for row in mine) == sum(one["won"] for one in history if one["game"] == game)
        assert all(row["win_interval"][0] <= row["win_rate"] <= row["win_interval"][1] for row in mine)
    assert Guest(client).get("me/profile").json()["code"] == "nobody"


# -- everything is deleted --------------------------------------------------------------------------------------------


def test_nothing_of_a_person_is_left(tmp_path):
    with arena(tmp_path / "a.db") as client:
        guest, friend = Guest(client, "Zoe Zebra"), Guest(client, "Bob")
        id = client.app.state.arena.storage.run_now(people.find_person, guest.token).id
        played = play_game(guest)
        (sent,) = guest.request("POST", "records", content=SENT).json()
        guest.post("me/code")
        guest.post("matches", {"opponent": "greedy", "partner": "greedy"})
        alone, both = guest.open("zsy2"), guest.open("zsy2", ["me", "open"])
        friend.post(f"tables/{both}/join")
        with friend.sit(both) as seat:
            assert seat.hear()["status"] == "playing"
            assert guest.request("DELETE", "me").json() == {"forgotten": 1}
            seat.until(lambda state: any(place["stand_in"] for place in state["seats"]))
            seat.play_out(Random(1))  # an agent plays on
        assert not guest.get("me").json()["known"]
        assert {guest.get(f"replays/{game}").status_code for game in (played, sent["replay"])} == {404}
        assert guest.get(f"tables/{alone}").status_code == 404
        assert friend.get("me").json()["nickname"] == "Bob"
    database = sqlite3.connect(tmp_path / "a.db")
    assert "Zoe" not in "".join(database.iterdump())
    for table in metadata.sorted_tables:
        for key in table.foreign_keys:
            if key.column.table.name == "people":
                rows = database.execute(f'SELECT count(*) FROM "{table.name}" WHERE "{key.parent.name}" = ?', (id,))
                assert rows.fetchone() == (0,), table.name


def test_a_person_in_other_peoples_games_is_deleted_too(client):
    guest, friend = Guest(client, "Ann Onym"), Guest(client, "Bob")
    table, chance = guest.open("zsy2", ["me", "open"], rules="cards_each=4"), Random(2)
    friend.post(f"tables/{table}/join")
    with guest.sit(table) as mine, friend.sit(table) as theirs:
        while mine.until(lambda state: state["status"] != "open")["status"] != "over":
            version = mine.state["version"]
            theirs.until(lambda state, now=version: state["version"] == now and state["status"] != "open")
            (mine if mine.state["legal"] else theirs).act(chance)
            for seat in (mine, theirs):
                seat.until(lambda state, now=version: state["version"] > now)
        replay = mine.state["result"]["replay"]
    assert guest.request("DELETE", "me").json() == {"forgotten": 1}
    assert [player["name"] for player in friend.get(f"replays/{replay}").json()["players"]] == ["somebody", "Bob"]


# -- records that people send -----------------------------------------------------------------------------------------


def send(guest, content=SENT):
    return guest.request("POST", "records", content=content)


def test_records_are_sent_by_somebody_and_deleted_by_the_same(client):
    assert send(Guest(client)).json()["code"] == "nobody"
    guest, other = Guest(client, "A"), Guest(client, "B")
    (sent,) = send(guest).json()
    assert [one["replay"] for one in guest.get("me/profile").json()["records"]] == [sent["replay"]]
    assert other.request("DELETE", f"records/{sent['replay']}").json()["code"] == "no_replay"
    played = play_game(guest)
    assert guest.request("DELETE", f"records/{played}").status_code == 404  # a game that was played is no record that was sent
    assert guest.request("DELETE", f"records/{sent['replay']}").json() == {"forgotten": 1}
    assert guest.get(f"replays/{sent['replay']}").status_code == 404


def test_limits_of_records(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_SENT", 3)
    with arena(tmp_path / "a.db", records=12) as client:
        guest = Guest(client, "A")
        (long,) = send(guest, SENT.replace("A,B", f"{'x' * 121},B")).json()
        assert long["fault"]["code"] == "bad_name"
        body = SENT.split("\n", 3)[3]
        answers = send(guest, SENT + "\n" + "\n".join([body] * 3)).json()
        assert [bool(one["replay"]) for one in answers] == [True] * 3 + [False]
        assert answers[3]["fault"]["code"] == "too_many_records"
        replies = [send(Guest(client, "B")).status_code for _ in range(8)]
        assert replies == [200] * 7 + [429]  # whoever sends them from this address


def test_old_records_are_swept_and_games_are_not(tmp_path):
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        played, (sent,) = play_game(guest), send(guest).json()
        storage = client.app.state.arena.storage
        assert storage.run_now(archive.sweep_records, now() - timedelta(days=1)) == 0
        assert storage.run_now(archive.sweep_records, now() + timedelta(days=1)) == 1
        assert guest.get(f"replays/{sent['replay']}").status_code == 404
        assert guest.get(f"replays/{played}").status_code == 200


# -- a database from before -------------------------------------------------------------------------------------------

OLD_TOKEN = "a-token-from-before"
OLD_RECORD = {
    "format": "shangyou-record", "version": 1, "game": "doudizhu", "deal": {"hands": [], "public": "", "first": 1},
    "bids": [1, 0, 3], "players": ["x", "x", "x"],
}  # fmt: skip


def fill_old_database(engine):
    """Two people and a game with bids, in the schema of before there were devices."""
    when = datetime(2026, 1, 2, tzinfo=UTC)
    with engine.begin() as db:
        for id, token in ((1, OLD_TOKEN), (2, "another")):
            row = {"id": id, "hash": hash_token(token), "keep": True, "at": when}
            db.execute(
                text("INSERT INTO people (id, token_hash, nickname, keep, made_at) VALUES (:id, :hash, 'Old', :keep, :at)"), row
            )
        game = {"record": json.dumps(OLD_RECORD), "yes": True, "at": when}
        columns = "id, table_id, game, rules, record, think_ms, rated, kept, finished_at"
        db.execute(
            text(f"INSERT INTO games ({columns}) VALUES ('g1', 't1', 'doudizhu', '', :record, '[]', :yes, :yes, :at)"), game
        )
        for seat, person in enumerate((1, None, 2)):
            row = {"seat": seat, "person": person, "won": False}
            columns = "game_id, seat, name, person, version, score, won"
            db.execute(text(f"INSERT INTO players ({columns}) VALUES ('g1', :seat, 'x', :person, '', 0, :won)"), row)
        db.execute(text("INSERT INTO reviews (game_id, version, content) VALUES ('g1', 'v', '{}')"))


def check_new_database(url):
    storage = Storage(url)
    try:
        person = storage.run_now(people.find_person, OLD_TOKEN)
        assert (person.id, person.nickname) == (1, "Old")
        players = storage.run_now(archive.players_of, "g1")
        assert [row.role for row in players] == ["landlord", "peasant", "peasant"]  # bids 1, 0, 3 from seat 1 on
        assert storage.run_now(archive.find_review, "g1", "v") == {}
        assert storage.run_now(people.new_code, 1)
        assert storage.run_now(archive.forget_everything, person) == 1
    finally:
        storage.close()


def upgrade_from_before(url, monkeypatch):
    upgrade = database.command.upgrade
    with monkeypatch.context() as patch:
        patch.setattr(database.command, "upgrade", lambda config, _: upgrade(config, "0002"))
        engine = database.open_database(url)
    fill_old_database(engine)
    engine.dispose()
    check_new_database(url)


def test_cookies_from_before_are_still_good(tmp_path, monkeypatch):
    upgrade_from_before(f"sqlite:///{tmp_path / 'a.db'}", monkeypatch)


def test_cookies_from_before_are_still_good_in_postgresql(postgres, monkeypatch):
    upgrade_from_before(postgres, monkeypatch)
    engine = database.open_database(postgres)
    assert "token_hash" not in {column["name"] for column in inspect(engine).get_columns("people")}
    engine.dispose()
