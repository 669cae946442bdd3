"""The queue for the solver: few wait, the others are told it is busy; answers are remembered; the compiler comes first."""

import asyncio
import threading

import pytest

from shangyou.web.errors import Why
from shangyou.web.live import compiling, solving
from shangyou.web.live.compiling import Compiler
from shangyou.web.live.solving import MOST_WAITING, SolverQueue
from shangyou.web.table import Refused


def with_queue(work):
    """What a coroutine about a new queue returns."""

    async def run():
        queue = SolverQueue(Compiler())
        try:
            return await work(queue)
        finally:
            queue.close()

    return asyncio.run(run())


def test_a_hundred_questions_at_once_are_few_that_wait_and_many_refusals():
    gate, asked = threading.Event(), []

    def answer(number):
        asked.append(number)
        return gate.wait(10) and number

    async def ask(queue):
        waiting = [asyncio.create_task(queue.run_once(f"g{n}", lambda n=n: answer(n))) for n in range(100)]
        while sum(task.done() for task in waiting) < 100 - MOST_WAITING:
            await asyncio.sleep(0)  # the event loop goes on
        gate.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    answers = with_queue(ask)
    assert answers[:MOST_WAITING] == asked == list(range(MOST_WAITING))
    for refused in answers[MOST_WAITING:]:
        assert isinstance(refused, Refused)
        assert refused.reason == Why.solver_busy()


def test_the_same_is_worked_out_once(monkeypatch):
    monkeypatch.setattr(solving, "MOST_KNOWN", 2)
    made = []

    async def ask(queue):
        first = await asyncio.gather(*(queue.run_once("a", lambda: made.append("a") or "A") for _ in range(5)))
        for key in ("b", "a", "c", "a"):  # the oldest is forgotten
            await queue.run_once(key, lambda key=key: made.append(key) or key)
        return first

    assert with_queue(ask) == ["A"] * 5
    assert made == ["a", "b", "c", "a"]


def test_what_fails_is_not_remembered():
    async def ask(queue):
        with pytest.raises(ZeroDivisionError):
            await queue.run_once("a", lambda: 1 // 0)
        return await queue.run_once("a", lambda: 5)

    assert with_queue(ask) == 5


def test_the_compiler_comes_first(monkeypatch, tmp_path):
    """Without it a question of a page would compile in the server."""
    monkeypatch.setattr(compiling, "WORK", f"import time; time.sleep(0.5); open({str(tmp_path / 'done')!r}, 'w')")
    monkeypatch.setattr(compiling, "LOOK_AGAIN", 0.05)

    async def ask(queue):
        queue.compiler.start()
        now = await queue.run((tmp_path / "done").exists)
        return now, await queue.run_once("a", lambda: str((tmp_path / "done").exists()))

    assert with_queue(ask) == (False, "True")
