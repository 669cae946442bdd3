"""Many tables at once: people who play at random against champions, over real sockets, from this process.

    python bench/web_load.py --tables 200 --minutes 10

starts a server of its own on an empty database and prints one line of JSON. Every table has a clock, and one person in
`--asleep` lets it run out in each of their games, which bots then finish. What is measured is how long an agent's move takes
beyond the pace of its table, as the browser sees it; what goes wrong; how late clocks go off; whether every finished game can
be found again; and how much memory the server takes at the start (all tables open), in the middle and at the end.
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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx
import websockets

SEATS = {
    "zsy2": ["me", "champion/zsy2"],
    "zsy4": ["me", *["champion/zsy4"] * 3],
    "doudizhu": ["me", *["champion/doudizhu"] * 2],
}
NO_LIMITS = {f"SHANGYOU_{name}": "1000000" for name in ("SOCKETS", "CONNECTIONS", "NEW_TABLES", "REQUESTS", "MESSAGES")}
CLOCK = {"move": 20, "reserve": 60}  # of those who play
SHORT = {"move": 3, "reserve": 0}  # of those who let it run out
ALL_OPEN = 0.1  # of the time, after which all tables are open and the models loaded


@dataclass
class Server:
    address: str
    process: int

    @property
    def megabytes(self) -> int:
        status = Path(f"/proc/{self.process}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) // 1024 if found else 0


@contextmanager
def own_server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        words = ["shangyou", "serve", "--port", "0", "--database", f"sqlite:///{folder}/arena.db"]
        environment = os.environ | NO_LIMITS | {"COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
        with (Path(folder) / "log").open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )
        assert process.stdout
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "the server did not start"
        try:
            yield Server(found[0], process.pid)
        finally:
            process.terminate()
            process.wait(30)


@dataclass
class Load:
    address: str
    pace: int  # ms, of agents
    think: float  # seconds a person takes on average
    until: float
    asleep: int  # one person in so many lets the clock run out; 0: nobody
    latencies: list[float] = field(default_factory=list)  # ms beyond the pace
    replays: list[str] = field(default_factory=list)  # of finished games
    errors: list[str] = field(default_factory=list)
    late: list[float] = field(default_factory=list)  # ms between the end of a clock and the state that tells of it
    asked: int = 0  # games in which a clock should run out


async def one_person(load: Load, number: int, tables: int) -> None:
    """A game, and others until the time is over; the last one is finished too. Not everybody comes at once."""
    name = list(SEATS)[number % len(SEATS)]
    sleeps = load.asleep > 0 and number % load.asleep == 0
    wish = {"game": name, "seats": SEATS[name], "pace": load.pace, "hints": False, "clock": SHORT if sleeps else CLOCK}
    await asyncio.sleep(number / tables * load.think)
    async with httpx.AsyncClient(base_url=load.address, timeout=60) as client:
        going = True
        while going:
            try:
                table = (await client.post("/api/v1/tables", json=wish)).json()["table"]
                play = sleep_in if sleeps else one_game
                await play(load, table, client.cookies["shangyou"], random.Random(f"{number} {table}"))
            except Exception as error:  # a load test counts what goes wrong
                load.errors.append(f"{type(error).__name__}: {error}"[:200])
                await asyncio.sleep(1)
            going = time.monotonic() < load.until


def connect(load: Load, table: str, token: str) -> Any:
    url = f"{load.address.replace('http', 'ws', 1)}/api/v1/tables/{table}/live"
    return websockets.connect(url, additional_headers={"Cookie": f"shangyou={token}"}, compression=None)


async def sleep_in(load: Load, table: str, token: str, _: random.Random) -> None:
    """On the first turn of mine the clock runs out; bots finish the game."""
    load.asked += 1
    my_turn = None
    async with connect(load, table, token) as live:
        async for text in live:
            state, now = json.loads(text), time.monotonic()
            if state["forfeited"] is not None and my_turn is not None:
                load.late.append((now - my_turn) * 1000 - 1000 * SHORT["move"])
                my_turn = None
            if state["legal"]:
                my_turn = now
            if state["status"] == "over":
                load.replays.append(state["result"]["replay"])
                return
    raise RuntimeError("the server hung up before the clock ran out")


async def one_game(load: Load, table: str, token: str, chance: random.Random) -> None:
    waiting_since = None
    async with connect(load, table, token) as live:
        async for text in live:
            state, now = json.loads(text), time.monotonic()
            if state["kind"] != "state":
                raise RuntimeError(text)
            if waiting_since is not None:
                load.latencies.append((now - waiting_since) * 1000 - load.pace)
            if state["status"] == "over":
                load.replays.append(state["result"]["replay"])
                return
            if state["forfeited"] is not None:
                raise RuntimeError("a clock ran out for somebody who plays")
            waiting_since = None if state["legal"] else now
            if state["legal"]:
                await asyncio.sleep(chance.expovariate(1 / load.think) if load.think else 0)
                play = chance.choice(state["legal"])["play"]
                await live.send(json.dumps({"kind": "play", "version": state["version"], "play": play}))
    raise RuntimeError("the server hung up in mid-game")


async def watch(server: Server, seconds: float) -> dict[str, int]:
    """The memory of the server on its way."""
    seen, at = {}, 0.0
    for name, share in (("start", ALL_OPEN), ("middle", 0.5), ("end", 1.0)):
        await asyncio.sleep(seconds * (share - at))
        seen[name], at = server.megabytes, share
    return seen


async def find_again(load: Load) -> int:
    """How many of the finished games the server does not know any more."""
    async with httpx.AsyncClient(base_url=load.address, timeout=60) as client:
        found = [(await client.get(f"/api/v1/replays/{id}")).status_code == 200 for id in load.replays]
    return found.count(False)


async def measure(server: Server, tables: int, minutes: float, pace: int, think: float, asleep: int) -> dict[str, Any]:
    started = time.monotonic()
    load = Load(server.address, pace, think, started + 60 * minutes, asleep)
    watching = asyncio.create_task(watch(server, 60 * minutes))
    await asyncio.gather(*(one_person(load, number, tables) for number in range(tables)))
    took, late = time.monotonic() - started, sorted(load.latencies)
    memory = await watching
    return {
        "tables": tables,
        "seconds": round(took, 1),
        "games": len(load.replays),
        "lost": await find_again(load),
        "errors": len(load.errors),
        "first_errors": load.errors[:5],
        "agent_moves": len(late),
        "agent_moves_per_s": round(len(late) / took, 1),
        **{f"p{percent}_ms": round(late[len(late) * percent // 100], 1) for percent in (50, 95, 99) if late},
        "clocks_run_out": len(load.late),
        "clocks_wanted": load.asked,
        "clock_late_ms": round(max(load.late), 1) if load.late else None,
        "megabytes": memory,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--pace", type=int, default=700, help="ms an agent takes at least")
    parser.add_argument("--think", type=float, default=2.0, help="seconds a person takes on average")
    parser.add_argument("--asleep", type=int, default=20, help="one person in so many lets the clock run out; 0: nobody")
    given = parser.parse_args()
    with own_server() as server:
        print(json.dumps(asyncio.run(measure(server, **vars(given)))))


if __name__ == "__main__":
    main()
