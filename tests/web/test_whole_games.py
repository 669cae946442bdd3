"""Whole games over HTTP and WebSocket, alone and with a friend; the server stopped in between."""

from random import Random

import pytest

from web.arena_client import Guest, arena

VARIANTS = [
    ("zsy2", ""),
    ("zsy4", ""),
    ("zsy4", "decks=2"),
    ("doudizhu", ""),
    ("doudizhu", "bidding=true spring=true doubling=true"),
]


@pytest.mark.parametrize(("game", "rules"), VARIANTS)
def test_a_game_from_the_lobby_to_its_replay(client, game, rules):
    guest, chance = Guest(client, "小明"), Random(3)
    table = guest.open(game, rules=rules)
    with guest.sit(table) as seat:
        first = seat.hear()
        assert (first["seat"], first["table"], first["game"]) == (guest.get(f"tables/{table}").json()["seat"], table, game)
        assert first["seats"][first["seat"]]["kind"] == "me"
        result = seat.play_out(chance)
    assert sum(result["scores"]) == 0
    assert all(result["scores"][winner] > 0 for winner in result["winners"])
    replay = guest.get(f"replays/{result['replay']}").json()
    assert replay["deal"] == result["deal"]
    assert replay["result"]["scores"] == result["scores"]
    assert [turn["play"] for turn in replay["turns"]] == [turn["play"] for turn in seat.state["history"]]
    assert replay["turns"][-1]["hands"] == result["hands"]
    assert guest.get(f"tables/{table}").json()["replay"] == result["replay"]


def test_what_a_round_shows(client):
    guest = Guest(client, "A")
    with guest.sit(guest.open("zsy2", ["me", "random"], rules="first_lead=seat0", seed=4)) as seat:
        state = seat.wait_turn()
        assert state["to_beat"] is None
        lead = state["legal"][-1]
        seat.say(kind="play", version=0, play=lead["play"])
        after = seat.until(lambda new: new["version"] == 1)
        put = after["seats"][0]["put"]
        assert {"label": put["label"], "cards": put["cards"]} == {"label": lead["label"], "cards": lead["cards"]}
        assert after["to_beat"] == lead | {"by": 0}
        assert after["legal"] == []
        assert after["seats"][1]["turn"]
        assert after["seats"][0]["left"] == 18 - len(lead["cards"])
        assert after["history"][0]["think_ms"] >= 0
        seat.wait_turn()
        assert seat.state["history"][1]["think_ms"] is None  # how long an agent took is nobody's business


def test_who_doubles(client):
    """The peasants say so first, then the landlord; each peasant's stake is its own; all of it is in the replay."""
    guest, chance = Guest(client, "A"), Random(4)
    with guest.sit(guest.open("doudizhu", ["me", "random", "random"], rules="doubling=true base=5", seed=6)) as seat:
        state = seat.wait_turn()  # the others have spoken
        assert (state["status"], state["bids"], state["legal"], state["stake"]) == ("doubling", [0, 1], [], 5)
        others = [one["doubled"] for one in state["seats"][1:]]
        assert all(isinstance(one, bool) for one in others)
        assert state["seats"][0]["doubled"] is None
        assert seat.ask(kind="bid", version=2, points=2)["words"]["why"] == "double"
        assert seat.ask(kind="play", version=2, play=1)["words"]["why"] == "double_first"
        hint = seat.ask(kind="hint", version=2)
        assert (hint["suggestions"], hint["bid"] in (0, 1)) == ([], True)
        seat.say(kind="bid", version=2, points=1)
        state = seat.until(lambda new: new["version"] == 3)
        assert (state["status"], state["stake"], state["seats"][0]["doubled"]) == ("playing", 10, True)
        said = [
            {"kind": "double", "seat": number, "points": int(one)}
            for number, one in ((1, others[0]), (2, others[1]), (0, True))
        ]
        assert state["bids_made"] == said
        scores = seat.play_out(chance)["scores"]
        assert scores[1] * 2 ** others[1] == scores[2] * 2 ** others[0]
        replay = guest.get(f"replays/{seat.state['result']['replay']}").json()
        assert (replay["bids"], replay["result"]["scores"]) == (said, scores)


def test_a_friend_by_link(client):
    """Two people and an agent: nobody plays before both sit, each sees their own hand, a third only looks on."""
    host, friend, stranger = Guest(client, "host"), Guest(client), Guest(client)
    table = host.open("doudizhu", ["me", "open", "greedy"])
    with host.sit(table) as mine, stranger.sit(table) as looking:
        assert mine.hear()["status"] == "open"
        assert mine.ask(kind="play", version=0, play=1)["code"] == "not_started"
        assert friend.post(f"tables/{table}/join").json() == {"table": table, "seat": 1}
        assert friend.post(f"tables/{table}/join").json()["seat"] == 1  # again: the same seat
        assert stranger.post(f"tables/{table}/join").json()["code"] == "full"
        with friend.sit(table) as theirs:
            mine.until(lambda state: state["seats"][1]["online"])
            chance = Random(1)
            while in_step(mine, theirs) != "over":
                for seat in (mine, theirs):
                    if seat.state["legal"]:
                        seat.act(chance)
                        break
            assert mine.until(lambda state: state["result"])["result"] == theirs.state["result"]
        looked = looking.until(lambda state: state["status"] == "over")
        assert looked["seat"] is None
        assert looked["hand"] == []
    names = [player["name"] for player in host.get(f"replays/{mine.state['result']['replay']}").json()["players"]]
    assert names == ["host", "", "greedy"]


def in_step(mine, theirs):
    """Both hear until they see the same position, in which one of them may act, or the end."""
    while mine.state["version"] != (theirs.state or {"version": -1})["version"] or not (
        mine.state["legal"] or theirs.state["legal"] or mine.state["status"] == "over"
    ):
        behind = mine if theirs.state and mine.state["version"] <= theirs.state["version"] else theirs
        behind.hear()
    return mine.state["status"]


def test_two_tabs_and_a_reload(client):
    """An action counts once, whichever tab it comes from; a new socket finds the table as it is."""
    guest, chance = Guest(client, "A"), Random(5)
    table = guest.open("zsy2")
    with guest.sit(table) as one, guest.sit(table) as two:
        state = one.wait_turn()
        two.until(lambda other: other["version"] == state["version"])
        play = {"kind": "play", "version": state["version"], "play": state["legal"][0]["play"]}
        one.say(**play)
        one.until(lambda new: new["version"] > state["version"])
        assert two.ask(**play)["code"] in ("stale", "not_your_turn", "over")
    with guest.sit(table) as again:
        assert again.hear()["version"] >= state["version"] + 1
        again.play_out(chance)


@pytest.mark.parametrize(("game", "rules"), [("zsy2", ""), ("zsy4", ""), ("doudizhu", "bidding=true")])
def test_a_new_server_on_the_same_database_goes_on(tmp_path, game, rules):
    chance = Random(2)
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        table = guest.open(game, rules=rules)
        with guest.sit(table) as seat:
            for _ in range(4):
                seat.wait_turn()
                seat.act(chance)
            before = seat.wait_turn()
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        assert guest.get("me").json()["nickname"] == "A"
        with guest.sit(table) as seat:
            after = seat.wait_turn()
            assert after == before
            result = seat.play_out(chance)
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        assert guest.get(f"replays/{result['replay']}").json()["result"]["scores"] == result["scores"]
        with guest.sit(table) as seat:
            assert seat.hear()["result"] == result
        assert len(guest.get("me/games").json()) == 1


def test_agents_begin_where_they_were_when_somebody_comes_back(tmp_path):
    """The server stops while an agent takes its time; on the next start the agent is at work again."""
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        table = guest.open("doudizhu", ["greedy", "me", "greedy"], pace=300)
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        assert client.get("/api/v1/health").json()["tables"] == 1
        with guest.sit(table) as seat:
            assert seat.hear()["version"] == 0
            assert seat.wait_turn()["version"] == 1
