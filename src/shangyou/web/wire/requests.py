"""Everything that comes in, as types: messages on the WebSocket of a table, bodies of HTTP requests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from shangyou import games
from shangyou.engines import position
from shangyou.engines.reference import View
from shangyou.web.table import Refused

MOST_SIGNS = 4096  # of a message on a socket


class Request(BaseModel):
    """Anything from outside: known fields of the right type, nothing else."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# -- messages on the socket -------------------------------------------------------------------------------------------

Version = Annotated[int, Field(ge=0, lt=1 << 31)]


class PlayRequest(Request):
    """A row of the game's table of plays, or the very cards."""

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
    kind: Literal["hint"]
    version: Version


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
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])


def read_message(text: str | bytes) -> Message:
    if len(text) > MOST_SIGNS:
        raise Refused("too_long", f"a message has at most {MOST_SIGNS} characters")
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        raise Refused("malformed", explain(error.errors(include_url=False, include_input=False))) from error


def explain(errors: Any) -> str:
    """The first error and the field it is about; never the value that was sent."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return f"{where}: {first['msg']}" if where else str(first["msg"])


# -- bodies of HTTP requests ------------------------------------------------------------------------------------------

GameName = Annotated[str, Field(max_length=32)]
RulesText = Annotated[str, Field(max_length=400)]
AgentName = Annotated[str, Field(max_length=120)]
Text = Annotated[str, Field(max_length=2000)]
ReplayId = Annotated[str, Field(max_length=32)]


class Me(Request):
    nickname: Annotated[str, Field(max_length=100)] | None = None
    keep: bool | None = None


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

    game: GameName = "doudizhu"
    rules: RulesText = "base=3"
    deals: Annotated[int, Field(ge=1, le=100)] = 10
    opponent: AgentName = ""  # empty: the strongest
    partner: AgentName = ""
    hints: bool = False
    pace: Annotated[int, Field(ge=0, le=10_000)] = 700


class Position(Request):
    """A position as a person describes it; seats are counted from me, who am 0."""

    game: GameName
    rules: RulesText = ""
    hand: Text
    played: Annotated[list[Text], Field(default_factory=list, max_length=8)]
    last: Text = ""
    last_by: int | None = None
    left: Annotated[list[int], Field(default_factory=list, max_length=8)]
    role: Annotated[str, Field(max_length=20)] = ""
    public: Text = ""
    history: Text = ""
    first: int | None = None

    def view(self) -> View:
        known = self.model_dump(include={"played", "last", "last_by", "left", "role", "public", "history", "first"})
        return position.position(games.load_text(self.game, self.rules), self.hand, **known)


class Wish(Position):
    agent: AgentName = ""
    top: Annotated[int, Field(ge=1, le=100)] = 10
