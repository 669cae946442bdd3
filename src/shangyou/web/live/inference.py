"""Agents at work: what several tables want to know of one agent is gathered into one call, off the event loop."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.metadata import version as package_version
from typing import NamedTuple, TypeVar

from shangyou import agents
from shangyou.agents import Agent, Suggestion, suggest
from shangyou.agents.models import find_bids, find_model, is_model
from shangyou.engines.reference import View
from shangyou.games import BadInput, Game, Rows
from shangyou.records.models import game_of, kept_models

GATHER = 0.003  # seconds the first question waits for company
PATIENCE = 20.0  # seconds; an agent that takes longer has failed
Result = TypeVar("Result")


class Question(NamedTuple):
    """A position and what may be done there: rows to play, or points to bid."""

    view: View
    legal: Rows
    bids: tuple[int, ...]
    answer: asyncio.Future[int]


@dataclass
class Desk:
    """One agent and those who wait for it. It has a thread of its own, so that one that hangs stops no other."""

    agent: Agent
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "thinking"))
    waiting: list[Question] = field(default_factory=list)
    at_work: asyncio.Task[None] | None = None


class ListedAgent(NamedTuple):
    name: str
    version: str
    strongest: bool


class Thinking:
    """All agents of the server. Loaded once each, asked from any number of tables."""

    def __init__(self) -> None:
        self.side = ThreadPoolExecutor(1, "side")  # reviews and the like never stand in the way of a move
        self.desks: dict[tuple[str, str], Desk] = {}
        self.loading = asyncio.Lock()

    async def run(self, work: Callable[[], Result]) -> Result:
        """Something slow that is no move."""
        return await asyncio.get_running_loop().run_in_executor(self.side, work)

    async def decide(self, name: str, view: View, legal: Rows, bids: tuple[int, ...]) -> int:
        """The row an agent plays, or the points it bids if `bids` are due."""
        desk = await self._desk(name, view.game)
        question = Question(view, legal, bids, asyncio.get_running_loop().create_future())
        desk.waiting.append(question)
        if desk.at_work is None:
            desk.at_work = asyncio.create_task(self._serve(desk))
        return await asyncio.wait_for(question.answer, PATIENCE)

    async def suggest(self, name: str, view: View) -> list[Suggestion]:
        agent = await self.agent(name, view.game)
        return await self.run(lambda: suggest(view, agent))

    async def bid(self, name: str, view: View, bids: tuple[int, ...]) -> int:
        return await self.decide(name, view, view.game.table.leads[:0], bids)

    async def agent(self, name: str, game: Game) -> Agent:
        return (await self._desk(name, game)).agent

    async def _desk(self, name: str, game: Game) -> Desk:
        key = name, game.table.hash
        async with self.loading:
            if key not in self.desks:
                self.desks[key] = Desk(await self.run(lambda: agents.load(name, game)))
        return self.desks[key]

    async def _serve(self, desk: Desk) -> None:
        """Answer until nobody waits; what comes in meanwhile is taken together next."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(GATHER)
        while questions := [one for one in desk.waiting if not one.answer.done()]:  # some may have stopped waiting
            desk.waiting = []
            answers: Sequence[int | Exception]
            try:
                answers = await loop.run_in_executor(desk.pool, _answer, desk.agent, questions)
            except Exception as error:  # whoever waits must hear of it, whatever it is
                answers = [error] * len(questions)
            for question, answer in zip(questions, answers, strict=True):
                _tell(question.answer, answer)
        desk.at_work = None

    def close(self) -> None:
        """Nobody waits for what is still thought about: an agent may hang."""
        for pool in (self.side, *(desk.pool for desk in self.desks.values())):
            pool.shutdown(wait=False, cancel_futures=True)


def _tell(future: asyncio.Future[int], answer: int | Exception) -> None:
    if future.done():  # whoever asked is gone
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)


def _answer(agent: Agent, questions: list[Question]) -> list[int]:
    plays = [question for question in questions if not question.bids]
    rows = iter(agent.act_many([question.view for question in plays], [question.legal for question in plays]))
    return [agent.bid(question.view, question.bids) if question.bids else next(rows) for question in questions]


# -- who there is -----------------------------------------------------------------------------------------------------


def listed(game: Game) -> list[ListedAgent]:
    """Those who play a game under its rules; only these are ever loaded for somebody from outside."""
    best = adviser(game)
    simple = [name for name in agents.names(game) if not is_model(name)]
    nets = [name for name, table in _models() if table == game.table.hash]
    return [ListedAgent(name, version_of(name), name == best) for name in (*nets, *simple)]


def check_listed(name: str, game: Game) -> None:
    names = [agent.name for agent in listed(game)]
    if name not in names:
        raise BadInput(f"no agent {name!r} plays {game.name} under these rules; there are {', '.join(names)}")


@cache
def _models() -> tuple[tuple[str, str], ...]:
    """Models that play here, and the tables of plays they know. Found once: a new model needs a new start."""
    good = [model for model in kept_models() if model.info and not model.fault]
    return tuple((model.name, game_of(model.info).table.hash) for model in good if model.info)


@cache
def version_of(name: str) -> str:
    """Of a simple agent the version of this package, of a net a hash of its files."""
    if not is_model(name):
        return package_version("shangyou")
    path = find_model(name)
    files = [path, bids] if (bids := find_bids(path)) else [path]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


@lru_cache(maxsize=64)
def adviser(game: Game) -> str:
    """Who gives hints."""
    return agents.strongest(game)
