"""Everything that comes in, as types: messages on the WebSocket of a table, bodies of HTTP requests."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal, TypeVar

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from shangyou import games
from shangyou.engines import open_position, position
from shangyou.engines.reference import State, View
from shangyou.games import Game
from shangyou.web.errors import Why
from shangyou.web.table import Refused

Kinds = TypeVar("Kinds")
TEAM_GAME = next(name for name in games.names() if games.rules_of(name).team_rules is not None)
MOST_NODES = 1_000_000  # positions the solver looks at; under a second
MOST_SIGNS = 4096  # of a message on a socket


class Request(BaseModel):
    """Anything from outside: known fields of the right type, nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def check_texts(cls, value: Any) -> Any:
        """No database takes NUL, and halves of characters (lone surrogates) cannot be encoded."""
        if any(sign == "\0" or "\ud800" <= sign <= "\udfff" for text in _texts(value) for sign in text):
            raise ValueError("a text with NUL or with half a character in it")
        return value


def _texts(value: Any) -> Iterator[str]:
    """All texts in a JSON value, names of fields among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from (name, *_texts(one))
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


# -- messages on the socket -------------------------------------------------------------------------------------------

Version = Annotated[int, Field(ge=0, lt=1 << 31)]


class PlayRequest(Request):
    """A row of the game's table of plays, or the very cards."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["play"]}, {"required": ["cards"]}]})
    kind: Literal["play"]
    version: Version
    play: Annotated[int, Field(ge=0, lt=1 << 31)] | None = None
    cards: Annotated[list[Annotated[str, Field(max_length=4)]], Field(max_length=60)] | None = None

    @model_validator(mode="after")
    def check_one(self) -> PlayRequest:
        if (self.play is None) == (self.cards is None):
            raise ValueError("either play or cards is needed")
        return self


class BidRequest(Request):
    kind: Literal["bid"]
    version: Version
    points: Annotated[int, Field(ge=0, lt=1000)]


class HintRequest(Request):
    """With `think`, the adviser thinks for some seconds, and hints follow each other until it is done."""

    kind: Literal["hint"]
    version: Version
    think: bool = False


class LeaveRequest(Request):
    kind: Literal["leave"]


class AgreeRequest(Request):
    """Before the deal: whether I agree to hints."""

    kind: Literal["agree"]
    hints: bool


class FillRequest(Request):
    """Before the deal: agents take the open seats."""

    kind: Literal["fill"]


class RematchRequest(Request):
    """After the end: I want to play again with everybody here."""

    kind: Literal["rematch"]


Phrase = Literal["hello", "good_luck", "well_played", "thanks", "sorry", "hurry", "wow", "good_game"]


class PhraseRequest(Request):
    """Say one of a few phrases to everybody at the table."""

    kind: Literal["phrase"]
    phrase: Phrase


class Ping(Request):
    kind: Literal["ping"]


Message = (
    PlayRequest | BidRequest | HintRequest | LeaveRequest | AgreeRequest | FillRequest | RematchRequest | PhraseRequest | Ping
)
MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def read_message(text: str | bytes) -> Message:
    return read_request(MESSAGE, text)


def read_request(kinds: TypeAdapter[Kinds], text: str | bytes) -> Kinds:
    """A message on a socket as one of these kinds."""
    if len(text) > MOST_SIGNS:
        raise Refused("too_long", Why.message_long(n=MOST_SIGNS))
    try:
        return kinds.validate_json(text)
    except ValidationError as error:
        wrong = explain(error.errors(include_url=False, include_input=False))
        raise Refused("malformed", Why.malformed(error=wrong)) from error


def explain(errors: Any) -> str:
    """The first error and the field it is about; never the value that was sent."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return f"{where}: {first['msg']}" if where else str(first["msg"])


# -- bodies of HTTP requests ------------------------------------------------------------------------------------------

Id = Annotated[str, Path(pattern="^[A-Za-z0-9_-]{1,32}$")]
Number = Annotated[int, Path(ge=1, lt=1 << 31)]  # of a device or a bot, as the database counts
Day = Annotated[date, Path()]  # 2026-11-19
GameName = Annotated[str, Field(max_length=32, pattern=r"^[\w-]*$")]
RulesText = Annotated[str, Field(max_length=400)]
AgentName = Annotated[str, Field(max_length=120)]
Text = Annotated[str, Field(max_length=2000)]
ReplayId = Annotated[str, Field(max_length=32, pattern=r"^[\w-]*$")]
Seat = Annotated[int, Field(ge=-1, lt=8)]
Count = Annotated[int, Field(ge=0, lt=1000)]


class Me(Request):
    nickname: Annotated[str, Field(max_length=100)] | None = None
    keep: bool | None = None


class Code(Request):
    """A recovery code, as it was shown or as somebody typed it."""

    code: Annotated[str, Field(max_length=100)]


class From(Request):
    replay: ReplayId
    turn: Annotated[int, Field(ge=0, le=10_000)]


class ClockWish(Request):
    """Seconds for each bid or play, and for the whole game beyond those."""

    move: Annotated[int, Field(ge=3, le=600)]
    reserve: Annotated[int, Field(ge=0, le=1800)]


class Join(Request):
    hints: bool = False  # whether I agree to them


class QuickMatch(Request):
    game: GameName


class NewTable(Request):
    game: GameName
    rules: RulesText = ""
    seats: Annotated[list[AgentName], Field(max_length=8)]
    hints: bool = True  # with others, whether I agree to them
    listed: bool = False  # for everybody, until it is full
    clock: ClockWish | None = None
    pace: Annotated[int, Field(ge=0, le=10_000)] = 700
    seed: Annotated[int, Field(ge=0, lt=1 << 63)] | None = None
    same_deal: ReplayId | None = None
    begin: Annotated[From | None, Field(alias="from")] = None

    @property
    def known_cards(self) -> int:
        """How many fields say what the cards are."""
        return sum(field is not None for field in (self.seed, self.same_deal, self.begin))


class NewMatch(Request):
    """A duplicate match: I am landlord against two opponents, then the opponent is against two partners of mine."""

    game: GameName = TEAM_GAME
    rules: RulesText = games.rules_of(TEAM_GAME).team_rules or ""
    deals: Annotated[int, Field(ge=1, le=100)] = 10
    opponent: AgentName = ""  # empty: the strongest
    partner: AgentName = ""
    hints: bool = False
    pace: Annotated[int, Field(ge=0, le=10_000)] = 700


class NewTry(Request):
    """My try at the daily deal of a game."""

    pace: Annotated[int, Field(ge=0, le=10_000)] = 700


class Position(Request):
    """A position as a person describes it; seats are counted from me, who am 0."""

    game: GameName
    rules: RulesText = ""
    hand: Text
    played: Annotated[list[Text], Field(default_factory=list, max_length=8)]
    last: Text = ""
    last_by: Seat | None = None
    left: Annotated[list[Count], Field(default_factory=list, max_length=8)]
    role: Annotated[str, Field(max_length=20)] = ""
    public: Text = ""
    history: Text = ""
    first: Seat | None = None

    def view(self, game: Game) -> View:
        known = self.model_dump(include={"played", "last", "last_by", "left", "role", "public", "history", "first"})
        return position.position(game, self.hand, **known)


class Wish(Position):
    agent: AgentName = ""
    top: Annotated[int, Field(ge=1, le=100)] = 10


class OpenPosition(Request):
    """A position with all hands known, seat 0 first; an empty hand is out of cards."""

    game: GameName
    rules: RulesText = ""
    hands: Annotated[list[Text], Field(max_length=8)]
    turn: Seat = 0
    last: Text = ""
    last_by: Seat | None = None
    landlord: Seat | None = None
    objective: Annotated[str, Field(max_length=20)] = ""
    nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = MOST_NODES

    def state(self, game: Game) -> State:
        known = self.model_dump(include={"turn", "last", "last_by", "landlord"})
        return open_position.open_position(game, self.hands, **known)


class Moves(Request):
    """My moves in a puzzle, each as its cards; none are a pass."""

    moves: Annotated[list[Annotated[list[Annotated[str, Field(max_length=4)]], Field(max_length=20)]], Field(max_length=40)]
