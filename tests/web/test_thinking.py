"""Thinking longer: hints refine, one search a person, a short queue, and a worker that hangs is killed."""

import asyncio
import json
import multiprocessing
import os
import time
from random import Random

import pytest

from shangyou import games
from shangyou.engines import reference
from shangyou.web.errors import Why
from shangyou.web.live import thinking
from shangyou.web.live.compiling import Compiler
from shangyou.web.live.thinking import ThinkingPool, Worker, can_think
from shangyou.web.table import Refused
from web.arena_client import Guest, arena

GAME = games.load("doudizhu")
VIEW = reference.view(reference.deal(GAME, 1))
NAME = "search@300ms:champion/doudizhu"


async def answers(pool, person, name=NAME):
    return [answer async for answer in pool.think(person, name, VIEW)]


def test_a_search_answers_again_and_again():
    async def run():
        pool = ThinkingPool(Compiler())
        try:
            first, again = await answers(pool, 1, "search@1s:champion/doudizhu"), await answers(pool, 1)
            return first, again, len(pool.all), len(pool.idle)
        finally:
            pool.close()

    first, again, workers, idle = asyncio.run(run())
    assert [done for _, done in first] == [False] * (len(first) - 1) + [True]
    assert len(first) > 1
    assert again[-1][0][0].play in reference.legal(reference.deal(GAME, 1))
    assert 0 < again[-1][0][0].win < 1
    assert (workers, idle) == (1, 1)


class Slow(Worker):
    """Hangs, as a kernel may."""

    def ask(self, name, view):
        pass

    def answer(self, patience):
        time.sleep(0.3)
        raise TimeoutError


def test_one_search_a_person_and_a_short_queue(monkeypatch):
    monkeypatch.setattr(thinking, "Worker", Slow)

    async def run():
        pool = ThinkingPool(Compiler(), workers=1, waiting=1)
        try:
            tasks = [asyncio.create_task(answers(pool, person)) for person in (1, 1, 2, 3)]
            return await asyncio.gather(*tasks, return_exceptions=True), pool
        finally:
            pool.close()

    (one, again, two, three), pool = asyncio.run(run())
    assert isinstance(one, TimeoutError)
    assert isinstance(two, TimeoutError)
    assert [error.code for error in (again, three) if isinstance(error, Refused)] == ["busy", "busy"]
    assert (pool.persons, pool.all, pool.idle) == (set(), set(), [])


def test_a_worker_that_hangs_is_killed():
    before = set(multiprocessing.active_children())
    worker = Worker()
    assert set(multiprocessing.active_children()) - before == {worker.process}
    worker.kill()
    worker.process.join(20)
    assert worker.process.exitcode == -9 or os.name == "nt"


def test_an_agent_that_fails_is_told():
    async def run():
        pool = ThinkingPool(Compiler())
        try:
            return await asyncio.gather(answers(pool, 1, "search@1s:nobody"), return_exceptions=True)
        finally:
            pool.close()

    (failed,) = asyncio.run(run())
    assert isinstance(failed, RuntimeError)


def test_hints_refine_at_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr("shangyou.web.live.hints.THINK", "700ms")
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        with guest.sit(guest.open("doudizhu", ["me", "random", "random"])) as seat:
            version = seat.wait_turn()["version"]
            hint = seat.ask(kind="hint", version=version)
            assert hint["can_think"]
            assert not hint["thinking"]
            first = seat.ask(kind="hint", version=version, think=True)
            assert (first["thinking"], first["agent"]) == (True, "champion/doudizhu")
            assert seat.ask(kind="hint", version=version, think=True)["code"] == "busy"
            latest = first
            while latest["thinking"]:
                heard = seat.hear()
                latest = heard if heard["kind"] == "hint" else latest
            assert latest["agent"] == "search@700ms:champion/doudizhu"
            assert latest["suggestions"]


def test_a_turn_of_a_finished_game_is_thought_about(tmp_path, monkeypatch):
    """From what the seat could see, for people the server knows, one at a time."""
    monkeypatch.setattr("shangyou.web.reviews_api.THINK", "700ms")
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        with guest.sit(guest.open("doudizhu", ["me", "random", "random"])) as seat:
            id = seat.play_out(Random(5))["replay"]
        turns = client.get(f"/api/v1/replays/{id}").json()["turns"]
        last = max(i for i, turn in enumerate(turns) if turn["cards"] and i < len(turns) - 8)
        answer = guest.get(f"replays/{id}/thought?turn={last}")
        assert answer.headers["content-type"].startswith("text/event-stream")
        hints = [json.loads(event.removeprefix("data: ")) for event in answer.text.split("\n\n")[:-1]]
        assert [hint["thinking"] for hint in hints] == [True] * (len(hints) - 1) + [False]
        assert {(hint["agent"], hint["version"]) for hint in hints} == {("search@700ms:champion/doudizhu", last)}
        assert turns[last]["play"] in [one["play"] for one in hints[-1]["suggestions"]] or len(hints[-1]["suggestions"]) == 12
        assert guest.get(f"replays/{id}/thought?turn={len(turns)}").json()["words"]["why"] == "turns_number"
        assert Guest(client).get(f"replays/{id}/thought?turn=0").json()["code"] == "nobody"
        assert guest.get(f"replays/{id}/review").json()["can_think"]


def test_an_opponent_that_thinks_plays_and_one_that_cannot_plays_at_once(tmp_path, monkeypatch):
    asked, original = [], ThinkingPool.think

    async def think(self, person, name, view):
        asked.append(name)
        if len(asked) > 1:
            raise Refused("busy", Why.busy())
        async for answer in original(self, person, "search@100p:champion/doudizhu", view):
            yield answer

    monkeypatch.setattr(ThinkingPool, "think", think)
    with arena(tmp_path / "a.db") as client:
        guest = Guest(client, "A")
        names = [agent["name"] for agent in guest.get("agents?game=doudizhu").json()]
        assert "search@1s:champion/doudizhu" in names
        with guest.sit(guest.open("doudizhu", ["search@1s:champion/doudizhu", "me", "greedy"])) as seat:
            assert sum(seat.play_out(Random(3))["scores"]) == 0
    assert set(asked) == {"search@1s:champion/doudizhu"}
    assert len(asked) > 1


@pytest.mark.parametrize(("name", "rules", "can"), [("doudizhu", "spring=true", True), ("zsy2", "shortest_chain=3", False)])
def test_what_can_be_searched(name, rules, can):
    assert can_think(games.load_text(name, rules)) == can
