"""The rules of every game, and nothing else: `games.load("doudizhu", spring=True)`."""

import copyreg
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from shangyou.games.cards import RANKS, SUITS, Cards, Deck
from shangyou.games.doudizhu import Doudizhu, DoudizhuRules
from shangyou.games.errors import BadInput, IllegalPlay, Why
from shangyou.games.game import NOBODY, Deal, Ending, Game
from shangyou.games.rules import Rules
from shangyou.games.table import PASS, PlayTable, Rows
from shangyou.games.zsy2 import Zsy2, Zsy2Rules
from shangyou.games.zsy4 import Zsy4, Zsy4Rules

_GAMES: dict[str, tuple[type[Rules], Callable[[Any], Game]]] = {
    "zsy2": (Zsy2Rules, Zsy2),
    "zsy4": (Zsy4Rules, Zsy4),
    "doudizhu": (DoudizhuRules, Doudizhu),
}

__all__ = [
    "NOBODY", "PASS", "RANKS", "SUITS", "BadInput", "Cards", "Deal", "Deck", "Ending", "Game", "IllegalPlay",
    "PlayTable", "Rows", "Rules", "load", "load_text", "names", "rules_of",
]  # fmt: skip


def names() -> tuple[str, ...]:
    return tuple(_GAMES)


def rules_of(name: str) -> type[Rules]:
    """The class of a game's rules."""
    if name not in _GAMES:
        raise BadInput(Why.no_game(name=name, options=list(_GAMES)))
    return _GAMES[name][0]


def load(name: str, **rules: Any) -> Game:
    """A game under its default rules, with the fields given changed."""
    return _make(name, rules_of(name).make(**rules))


def load_text(name: str, rules: str) -> Game:
    """A game under rules written as text, as records and models store them: `load_text("doudizhu", "spring=true base=3")`."""
    return _make(name, rules_of(name).parse(rules))


@lru_cache(maxsize=64)  # anybody may ask a server for any rules
def _make(name: str, rules: Rules) -> Game:
    return _GAMES[name][1](rules)


def _made_again(game: Any) -> tuple[Any, tuple[str, Rules]]:
    """What another process makes the game of: megabytes of its table need not travel, and it may have it already."""
    return _make, (game.name, game.rules)


copyreg.pickle(Zsy2, _made_again)
copyreg.pickle(Zsy4, _made_again)
copyreg.pickle(Doudizhu, _made_again)
