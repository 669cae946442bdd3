"""What bots and the server send each other beside the messages of a table: the stream of a bot, challenges, tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from shangyou.web.table import SeatKind
from shangyou.web.wire.messages import Pong, RefusedOut
from shangyou.web.wire.reasons import Answer
from shangyou.web.wire.requests import AgentName, GameName, Ping, Request, RulesText

MOST_OFFERS = 16  # games a bot declares, and rule sets of one game

# -- bodies of HTTP requests and their answers ------------------------------------------------------------------------


class NewBot(Request):
    name: Annotated[str, Field(max_length=100)]


class BotMade(Answer):
    bot: int
    name: str
    token: str  # shown this once


class MyBot(Answer):
    bot: int
    name: str
    made_at: datetime
    online: bool


class Revoked(Answer):
    revoked: int


class NewChallenge(Request):
    """Seats as for a new table, with `bot:7` for the bot of that number."""

    game: GameName
    rules: RulesText = ""
    seats: Annotated[list[AgentName], Field(max_length=8)]
    pace: Annotated[int, Field(ge=0, le=10_000)] = 700


class OfferOut(Answer):
    game: str
    rules: list[str] | None  # rule sets, each written out; null: any


class BotOut(Answer):
    """A bot that is connected now."""

    bot: int
    name: str
    plays: list[OfferOut]


# -- the stream: what a bot sends -------------------------------------------------------------------------------------


class Offer(Request):
    """A game the bot plays, and under which rules: `[""]` the defaults, `["base=3"]` others, null any."""

    game: GameName
    rules: Annotated[list[RulesText], Field(max_length=MOST_OFFERS)] | None = None


ChallengeId = Annotated[str, Field(max_length=32)]


class Declare(Request):
    """What the bot plays, in place of what it declared before; nothing: it takes no challenges."""

    kind: Literal["declare"]
    games: Annotated[list[Offer], Field(max_length=MOST_OFFERS)]


class Accept(Request):
    kind: Literal["accept"]
    challenge: ChallengeId


class Decline(Request):
    kind: Literal["decline"]
    challenge: ChallengeId
    reason: Annotated[str, Field(max_length=200)] = ""


BotMessage = Declare | Accept | Decline | Ping
BOT_MESSAGE: TypeAdapter[BotMessage] = TypeAdapter(Annotated[BotMessage, Field(discriminator="kind")])


# -- the stream: what the server sends --------------------------------------------------------------------------------


class Hello(Answer):
    """The first message: who the token belongs to."""

    kind: Literal["hello"] = "hello"
    bot: int
    name: str


class Declared(Answer):
    """What the server now knows the bot to play."""

    kind: Literal["declared"] = "declared"
    plays: list[OfferOut]


class ChallengeSeat(Answer):
    name: str
    kind: SeatKind


class ChallengeOut(Answer):
    """Accept or decline it in time; until all that are challenged have accepted there is no table."""

    kind: Literal["challenge"] = "challenge"
    challenge: str
    game: str
    rules: str
    seats: list[ChallengeSeat]
    seat: int  # of the bot
    by: int  # the seat of who challenges
    pace: int  # ms
    answer_within: float  # seconds


class ChallengeOver(Answer):
    """It came to nothing: somebody declined, or did not answer in time."""

    kind: Literal["challenge_over"] = "challenge_over"
    challenge: str


class TableReady(Answer):
    """A table at which the bot sits and that runs: sent when it opens, and for each such table after `hello`."""

    kind: Literal["table"] = "table"
    table: str
    challenge: str | None  # that led to it; null after `hello`


BotNews = Hello | Declared | ChallengeOut | ChallengeOver | TableReady | RefusedOut | Pong
