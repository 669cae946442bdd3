"""Searches in worker processes: a compiled kernel in a thread cannot be stopped, a process can.

    async for suggestions, done in pool.think(person, "search@3s:champion/doudizhu", view):
        ...

One search a person and a few that wait; whoever comes then is answered that the server is busy. A worker that does not answer
in time is killed, and the next search starts another.
"""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from multiprocessing.connection import Connection
from typing import Any

from shangyou import agents, games
from shangyou.agents import Suggestion
from shangyou.agents.advice import ranked
from shangyou.agents.searching import SearchAgent, budget_of, parts_of
from shangyou.engines.position import legal
from shangyou.engines.reference import View
from shangyou.games import Game
from shangyou.web.errors import Why
from shangyou.web.live.compiling import Compiler
from shangyou.web.table import Refused

WORKERS, WAITING = 1, 4  # processes, and searches that may wait for one
STEP = 0.3  # seconds between two answers of one search
PATIENCE = 120.0  # seconds beside its time that a search may take: the first one loads what it needs

Answer = tuple[list[Suggestion], bool]
"""What is known, and whether that is all."""


def can_think(game: Game) -> bool:
    """Whether there is a search for a game: Numba, and a small net for its playouts."""
    if find_spec("numba") is None:
        return False
    from shangyou.search.playout_net import find_playout_net

    return find_playout_net(game) is not None


class ThinkingPool:
    def __init__(self, compiler: Compiler, workers: int = WORKERS, waiting: int = WAITING) -> None:
        self.compiler, self.most = compiler, workers + waiting
        self.persons: set[int] = set()
        self.free = asyncio.Semaphore(workers)
        self.idle: list[Worker] = []
        self.threads = ThreadPoolExecutor(workers, "search")  # that wait for the processes
        self.all: set[Worker] = set()

    def check(self, person: int) -> None:
        """An error if this person has to wait."""
        if person in self.persons or len(self.persons) >= self.most:
            raise Refused("busy", Why.busy())

    async def think(self, person: int, name: str, view: View) -> AsyncIterator[Answer]:
        """What the agent knows after a while, again and again until its time is over."""
        self.check(person)
        self.persons.add(person)
        try:
            await self.compiler.wait()
            async with self.free:
                worker = self.idle.pop() if self.idle else Worker()
                self.all.add(worker)
                done = False
                try:
                    seconds = min(budget_of(parts_of(name)[0]).seconds, PATIENCE)
                    await self._in_thread(worker.ask, name, view)
                    while not done:
                        suggestions, done = await self._in_thread(worker.answer, seconds + PATIENCE)
                        yield suggestions, done
                finally:
                    if done:
                        self.idle.append(worker)
                    else:  # it failed, hangs, or nobody waits for it any more
                        self.all.discard(worker)
                        worker.kill()
        finally:
            self.persons.discard(person)

    async def _in_thread(self, work: Any, *given: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, *given)

    def close(self) -> None:
        for worker in self.all:
            worker.kill()
        self.threads.shutdown(wait=False, cancel_futures=True)


class Worker:
    """A process that searches, one position after another."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would copy the threads' locks
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=work, args=(theirs,), daemon=True, name="search")
        self.process.start()
        theirs.close()

    def ask(self, name: str, view: View) -> None:
        game: Any = None  # tables of plays are large: the worker has its own
        self.connection.send((name, view.game.name, str(view.game.rules), replace(view, game=game)))

    def answer(self, patience: float) -> Answer:
        if not self.connection.poll(patience):
            raise TimeoutError("a search did not answer")
        found: Answer | None = self.connection.recv()
        if found is None:
            raise RuntimeError("a search failed")
        return found

    def kill(self) -> None:
        self.process.kill()
        self.connection.close()


def work(connection: Connection) -> None:
    """What a worker does until the server hangs up."""
    known: dict[tuple[str, str, str], tuple[Game, SearchAgent]] = {}
    while True:
        try:
            name, game, rules, view = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        key = name, game, rules
        try:
            if key not in known:
                loaded = games.load_text(game, rules)
                agent = agents.load(name, loaded)
                assert isinstance(agent, SearchAgent)
                known[key] = loaded, agent
            search(connection, known[key][1], replace(view, game=known[key][0]))
        except Exception:  # whatever it is, the server must not wait
            connection.send(None)
            raise


def search(connection: Connection, agent: SearchAgent, view: View) -> None:
    rows = legal(view)
    latest, sent = agent.estimate_alone(view, rows), 0.0
    for thought, latest in agent.think(view, rows):
        if thought.seconds - sent >= STEP:
            sent = thought.seconds
            connection.send((ranked(view, rows, latest), False))
    connection.send((ranked(view, rows, latest), True))
