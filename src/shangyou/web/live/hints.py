"""Hints at a table: what the adviser would do, at once, or better and better as it thinks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from shangyou.agents import Suggestion, thinking
from shangyou.engines.reference import View
from shangyou.web.errors import Why
from shangyou.web.live.live_table import Listener, LiveTable
from shangyou.web.live.thinking import can_think
from shangyou.web.table import Refused, Table
from shangyou.web.wire.messages import HintOut, RefusedOut
from shangyou.web.wire.play_answers import suggestions_out

if TYPE_CHECKING:
    from shangyou.web.live.arena import Arena

MOST_SUGGESTIONS = 12
THINK = "3s"  # a hint that was thought about


def hint_of(
    version: int, agent: str, view: View, ranked: list[Suggestion], thinking: bool = False, can_think: bool = False
) -> HintOut:
    suggestions = suggestions_out(view, ranked[:MOST_SUGGESTIONS])
    return HintOut(version=version, agent=agent, suggestions=suggestions, thinking=thinking, can_think=can_think)


class Hints:
    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    async def hint(self, live: LiveTable, person: int | None, version: int) -> HintOut:
        """What the adviser would do; everybody sees that it was asked."""

        def help(table: Table) -> Table:
            table.check_turn(table.seat_of(person), version)
            if not table.hints:
                raise Refused("no_hints", Why.no_hints())
            return table.help(table.state.turn)

        await asyncio.shield(self.arena.change(live, help))
        seat = live.table.seat_of(person)
        live.table.check_turn(seat, version)
        view, state = live.table.view(seat), live.table.state
        name = await self.arena.adviser(live.table)
        if state.bidding:
            points = await self.arena.inference.decide(name, state)
            return HintOut(version=version, agent=name, suggestions=[], bid=points)
        ranked = await self.arena.inference.suggest(name, view)
        return hint_of(version, name, view, ranked, can_think=can_think(view.game))

    async def think(self, live: LiveTable, listener: Listener, version: int) -> HintOut:
        """A hint, after which better ones are sent to the listener as the adviser thinks; the socket stays free for others."""
        game, person = live.table.game, listener.person or 0
        if not can_think(game):
            raise Refused("bad_input", Why.no_thinking())
        self.arena.inference.thinking.check(person)
        hint = await self.hint(live, listener.person, version)
        if hint.bid is not None:
            return hint
        view = live.table.view(live.table.seat_of(listener.person))
        self.arena.later(self._refine(listener, person, thinking(hint.agent, THINK), view, version))
        return hint.model_copy(update={"thinking": True})

    async def _refine(self, listener: Listener, person: int, name: str, view: View, version: int) -> None:
        try:
            async for suggestions, done in self.arena.inference.thinking.think(person, name, view):
                listener.send(hint_of(version, name, view, suggestions, thinking=not done))
        except Refused as refused:
            listener.send(RefusedOut.because(refused.code, refused.reason))
        except Exception:
            listener.send(RefusedOut.because("failed", Why.server_failed()))
            raise
