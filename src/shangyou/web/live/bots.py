"""The bots that are connected: what they play, the challenges that wait for their answers, the tables they are given."""

import asyncio
import secrets
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection

from shangyou import games
from shangyou.engines import reference
from shangyou.games import BadInput, Game
from shangyou.games.errors import Reason
from shangyou.web.errors import Why
from shangyou.web.live.arena import Arena, new_id
from shangyou.web.live.inference import check_listed
from shangyou.web.live.live_table import Listener
from shangyou.web.storage import table_store
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused, Seat, Table
from shangyou.web.wire.answers import SeatTaken
from shangyou.web.wire.bots import (
    BotOut,
    ChallengeOut,
    ChallengeOver,
    ChallengeSeat,
    Declared,
    Hello,
    NewChallenge,
    Offer,
    OfferOut,
    TableReady,
)  # fmt: skip

ANSWER_WITHIN = 15.0  # seconds
MOST_WAITING = 8  # challenges that wait for one bot
REPLACED = 4409  # the code of a closed stream: the bot has opened another
REVOKED = 4401
WhyNot = Reason | str | None  # a text is the bot's own
ME, BOT = "me", "bot:"  # names of seats in a challenge: who sends it, and a bot by its number


@dataclass(eq=False)
class OnlineBot:
    """A bot with its stream."""

    person: Person
    listener: Listener
    plays: tuple[OfferOut, ...] = ()
    waiting: dict[str, asyncio.Future[WhyNot]] = field(default_factory=dict)  # by challenge

    def why_not(self, game: Game) -> WhyNot:
        """Why the bot is not challenged to a game."""
        offers = [offer for offer in self.plays if offer.game == game.name]
        if not offers:
            return Why.bot_plays(games=[offer.game for offer in self.plays]) if self.plays else Why.bot_plays_nothing()
        if all(offer.rules is not None and str(game.rules) not in offer.rules for offer in offers):
            return Why.bot_rules()
        return Why.bot_asked() if len(self.waiting) >= MOST_WAITING else None

    async def ask(self, challenge: ChallengeOut) -> WhyNot:
        answer = self.waiting[challenge.challenge] = asyncio.get_running_loop().create_future()
        self.listener.send(challenge)
        try:
            return await asyncio.wait_for(answer, ANSWER_WITHIN)
        except TimeoutError:
            return Why.bot_late()
        finally:
            del self.waiting[challenge.challenge]

    def answer(self, challenge: str, why_not: WhyNot) -> None:
        """The bot accepts or declines a challenge."""
        answer = self.waiting.get(challenge)
        if answer is None or answer.done():
            raise Refused("no_challenge", Why.no_challenge(challenge=challenge))
        answer.set_result(why_not)

    def shut(self, code: int) -> None:
        """Close the stream; challenges that wait are declined."""
        self.listener.drop(code)
        self.decline_all()

    def decline_all(self) -> None:
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_result(Why.bot_away())


class Bots:
    """All that are connected, by number."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.online: dict[int, OnlineBot] = {}

    def listed(self) -> list[BotOut]:
        """Those that can be challenged."""
        bots = [bot for bot in self.online.values() if bot.plays]
        return [BotOut(bot=bot.person.id, name=bot.person.nickname, plays=list(bot.plays)) for bot in bots]

    async def connect(self, person: Person) -> OnlineBot:
        """A bot has one stream: the latest."""
        tables = await self.arena.storage.run(table_store.tables_of, person, None)
        if before := self.online.get(person.id):
            before.shut(REPLACED)
        bot = self.online[person.id] = OnlineBot(person, Listener(person.id))
        bot.listener.send(Hello(bot=person.id, name=person.nickname))
        for table in tables:
            bot.listener.send(TableReady(table=table, challenge=None))
        return bot

    def disconnect(self, bot: OnlineBot) -> None:
        bot.decline_all()
        if self.online.get(bot.person.id) is bot:
            del self.online[bot.person.id]

    def shut_out(self, person: int) -> None:
        """Close all that a bot has open: its token was revoked."""
        if bot := self.online.get(person):
            bot.shut(REVOKED)
        self.arena.hang_up_on(person, REVOKED)

    # -- challenges ---------------------------------------------------------------------------------------------------

    async def challenge(self, by: Person, wish: NewChallenge, game: Game) -> SeatTaken:
        """A table with bots, once all of them have accepted. Nothing is rated there: a bot may be its challenger's own."""
        await self.arena.inference.open(lambda: _check_seats(wish, game))
        bots = {number: self._find(name, game) for number, name in enumerate(wish.seats) if name.startswith(BOT)}
        seats = tuple(_seat(name, by, bots.get(number)) for number, name in enumerate(wish.seats))
        sitting = [seat.person for seat in seats if seat.person is not None]
        if len(set(sitting)) < len(sitting):
            raise BadInput(Why.bot_one_seat())
        challenge, mine = new_id("c"), wish.seats.index(ME)
        shown = [ChallengeSeat(name=seat.name, kind=seat.kind) for seat in seats]
        fixed: dict[str, Any] = {
            "game": game.name,
            "rules": str(game.rules),
            "pace": wish.pace,
            "by": mine,
            "answer_within": ANSWER_WITHIN,
        }
        asked = [bot.ask(ChallengeOut(challenge=challenge, seats=shown, seat=number, **fixed)) for number, bot in bots.items()]
        for bot, why_not in zip(bots.values(), await asyncio.gather(*asked), strict=True):
            if why_not is not None:
                self._tell(bots, ChallengeOver(challenge=challenge))
                raise Refused("declined", Why.declined(name=bot.person.nickname, why=why_not))
        first = reference.deal(game, secrets.randbelow(1 << 63))
        table = Table(new_id("t"), first, seats, hints=False, pace=wish.pace, rated=False)
        await self.arena.open(table, first, store_deal=False)
        self._tell(bots, TableReady(table=table.id, challenge=challenge))
        if by.bot and (own := self.online.get(by.id)):
            own.listener.send(TableReady(table=table.id, challenge=challenge))
        return SeatTaken(table=table.id, seat=mine)

    def _find(self, name: str, game: Game) -> OnlineBot:
        number = name.removeprefix(BOT)
        bot = self.online.get(int(number)) if number.isascii() and number.isdecimal() and len(number) < 10 else None
        if bot is None:
            raise Refused("no_bot", Why.no_bot(number=number))
        if why_not := bot.why_not(game):
            raise Refused("declined", Why.declined(name=bot.person.nickname, why=why_not))
        return bot

    @staticmethod
    def _tell(bots: dict[int, OnlineBot], news: ChallengeOver | TableReady) -> None:
        for bot in bots.values():
            bot.listener.send(news)


def _check_seats(wish: NewChallenge, game: Game) -> None:
    if len(wish.seats) != game.seats or wish.seats.count(ME) != 1:
        raise BadInput(Why.seats_and_me(game=game.name, seats=game.seats, given=wish.seats))
    for name in wish.seats:
        if name != ME and not name.startswith(BOT):
            check_listed(name, game)


def _seat(name: str, by: Person, bot: OnlineBot | None) -> Seat:
    if bot is not None:
        return Seat("bot", bot.person.nickname, bot.person.id)
    return Seat("bot" if by.bot else "person", by.nickname, by.id) if name == ME else Seat("agent", name)


def declared(offers: list[Offer]) -> Declared:
    """What a bot declares, with its rules written out and checked."""
    return Declared(plays=[OfferOut(game=offer.game, rules=_written_out(offer)) for offer in offers])


def _written_out(offer: Offer) -> list[str] | None:
    rules = games.rules_of(offer.game)
    return None if offer.rules is None else [str(rules.parse(text)) for text in offer.rules]


def bots_of(connection: HTTPConnection) -> Bots:
    bots: Bots = connection.app.state.bots
    return bots
