"""Clocks: kept by the server, settled when the table is opened, the same after a restart."""

import time
from dataclasses import replace
from random import Random

import pytest

from shangyou import games
from shangyou.engines import reference
from shangyou.web import clock as clocks
from shangyou.web.clock import Clock
from shangyou.web.storage import table_store
from shangyou.web.storage.database import Storage
from shangyou.web.table import Seat, Table
from shangyou.web.wire import requests
from web.arena_client import Guest, arena

SLOW = {"move": 600, "reserve": 100}


@pytest.fixture
def fast(monkeypatch):
    """A second is three, so that tests need not wait."""
    monkeypatch.setattr(clocks, "LAG_MS", 0)
    monkeypatch.setattr("shangyou.web.live.live_table.LAG_MS", -2500)  # a move of 3 s runs out after half a second


def test_seconds_of_a_move_and_a_reserve():
    clock = Clock(move=20, reserve=60)
    assert clock.reserve_left([]) == 60_000
    assert clock.reserve_left([20_000, None, 1, 25_000]) == 55_000
    assert clock.reserve_left([90_000, 21_000]) == 0


def two_people(clock=None):
    seats = (Seat("person", "A", 1), Seat("person", "B", 2))
    return Table("t", reference.deal(games.load_text("zsy2", "first_lead=seat0"), 1), seats, clock=clock)


def test_time_to_act():
    table = two_people(Clock(move=20, reserve=60))
    assert table.turn_ms == 80_000
    low = int(reference.legal(table.state)[0])
    table = table.play(low, 50_000)
    assert [table.reserve_left(seat) for seat in (0, 1)] == [30_000, 60_000]
    table = table.put(0, 20_000).play(int(reference.legal(table.put(0).state)[0]), 500_000)
    assert table.reserve_left(0) == 0
    assert table.turn_ms == 80_000  # of the other
    assert replace(table, seats=(table.seats[0], Seat("agent", "greedy"))).turn_ms is None
    assert two_people().turn_ms is None


def test_who_runs_out_of_time_is_replaced_and_has_lost(client, fast):
    one, two = Guest(client, "A"), Guest(client, "B")
    id = one.open("zsy2", ["me", "open"], hints=False, clock={"move": 3, "reserve": 0})
    two.post(f"tables/{id}/join")
    with one.sit(id) as mine, two.sit(id) as theirs:
        state = mine.until(lambda state: state["status"] == "playing")
        assert state["clock"] == {"move": 3, "reserve": 0, "left_ms": [0, 0], "spent_ms": state["clock"]["spent_ms"]}
        slow = next(number for number, seat in enumerate(state["seats"]) if seat["turn"])
        late, quick = (mine, theirs) if slow == 0 else (theirs, mine)
        began = time.monotonic()
        gone = quick.until(lambda state: state["seats"][slow]["stand_in"])
        assert 0.2 < time.monotonic() - began < 3
        assert late.until(lambda state: state["forfeited"] == slow)["seat"] is None
        assert gone["status"] == "playing"
        while quick.wait_turn()["status"] != "over":
            quick.act(Random(1))
    loser = (one, two)[slow]
    assert loser.get("ratings?game=zsy2").json()["me"]["rating"] < 25
    assert loser.get("me/games").json()[0]["won"] is False


def test_in_time_nothing_happens(client, fast):
    guest = Guest(client, "A")
    with guest.sit(guest.open("zsy2", hints=False, clock={"move": 3, "reserve": 600})) as seat:
        seat.play_out(Random(1))
        assert seat.state["seats"][0]["stand_in"] is None
        assert seat.state["clock"]["left_ms"][0] == 600_000  # no move took longer than its 3 s


def test_alone_on_the_clock_nobody_needs_to_look(client, fast):
    """The page is closed and the clock runs on: the game is lost, and finished by bots."""
    guest = Guest(client, "A")
    id = guest.open("zsy2", ["me", "random"], hints=False, clock={"move": 3, "reserve": 0})
    assert wait_for(lambda: guest.get(f"tables/{id}").json()["status"] == "over")
    assert guest.get("ratings?game=zsy2").json()["me"]["wins"] == 0


def wait_for(done, seconds=10):
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.05)
    return done()


def test_the_clock_after_a_restart(tmp_path):
    """Nothing of what was used comes back, but the turn begins anew: people did not stop the server."""
    with arena(tmp_path / "a.db") as client:
        one, two = Guest(client, "A"), Guest(client, "B")
        id = one.open("zsy2", ["me", "open"], clock=SLOW)
        two.post(f"tables/{id}/join")
        with one.sit(id) as mine, two.sit(id) as theirs:
            mine.until(lambda state: state["status"] == "playing")
            theirs.hear()
            acting = mine if mine.state["legal"] else theirs
            acting.act(Random(1))
            before = acting.state
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    table = storage.run_now(table_store.find_table, id)
    slow = table.actions[0]._replace(think_ms=660_000)  # as if the first play had taken eleven minutes
    storage.run_now(lambda db: db.execute(table_store.actions.update().values(think_ms=slow.think_ms)))
    assert table.clock == Clock(**SLOW)
    storage.close()
    with arena(tmp_path / "a.db") as client:
        one.client = client
        assert client.get("/api/v1/health").json()["in_memory"] == 1  # its clock runs, though nobody has come back
        with one.sit(id) as mine:
            state = mine.hear()
            left = [100_000, 100_000]
            left[slow.seat] = 40_000
            assert (state["version"], state["clock"]["left_ms"]) == (before["version"], left)
            assert state["clock"]["spent_ms"] < 60_000


def test_time_runs_out_after_a_restart_though_nobody_comes_back(tmp_path, fast):
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        id = guest.open("zsy2", ["me", "random"], hints=False, clock={"move": 600, "reserve": 0})
        with guest.sit(id) as seat:
            seat.wait_turn()
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    storage.run_now(lambda db: db.execute(table_store.tables.update().values(clock={"move": 3, "reserve": 0})))
    storage.close()
    with arena(tmp_path / "a.db") as client:
        assert wait_for(lambda: client.get(f"/api/v1/tables/{id}").json()["status"] == "over")


def test_a_game_bots_finish_goes_on_after_a_restart(tmp_path):
    """The server stops right after somebody has left."""
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        id = guest.open("zsy2", hints=False)
        with guest.sit(id) as seat:
            seat.wait_turn()
    storage = Storage(f"sqlite:///{tmp_path / 'a.db'}")
    before = storage.run_now(table_store.find_table, id)
    table = replace(before.leave(0, "greedy"), revision=before.revision + 1)
    storage.run_now(table_store.change_table, table, before)
    storage.close()
    with arena(tmp_path / "a.db") as client:
        assert wait_for(lambda: client.get("/api/v1/health").json()["tables"] == 0)
        guest.client = client
        assert guest.get("ratings?game=zsy2").json()["me"]["games"] == 1


@pytest.mark.parametrize("clock", [{"move": 2, "reserve": 0}, {"move": 601, "reserve": 0}, {"move": 3, "reserve": -1}, {}, 20])
def test_clocks_that_cannot_be(client, clock):
    body = {"game": "zsy2", "seats": ["me", "greedy"], "clock": clock}
    assert Guest(client).post("tables", body).status_code == 422


def test_the_longest_clock_is_shorter_than_the_longest_think_time_stored():
    """What is left is computed from stored times, which are capped."""
    fields = requests.ClockWish.model_fields
    longest = sum(limit.le for name in ("move", "reserve") for limit in fields[name].metadata if hasattr(limit, "le"))
    assert 1000 * longest < 3_600_000
