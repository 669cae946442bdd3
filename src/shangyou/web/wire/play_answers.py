"""Cards, plays and suggestions as they are sent, in messages and in answers alike."""

from functools import lru_cache
from typing import Any, Self

from shangyou.agents import Suggestion
from shangyou.engines.reference import View
from shangyou.games import RANKS, Cards, Deck, Game, Rows
from shangyou.games.cards import SMALL_JOKER, SUIT_SIGNS
from shangyou.web.wire.reasons import Answer

CardNames = tuple[str, ...]


@lru_cache(maxsize=1 << 13)  # more than 200 tables show at one time
def card_names(deck: Deck, cards: Cards) -> CardNames:
    """Each card by its name, low to high: `3♠`, where suits do not matter `3`."""
    copies = {kind: deck.copies(cards, *kind) for kind in deck.kinds}
    signs = SUIT_SIGNS if deck.suited else ("",)
    return tuple(
        RANKS[rank] + (signs[suit] if rank < SMALL_JOKER else "") for rank, suit in copies for _ in range(copies[rank, suit])
    )


def hand_names(deck: Deck, hands: tuple[Cards, ...]) -> tuple[CardNames, ...]:
    return tuple(card_names(deck, hand) for hand in hands)


def public_names(game: Game, public: Cards) -> CardNames | None:
    """The public cards; None where there are none."""
    return card_names(game.deck, public) if public else None


class PlayOut(Answer):
    play: int
    label: str
    cards: CardNames

    @classmethod
    def of(cls, game: Game, row: int, cards: Cards, **more: Any) -> Self:
        """A row of the game's table of plays, the cards it is made of, and `more` fields of a subclass."""
        return cls(play=row, label=game.table.labels[row], cards=card_names(game.deck, cards), **more)


class SuggestionOut(PlayOut):
    value: float
    win: float | None
    points: float | None


def legal_plays(view: View, rows: Rows) -> list[PlayOut]:
    """Plays the hand may make, with the cards the game's rule picks for each."""
    return [PlayOut.of(view.game, row, view.game.pick(view.hand, row)) for row in rows.tolist()]


def suggestions_out(view: View, suggestions: list[Suggestion]) -> list[SuggestionOut]:
    game, hand = view.game, view.hand
    return [
        SuggestionOut.of(game, one.play, game.pick(hand, one.play), value=one.value, win=one.win, points=one.points)
        for one in suggestions
    ]
