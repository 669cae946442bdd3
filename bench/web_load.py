"""Many tables at once: people who play at random against agents, over real sockets, from this process.

    shangyou serve --port 8000 & python bench/web_load.py http://127.0.0.1:8000 --tables 200 --seconds 600

The server needs room for them all: SHANGYOU_SOCKETS=1000 SHANGYOU_NEW_TABLES=100000 SHANGYOU_REQUESTS=100000. What is
measured is how long an agent's move takes beyond the pace of its table, as the browser sees it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
import websockets

SEATS = {
    "zsy2": ["me", "champion/zsy2"],
    "zsy4": ["me", *["champion/zsy4"] * 3],
    "doudizhu": ["me", *["champion/doudizhu"] * 2],
}


@dataclass
class Load:
    address: str
    pace: int  # ms, of agents
    think: float  # seconds a person takes on average
    until: float
    latencies: list[float] = field(default_factory=list)  # ms beyond the pace
    games: int = 0
    errors: list[str] = field(default_factory=list)


async def one_person(load: Load, number: int) -> None:
    """Game after game until the time is over; the last one is finished too."""
    name = list(SEATS)[number % len(SEATS)]
    async with httpx.AsyncClient(base_url=load.address, timeout=60) as client:
        while time.monotonic() < load.until:
            try:
                answer = await client.post("/api/v1/tables", json={"game": name, "seats": SEATS[name], "pace": load.pace})
                table = answer.json()["table"]
                await one_game(load, table, client.cookies["shangyou"], random.Random(f"{number} {table}"))
                load.games += 1
            except Exception as error:  # a load test counts what goes wrong
                load.errors.append(f"{type(error).__name__}: {error}"[:200])
                await asyncio.sleep(1)


async def one_game(load: Load, table: str, token: str, chance: random.Random) -> None:
    url = f"{load.address.replace('http', 'ws', 1)}/api/v1/tables/{table}/live"
    waiting_since = None
    async with websockets.connect(url, additional_headers={"Cookie": f"shangyou={token}"}, compression=None) as live:
        async for text in live:
            state, now = json.loads(text), time.monotonic()
            if state["kind"] != "state":
                raise RuntimeError(text)
            if waiting_since is not None:
                load.latencies.append((now - waiting_since) * 1000 - load.pace)
            if state["status"] == "over":
                return
            waiting_since = None if state["legal"] else now
            if state["legal"]:
                await asyncio.sleep(chance.expovariate(1 / load.think) if load.think else 0)
                play = chance.choice(state["legal"])["play"]
                await live.send(json.dumps({"kind": "play", "version": state["version"], "play": play}))


async def measure(address: str, tables: int, seconds: float, pace: int, think: float) -> dict[str, Any]:
    load = Load(address, pace, think, time.monotonic() + seconds)
    started = time.monotonic()
    await asyncio.gather(*(one_person(load, number) for number in range(tables)))
    took, sorted_ms = time.monotonic() - started, sorted(load.latencies)
    at = (
        {f"p{percent}_ms": round(sorted_ms[len(sorted_ms) * percent // 100], 1) for percent in (50, 95, 99)}
        if sorted_ms
        else {}
    )
    moves = {"agent_moves": len(sorted_ms), "agent_moves_per_s": round(len(sorted_ms) / took, 1), **at}
    return {
        "tables": tables,
        "seconds": round(took, 1),
        "games": load.games,
        **moves,
        "errors": load.errors[:5],
        "failed": len(load.errors),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pace", type=int, default=700)
    parser.add_argument("--think", type=float, default=2.0)
    given = parser.parse_args()
    print(json.dumps(asyncio.run(measure(**vars(given)))))


if __name__ == "__main__":
    main()
