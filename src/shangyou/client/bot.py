"""A bot at a remote arena: it takes challenges and plays at several tables at once."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from websockets.asyncio.client import ClientConnection

from shangyou.client.connection import Arena
from shangyou.client.player import Player
from shangyou.client.view import Message
from shangyou.games import BadInput

Report = Callable[[dict[str, Any]], None]
HARMLESS = ("stale", "not_your_turn", "no_challenge", "over", "agent_failed")  # refusals that a newer message explains


class Bot:
    """`run` ends when `stop` was called and its games are over, or with the error that ends it."""

    def __init__(self, player: Player, arena: Arena, offers: list[Message], most_tables: int, report: Report) -> None:
        self.player, self.arena, self.offers = player, arena, offers
        self.most_tables, self.report = most_tables, report
        self.tables: dict[str, asyncio.Task[None]] = {}
        self.accepted: set[str] = set()  # challenges whose table has not come yet
        self.stopping = False
        self.stream: asyncio.Task[None] | None = None
        self.socket: ClientConnection | None = None
        self.thinking = ThreadPoolExecutor(1, "agent")  # the sockets are answered meanwhile

    async def run(self) -> None:
        self.stream = asyncio.create_task(self.arena.stay("bots/stream", self._listen))
        try:
            await self.stream
        except asyncio.CancelledError:
            if not self.stopping:
                raise
        finally:
            tasks = list(self.tables.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.thinking.shutdown(wait=False, cancel_futures=True)

    def stop(self) -> None:
        """Take no more challenges and end with the last game; called again, end at once. Games go on at the arena."""
        again, self.stopping = self.stopping, True
        if again:
            self._end()
        elif self.tables:
            self.report({"event": "stopping", "tables": len(self.tables)})
        self._end_if_done()

    def _end_if_done(self) -> None:
        if self.stopping and not self.tables and not self.accepted:
            self._end()

    def _end(self) -> None:
        if self.stream:
            self.stream.cancel()

    # -- the stream ---------------------------------------------------------------------------------------------------

    async def _listen(self, socket: ClientConnection) -> None:
        self.accepted.clear()
        await _send(socket, kind="declare", games=self.offers)
        while True:
            message = json.loads(await socket.recv())
            match message["kind"]:
                case "hello":
                    self.report({"event": "connected", "bot": message["bot"], "name": message["name"]})
                case "challenge":
                    await self._consider(socket, message)
                case "challenge_over":
                    self.accepted.discard(message["challenge"])
                    self._end_if_done()
                case "table":
                    self.accepted.discard(message["challenge"])
                    self._sit_down(message["table"])
                case "refused" if message["code"] not in HARMLESS:
                    raise BadInput(f"the arena refuses: {message['reason']}")

    async def _consider(self, socket: ClientConnection, challenge: Message) -> None:
        why_not = await self._why_not(challenge)
        self.report({"event": "challenge", "by": challenge["seats"][challenge["by"]]["name"], "declined": why_not or None,
                     **{name: challenge[name] for name in ("game", "rules")}})  # fmt: skip
        if why_not:
            return await _send(socket, kind="decline", challenge=challenge["challenge"], reason=why_not[:200])
        self.accepted.add(challenge["challenge"])
        return await _send(socket, kind="accept", challenge=challenge["challenge"])

    async def _why_not(self, challenge: Message) -> str:
        """Why it declines a challenge; empty if it accepts."""
        if self.stopping:
            return "it is about to leave"
        if len(self.tables) + len(self.accepted) >= self.most_tables:
            return f"it plays at {self.most_tables} tables, which is as many as it does"
        try:
            await self._think(partial(self.player.load, challenge["game"], challenge["rules"]))
        except BadInput as error:
            return str(error)
        return ""

    # -- the tables ---------------------------------------------------------------------------------------------------

    def _sit_down(self, table: str) -> None:
        if table not in self.tables:
            self.tables[table] = asyncio.create_task(self._stay_at(table))

    async def _stay_at(self, table: str) -> None:
        try:
            await self.arena.stay(f"tables/{table}/live", partial(self._play, table))
        except BadInput as error:
            self.report({"event": "error", "table": table, "error": str(error)})
        finally:
            del self.tables[table]
        self._end_if_done()

    async def _play(self, table: str, socket: ClientConnection) -> None:
        """Answer every state in which it is my turn, until the game is over."""
        answered = -1
        while True:
            state = json.loads(await socket.recv())
            if state["kind"] == "refused" and state["code"] not in HARMLESS:
                raise BadInput(f"the arena refuses: {state['reason']}")
            if state["kind"] != "state":
                continue
            if state["status"] in ("over", "left"):
                return self._report_end(table, state)
            if (state["legal"] or state["bids"]) and state["version"] > answered:
                answered = state["version"]
                await self._act(socket, state)

    async def _act(self, socket: ClientConnection, state: Message) -> None:
        """An agent that fails gives the game up, so that nobody has to wait for it."""
        try:
            answer = await self._think(partial(self.player.answer, state))
        except Exception as error:
            await _send(socket, kind="leave")
            raise BadInput(f"the agent failed and left the table: {error or type(error).__name__}") from error
        await _send(socket, **answer)

    async def _think(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.thinking, work)

    def _report_end(self, table: str, state: Message) -> None:
        seat, result = state["seat"], state["result"]
        event = {"event": state["status"], "table": table, "game": state["game"], "rules": state["rules"]}
        if result:
            event |= {"score": result["scores"][seat], "won": seat in result["winners"], "replay": result["replay"]}
        self.report(event)


async def _send(socket: ClientConnection, **message: Any) -> None:
    await socket.send(json.dumps(message))
