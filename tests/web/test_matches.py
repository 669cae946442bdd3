"""Duplicate matches of a person against an agent: two tables with the same cards, scores that add up, nothing too early."""

import json
from random import Random

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from shangyou import games, records
from shangyou.engines import reference
from shangyou.web.storage import table_store
from shangyou.web.storage.database import Storage
from shangyou.web.storage.schema import games as stored_games
from shangyou.web.table import Seat, Table
from web.arena_client import Guest, arena

WISH = {"deals": 2, "opponent": "greedy", "partner": "rule", "pace": 0}


@pytest.fixture
def guest(client):
    return Guest(client, "Ann")


def open_match(guest, **wish):
    answer = guest.post("matches", WISH | wish)
    assert answer.status_code == 200, answer.text
    return answer.json()["match"]


def match_of(guest, id):
    return guest.get(f"matches/{id}").json()


def play_deal(guest, id, seed=1):
    """The result of the next deal, which the person plays at random."""
    table = guest.post(f"matches/{id}/deals").json()["table"]
    with guest.sit(table) as seat:
        result = seat.play_out(Random(seed))
        assert seat.state["match"] == id
        assert seat.state["seats"][0]["kind"] == "me"
        assert seat.state["seats"][0]["landlord"]
    return result


def record_of(guest, replay):
    (record,) = records.read_bytes(guest.get(f"replays/{replay}/record?form=jsonl").content)
    return record


def test_a_match_of_two_deals(guest):
    id, totals = open_match(guest), [0, 0]
    for number in (1, 2):
        result = play_deal(guest, id, number)
        deal = match_of(guest, id)["played"][-1]
        first, second = (record_of(guest, replay) for replay in deal["replays"])
        assert first.deal == second.deal
        assert (first.players, second.players) == (("Ann", "greedy", "greedy"), ("greedy", "rule", "rule"))
        assert deal["number"] == number
        assert deal["scores"] == [result["scores"][0], second.result.scores[0]]
        assert abs(deal["scores"][1]) % 6 == 0  # the base is 3, as in the paper
        totals = [total + score for total, score in zip(totals, deal["scores"], strict=True)]
        assert deal["totals"] == totals
    match = match_of(guest, id)
    assert (match["totals"], match["over"], match["mine"], match["name"]) == (totals, True, True, "Ann")
    assert match["played"][0]["replays"] != match["played"][1]["replays"]
    refused = guest.post(f"matches/{id}/deals")
    assert (refused.status_code, refused.json()["code"]) == (400, "over")


def test_nothing_is_told_of_a_deal_that_is_still_played(guest):
    id = open_match(guest)
    table = guest.post(f"matches/{id}/deals").json()["table"]
    assert guest.post(f"matches/{id}/deals").json()["table"] == table  # one deal after the other
    match = match_of(guest, id)
    assert match["played"] == [
        {"number": 1, "table": table, "running": True, "scores": [None, None], "totals": [0, 0], "replays": [None, None]}
    ]
    assert not match["over"]


def test_a_deal_that_is_given_up_is_lost(guest):
    id = open_match(guest, deals=1, rules="base=5")
    table = guest.post(f"matches/{id}/deals").json()["table"]
    with guest.sit(table) as seat:
        seat.wait_turn()
        seat.say(kind="leave")
        seat.until(lambda state: state["status"] == "left")
    match = match_of(guest, id)
    mine, theirs = match["played"][0]["scores"]
    assert mine == -10
    assert theirs % 10 == 0
    assert match["played"][0]["replays"][0] is None
    assert match["over"]


def test_a_match_outlives_the_server(tmp_path):
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "Ann")
        id = open_match(guest)
        play_deal(guest, id)
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        (match,) = guest.get("matches").json()
        assert match["match"] == id
        assert None not in match_of(guest, id)["played"][0]["scores"]
        play_deal(guest, id)
        assert match_of(guest, id)["over"]
        exported = guest.get("me/export").text.splitlines()
        assert [json.loads(line)["players"][0] for line in exported] == ["Ann", "Ann"]
        second = match_of(guest, id)["played"][0]["replays"][1]
        guest.request("DELETE", "me/games")
        assert guest.get("matches").json() == []
        assert {guest.get(path).status_code for path in (f"matches/{id}", f"replays/{second}")} == {404}


def test_games_of_agents_alone_are_not_exported(tmp_path):
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "Ann")
        id = open_match(guest, deals=1)
        play_deal(guest, id)
        first, second = match_of(guest, id)["played"][0]["replays"]
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    columns = select(stored_games.c.id, stored_games.c.kept)
    kept = storage.run_now(lambda db: {row.id: row.kept for row in db.execute(columns)})
    storage.close()
    assert kept == {first: True, second: False}


def test_two_tabs_open_one_deal(tmp_path):
    """The number of a deal is a key: the second table of that number is not stored."""
    game = games.load("doudizhu")
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    for id in ("t1", "t2", "t3"):
        table = Table(id, reference.deal(game, 1), (Seat("agent", "greedy"),) * 3, match="m1" if id != "t3" else "m2", number=1)
        if id == "t2":
            with pytest.raises(IntegrityError):
                storage.run_now(table_store.add_table, table, table.state, False)
        else:
            storage.run_now(table_store.add_table, table, table.state, False)
    restored = storage.run_now(table_store.find_table, "t1")
    storage.close()
    assert (restored.match, restored.number) == ("m1", 1)


def test_only_who_opened_a_match_plays_it(client, guest):
    id, other = open_match(guest), Guest(client, "Bob")
    assert other.post(f"matches/{id}/deals").status_code == 403
    assert not match_of(other, id)["mine"]
    assert other.get("matches").json() == []
    assert Guest(client).get("matches").status_code == 401


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"rules": "bidding=true"}, "deals no landlord"),
        ({"game": "zsy2", "rules": ""}, "deals no landlord"),
        ({"opponent": "nobody"}, "no agent 'nobody'"),
        ({"partner": "../../etc/passwd"}, "no agent"),
        ({"deals": 0}, "deals"),
        ({"deals": 101}, "deals"),
    ],
)
def test_a_match_that_cannot_be_is_refused(guest, wish, reason):
    answer = guest.post("matches", WISH | wish)
    assert answer.status_code in (400, 422)
    assert reason in answer.json()["reason"]


def test_the_strongest_play_unless_others_are_named(guest):
    match = guest.post("matches", {"pace": 0}).json()
    assert match["opponent"] == match["partner"] == "champion/doudizhu"
    assert (match["deals"], match["rules"].split()[1]) == (10, "base=3")
