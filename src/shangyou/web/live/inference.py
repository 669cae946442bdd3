"""Agents off the event loop: positions of several tables that wait for one agent are answered in one call, in its thread."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count
from typing import TypeVar

from shangyou import __version__, agents
from shangyou.agents import Agent, Suggestion, is_search, suggest, thinking
from shangyou.agents.models.model_files import find_bids, find_model, is_model
from shangyou.agents.play import play
from shangyou.agents.searching import parts_of
from shangyou.engines import reference
from shangyou.engines.reference import State, View
from shangyou.games import BadInput, Game, Rows
from shangyou.records.models import stored_models
from shangyou.web.errors import Why
from shangyou.web.live.compiling import Compiler
from shangyou.web.live.thinking import ThinkingPool, can_think
from shangyou.web.table import Refused
from shangyou.web.wire.answers import AgentOut

GATHER = 0.003  # seconds the first question waits for others
PATIENCE = 20.0  # seconds; an agent that takes longer has failed
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A position and what is legal there: rows to play, or what may be said before that."""

    view: View
    legal: Rows
    bids: tuple[int, ...]


class AgentQueue:
    """One agent and the questions that wait for it. It has its own thread, so that an agent that hangs stops no other."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.thread, self.busy = ThreadPoolExecutor(1, "agent"), asyncio.Lock()
        self.waiting: set[Question] = set()
        self.answers: asyncio.Task[dict[Question, int]] | None = None  # to those that wait

    async def decide(self, state: State) -> int:
        """The row the agent plays, or what it says if a bid is due or whether it doubles."""
        question = Question(reference.view(state), reference.legal(state), reference.legal_bids(state))
        self.waiting.add(question)
        if self.answers is None:
            self.answers = asyncio.create_task(self._answer_waiting())
        try:
            return (await asyncio.wait_for(asyncio.shield(self.answers), PATIENCE))[question]
        finally:
            self.waiting.discard(question)

    async def _answer_waiting(self) -> dict[Question, int]:
        """Questions that arrive while the agent is busy are answered together in its next call."""
        if not self.busy.locked():
            await asyncio.sleep(GATHER)
        async with self.busy:
            questions, self.waiting, self.answers = self.waiting, set(), None
            return await asyncio.get_running_loop().run_in_executor(self.thread, _answer, self.agent, questions)


def _answer(agent: Agent, questions: set[Question]) -> dict[Question, int]:
    plays = [question for question in questions if not question.bids]
    rows = agent.act_many([question.view for question in plays], [question.legal for question in plays])
    bids = {question: agent.say(question.view, question.bids) for question in questions if question.bids}
    return bids | dict(zip(plays, rows, strict=True))


class InferencePool:
    """The agents of the server, each loaded once, with its queue; and two threads for work that is no decision."""

    def __init__(self, compiler: Compiler) -> None:
        self.side = ThreadPoolExecutor(1, "side")  # reviews and hints delay no decision
        self.opening = ThreadPoolExecutor(1, "opening")  # nor do they delay who wants to play
        self.queues: dict[tuple[str, str], AgentQueue] = {}
        self.loading = asyncio.Lock()
        self.compiler, self.thinking = compiler, ThinkingPool(compiler)
        self.numbers = count(1)  # of the searches of agents, one a decision

    async def run(self, work: Callable[[], Result]) -> Result:
        """Slow work in the side thread."""
        return await asyncio.get_running_loop().run_in_executor(self.side, work)

    async def open(self, work: Callable[[], Result]) -> Result:
        """What it takes to open a table."""
        return await asyncio.get_running_loop().run_in_executor(self.opening, work)

    async def queue(self, name: str, game: Game) -> AgentQueue:
        key = name, game.table.hash if is_model(name) else game.name  # an agent without a net plays under all rules
        async with self.loading:
            if key not in self.queues:
                self.queues[key] = AgentQueue(await self.open(lambda: agents.load(name, game)))
        return self.queues[key]

    async def decide(self, name: str, state: State) -> int:
        """A searching agent thinks in a worker process; where that is busy, fails or still compiles, its base agent answers."""
        base = parts_of(name)[1] if is_search(name) else name
        if base != name and self.compiler.done and not state.bidding and len(reference.legal(state)) > 1:
            with suppress(Refused, RuntimeError, TimeoutError, EOFError):
                view = reference.view(state)
                async for suggestions, done in self.thinking.think(-next(self.numbers), name, view):
                    if done:
                        return suggestions[0].play
        return await (await self.queue(base, state.game)).decide(state)

    async def play_out(self, names: Sequence[str], start: State) -> State:
        """A whole game of agents, one to a seat, in the side thread."""
        seated = [(await self.queue(name, start.game)).agent for name in names]
        return await self.run(lambda: play(start.game, seated, None, [start])[0])

    async def suggest(self, name: str, view: View) -> list[Suggestion]:
        agent = (await self.queue(name, view.game)).agent
        return await self.run(lambda: suggest(view, agent))

    def close(self) -> None:
        """Without waiting for calls under way: an agent may hang."""
        self.thinking.close()
        for thread in (self.side, self.opening, *(queue.thread for queue in self.queues.values())):
            thread.shutdown(wait=False, cancel_futures=True)


# -- the agents there are ---------------------------------------------------------------------------------------------


def listed(game: Game) -> list[AgentOut]:
    """The agents that play a game under its rules; requests can load no others."""
    best = adviser(game)
    simple = [name for name in agents.names(game) if not is_model(name)]
    nets = [name for name, table in _models() if table == game.table.hash]
    thinkers = [thinking(best, "1s")] if is_model(best) and can_think(game) else []
    names = (*nets, *thinkers, *simple)
    return [AgentOut(name=name, version=version_of(name), strongest=name == best) for name in names]


def check_listed(name: str, game: Game) -> str:
    """The name, of an agent that may be loaded."""
    names = [agent.name for agent in listed(game)]
    if name not in names:
        raise BadInput(Why.no_agent(name=name, game=game.name, options=names))
    return name


@cache
def _models() -> tuple[tuple[str, str], ...]:
    """Names of models and the hash of the table of plays each knows. Read once: a new model needs a restart."""
    return tuple((model.name, model.info.table) for model in stored_models() if model.info and not model.fault)


@cache
def version_of(name: str) -> str:
    """Of a simple agent the version of this package, of a net a hash of its files."""
    if not is_model(name):
        return __version__
    path = find_model(name)
    files = [path, bids] if (bids := find_bids(path)) else [path]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


adviser = lru_cache(maxsize=64)(agents.strongest)  # gives hints and reviews, and is the lobby's default opponent
