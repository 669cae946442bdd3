"""Agents at work: questions that wait together are answered in one call, and an agent that fails blocks nobody."""

import asyncio
import threading

import pytest

from shangyou import agents, games
from shangyou.agents.models import model_files as models
from shangyou.agents.scripted.greedy import GreedyAgent
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.games.zsy2 import Zsy2, Zsy2Rules
from shangyou.web.live import inference
from shangyou.web.live.compiling import Compiler
from shangyou.web.live.inference import InferencePool, adviser, check_listed, listed, version_of
from web.arena_client import run_async


class Counting(GreedyAgent):
    """Notes how many it is asked together, and can be made to wait or fail."""

    def __init__(self):
        super().__init__()
        self.batches, self.gate, self.fails = [], threading.Event(), 0
        self.gate.set()

    def act_many(self, views, legals):
        self.gate.wait(10)
        self.batches.append(len(views))
        if self.fails:
            self.fails -= 1
            raise RuntimeError("not now")
        return super().act_many(views, legals)


@pytest.fixture
def counting(monkeypatch):
    agent, load = Counting(), agents.load
    monkeypatch.setattr(agents, "load", lambda name, *rest: agent if name == "counting" else load(name, *rest))
    return agent


def run(work):
    async def with_pool():
        pool = InferencePool(Compiler())
        try:
            return await work(pool)
        finally:
            pool.close()

    return run_async(with_pool())


def positions(count, name="zsy2"):
    return [reference.deal(games.load(name), seed) for seed in range(count)]


def greedy_play(state):
    return GreedyAgent().act(reference.view(state), reference.legal(state))


def test_tables_that_wait_together_are_answered_together(counting, monkeypatch):
    monkeypatch.setattr(inference, "GATHER", 0.3)  # however busy the machine is
    asked = positions(30)

    async def work(pool):
        return await asyncio.gather(*(pool.decide("counting", state) for state in asked))

    answers = run(work)
    assert answers == [greedy_play(state) for state in asked]
    assert counting.batches == [30]


def test_what_comes_while_an_agent_thinks_is_taken_next(counting):
    asked = positions(9)
    counting.gate.clear()

    async def work(pool):
        first = asyncio.create_task(pool.decide("counting", asked[0]))
        await asyncio.sleep(0.05)
        others = [asyncio.create_task(pool.decide("counting", state)) for state in asked[1:]]
        await asyncio.sleep(0.05)
        counting.gate.set()
        return await asyncio.gather(first, *others)

    run(work)
    assert counting.batches == [1, 8]


def test_a_slow_agent_stops_no_other(counting):
    (position,) = positions(1)
    counting.gate.clear()

    async def work(pool):
        slow = asyncio.create_task(pool.decide("counting", position))
        await asyncio.sleep(0.02)
        quick = await asyncio.wait_for(pool.decide("greedy", position), 5)
        assert not slow.done()
        counting.gate.set()
        return quick, await slow

    quick, slow = run(work)
    assert quick == slow


def test_a_failure_is_raised_and_the_next_question_answered(counting):
    (position,) = positions(1)
    counting.fails = 1

    async def work(pool):
        with pytest.raises(RuntimeError):
            await pool.decide("counting", position)
        return await pool.decide("counting", position)

    assert run(work) in reference.legal(position)


def test_bids_and_plays_share_a_queue():
    bidding, (playing,) = reference.deal(games.load("doudizhu", bidding=True), 3), positions(1, "doudizhu")

    async def work(pool):
        return await asyncio.gather(pool.decide("rule", bidding), pool.decide("rule", playing))

    points, play = run(work)
    assert points in (0, 1, 2, 3)
    assert play in reference.legal(playing)


def test_who_is_listed():
    game = games.load("zsy2")
    simple = ["random", "greedy", "paper-greedy"]
    papers = [name for name, path in models.papers().items() if path.parent.name == "zsy2"]
    thinker = "search@1s:champion/zsy2"
    assert [agent.name for agent in listed(game)] == ["champion/zsy2", *papers, thinker, *simple]
    assert [agent.name for agent in listed(games.load("zsy4"))] == [
        "champion/zsy4", "paper/ddqn-bot", "paper/ddqn-lstm", "paper/ddqn-pool", "random", "greedy",
    ]  # fmt: skip
    assert "paper/deeprocket" in [agent.name for agent in listed(games.load("doudizhu"))]
    assert adviser(game) == "champion/zsy2"
    assert adviser(games.load("doudizhu", spring=True)) == "champion/doudizhu"  # other pay, the same plays
    assert adviser(games.load("zsy4", decks=2)) == "greedy"
    assert version_of("champion/zsy2") != version_of("champion/doudizhu")
    with pytest.raises(BadInput, match="no agent"):
        check_listed("champion/doudizhu", game)


def test_the_strongest_of_a_game_without_a_champion_is_a_scripted_agent():
    class NewGame(Zsy2):
        name = "brand_new"

    listing = listed(NewGame(Zsy2Rules(cards_each=6)))
    assert [agent.name for agent in listing if agent.strongest] == ["greedy"]
