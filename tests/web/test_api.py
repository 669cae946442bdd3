"""Every route, as the page uses it and as somebody else might."""

import json
from pathlib import Path
from random import Random

import pytest

from shangyou import games
from shangyou.engines import reference
from shangyou.records import Record, read_bytes, with_bids
from shangyou.search.truth import truth
from shangyou.web.storage import archive
from shangyou.web.table import Seat, Table
from shangyou.web.wire.messages import state_message
from web.arena_client import SIMPLE, Guest

OWN = Path(__file__).parents[2] / "examples" / "agent.py"  # is there, and is run for nobody but the person at the machine


@pytest.fixture(scope="module")
def guest(client):
    return Guest(client, "A")


def play_game(guest, game="zsy2", seed=1, **options):
    with guest.sit(guest.open(game, **options)) as seat:
        return seat.play_out(Random(seed))["replay"]


@pytest.fixture(scope="module")
def replay(guest):
    return play_game(guest)


# -- games, agents, page ----------------------------------------------------------------------------------------------


def test_games_with_their_rules(guest):
    listed = {game["name"]: game for game in guest.get("games").json()}
    assert set(listed) == set(games.names())
    rules = {field["name"]: field for field in listed["doudizhu"]["rules"]}
    assert rules["bidding"]["options"] == [False, True]
    assert rules["base"]["options"] == {"from": 1, "to": 1000}
    assert listed["zsy4"]["suits"]
    assert "solo-chain" in listed["doudizhu"]["patterns"]


@pytest.mark.parametrize(
    ("game", "rules", "roles", "sides", "bids", "places_paid"),
    [
        ("zsy2", "", [], [0, 1], [], False),
        ("zsy4", "", [], [0, 1, 2, 3], [], True),
        ("zsy4", "points=winner", [], [0, 1, 2, 3], [], False),
        ("doudizhu", "", ["landlord", "after", "before"], [0, 1, 1], [], False),
        ("doudizhu", "bidding=true", [], [0, 1, 2], [0, 1, 2, 3], False),
    ],
)
def test_a_game_under_some_rules(guest, game, rules, roles, sides, bids, places_paid):
    told = guest.get(f"games/{game}?rules={rules}").json()
    facts = [told[name] for name in ("seats", "roles", "sides", "bids", "places_paid")]
    assert facts == [len(sides), roles, sides, bids, places_paid]
    table = Table("t", reference.deal(games.load_text(game, rules), 1), (Seat("agent", "greedy"),) * len(sides))
    sent = state_message(table, None)
    assert (list(sent.sides), sent.places_paid, sent.suits) == (sides, places_paid, told["suits"])


def test_agents_of_a_game(guest):
    agents = guest.get("agents?game=doudizhu").json()
    assert agents[0]["name"] == "champion/doudizhu"
    assert agents[0]["strongest"]
    assert len(agents[0]["version"]) == 12
    names = [agent["name"] for agent in guest.get("agents?game=zsy4&rules=decks=2").json()]
    assert names == ["random", "greedy"]  # the champion does not know these rules
    assert guest.get("agents?game=chess").json()["reason"].startswith("there is no game 'chess'")
    assert guest.get("agents").status_code == 422


def test_health_and_headers(client):
    answer = client.get("/api/v1/health")
    assert answer.json()["status"] == "up"
    assert answer.headers["cache-control"] == "no-store"
    for path in ("/", "/api/v1/health", "/api/v1/nothing", "/docs"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_the_page_and_the_description_of_the_api(client):
    assert "/api/v1/tables/{id}/join" in client.get("/docs").text
    assert "<script" not in client.get("/docs").text
    assert "/api/v1/suggest" in client.get("/api/v1/openapi.json").json()["paths"]
    nothing = {"code": "not_found", "reason": "there is nothing here", "words": {"why": "nothing_here", "values": {}}}
    assert client.get("/api/v1/nothing").json() == nothing
    assert client.get("/missing.js").status_code == 404
    assert client.get("/some/address/inside/the/page").text == client.get("/").text
    assert client.post("/api/v1/health").json()["code"] == "no_method"


# -- me ---------------------------------------------------------------------------------------------------------------


def test_who_comes_gets_a_cookie_nobody_can_read_or_guess(client):
    assert client.get("/api/v1/me").json() == {"known": False, "nickname": "", "keep": True}
    answer = client.post("/api/v1/me", json={"nickname": "  Ann \t Lee "})
    cookie = answer.headers["set-cookie"]
    assert answer.json() == {"known": True, "nickname": "Ann Lee", "keep": True}
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert len(client.cookies["shangyou"]) == 43
    token = client.cookies["shangyou"]
    client.cookies.clear()
    again = Guest(client)
    again.token = token
    assert "set-cookie" not in again.post("me", {"keep": False}).headers
    assert again.get("me").json() == {"known": True, "nickname": "Ann Lee", "keep": False}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"nickname": "x" * 25}, 400),
        ({"nickname": "\u200d"}, 400),
        ({"nickname": "a\x00b"}, 422),
        ({"nickname": 5}, 422),
        ({"name": "x"}, 422),
        (None, 422),
    ],
)
def test_bad_nicknames(guest, body, status):
    answer = guest.post("me", body)
    assert answer.status_code == status
    assert set(answer.json()) == {"code", "reason", "words"}


def test_a_nickname_may_hold_an_emoji_of_several_characters(client):
    name = "Ann \U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert Guest(client).post("me", {"nickname": name}).json()["nickname"] == name


def test_a_request_from_another_page_is_refused(client):
    answer = client.post("/api/v1/me", json={}, headers={"origin": "http://evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign")
    assert client.post("/api/v1/me", json={}, headers={"origin": "http://testserver"}).status_code == 200
    client.cookies.clear()


# -- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"game": "chess", "seats": ["me"]}, "no game 'chess'"),
        ({"game": "zsy2", "seats": ["me"]}, "2 seats"),
        ({"game": "zsy2", "seats": ["greedy", "random"]}, "one of them is 'me'"),
        ({"game": "zsy2", "seats": ["me", "me"]}, "one of them is 'me'"),
        ({"game": "zsy2", "seats": ["me", "nobody"]}, "no agent 'nobody'"),
        ({"game": "zsy2", "seats": ["me", "rule"]}, "no agent 'rule' plays zsy2"),
        ({"game": "zsy2", "seats": ["me", "/etc/passwd.onnx"]}, "no agent"),
        ({"game": "zsy2", "seats": ["me", str(OWN)]}, "no agent"),
        ({"game": "zsy2", "seats": ["me", "greedy"], "rules": "decks=2"}, "no rule 'decks'"),
        ({"game": "zsy4", "rules": "decks=2", "seats": ["me", "champion/zsy4", "random", "random"]}, "under these rules"),
        ({"game": "zsy2", "seats": ["me", "open"], "seed": 3}, "with a friend"),
        ({"game": "zsy2", "seats": ["me", "greedy"], "seed": 3, "same_deal": "gx"}, "only one of"),
        ({"game": "zsy2", "seats": ["me", "greedy"], "same_deal": "gx"}, "no such game"),
        ({"game": "zsy2", "seats": ["me", "greedy"], "pace": -1}, "pace"),
        ({"game": "zsy2", "seats": ["me", "greedy"], "seed": 1 << 63}, "seed"),
        ({"game": "zsy2", "seats": ["me", "greedy"], "more": 1}, "more"),
    ],
)
def test_tables_that_cannot_be(guest, body, says):
    answer = guest.post("tables", body)
    assert answer.status_code in (400, 404, 422)
    assert says in answer.json()["reason"]


def test_a_table_that_is_not_there(guest):
    assert guest.get("tables/tnone").status_code == 404
    assert guest.post("tables/tnone/join").json()["code"] == "no_table"


def test_the_same_deal_from_the_other_seat(guest, replay):
    before = guest.get(f"replays/{replay}").json()
    table = guest.open("zsy2", ["greedy", "me"], same_deal=replay)
    with guest.sit(table) as seat:
        assert seat.hear()["hand"] == before["deal"][1]
        assert not seat.state["rated"]
        assert seat.play_out(Random(2))["deal"] == before["deal"]
    other_game = guest.post("tables", {"game": "zsy4", "seats": SIMPLE["zsy4"], "same_deal": replay})
    assert "not of zsy4" in other_game.json()["reason"]


@pytest.mark.parametrize(
    ("game", "rules"), [("zsy4", ""), ("doudizhu", "bidding=true"), ("doudizhu", "bidding=true doubling=true")]
)
def test_try_again_from_a_turn(guest, game, rules):
    replay = play_game(guest, game, rules=rules)
    before = guest.get(f"replays/{replay}").json()
    seats = SIMPLE[game]
    table = guest.open(game, seats, rules=rules, **{"from": {"replay": replay, "turn": 6}})
    with guest.sit(table) as seat:
        state = seat.hear()
        assert [turn["play"] for turn in state["history"][:6]] == [turn["play"] for turn in before["turns"][:6]]
        assert state["hand"] == before["turns"][5]["hands"][seats.index("me")]
        assert state["bids_made"] == before["bids"]
        seat.play_out(Random(3))
    for turn, says in ((10_000, "turns, not"), (len(before["turns"]), "earlier turn")):
        body = {"game": game, "seats": seats, "rules": rules, "from": {"replay": replay, "turn": turn}}
        assert says in guest.post("tables", body).json()["reason"]


# -- positions --------------------------------------------------------------------------------------------------------

POSITION = {"game": "zsy2", "hand": "3 55 8", "played": ["66 77 88 99 TT JJ QQ", "33 44 9"], "last": "9"}


def test_legal_plays_of_a_typed_position(guest):
    assert guest.post("legal", POSITION).json() == [{"play": 0, "label": "pass", "cards": []}]
    lead = guest.post("legal", POSITION | {"last": "", "played": ["66 77 88 99 TT JJ QQ", "33 44 9 A"]}).json()
    assert [play["label"] for play in lead] == ["3", "5", "8", "55"]


def test_suggestions_for_a_typed_position(guest):
    position = {"game": "doudizhu", "hand": "4 5 66 7 8 9 T JJ QQ K A 2 S B", "public": "345", "history": "34567 pass"}
    answer = guest.post("suggest", position | {"top": 3}).json()
    assert answer["agent"] == "champion/doudizhu"
    assert len(answer["suggestions"]) == 3 < answer["legal"]
    assert all(0 < one["win"] < 1 for one in answer["suggestions"])
    by_rule = guest.post("suggest", position | {"agent": "rule"}).json()
    assert by_rule["suggestions"][0]["label"] == "TJQKA"
    assert by_rule["suggestions"][0]["win"] is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"hand": "3 55 8 X"}, "is no card"),
        ({"agent": "rule"}, "no agent 'rule'"),
        ({"agent": "/tmp/a.onnx"}, "no agent"),
        ({"agent": f"{OWN}:SmallestFirst"}, "no agent"),
        ({"top": 0}, "top"),
    ],
)
def test_positions_that_cannot_be(guest, change, says):
    assert says in guest.post("suggest", POSITION | change).json()["reason"]


# -- replays, records -------------------------------------------------------------------------------------------------


def test_records_of_a_replay_can_be_sent_back(guest, replay):
    for form in ("text", "jsonl"):
        answer = guest.get(f"replays/{replay}/record?form={form}")
        assert "attachment" in answer.headers["content-disposition"]
        (sent,) = guest.request("POST", "records", content=answer.content).json()
        copy = guest.get(f"replays/{sent['replay']}").json()
        original = guest.get(f"replays/{replay}").json()
        assert (original["mine"], Guest(guest.client).get(f"replays/{replay}").json()["mine"], copy["mine"]) == (0, None, None)
        assert copy["deal"] == original["deal"]
        assert [turn["cards"] for turn in copy["turns"]] == [turn["cards"] for turn in original["turns"]]
        assert [player["name"] for player in copy["players"]] == ["A", "greedy"]
    assert guest.get(f"replays/{replay}/record?form=pdf").status_code == 422


def test_a_bad_record_says_why_and_spoils_no_other(guest, replay):
    good = guest.get(f"replays/{replay}/record?form=jsonl").text
    first, second = guest.request("POST", "records", content=good + '{"format": "other"}\n').json()
    assert first["replay"]
    assert second["replay"] is None
    assert "format" in second["fault"]["reason"]
    assert guest.request("POST", "records", content=b"").json()["reason"] == "there are no records"
    assert guest.request("POST", "records", content=b"\xff\xfe\n").json()[0]["fault"]["reason"]


def test_what_is_too_long_is_refused(guest):
    long = guest.request("POST", "records", content=b"x" * ((1 << 20) + 1))
    assert (long.status_code, long.json()["code"]) == (413, "too_long")
    assert guest.request("POST", "me", content=b"x" * 70_000).status_code == 413

    def drops():
        yield from [b"x" * 10_000] * 8

    assert guest.request("POST", "me", content=drops()).status_code == 413  # without a content-length


def test_a_review_of_every_decision(guest):
    replay = play_game(guest, "doudizhu", rules="bidding=true")
    answer = guest.get(f"replays/{replay}/review")
    review, game = answer.json(), guest.get(f"replays/{replay}").json()
    assert (review["adviser"], review["measure"], review["measures"]) == ("champion/doudizhu", "win", ["win", "points"])
    assert [one["seat"] for one in review["decisions"]] == [turn["seat"] for turn in game["turns"]]
    assert [one["played"]["play"] for one in review["decisions"]] == [turn["play"] for turn in game["turns"]]
    assert [{"kind": one["kind"], "seat": one["seat"], "points": one["made"]} for one in review["bids"]] == game["bids"]
    for one in review["decisions"]:
        for measure in ("win", "points"):
            judged = one["judged"][measure]
            assert judged["best"] == max(candidate[measure] for candidate in one["candidates"])
            assert judged["made"] == one["played"][measure]
            assert (judged["kind"] is None) == (judged["why"] is None) == (judged["grade"] in ("best", "good"))
    for one in review["bids"]:
        worth = {choice["bid"]: choice["points"] for choice in one["choices"]}
        assert one["judged"]["win"] is None
        assert one["judged"]["points"]["best"] == max(worth.values()) == worth[one["advised"]]
    lost = [one["judged"]["win"] for one in review["decisions"] if one["seat"] == 2]
    assert review["seats"][2]["win"]["loss"] == pytest.approx(sum(one["best"] - one["made"] for one in lost))
    assert guest.get(f"replays/{replay}/review").content == answer.content  # the second time from the database
    assert guest.get("replays/gnone").status_code == guest.get("replays/gnone/review").status_code == 404


def test_a_review_of_a_game_that_pays_places_is_in_points(guest):
    replay = play_game(guest, "zsy4")
    review = guest.get(f"replays/{replay}/review").json()
    assert (review["adviser"], review["measure"], review["paid"]) == ("champion/zsy4:points", "points", [3, 1, -1, -3])
    for one in review["decisions"]:
        judged = one["judged"]["points"]
        assert judged["best"] == one["candidates"][0]["points"]
        assert judged["share"] == pytest.approx((judged["best"] - judged["made"]) / 6)  # 3 for the first, -3 for the last
    assert guest.get(f"replays/{play_game(guest)}/review").json()["measure"] == "win"


def test_a_review_by_an_adviser_without_chances(guest):
    review = guest.get(f"replays/{play_game(guest, rules='cards_each=6')}/review").json()
    assert (review["adviser"], review["measures"]) == ("greedy", [])
    assert all(one["judged"] == {"win": None, "points": None} for one in review["decisions"])
    assert review["decisions"][0]["candidates"]
    assert review["seats"][0]["win"]["accuracy"] is None


def test_a_review_of_an_older_form_is_made_anew(guest, client):
    replay = play_game(guest)
    storage = client.app.state.arena.storage
    new = guest.get(f"replays/{replay}/review").json()
    storage.run_now(archive.store_review, replay, new["version"].partition(";")[0], {"adviser": "old"})
    assert guest.get(f"replays/{replay}/review").json() == new


@pytest.mark.parametrize("game", ["zsy2", "zsy4", "doudizhu"])
def test_the_truth_of_a_game_with_open_cards(guest, client, game):
    id = play_game(guest, game, rules="bidding=true" if game == "doudizhu" else "")
    answer = guest.get(f"replays/{id}/truth")
    found, replay = answer.json(), guest.get(f"replays/{id}").json()
    record = next(read_bytes(guest.get(f"replays/{id}/record?form=jsonl").content))
    expected = truth(with_bids(record))
    assert (found["replay"], found["objective"]) == (id, "place" if game == "zsy4" else "win")
    for name in ("proven_from", "forced_from", "nodes"):
        assert found[name] == getattr(expected, name)
    assert [(one["turn"], one["value"], one["after"]) for one in found["turns"]] == [
        (one.turn, one.value, one.after) for one in expected.turns
    ]
    for one in found["turns"]:
        made = replay["turns"][one["turn"]]
        assert one["seat"] == made["seat"]
        assert one["gave_away"] == (one["better"] is not None)
        assert one["better"] is None or one["better"]["cards"] != made["cards"]
    assert id in client.app.state.arena.solving.known  # who asks again does not wait
    assert guest.get(f"replays/{id}/truth").content == answer.content


def test_the_truth_is_refused_where_the_solver_cannot_play(guest):
    answer = guest.get(f"replays/{play_game(guest, 'zsy4', rules='decks=2')}/truth")
    assert (answer.status_code, answer.json()["reason"]) == (400, "the solver plays with one pack, not 2")
    assert guest.get("replays/gnone/truth").status_code == 404


def test_my_games_are_reviewed_one_by_one(client):
    guest = Guest(client, "Rae")
    replays = [play_game(guest, "doudizhu", rules="bidding=true"), play_game(guest, "zsy4"), play_game(guest)]
    assert guest.get("me/reviews").json() == {
        "games": [], "waiting": 3, "accuracy": None, "roles": [], "kinds": [], "worst": [],
    }  # fmt: skip
    left = [guest.post("me/reviews").json() for _ in range(4)]
    assert [one["waiting"] for one in left] == [2, 1, 0, 0]
    found = guest.get("me/reviews").json()
    assert found == left[-1]
    assert [one["replay"] for one in found["games"]] == replays[::-1]
    assert [one["game"] for one in found["roles"]] == ["doudizhu", "zsy2", "zsy4"]
    for one in found["games"]:
        account = one["summary"]["account"]
        assert sum(account[part] for part in ("even", "deal", "play", "rest")) == pytest.approx(account["result"])
    mistakes = sum(one["count"] for one in found["kinds"])
    assert mistakes == sum(
        count for one in found["games"] for grade, count in one["summary"]["grades"].items() if grade not in ("best", "good")
    )
    shares = [one["share"] for one in found["worst"]]
    assert shares == sorted(shares, reverse=True)
    for one in found["worst"]:
        review = guest.get(f"replays/{one['replay']}/review").json()
        measure = "points" if one["turn"] is None else review["measure"]
        made = review["bids"] if one["turn"] is None else [review["decisions"][one["turn"]]]
        assert one["why"] in [decision["judged"][measure]["why"] for decision in made]


def test_games_that_began_in_the_middle_are_not_among_my_reviews(client):
    """Their first plays are those of another game."""
    guest = Guest(client, "Mia")
    replay = play_game(guest, "zsy2")
    turn = next(i for i, turn in enumerate(guest.get(f"replays/{replay}").json()["turns"]) if i > 3 and turn["seat"] == 0)
    play_game(guest, "zsy2", **{"from": {"replay": replay, "turn": turn}})
    assert len(guest.get("me/games").json()) == 2
    assert guest.get("me/reviews").json()["waiting"] == 1


# -- my games, ratings ------------------------------------------------------------------------------------------------


def test_my_games_and_how_they_are_forgotten(client):
    guest, friend = Guest(client, "Zoe"), Guest(client, "Bob")
    alone = play_game(guest)
    table = guest.open("zsy2", ["me", "open"])
    friend.post(f"tables/{table}/join")
    both = play_both(guest, friend, table)
    mine = guest.get("me/games").json()
    assert [game["replay"] for game in mine] == [both, alone]
    assert mine[0]["players"] == ["Zoe", "Bob"]
    assert mine[0]["rating"] is not None
    exported = list(read_bytes(guest.get("me/export").content))
    assert [record.players for record in exported] == [("Zoe", "greedy"), ("Zoe", "Bob")]
    assert all(isinstance(record, Record) for record in exported)
    assert "Zoe" in [row["name"] for row in guest.get("ratings?game=zsy2").json()["rows"]]

    given_up = guest.open("zsy2")
    with guest.sit(given_up) as seat:
        seat.say(kind="leave")
        seat.until(lambda state: state["status"] == "left")
    assert guest.request("DELETE", "me/games").json() == {"forgotten": 2}
    assert guest.get(f"tables/{given_up}").status_code == 404
    assert guest.get("me/games").json() == []
    assert guest.get(f"replays/{alone}").status_code == 404
    assert [player["name"] for player in guest.get(f"replays/{both}").json()["players"]] == ["somebody", "Bob"]
    assert friend.get("me/games").json()[0]["players"] == ["somebody", "Bob"]
    assert "Zoe" not in [row["name"] for row in guest.get("ratings?game=zsy2").json()["rows"]]
    assert Guest(client).get("me/games").json()["code"] == "nobody"


def play_both(one, two, table):
    chance = Random(4)
    with one.sit(table) as mine, two.sit(table) as theirs:
        for seat in (mine, theirs):
            seat.until(lambda state: state["status"] == "playing")
        while mine.state["status"] != "over":
            version = mine.state["version"]
            acting = mine if mine.state["legal"] else theirs
            acting.until(lambda state, now=version: state["version"] == now)
            acting.act(chance)
            for seat in (mine, theirs):
                seat.until(lambda state, now=version: state["version"] > now)
        return mine.state["result"]["replay"]


def test_a_game_with_known_cards_is_not_rated(client):
    guest = Guest(client, "Seeded")
    with guest.sit(guest.open("zsy2", seed=12, hints=False)) as seat:
        seat.play_out(Random(1))
    (game,) = guest.get("me/games").json()
    assert (game["rated"], game["rating"]) == (False, None)
    assert "Seeded" not in json.dumps(guest.get("ratings?game=zsy2").json())
