"""Many tables at once: people who play at random against champions, over real sockets, from this process.

    python bench/web_load.py --tables 200 --minutes 10
    python bench/web_load.py --tables 200 --minutes 10 --processes 2 --kill --database postgresql://user@host/empty

starts a server of its own on an empty database and prints one line of JSON. Every table has a clock, and one person in
`--asleep` lets it run out in each of their games, which bots then finish. What is measured is how long an agent's move takes
beyond the pace of its table, as the browser sees it; what goes wrong; how late clocks go off; whether every finished game can
be found again; and how much memory the servers take at the start (all tables open), in the middle and at the end.

With several processes on one PostgreSQL two people sit at each table, each at another process. `--kill` ends the first process
with SIGKILL in the middle; its people go on at the next. What everybody was sent and what they did is compared with the games
as they are stored: nothing that anybody saw may be missing, nothing may be there that nobody did, and every rated game counts
once in the ratings of its people.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from itertools import zip_longest
from pathlib import Path
from typing import Any

import httpx2 as httpx
import websockets

SEATS = {"zsy2": 2, "zsy4": 4, "doudizhu": 3}
RULES = {"doudizhu": "bidding=true"}  # rated
NO_LIMITS = {
    f"SHANGYOU_{name}": "1000000" for name in ("SOCKETS", "CONNECTIONS", "NEW_TABLES", "NEW_RULES", "REQUESTS", "MESSAGES")
}
NO_COOKIES = DefaultCookiePolicy(allowed_domains=[])  # everybody has their own, which no other request may carry
CLOCK = {"move": 20, "reserve": 60}  # of those who play
SHORT = {"move": 3, "reserve": 0}  # of those who let it run out
ALL_OPEN = 0.1  # of the time, after which all tables are open and the models loaded


@dataclass
class Server:
    address: str
    process: subprocess.Popen[str]

    @property
    def megabytes(self) -> int:
        if self.process.poll() is not None:
            return 0
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) // 1024 if found else 0

    @property
    def cpu_seconds(self) -> float:
        """So far; unlike times on the clock it hardly depends on what else the machine does."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def own_servers(processes: int, database: str | None) -> Iterator[list[Server]]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        servers = []
        for number in range(processes):
            words = ["shangyou", "serve", "--port", "0", "--database", database or f"sqlite:///{folder}/arena.db"]
            environment = os.environ | NO_LIMITS | {"COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
            with (Path(folder) / f"log{number}").open("w") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=log, text=True, env=environment
                )
            running.callback(process.wait, 30)
            running.callback(process.terminate)
            assert process.stdout
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found, "the server did not start"
            servers.append(Server(found[0], process))
        yield servers


@dataclass
class Game:
    """What one person saw and did at one table."""

    person: int  # by the order of their coming
    name: str
    seen: list[tuple[int, int]] = field(default_factory=list)  # seat and play of each turn
    sent: dict[int, int] = field(default_factory=dict)  # the bid or play by the version it was meant for
    bids: set[int] = field(default_factory=set)  # the versions of bids
    seat: int | None = None
    replay: str = ""
    awake: bool = True  # until the end

    @property
    def mine(self) -> list[tuple[int, int]]:
        """My turns, each meant to count once."""
        return [(self.seat or 0, play) for version, play in sorted(self.sent.items()) if version not in self.bids]


@dataclass
class Load:
    addresses: list[str]
    pace: int  # ms, of agents
    think: float  # seconds a person takes on average
    until: float
    asleep: int  # one person in so many lets the clock run out; 0: nobody
    people: int  # at each table
    client: httpx.AsyncClient = field(default_factory=lambda: httpx.AsyncClient(timeout=60, cookies=CookieJar(NO_COOKIES)))
    latencies: list[float] = field(default_factory=list)  # ms beyond the pace
    answers: list[float] = field(default_factory=list)  # ms from an action of mine to the state that has it
    first_seen: dict[tuple[str, int], float] = field(default_factory=dict)  # when the first at a table saw a version
    apart: list[float] = field(default_factory=list)  # ms by which the others saw it later
    games: list[Game] = field(default_factory=list)
    tokens: dict[int, str] = field(default_factory=dict)
    why: Counter[str] = field(default_factory=Counter)  # lines broke, and what came of it
    broken: list[float] = field(default_factory=list)  # seconds from a line that broke to the next state, at the next process
    killed_at: float | None = None
    cpu_of_killed: float = 0.0  # seconds
    after_kill: list[float] = field(default_factory=list)  # ms beyond the pace, of agents that were to move when it was
    errors: list[str] = field(default_factory=list)
    late: list[float] = field(default_factory=list)  # ms between the end of a clock and the state that tells of it
    asked: int = 0  # games in which a clock should run out


async def one_table(load: Load, number: int, tables: int) -> None:
    """A game, and others until the time is over; the last one is finished too. Not everybody comes at once."""
    name = list(SEATS)[number % len(SEATS)]
    sleeps = load.asleep > 0 and number % load.asleep == 0
    people = 1 if sleeps else load.people
    seats = ["me", *["open"] * (people - 1), *[f"champion/{name}"] * (SEATS[name] - people)]
    clock = SHORT if sleeps else CLOCK
    wish = {"game": name, "seats": seats, "pace": load.pace, "hints": False, "clock": clock, "rules": RULES.get(name, "")}
    await asyncio.sleep(number / tables * load.think)
    going = True
    while going:
        try:
            games = [Game(number * load.people + other, name) for other in range(people)]  # at one process after another
            table = (await ask(load, games[0].person, "POST", "tables", wish))["table"]
            for game in games[1:]:
                await ask(load, game.person, "POST", f"tables/{table}/join")
            play = sleep_in if sleeps else one_game
            await asyncio.gather(*(play(load, table, game, random.Random(f"{game.person} {table}")) for game in games))
            load.games += games
        except Exception as error:  # a load test counts what goes wrong
            load.errors.append(f"{type(error).__name__}: {error}"[:200])
            await asyncio.sleep(1)
        going = time.monotonic() < load.until


def addresses_of(load: Load, person: int) -> Iterator[str]:
    """The process of a person, and the others should that be dead: for a while they ask all of them again and again."""
    for number in range(40):
        yield load.addresses[(person + number) % len(load.addresses)]


async def ask(load: Load, person: int, method: str, path: str, body: Any = None) -> Any:
    """By the first process that answers. What changes something is asked once, unless nobody could have read it."""
    headers = {"Cookie": f"shangyou={load.tokens[person]}"} if person in load.tokens else {}
    for address in addresses_of(load, person):
        try:
            answer = await load.client.request(method, f"{address}/api/v1/{path}", json=body, headers=headers)
        except httpx.ConnectError:
            await asyncio.sleep(0.1)
            continue
        if token := answer.cookies.get("shangyou"):
            load.tokens[person] = token
        answer.raise_for_status()
        return answer.json()
    raise RuntimeError("no process answers")


async def states(load: Load, table: str, person: int) -> AsyncIterator[tuple[Any, dict[str, Any], float]]:
    """The socket, a state and when it came, one after another; a line that breaks is opened again, at another process."""
    broken_at = None
    for address in addresses_of(load, person):
        url = f"{address.replace('http', 'ws', 1)}/api/v1/tables/{table}/live"
        headers = {"Cookie": f"shangyou={load.tokens[person]}"}
        try:
            async with websockets.connect(url, additional_headers=headers, compression=None) as live:
                async for text in live:
                    message, now = json.loads(text), time.monotonic()
                    if message["kind"] == "refused" and message["code"] == "stale":
                        load.why["sent again, though stored before the line broke"] += 1
                        continue
                    if message["kind"] != "state":
                        raise RuntimeError(text)
                    if broken_at is not None:
                        load.broken.append(now - broken_at)
                        broken_at = None
                    yield live, message, now
        except (OSError, websockets.ConnectionClosed, websockets.InvalidHandshake) as error:
            load.why[f"{type(error).__name__} {error}"[:60]] += 1
        else:
            load.why[f"closed {live.close_code} {live.close_reason}"] += 1
        broken_at = broken_at or time.monotonic()
        await asyncio.sleep(0.1)
    raise RuntimeError("the servers hung up in mid-game")


async def sleep_in(load: Load, table: str, game: Game, _: random.Random) -> None:
    """On the first turn of mine the clock runs out; bots finish the game."""
    load.asked += 1
    game.awake, my_turn = False, None
    async for _, state, now in states(load, table, game.person):
        remember(game, state)
        if state["forfeited"] is not None and my_turn is not None:
            load.late.append((now - my_turn) * 1000 - 1000 * SHORT["move"])
            my_turn = None
        if state["legal"] or state["bids"]:
            my_turn = my_turn or now
        if state["status"] == "over":
            game.replay = state["result"]["replay"]
            return


def remember(game: Game, state: dict[str, Any]) -> None:
    history = [(turn["seat"], turn["play"]) for turn in state["history"]]
    if history[: len(game.seen)] != game.seen:
        raise RuntimeError("what was sent before is not so any more")
    game.seen, game.seat = history, state["seat"] if game.seat is None else game.seat


async def one_game(load: Load, table: str, game: Game, chance: random.Random) -> None:
    waiting: tuple[int, float] | None = None  # the version at which an agent was to move, and since when
    acted: tuple[int, float] | None = None
    sent_by: tuple[Any, int] | None = None  # the socket, and the version
    async for live, state, now in states(load, table, game.person):
        version = state["version"]
        remember(game, state)
        if waiting is not None and version > waiting[0]:
            while_killed = load.killed_at is not None and waiting[1] < load.killed_at < now
            (load.after_kill if while_killed else load.latencies).append((now - waiting[1]) * 1000 - load.pace)
            waiting = None
        if acted is not None and version > acted[0]:
            load.answers.append((now - acted[1]) * 1000)
            acted = None
        if load.people > 1 and version > 0:
            first = load.first_seen.setdefault((table, version), now)
            if now > first:
                load.apart.append((now - first) * 1000)
        if state["status"] == "over":
            game.replay = state["result"]["replay"]
            return
        if state["forfeited"] is not None:
            raise RuntimeError("a clock ran out for somebody who plays")
        if waiting is None and any(seat["turn"] and seat["kind"] == "agent" for seat in state["seats"]):
            waiting = version, now
        if (state["legal"] or state["bids"]) and sent_by != (live, version):
            if version not in game.sent:
                await asyncio.sleep(chance.expovariate(1 / load.think) if load.think else 0)
            decide(game, state, chance)
            kind = (
                {"kind": "bid", "points": game.sent[version]} if state["bids"] else {"kind": "play", "play": game.sent[version]}
            )
            acted, sent_by = (version, time.monotonic()), (live, version)
            with suppress(websockets.ConnectionClosed):  # sent again, if it did not arrive, where the game goes on
                await live.send(json.dumps(kind | {"version": version}))


def decide(game: Game, state: dict[str, Any], chance: random.Random) -> None:
    """Once for a version: what is sent again is the same."""
    if state["bids"]:
        game.bids.add(state["version"])
    choices = state["bids"] or [play["play"] for play in state["legal"]]
    game.sent.setdefault(state["version"], chance.choice(choices))


# -- what is so at the end --------------------------------------------------------------------------------------------


async def check(load: Load) -> dict[str, int]:
    """Games that cannot be found again; turns somebody was shown, and plays they made, that the stored game does not have, or
    has besides; people for whom another number of games counts than they have played."""
    found, replays = {"lost": 0, "actions": 0, "actions_lost": 0, "actions_twice": 0, "ratings_wrong": 0}, dict[str, Any]()
    for game in load.games:
        try:
            replay = replays.get(game.replay) or await ask(load, game.person, "GET", f"replays/{game.replay}")
        except httpx.HTTPStatusError:
            found["lost"] += 1
            continue
        replays[game.replay] = replay
        stored = [(turn["seat"], turn["play"]) for turn in replay["turns"]]
        pairs = [(stored, game.seen)]
        if game.awake:
            pairs.append(([turn for turn in stored if turn[0] == game.seat], game.mine))
        for is_so, should in pairs:
            found["actions"] += len(should)
            found["actions_lost"] += sum(one != other for one, other in zip_longest(should, is_so[: len(should)]))
            found["actions_twice"] += max(0, len(is_so) - len(should))
    for person, name in {(game.person, game.name) for game in load.games}:
        counted = (await ask(load, person, "GET", f"ratings?game={name}"))["me"]
        played = [
            one for one in await ask(load, person, "GET", "me/games") if one["game"] == name and one["rating"] is not None
        ]
        found["ratings_wrong"] += (counted["games"] if counted else 0) != len(played)
    return found


async def watch(load: Load, servers: list[Server], seconds: float, kill: bool) -> dict[str, list[int]]:
    """The memory of the servers on their way; in the middle one of them is killed."""
    seen, at = {}, 0.0
    for name, share in (("start", ALL_OPEN), ("middle", 0.5), ("end", 1.0)):
        await asyncio.sleep(seconds * (share - at))
        seen[name], at = [server.megabytes for server in servers], share
        if kill and name == "middle":
            load.killed_at, load.cpu_of_killed = time.monotonic(), servers[0].cpu_seconds
            servers[0].process.kill()
    return seen


def commits(database: str | None) -> int:
    """Transactions that PostgreSQL has committed."""
    if database is None:
        return 0
    import psycopg

    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").fetchone()
        assert row
        return int(row[0])


def percentiles(name: str, values: list[float]) -> dict[str, float]:
    values = sorted(values)
    return {f"{name}p{percent}_ms": round(values[len(values) * percent // 100], 1) for percent in (50, 95, 99) if values}


async def measure(
    servers: list[Server], tables: int, minutes: float, pace: int, think: float, asleep: int, kill: bool, database: str | None
) -> dict[str, Any]:
    started, before, cpu_before = time.monotonic(), commits(database), sum(server.cpu_seconds for server in servers)
    people = 2 if len(servers) > 1 else 1
    load = Load([server.address for server in servers], pace, think, started + 60 * minutes, asleep, people)
    watching = asyncio.create_task(watch(load, servers, 60 * minutes, kill))
    await asyncio.gather(*(one_table(load, number, tables) for number in range(tables)))
    took, memory = time.monotonic() - started, await watching
    stored = commits(database) - before
    cpu = load.cpu_of_killed + sum(server.cpu_seconds for server in servers if server.process.poll() is None) - cpu_before
    turns = sum({game.replay: len(game.seen) for game in load.games}.values())
    return {
        "tables": tables,
        "processes": len(servers),
        "seconds": round(took, 1),
        "games": len({game.replay for game in load.games}),
        **await check(load),
        "errors": len(load.errors),
        "first_errors": load.errors[:5],
        "agent_moves": len(load.latencies),
        "agent_moves_per_s": round(len(load.latencies) / took, 1),
        **percentiles("", load.latencies),
        **percentiles("answer_", load.answers),
        **percentiles("other_process_", load.apart),
        "clocks_run_out": len(load.late),
        "clocks_wanted": load.asked,
        "clock_late_ms": round(max(load.late), 1) if load.late else None,
        "megabytes": memory,
        "turns_per_s": round(turns / took, 1),
        "cpu_ms_a_turn": round(1000 * cpu / turns, 2),
        "commits_per_s": round(stored / took, 1) if database else None,
        "lines_broken": dict(load.why.most_common()),
        "line_again_s": round(max(load.broken), 2) if load.broken else None,
        "agents_after_kill_s": round(max(load.after_kill) / 1000, 2) if load.after_kill else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--pace", type=int, default=700, help="ms an agent takes at least")
    parser.add_argument("--think", type=float, default=2.0, help="seconds a person takes on average")
    parser.add_argument("--asleep", type=int, default=20, help="one person in so many lets the clock run out; 0: nobody")
    parser.add_argument("--processes", type=int, default=1, help="on one PostgreSQL; with two people at each table")
    parser.add_argument("--kill", action="store_true", help="one of them in the middle, by SIGKILL")
    parser.add_argument("--database", help="URL of an empty PostgreSQL; default: an SQLite file of its own")
    given = vars(parser.parse_args())
    with own_servers(given.pop("processes"), given["database"]) as servers:
        print(json.dumps(asyncio.run(measure(servers, **given))))


if __name__ == "__main__":
    main()
