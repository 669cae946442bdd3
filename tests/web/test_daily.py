"""Daily deals: the same cards for everybody, one try each, a ranking; and nothing shows the cards before the deal is closed."""

import json
import logging
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from sqlalchemy import delete, select
from starlette.websockets import WebSocketDisconnect

from shangyou import games, records
from shangyou.web import daily
from shangyou.web.live.inference import InferencePool
from shangyou.web.storage import database, game_export
from shangyou.web.storage.schema import daily_deals, metadata, secrets, tables
from shangyou.web.storage.schema import games as stored_games
from web.arena_client import Guest, arena

DAY, NEXT = "2026-03-01", "2026-03-02"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ENDS = datetime(2026, 3, 2, tzinfo=UTC)
CLOSES = ENDS + daily.GRACE
MOMENT = timedelta(seconds=1)
GAME = "zsy2"  # where nothing else is said: it is soon over


class Calendar:
    """What the server takes for the time."""

    def __init__(self):
        self.now = NOON

    def __call__(self):
        return self.now


@pytest.fixture
def calendar(monkeypatch):
    clock, real = Calendar(), database.now
    for module in list(sys.modules.values()):
        if getattr(module, "now", None) is real:
            monkeypatch.setattr(module, "now", clock)
    return clock


@pytest.fixture(autouse=True)
def greedy(monkeypatch):
    """A quick agent in place of the champion; what it plays is the same every time."""
    monkeypatch.setattr("shangyou.web.daily_api.adviser", lambda game: "greedy")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with arena(tmp_path_factory.mktemp("daily") / "a.db") as running:
        yield running


@pytest.fixture
def client(server, calendar):
    """The server with nothing in its database and no table in memory."""
    server.app.state.arena.live.clear()
    server.app.state.arena.storage.run_now(lambda db: [db.execute(delete(table)) for table in reversed(metadata.sorted_tables)])
    return server


def begin(guest, game=GAME):
    answer = guest.post(f"daily/{game}", {"pace": 0})
    assert answer.status_code == 200, answer.text
    return answer.json()["table"]


def play(guest, game=GAME, seed=1):
    """A whole try; the table, and the points."""
    table = begin(guest, game)
    with guest.sit(table) as seat:
        result = seat.play_out(Random(seed))
        return table, result["scores"][seat.state["seat"]]


def leave(guest, table):
    with guest.sit(table) as seat:
        seat.wait_turn()
        seat.say(kind="leave")
        seat.until(lambda state: state["status"] == "left")


def deal_of(guest, game=GAME, day=DAY):
    answer = guest.get(f"daily/{day}/{game}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def stored(client, query):
    return client.app.state.arena.storage.run_now(lambda db: db.execute(query).scalars().all())


def replay_of(client, table):
    (id,) = stored(client, select(stored_games.c.id).where(stored_games.c.table_id == table))
    return id


def refused(answer, status, code):
    return (answer.status_code, answer.json()["code"]) == (status, code)


# -- a deal and its ranking -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", games.names())
def test_everybody_has_the_same_cards_in_the_same_seat(client, game):
    seen = []
    for name in ("Ann", "Bob"):
        guest = Guest(client, name)
        with guest.sit(begin(guest, game)) as seat:
            state = seat.wait_turn()
            others = [one["name"] for one in state["seats"] if one["kind"] == "agent"]
            seen.append((state["seat"], state["hand"], state["history"]))
        assert set(others) == {"greedy"}
        assert (state["daily"], state["hints"], state["rated"], state["clock"]) == (DAY, False, False, None)
    assert seen[0] == seen[1]
    assert deal_of(guest, game)["role"] == ("landlord" if game == "doudizhu" else "")


def test_the_ranking(client, calendar):
    guests = [Guest(client, name) for name in ("Ann", "Bob", "Cid", "Dee")]
    points = [play(guest, "doudizhu", seed)[1] for seed, guest in enumerate(guests[:3])]
    leave(guests[3], begin(guests[3], "doudizhu"))
    places = [1 + sum(other > mine for other in points) for mine in points]
    for guest, mine, place in zip(guests, points, places, strict=False):
        deal = deal_of(guest, "doudizhu")
        assert (deal["mine"]["points"], deal["mine"]["place"], deal["mine"]["total"]) == (mine, place, 4)
        assert deal["mine"]["beaten"] == pytest.approx((sum(other < mine for other in points) + 1) / 3)
    rows = deal_of(guests[0], "doudizhu")["rows"]
    assert sorted((row["place"], row["points"]) for row in rows[:3]) == sorted(zip(places, points, strict=True))
    assert (rows[3]["name"], rows[3]["points"], rows[3]["place"]) == ("Dee", None, 4)  # given up: after all others
    assert [row["name"] for row in rows if row["me"]] == ["Ann"]
    assert [row["replay"] for row in rows] == [None] * 4
    calendar.now = CLOSES
    rows = deal_of(Guest(client), "doudizhu")["rows"]  # for everybody
    assert [(row["name"] == "Dee", row["replay"] is None, row["me"]) for row in rows] == [
        *[(False, False, False)] * 3,
        (True, True, False),
    ]
    page = guests[0].get(f"daily/{DAY}/doudizhu?limit=3").json()
    assert (len(page["rows"]), page["next"]) == (3, 3)
    page = guests[0].get(f"daily/{DAY}/doudizhu?limit=3&offset=3").json()
    assert ([row["name"] for row in page["rows"]], page["next"]) == (["Dee"], None)


def test_ties_have_the_same_place(client):
    guests = [Guest(client, name) for name in ("Ann", "Bob", "Cid")]
    points = [play(guest, seed=1)[1] for guest in guests]  # the same plays against the same agent
    assert len(set(points)) == 1
    deals = [deal_of(guest) for guest in guests]
    assert [deal["mine"]["place"] for deal in deals] == [1, 1, 1]
    assert [deal["mine"]["beaten"] for deal in deals] == [0, 0, 0]


def test_the_champion_plays_the_same_seat_once(client, calendar, monkeypatch):
    played, play_out = [], InferencePool.play_out

    async def counted(pool, names, start):
        played.append(names)
        return await play_out(pool, names, start)

    monkeypatch.setattr(InferencePool, "play_out", counted)
    guest = Guest(client, "Ann")
    table, _ = play(guest, "doudizhu")
    points = deal_of(guest, "doudizhu")["champion"]
    assert deal_of(guest, "doudizhu")["champion"] == points is not None
    assert played == [("greedy",) * 3]
    calendar.now = CLOSES
    deal = deal_of(guest, "doudizhu")
    mine, champion = (
        next(records.read_bytes(guest.get(f"replays/{id}/record?form=jsonl").content))
        for id in (deal["mine"]["replay"], deal["champion_replay"])
    )
    assert mine.deal == champion.deal
    assert champion.players == ("greedy",) * 3
    assert champion.result.scores[deal["seat"]] == points
    assert deal["mine"]["table"] == table


def test_a_day_is_as_long_as_it_is_and_the_next_has_other_cards(client, calendar):
    guest, hands = Guest(client, "Ann"), []
    for moment in (ENDS - MOMENT, ENDS):
        calendar.now = moment
        today = guest.get("daily").json()
        assert today["seconds_left"] == (1 if moment < ENDS else 86400)
        with guest.sit(begin(guest)) as seat:
            state = seat.wait_turn()
            hands.append(state["hand"])
            assert state["daily"] == today["day"] == (DAY if moment < ENDS else NEXT)
    assert hands[0] != hands[1]
    assert {(one["day"], one["game"]) for one in today["recent"]} == {(DAY, game) for game in games.names()}


def test_a_try_may_be_finished_in_the_hour_after_its_day(client, calendar):
    ann, bob, cid = (Guest(client, name) for name in ("Ann", "Bob", "Cid"))
    tables = [begin(guest) for guest in (ann, bob, cid)]
    for guest, table, moment in zip((ann, bob), tables, (CLOSES, CLOSES + MOMENT), strict=False):
        calendar.now = ENDS + MOMENT
        assert deal_of(guest)["status"] == "closing"
        with guest.sit(table) as seat:
            seat.wait_turn()
            calendar.now = moment
            seat.play_out(Random(1))
    rows = {row["name"]: (row["place"], row["points"] is None) for row in deal_of(cid)["rows"]}
    assert rows == {"Ann": (1, False), "Bob": (2, True), "Cid": (2, True)}  # in time, too late, still at the table
    assert deal_of(cid)["mine"] == deal_of(cid)["mine"] | {"running": False, "points": None, "place": 2}


def test_one_comes_back_to_a_try_even_after_a_restart(tmp_path, calendar):
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "Ann")
        table = begin(guest)
        with guest.sit(table) as seat:
            hand = seat.wait_turn()["hand"]
    with arena(tmp_path / "a.db") as client:
        guest.client = client
        other = Guest(client, "Bob")
        assert begin(guest) == table
        with guest.sit(table) as seat, other.sit(begin(other)) as theirs:
            assert seat.wait_turn()["hand"] == hand == theirs.wait_turn()["hand"]
            assert seat.state["daily"] == DAY


def test_streaks_and_my_results(client, calendar):
    guest = Guest(client, "Ann")
    assert guest.get("me/daily").json() == {"streak": 0, "longest": 0, "results": []}
    for days in (0, 1, 3):
        calendar.now = NOON + timedelta(days)
        play(guest)
    calendar.now = NOON + timedelta(4)
    leave(guest, begin(guest))  # a day on which nothing is finished
    mine = guest.get("me/daily").json()
    assert (mine["streak"], mine["longest"]) == (1, 2)
    assert [one["day"] for one in mine["results"]] == ["2026-03-05", "2026-03-04", "2026-03-02", DAY]
    assert [one["place"] for one in mine["results"]] == [1] * 4
    assert mine["results"][0]["points"] is None


@pytest.mark.parametrize(
    ("days", "expected"),
    [([], (0, 0)), ([DAY], (1, 1)), ([NEXT, DAY, DAY], (2, 2)), (["2026-02-27", "2026-02-26"], (0, 2))],
)
def test_days_in_a_row(days, expected):
    assert daily.days_in_a_row(days, NEXT) == expected


def test_practice_after_the_day(client, calendar):
    guest = Guest(client, "Ann")
    with guest.sit(begin(guest)) as seat:
        hand = seat.wait_turn()["hand"]
        seat.play_out(Random(1))
    calendar.now = CLOSES
    deal = deal_of(guest)
    seats = ["me" if seat == deal["seat"] else "greedy" for seat in range(2)]
    with guest.sit(guest.open(GAME, seats, same_deal=deal["champion_replay"])) as seat:
        assert seat.wait_turn()["hand"] == hand
        assert seat.state["daily"] is None
        seat.play_out(Random(2))
    assert deal_of(guest) == deal  # it changes no result


@pytest.mark.parametrize("path", [f"daily/{NEXT}/zsy2", "daily/2026-02-28/zsy2", "daily/1900-01-01/zsy2", f"daily/{DAY}/chess"])
def test_days_that_are_not_there(client, path):
    """Neither the day to come nor one on which nobody was here."""
    answer = Guest(client, "Ann").get(path)
    assert answer.status_code in (400, 404)
    assert not stored(client, select(daily_deals.c.day).where(daily_deals.c.day != DAY))


# -- attacks: one try a person ----------------------------------------------------------------------------------------


def test_a_second_try_is_refused(client, calendar):
    guest = Guest(client, "Ann")
    table = begin(guest)
    assert begin(guest) == table  # the same try
    leave(guest, table)
    assert refused(guest.post(f"daily/{GAME}", {"pace": 0}), 400, "over")
    begin(guest, "zsy4")  # another game has its own deal
    calendar.now = ENDS
    assert begin(guest) != table


def test_two_tabs_get_one_try(client):
    """Many requests at once: the database has one row for a person, whoever asked first."""
    guest = Guest(client, "Ann")
    guests = [Guest(client) for _ in range(8)]
    for one in guests:
        one.token = guest.token
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(begin, guests))
    assert len(found) == 1
    assert set(stored(client, select(tables.c.id))) == found  # no second table is left behind


def test_tries_by_two_processes_are_one(postgres, calendar):
    """Nothing is remembered in memory only: a second server on the same database knows of the try."""
    with arena(postgres) as first, arena(postgres) as second:
        guest = Guest(first, "Ann")
        table = begin(guest)
        guest.client = second
        assert begin(guest) == table
        secret = [stored(client, select(secrets.c.value)) for client in (first, second)]
        assert secret[0] == secret[1]
        assert len(secret[0]) == 1


@pytest.mark.parametrize("how", ["finished", "left"])
def test_forgetting_games_gives_no_second_try(client, calendar, how):
    guest, other = Guest(client, "Ann"), Guest(client, "Bob")
    table, points = play(guest) if how == "finished" else (begin(guest), None)
    if how == "left":
        leave(guest, table)
    assert guest.request("DELETE", "me/games").status_code == 200
    assert refused(guest.post(f"daily/{GAME}", {"pace": 0}), 400, "over")
    assert guest.get(f"tables/{table}").status_code == 404
    assert guest.get("me/daily").json()["results"] == []
    play(other, seed=5)
    assert [row["points"] for row in deal_of(other)["rows"] if not row["me"]] == [points]  # the result stays
    assert "Ann" not in json.dumps(deal_of(other))
    calendar.now = CLOSES
    shown = deal_of(other)
    assert "Ann" not in json.dumps(shown)
    for row in shown["rows"]:
        if row["replay"]:
            assert "Ann" not in guest.get(f"replays/{row['replay']}").text


def test_another_device_of_the_same_person_has_no_second_try(client):
    guest, phone = Guest(client, "Ann"), Guest(client, "")
    play(guest)
    assert phone.post("me/recover", guest.post("me/code").json()).status_code == 200
    assert refused(phone.post(f"daily/{GAME}", {"pace": 0}), 400, "over")
    assert deal_of(phone)["mine"]["points"] is not None


def test_who_is_deleted_leaves_a_result_without_a_name(client, calendar):
    guest, other = Guest(client, "Ann"), Guest(client, "Bob")
    begin(guest, "zsy4")  # still running: given up
    _, points = play(guest)
    assert guest.request("DELETE", "me").status_code == 200
    play(other, seed=3)
    play(other, "zsy4")
    assert [row["points"] for row in deal_of(other)["rows"] if not row["me"]] == [points]
    assert [(row["name"], row["points"]) for row in deal_of(other, "zsy4")["rows"] if not row["me"]] == [("", None)]
    calendar.now = CLOSES
    assert "Ann" not in json.dumps([deal_of(other, game) for game in (GAME, "zsy4")])


# -- attacks: the cards of a deal that still runs -----------------------------------------------------------------------


@pytest.fixture
def played(client):
    """A try that is over, at a deal that still runs, with the champion's own game; and somebody who has not played."""
    guest = Guest(client, "Ann")
    table, _ = play(guest)
    assert deal_of(guest)["champion"] is not None
    (champion,) = stored(client, select(daily_deals.c.replay).where(daily_deals.c.game == GAME))
    return guest, table, [replay_of(client, table), champion], Guest(client, "Bob")


def test_before_my_try_i_know_how_many_have_played(played, calendar):
    *_, other = played
    for one in (other, Guest(other.client)):
        deal = deal_of(one)
        assert (deal["players"], deal["rows"], deal["next"], deal["champion"], deal["mine"]) == (1, [], None, None, None)
        assert "Ann" not in json.dumps([deal, one.get("daily").json()])
    table = begin(other)
    assert deal_of(other)["rows"] == []  # nor while I play
    assert deal_of(other)["champion"] is None
    calendar.now = ENDS + MOMENT
    assert deal_of(other)["rows"] == []
    leave(other, table)
    assert len(deal_of(other)["rows"]) == 2


@pytest.mark.parametrize("path", ["", "/record", "/record?form=jsonl", "/review", "/truth"])
def test_replays_records_and_reviews_are_not_there(played, calendar, path):
    guest, _, replays, other = played
    for id in replays:
        for one in (guest, other):
            assert refused(one.get(f"replays/{id}{path}"), 404, "no_replay")
    calendar.now = CLOSES
    assert [other.get(f"replays/{id}{path}").status_code for id in replays] == [200, 200]


def test_no_table_is_dealt_from_it(played, calendar):
    guest, _, replays, other = played
    for id in replays:
        for source in ({"same_deal": id}, {"from": {"replay": id, "turn": 0}}):
            for one in (guest, other):
                answer = one.post("tables", {"game": GAME, "seats": ["me", "greedy"], **source})
                assert refused(answer, 404, "no_replay")
    calendar.now = CLOSES
    other.open(GAME, ["me", "greedy"], same_deal=replays[0])


def test_my_lists_of_games_leave_it_out(played, calendar):
    guest, table, replays, _ = played
    guest.open(GAME)
    assert guest.get("me/games").json() == []
    assert guest.get("me/export").text == ""
    for method in ("GET", "POST"):
        reviews = guest.request(method, "me/reviews").json()
        assert (reviews["games"], reviews["waiting"]) == ([], 0)
    assert guest.get(f"tables/{table}").json()["replay"] is None
    calendar.now = CLOSES
    assert [game["replay"] for game in guest.get("me/games").json()] == replays[:1]
    assert len(guest.get("me/export").text.splitlines()) == 1
    assert guest.get("me/reviews").json()["waiting"] == 1


def test_the_export_for_training_waits_too(played, calendar, tmp_path):
    target, url = tmp_path / "games.jsonl", played[0].client.app.state.settings.database
    assert game_export.export_games(url, target) == 0
    calendar.now = CLOSES
    assert game_export.export_games(url, target, overwrite=True) == 1  # not that of the agent alone


def test_the_result_at_the_table_shows_no_cards(played, calendar):
    guest, table, *_ = played
    with guest.sit(table) as seat:
        result = seat.until(lambda state: state["status"] == "over")["result"]
    assert (result["hands"], result["deal"], result["replay"]) == ([], [], "")
    assert result["scores"]
    calendar.now = CLOSES
    with guest.sit(table) as seat:
        result = seat.until(lambda state: state["status"] == "over")["result"]
    assert all(len(hand) == 18 for hand in result["deal"])


def test_every_message_to_its_person_shows_only_what_a_seat_knows(client):
    """Hands of others are in no message from the first to the last."""
    guest = Guest(client, "Ann")
    with guest.sit(begin(guest)) as seat:
        seat.play_out(Random(4))
        for text in seat.texts:
            message = json.loads(text)
            held = len(message["hand"])
            assert held == message["seats"][message["seat"]]["left"]
            assert not message["result"] or message["result"]["hands"] == []


@pytest.mark.parametrize("running", [True, False])
def test_nobody_else_looks_on(client, running):
    guest, other, nobody = Guest(client, "Ann"), Guest(client, "Bob"), Guest(client)
    bot = other.post("me/bots", {"name": "Iris"}).json()["token"]
    table = begin(guest) if running else play(guest)[0]
    for one, headers in ((other, {}), (nobody, {}), (nobody, {"authorization": f"Bearer {bot}"})):
        with one.sit(table, **headers) as seat:
            assert seat.hear()["code"] == "no_table"
            with pytest.raises(WebSocketDisconnect) as closed:
                seat.hear()
        assert closed.value.code == 4404
    for one in (other, nobody):
        assert refused(one.get(f"tables/{table}"), 404, "no_table")
        assert refused(one.post(f"tables/{table}/join"), 404, "no_table")
    assert other.get("tables").json() == []
    with guest.sit(table) as seat:
        assert seat.until(lambda state: state)["onlookers"] == 0


def test_no_hints_and_no_rematch_on_the_same_cards(client):
    guest = Guest(client, "Ann")
    with guest.sit(begin(guest)) as seat:
        hand = seat.wait_turn()["hand"]
        assert seat.ask(kind="hint", version=seat.state["version"])["code"] == "no_hints"
        seat.play_out(Random(1))
        seat.say(kind="rematch")
        again = seat.until(lambda state: state["rematch"]["table"])["rematch"]["table"]
    with guest.sit(again) as seat:
        assert seat.wait_turn()["hand"] != hand
        assert seat.state["daily"] is None


def test_a_bot_has_no_try(client):
    owner = Guest(client, "Ann")
    token = owner.post("me/bots", {"name": "Iris"}).json()["token"]
    answer = Guest(client).request("POST", "daily/zsy2", json={}, headers={"authorization": f"Bearer {token}"})
    assert refused(answer, 403, "not_for_bots")


@pytest.mark.parametrize("body", [{"seed": 1}, {"day": NEXT}, {"seat": 1}, {"hints": True}, {"person": 1}, {"agent": "random"}])
def test_nothing_about_a_deal_can_be_wished_for(client, body):
    assert refused(Guest(client, "Ann").post("daily/zsy2", body), 422, "malformed")


# -- attacks: the seed --------------------------------------------------------------------------------------------------


def test_seed_and_secret_are_never_sent_or_logged(client, calendar, caplog):
    caplog.set_level(logging.DEBUG)
    guest = Guest(client, "Ann")
    table, _ = play(guest)
    with guest.sit(table) as seat:
        texts = [json.dumps(seat.until(lambda state: state))]
    (seed,) = stored(client, select(tables.c.seed))
    (secret,) = stored(client, select(secrets.c.value))
    paths = ["daily", "me/daily", "me/games", "me/export", "me/tables", "tables", "health", f"tables/{table}"]
    texts += [guest.get(path).text for path in (*paths, f"daily/{DAY}/{GAME}")]
    calendar.now = CLOSES
    deal = deal_of(guest)
    texts += [json.dumps(deal), guest.get(f"replays/{deal['mine']['replay']}").text]
    texts += [guest.get(f"replays/{deal['champion_replay']}/record?form=jsonl").text, guest.get("me/export").text]
    texts += [f"{record.getMessage()} {record.__dict__}" for record in caplog.records]
    assert len(secret) == 64
    assert not [text for text in texts if str(seed) in text or secret in text]


def test_the_cards_follow_from_the_secret_alone():
    """Another secret, day or game gives other cards; the same three give the same."""
    secret = bytes(32)
    days = [daily.day_of(NOON + timedelta(number)) for number in range(200)]
    seeds = [daily.seed_of(secret, day, "zsy2") for day in days]
    assert seeds == [daily.seed_of(secret, day, "zsy2") for day in days]
    assert len(set(seeds)) == 200
    assert all(0 <= seed < 1 << 63 for seed in seeds)
    assert daily.seed_of(secret, DAY, "zsy2") != daily.seed_of(secret, DAY, "doudizhu")
    assert daily.seed_of(b"\1" * 32, DAY, "zsy2") != daily.seed_of(secret, DAY, "zsy2")


def test_two_servers_have_other_cards(tmp_path, calendar):
    hands = []
    for name in ("a", "b"):
        with arena(tmp_path / f"{name}.db") as client:
            guest = Guest(client, "Ann")
            with guest.sit(begin(guest)) as seat:
                hands.append(seat.wait_turn()["hand"])
    assert hands[0] != hands[1]
