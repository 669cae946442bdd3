"""The answers of the HTTP API, field by field, and the functions that make their plays. OpenAPI lists all of them."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, Self

from pydantic import Field

from shangyou.agents import Suggestion
from shangyou.engines.reference import View
from shangyou.games import RANKS, Cards, Deck, Game
from shangyou.games.cards import SMALL_JOKER, SUIT_SIGNS
from shangyou.web.tables.table_value import Status
from shangyou.web.wire.reasons import Answer, Fault

Choice = bool | int | str
CardNames = tuple[str, ...]

FAULTS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Fault, "description": "What was asked for cannot be done; the answer says why."},
    "5XX": {"model": Fault, "description": "Something went wrong here."},
}

# -- cards and plays --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 13)  # more than 200 tables show at one time
def card_names(deck: Deck, cards: Cards) -> CardNames:
    """Each card by its name, low to high: `3♠`, where suits do not matter `3`."""
    copies = {kind: deck.copies(cards, *kind) for kind in deck.kinds}
    signs = SUIT_SIGNS if deck.suited else ("",)
    return tuple(
        RANKS[rank] + (signs[suit] if rank < SMALL_JOKER else "") for rank, suit in copies for _ in range(copies[rank, suit])
    )


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


def legal_plays(game: Game, hand: Cards, rows: list[int]) -> list[PlayOut]:
    """Plays a hand may make, with the cards the game's rule picks for each."""
    return [PlayOut.of(game, row, game.pick(hand, row)) for row in rows]


def suggestions_out(view: View, suggestions: list[Suggestion]) -> list[SuggestionOut]:
    game, hand = view.game, view.hand
    return [
        SuggestionOut.of(game, one.play, game.pick(hand, one.play), value=one.value, win=one.win, points=one.points)
        for one in suggestions
    ]


# -- games, agents, health, me ----------------------------------------------------------------------------------------


class Range(Answer):
    """Whole numbers, both ends included."""

    lowest: int = Field(alias="from")
    highest: int = Field(alias="to")


class RuleOut(Answer):
    name: str
    default: Choice
    help: str
    options: list[Choice] | Range


class GameOut(Answer):
    name: str
    seats: int
    plays: int  # rows of its table of plays
    suits: bool  # whether they matter
    public_size: int  # cards that everybody sees in the end, doudizhu's three
    patterns: list[str]
    table: str  # hash of the table of plays
    rules: list[RuleOut]


class AgentOut(Answer):
    name: str
    version: str
    strongest: bool


class HealthOut(Answer):
    status: Literal["up"] = "up"
    tables: int  # that run
    in_memory: int
    database: str


class MeOut(Answer):
    known: bool
    nickname: str
    keep: bool  # finished games may be given to others to learn from


# -- tables, positions ------------------------------------------------------------------------------------------------


class SeatTaken(Answer):
    table: str
    seat: int


class Sitter(Answer):
    name: str
    kind: Literal["person", "agent", "open"]


class TableOut(Answer):
    table: str
    game: str
    rules: str
    status: Status
    seats: list[Sitter]
    seat: int | None  # mine
    hints: bool
    pace: int  # ms
    replay: str | None


class SuggestOut(Answer):
    agent: str
    legal: int  # how many plays there are
    suggestions: list[SuggestionOut]
    unseen: list[int]  # [15] by rank


# -- finished games ---------------------------------------------------------------------------------------------------


class PlayerOut(Answer):
    name: str
    kind: Literal["person", "agent", "unknown"]
    version: str = ""
    score: int | None = None
    won: bool | None = None


class MyGame(Answer):
    replay: str
    game: str
    rules: str
    finished_at: datetime
    seat: int
    score: int
    won: bool
    rating: float | None  # after it, if it was rated
    rated: bool
    players: list[str]


class Forgotten(Answer):
    forgotten: int


class BidOut(Answer):
    seat: int
    points: int


class ReplayTurn(PlayOut):
    seat: int
    leads: bool
    think_ms: int | None
    hands: list[CardNames]  # after it
    multiplier: int


class Outcome(Answer):
    finished: bool
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    places: tuple[int, ...]


class ReplayOut(Answer):
    replay: str
    game: str
    rules: str
    name: str
    players: list[PlayerOut]
    rated: bool
    finished_at: datetime
    deal: list[CardNames]
    public: CardNames | None
    first: int
    bids: list[BidOut]
    landlord: int | None
    hands: list[CardNames]  # before the first turn
    turns: list[ReplayTurn]
    result: Outcome


class DecisionOut(Answer):
    """`win` and `points` are those of the best play, for the seat to act."""

    turn: int
    seat: int
    choices: int
    win: float | None
    points: float | None
    played: SuggestionOut
    rank: int  # of what was played, 0 is best
    loss: float
    candidates: list[SuggestionOut]


class SeatReview(Answer):
    decisions: int  # with more than one choice
    loss: float
    mean_loss: float
    mistakes: list[int]  # turns


class Judged(Answer):
    """An adviser's review of a game, as it is stored in the database."""

    adviser: str
    decisions: list[DecisionOut]
    seats: list[SeatReview]
    mistake: float  # a loss above it is one


class ReviewOut(Judged):
    replay: str
    version: str


class RecordOut(Answer):
    """A record that was sent: its replay, or what is wrong with it and where."""

    number: int
    name: str
    replay: str | None
    game: str | None = None
    finished: bool | None = None
    line: int | None = None
    fault: Fault | None = None


class RatingOut(Answer):
    name: str
    kind: Literal["person", "agent"]
    me: bool
    games: int
    wins: int
    win_rate: float
    win_interval: tuple[float, float]  # 95%
    points: float  # a game
    rating: float
    sigma: float
    sure: float  # rating - 3 sigma, by which the list is ordered
