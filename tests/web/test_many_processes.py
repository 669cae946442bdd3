"""Two arenas on one PostgreSQL: a table is one game, whichever process it is played through, and goes on if one is killed."""

import json
import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import cycle
from random import Random
from threading import Barrier

import httpx2 as httpx
import psycopg
import pytest
from sqlalchemy import select
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from shangyou import games
from shangyou.engines import reference
from shangyou.web.live.inference import InferencePool
from shangyou.web.storage import archive, database, people, ratings
from shangyou.web.storage.database import Storage
from shangyou.web.storage.schema import people as people_rows
from shangyou.web.table import Seat, Table
from web.arena_client import API, Guest, action, arena
from web.own_server import two_servers

SAME_MOMENT = 10_000 if os.environ.get("SHANGYOU_ALL") else 120  # actions, made at four tables
TABLES = 4


@pytest.fixture(scope="module")
def both(tmp_path_factory, postgres_server):
    with psycopg.connect(postgres_server("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE both_processes")
    with two_servers(tmp_path_factory.mktemp("both"), postgres_server("both_processes")) as servers:
        yield servers


class Browser:
    """A person, who can ask either process and have a socket at each."""

    def __init__(self, server, nickname=""):
        self.token = httpx.post(f"{server.address}{API}/me", json={"nickname": nickname}, timeout=30).cookies["shangyou"]
        self.headers = {"cookie": f"shangyou={self.token}"}

    def ask(self, method, server, path, body=None):
        return httpx.request(method, f"{server.address}{API}/{path}", json=body, headers=self.headers, timeout=30)

    def open(self, server, game, seats, **options):
        answer = self.ask("POST", server, "tables", {"game": game, "seats": seats, "pace": 0, "hints": False} | options)
        assert answer.status_code == 200, answer.text
        return answer.json()["table"]

    @contextmanager
    def sit(self, server, table):
        url = f"{server.address.replace('http', 'ws', 1)}{API}/tables/{table}/live"
        with connect(url, additional_headers=self.headers, compression=None) as socket:
            yield Live(socket)


class Live:
    def __init__(self, socket):
        self.socket, self.state, self.others = socket, None, []

    def hear(self, seconds=20):
        message = json.loads(self.socket.recv(timeout=seconds))
        if message["kind"] == "state":
            self.state = message
        else:
            self.others.append(message)
        return message

    def say(self, **message):
        self.socket.send(json.dumps(message))

    def until(self, wanted, seconds=20):
        """Listen until a state is as wanted."""
        end = time.monotonic() + seconds
        while self.state is None or not wanted(self.state):
            self.hear(max(0.01, end - time.monotonic()))
        return self.state

    def other(self, kind):
        """The next message of this kind."""
        while not any(message["kind"] == kind for message in self.others):
            self.hear()
        return next(self.others.pop(i) for i, message in enumerate(self.others) if message["kind"] == kind)

    def wait_turn(self):
        return self.until(lambda state: state["legal"] or state["bids"] or state["status"] in ("over", "left"))


def wait_for(found, seconds=20):
    end = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return result


def turns(state):
    return [(turn["seat"], turn["play"]) for turn in state["history"]]


# -- at the same moment -----------------------------------------------------------------------------------------------


@pytest.mark.timeout(3600)
def test_both_act_on_one_table_at_the_same_moment(both):
    """Two people with a socket at each process make every play twice, another one if there is one. One of them counts."""
    with ThreadPoolExecutor(TABLES) as threads:
        found = list(threads.map(lambda number: make_plays_twice(both, number, SAME_MOMENT // TABLES), range(TABLES)))
    done, by_second = (sum(numbers) for numbers in zip(*found, strict=True))
    assert done >= SAME_MOMENT
    assert 0 < by_second < done  # each process was first now and then
    print(f"{done} actions, made at both processes at the same moment; {by_second} counted at the second")


def make_plays_twice(both, number, most):
    """At one table, and those of its rematches; how many plays, and how many of them counted at the second process."""
    first, second = both
    ann, bob = Browser(first, "Ann"), Browser(second, "Bob")
    table, done, chance, by_second = ann.open(first, "zsy2", ["me", "open"]), 0, Random(number), 0
    assert bob.ask("POST", second, f"tables/{table}/join").json()["seat"] == 1
    while done < most:
        with ann.sit(first, table) as a, ann.sit(second, table) as b, bob.sit(first, table) as c, bob.sit(second, table) as d:
            seats, seen = ((a, b), (c, d)), []
            while True:
                version = len(seen)
                for live in (a, b, c, d):
                    live.until(lambda state, version=version: state["status"] == "over" or state["version"] == version)
                    assert turns(live.state)[:version] == seen
                if a.state["status"] == "over":
                    break
                mover = next(number for number, (one, _) in enumerate(seats) if one.state["legal"])
                plays = [move["play"] for move in seats[mover][0].state["legal"]]
                wishes = chance.sample(plays, 2) if len(plays) > 1 else plays * 2
                order = [0, 1] if done % 2 else [1, 0]
                for which in order:
                    seats[mover][which].say(kind="play", version=version, play=wishes[which])
                for live in (a, b, c, d):
                    live.until(lambda state, version=version: state["version"] == version + 1)
                refused = [which for which in order if _is_refused(seats[mover][which])]
                assert len(refused) == 1
                counted = seats[mover][1 - refused[0]].state["history"]
                assert len(counted) == version + 1
                seat = seats[mover][0].state["seat"]
                assert (counted[-1]["seat"], counted[-1]["play"]) == (seat, wishes[1 - refused[0]])
                by_second += refused[0] == 0
                seen = turns(a.state)
                done += 1
            assert len({json.dumps(live.state["result"]) for live in (a, b, c, d)}) == 1
            replay = httpx.get(f"{first.address}{API}/replays/{a.state['result']['replay']}", timeout=30).json()
            assert [(turn["seat"], turn["play"]) for turn in replay["turns"]] == turns(a.state)
            a.say(kind="rematch")
            d.say(kind="rematch")  # each through another process, at the same moment
            table = a.until(lambda state: state["rematch"]["table"])["rematch"]["table"]
            assert d.until(lambda state: state["rematch"]["table"])["rematch"]["table"] == table
    return done, by_second


def _is_refused(live):
    """Whether the play was refused; if so the refusal is the answer to the next message at the latest."""
    live.say(kind="ping")
    live.other("pong")
    found = [message for message in live.others if message["kind"] == "refused"]
    assert all(message["code"] in ("stale", "not_your_turn", "over") for message in found)
    live.others.clear()
    return bool(found)


def test_both_take_the_last_seat_at_the_same_moment(both):
    first, second = both
    ann, bob, eve = (Browser(first, name) for name in ("Ann", "Bob", "Eve"))
    with ThreadPoolExecutor(2) as threads:
        for _ in range(8):
            table = ann.open(first, "zsy2", ["me", "open"])
            path = f"tables/{table}/join"
            asked = [threads.submit(who.ask, "POST", server, path) for who, server in ((bob, first), (eve, second))]
            assert sorted(one.result().status_code for one in asked) == [200, 409]
            seats = [httpx.get(f"{server.address}{API}/tables/{table}", timeout=30).json()["seats"] for server in both]
            assert seats[0] == seats[1]


def test_games_that_end_at_the_same_moment_all_count(postgres):
    """The same three people in other seats, in many transactions at once: none is undone for good, none counted twice."""
    storage = Storage(postgres)
    ids = [storage.run_now(people.add_person)[0].id for _ in range(3)]
    chance, game = Random(1), games.load_text("doudizhu", "bidding=true")

    def end(number):
        state = reference.bid(reference.deal(game, number), 3)
        while not state.over:
            state = reference.step(state, int(reference.legal(state)[-1]))
        seats = tuple(Seat("person", "", id) for id in chance.sample(ids, 3))
        storage.run_now(archive.add_finished, Table(f"t{number}", state, seats, hints=False, replay=f"g{number}"), [""] * 3)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(end, range(40)))
    rows = storage.run_now(lambda db: db.execute(ratings.ratings.select()).all())
    assert [row.games for row in rows] == [40] * 3
    assert sum(row.points for row in rows) == 0
    storage.close()


def test_transactions_that_wait_for_each_other_are_made_again(postgres):
    storage = Storage(postgres)
    ids = [storage.run_now(people.add_person)[0].id for _ in range(2)]
    tries, both_hold_one = Counter(), Barrier(2, timeout=30)

    def rename(db, first, second):
        tries[first] += 1
        for id in (first, second):
            db.execute(people_rows.update().where(people_rows.c.id == id).values(nickname=str(first)))
            if id == first and tries[first] == 1:
                both_hold_one.wait()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda order: storage.run_now(rename, *order), (ids, ids[::-1])))
    assert sum(tries.values()) > 2  # one was undone, and made again
    names = storage.run_now(lambda db: set(db.execute(select(people_rows.c.nickname)).scalars()))
    assert names == {str(ids[0])} or names == {str(ids[1])}  # not one of each
    storage.close()


def test_time_is_that_of_the_database(postgres, monkeypatch):
    class AnHourAhead(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(hours=1)

    storage = Storage(postgres)
    monkeypatch.setattr(database, "_ahead", timedelta())
    monkeypatch.setattr(database, "datetime", AnHourAhead)
    assert database.now() - datetime.now(UTC) > timedelta(minutes=59)
    storage.set_clock()
    assert abs(database.now() - datetime.now(UTC)) < timedelta(seconds=5)
    storage.close()


# -- one table through two processes ----------------------------------------------------------------------------------


def test_a_table_is_one_table(both):
    """Who is there, what is said, who leaves: seen through the other process."""
    first, second = both
    ann, bob, eve = Browser(first, "Ann"), Browser(second, "Bob"), Browser(second, "Eve")
    table = ann.open(first, "zsy2", ["me", "open"])
    with ann.sit(first, table) as a, eve.sit(second, table):
        a.until(lambda state: state["onlookers"] == 1)
        bob.ask("POST", second, f"tables/{table}/join")
        a.until(lambda state: state["status"] == "playing" and not state["seats"][1]["online"])
        with bob.sit(second, table) as b:
            a.until(lambda state: state["seats"][1]["online"])
            b.until(lambda state: state["seats"][0]["online"])
            for _ in range(8):
                b.say(kind="phrase", phrase="hello")
                assert a.other("phrase") == {"kind": "phrase", "seat": 1, "phrase": "hello"}
            with bob.sit(first, table) as again:
                again.say(kind="phrase", phrase="wow")
                assert again.other("refused")["code"] == "too_fast"  # counted for both processes together
            b.say(kind="leave")
            a.until(lambda state: state["seats"][1]["stand_in"])
        a.until(lambda state: state["onlookers"] == 1)


def test_people_find_each_other(both):
    first, second = both
    ann, bob = Browser(first, "Ann"), Browser(second, "Bob")
    table = ann.ask("POST", first, "quick", {"game": "zsy4"}).json()["table"]
    with ann.sit(first, table):
        wait_for(lambda: table in [one["table"] for one in bob.ask("GET", second, "tables").json()])
        assert bob.ask("POST", second, "quick", {"game": "zsy4"}).json() == {"table": table, "seat": 1}
    assert bob.ask("GET", first, "me/tables").json()[0]["table"] == table


def test_quick_matches_at_the_same_moment_meet(both):
    guests = [Browser(both[number % 2], str(number)) for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(
            lambda one: one[1].ask("POST", both[one[0] % 2], "quick", {"game": "zsy2"}).json(), enumerate(guests)
        )
    found = [one["table"] for one in found]
    assert sorted(found.count(table) for table in set(found)) == [2] * 4


def test_signed_out_through_the_other_process(both):
    first, second = both
    ann = Browser(first, "Ann")
    table = ann.open(first, "zsy2", ["me", "open"])
    with ann.sit(second, table) as a:
        a.hear()
        device = ann.ask("GET", first, "me/profile").json()["devices"][0]["device"]
        assert ann.ask("DELETE", first, f"me/devices/{device}").status_code == 200
        with pytest.raises(ConnectionClosed) as closed:
            a.until(lambda _: False)
        assert closed.value.rcvd.code == 1013


def test_limits_hold_for_both_together(tmp_path, postgres):
    with two_servers(tmp_path, postgres, SHANGYOU_NEW_TABLES="6", SHANGYOU_CODES="3") as servers:
        ann = Browser(servers[0], "Ann")  # is new too
        wish = {"game": "zsy2", "seats": ["me", "open"]}
        statuses = [ann.ask("POST", servers[number % 2], "tables", wish).status_code for number in range(8)]
        assert statuses == [200] * 5 + [429] * 3
        codes = [ann.ask("POST", servers[number % 2], "me/recover", {"code": "no"}).status_code for number in range(5)]
        assert codes == [403] * 3 + [429] * 2
        assert wait_for(lambda: ann.ask("GET", servers[0], "health").json()["processes"] == 2)


def test_what_nobody_hears_is_read_all_the_same(both, postgres_server):
    """As behind a pooler of transactions, or after a connection was cut."""
    first, second = both
    ann, bob = Browser(first, "Ann"), Browser(second, "Bob")
    table = ann.open(first, "zsy2", ["me", "open"])
    with ann.sit(first, table) as a:
        a.hear()
        with psycopg.connect(postgres_server("both_processes"), autocommit=True) as connection:
            connection.execute("NOTIFY shangyou, 'what nobody can read'")
            ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
            assert wait_for(lambda: connection.execute(ended).fetchall() == [(True,)] * 2)
        bob.ask("POST", second, f"tables/{table}/join")
        a.until(lambda state: state["status"] == "playing", seconds=10)


def test_an_agent_is_asked_by_one_process(postgres, monkeypatch):
    """That of the last change, though both have the table open."""
    asked, decide = Counter(), InferencePool.decide

    async def counted(self, name, state):
        asked[len(state.history)] += 1
        return await decide(self, name, state)

    monkeypatch.setattr(InferencePool, "decide", counted)
    with arena(postgres) as one, arena(postgres) as two:
        guest, elsewhere = Guest(one), Guest(two)
        elsewhere.token = guest.token = Guest(one, "A").token
        id, chance, version = guest.open("zsy4", hints=False), Random(1), -1
        with guest.sit(id) as a, elsewhere.sit(id) as b:
            for seat in cycle((a, b)):
                moved = lambda state, version=version: state["legal"] and state["version"] > version  # noqa: E731
                seat.until(lambda state, moved=moved: state["status"] == "over" or moved(state))
                if seat.state["status"] == "over":
                    break
                version = seat.state["version"]
                seat.act(chance)
            turns = seat.state["history"]
    assert asked == Counter(number for number, turn in enumerate(turns) if turn["seat"] != 1)


# -- one of them dies -------------------------------------------------------------------------------------------------


def test_one_is_killed_and_its_players_go_on_at_the_other(tmp_path, postgres):
    with two_servers(tmp_path, postgres) as (first, second):
        ann, bob = Browser(first, "Ann"), Browser(second, "Bob")
        chance = Random(1)
        shared = ann.open(first, "zsy2", ["me", "open"])
        bob.ask("POST", second, f"tables/{shared}/join")
        alone = ann.open(first, "zsy4", ["greedy", "me", "random", "greedy"], pace=300)
        asleep = ann.open(first, "zsy2", ["me", "random"], clock={"move": 5, "reserve": 0})
        with ann.sit(first, alone) as live, ann.sit(first, shared):
            while live.wait_turn()["version"] < 6:
                live.say(**action(live.state, chance))
                live.until(lambda state, version=live.state["version"]: state["version"] > version)
            live.say(**action(live.state, chance))
            seen = turns(live.until(lambda state, version=live.state["version"]: state["version"] > version))
            first.stop(signal.SIGKILL)  # while an agent is asked
        with ann.sit(second, alone) as live:
            while live.wait_turn()["status"] != "over":
                assert turns(live.state)[: len(seen)] == seen
                live.say(**action(live.state, chance))
                live.until(lambda state, version=live.state["version"]: state["version"] > version)
            seen = turns(live.state)
            replay = ann.ask("GET", second, f"replays/{live.state['result']['replay']}").json()
            assert [(turn["seat"], turn["play"]) for turn in replay["turns"]] == seen
        with ann.sit(second, shared) as a, bob.sit(second, shared) as b:
            while True:
                for live in (a, b):
                    live.until(
                        lambda state: (
                            state["version"] == max(a.state["version"] if a.state else 0, b.state["version"] if b.state else 0)
                        )
                    )
                if a.state["status"] == "over":
                    break
                live = a if a.state["legal"] else b
                live.say(**action(live.state, chance))
                live.until(lambda state, version=live.state["version"]: state["version"] > version)
        seat = lambda: ann.ask("GET", second, f"tables/{asleep}").json()  # noqa: E731
        assert wait_for(lambda: seat()["status"] == "over")  # nobody came back to it: its clock was kept
        mine = ann.ask("GET", second, "ratings?game=zsy2").json()["me"]
        assert mine["games"] == 2
