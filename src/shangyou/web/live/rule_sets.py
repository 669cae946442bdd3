"""Games under the rules people ask for. Building a table of plays takes up to 0.2 s, in a thread of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from shangyou import games
from shangyou.games import Game, Rules
from shangyou.web.errors import Why
from shangyou.web.limits import RateLimit
from shangyou.web.table import Refused

MOST = 64  # stored at once, with the default rules of every game, which are never dropped
Result = TypeVar("Result")


class RuleSets:
    def __init__(self, limit: RateLimit) -> None:
        self.limit = limit  # on what must be built for an address
        self.thread = ThreadPoolExecutor(1, "rules")
        self.built: dict[Rules, Game] = {}  # the one asked for last is at the end

    async def load(self, name: str, rules_text: str = "", address: str = "") -> Game:
        """A game under rules written as text."""
        rules = games.rules_of(name).parse(rules_text)
        game = self.built.pop(rules, None)
        if game is None:
            if rules.changes() and not self.limit.take(address):
                raise Refused("too_many", Why.too_many_rules())
            game = await self.run(lambda: _build(name, rules))
        self.built.pop(rules, None)  # another request may have built it meanwhile
        self.built[rules] = game
        if len(self.built) > MOST:
            del self.built[next(old for old in self.built if old.changes())]
        return game

    async def run(self, work: Callable[[], Result]) -> Result:
        """Work that may build tables of plays, as reading a record does."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, work)

    def close(self) -> None:
        self.thread.shutdown(wait=False, cancel_futures=True)


def _build(name: str, rules: Rules) -> Game:
    game = games.load_text(name, str(rules))
    assert game.table.hash  # it takes a while too, and everybody needs it
    return game
