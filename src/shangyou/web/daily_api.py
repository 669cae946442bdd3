"""HTTP: daily deals. Everybody plays the same cards from the same seat against the same agents, once; tries are ranked.

A deal runs from midnight to midnight in UTC. Its cards follow from a secret. Nothing shows them before it is closed, an hour
after its day, by when tries that were begun in time must be finished.
"""

import logging
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError

from shangyou import games
from shangyou.engines import position, reference
from shangyou.engines.reference import State
from shangyou.web.api import KnownPerson, MaybePerson, TheArena, check_new, welcome
from shangyou.web.daily import SEAT, closes_at, day_of, days_in_a_row, ends_at, seed_of
from shangyou.web.errors import Why
from shangyou.web.live.arena import Arena, new_id
from shangyou.web.live.inference import adviser, version_of
from shangyou.web.storage import daily_ranking, daily_store
from shangyou.web.storage.daily_store import Deal
from shangyou.web.storage.database import now
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused, Seat, Table
from shangyou.web.wire.answers import SeatTaken
from shangyou.web.wire.daily_answers import (
    DailyDeal,
    DailyOut,
    DailyResult,
    DailyRow,
    DailyStatus,
    DailyToday,
    DailyTry,
    MyDaily,
    NamedDeal,
)  # fmt: skip
from shangyou.web.wire.requests import Day, GameName, NewTry

MOST_RECENT = 21  # deals of the days before
router = APIRouter()
log = logging.getLogger(__name__)

Game = Annotated[GameName, Path()]
Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=1 << 31)]


# -- routes -----------------------------------------------------------------------------------------------------------


@router.get("/daily")
async def list_daily(arena: TheArena, person: MaybePerson) -> DailyToday:
    """Today's deals with my tries, and which there were on the days before."""
    today = day_of(now())
    deals = [await _today(arena, game) for game in games.names()]
    recent = await arena.storage.run(daily_store.recent_deals, today, MOST_RECENT)
    return DailyToday(
        day=today,
        seconds_left=int((ends_at(today) - now()).total_seconds()),
        deals=[await _shown(arena, deal, person) for deal in deals],
        recent=[NamedDeal(**row._mapping) for row in recent],
    )


@router.get("/me/daily")
async def my_daily(arena: TheArena, person: KnownPerson) -> MyDaily:
    """My results of daily deals, latest first, and the days in a row on which I finished one."""
    days = await arena.storage.run(daily_store.days_finished, person)
    rows = await arena.storage.run(daily_ranking.results_of, person)
    streak, longest = days_in_a_row(days, day_of(now()))
    results = [DailyResult(**{name: row._mapping[name] for name in DailyResult.model_fields}) for row in rows]
    return MyDaily(streak=streak, longest=longest, results=results)


@router.get("/daily/{day}/{game}")
async def get_daily(
    day: Day, game: Game, arena: TheArena, person: MaybePerson, limit: Limit = 50, offset: Offset = 0
) -> DailyOut:
    """A deal; its ranking once my try is over, or the deal is closed."""
    deal = await _today(arena, game) if day.isoformat() == day_of(now()) else await _find(arena, day.isoformat(), game)
    own = await _my_try(arena, deal, person)
    knows = _knows_results(deal, own)
    if knows and deal.replay is None:
        deal = await _with_champion(arena, deal)
    shown = await _shown(arena, deal, person)
    rows = await arena.storage.run(daily_ranking.ranking, deal, limit, offset) if knows else []
    return DailyOut(
        rules=deal.rules,
        agent=deal.agent,
        ends_at=ends_at(deal.day),
        closes_at=deal.closes_at,
        champion_replay=None if deal.hidden else deal.replay,
        rows=[_row(deal, row, person) for row in rows],
        next=offset + limit if rows and offset + limit < shown.players else None,
        **shown.model_dump(),
    )


@router.post("/daily/{game}")
async def play_daily(
    game: Game, body: NewTry, request: Request, response: Response, arena: TheArena, person: MaybePerson
) -> SeatTaken:
    """Begin my try at today's deal, or go on with it."""
    deal = await _today(arena, game)
    if own := await _my_try(arena, deal, person):
        return _again(deal, own)
    await check_new(request, arena)
    person = person or await welcome(request, response, arena)
    first = await _deal_cards(arena, deal)
    mine = Seat("person", person.nickname, person.id)
    seats = tuple(mine if seat == SEAT else Seat("agent", deal.agent) for seat in range(first.game.seats))
    table = Table(new_id("t"), first, seats, hints=False, pace=body.pace, rated=False, daily=deal.day)
    try:
        await arena.open(table, first, store_deal=False)
    except IntegrityError:  # begun twice at once, as from two tabs
        return _again(deal, await _my_try(arena, deal, person))
    return SeatTaken(table=table.id, seat=SEAT)


def _again(deal: Deal, own: Row[Any] | None) -> SeatTaken:
    if own is None or not own.running:
        raise Refused("over", Why.daily_played())
    return SeatTaken(table=own.table_id, seat=SEAT)


# -- deals ------------------------------------------------------------------------------------------------------------


async def _find(arena: Arena, day: str, game: str) -> Deal:
    deal = await arena.storage.run(daily_store.find_deal, day, game)
    if deal is None:
        raise Refused("no_daily", Why.no_daily())
    return deal


async def _today(arena: Arena, name: str) -> Deal:
    """Today's deal of a game under its default rules, against the strongest agent; stored by the first who asks for it."""
    game, day = await arena.rules.load(name), day_of(now())
    deal = await arena.storage.run(daily_store.find_deal, day, name)
    if deal is None:
        agent = await arena.inference.open(lambda: adviser(game))
        with suppress(IntegrityError):  # somebody else was first
            await arena.storage.run(daily_store.add_deal, Deal(day, name, str(game.rules), agent, closes_at(day)))
        deal = await _find(arena, day, name)
    return deal


async def _secret(arena: Arena) -> bytes:
    try:
        return await arena.storage.run(daily_store.find_secret)
    except IntegrityError:  # another process has made it just now
        return await arena.storage.run(daily_store.find_secret)


async def _deal_cards(arena: Arena, deal: Deal) -> State:
    game = await arena.rules.load(deal.game, deal.rules)
    return reference.deal(game, seed_of(await _secret(arena), deal.day, deal.game))


async def _with_champion(arena: Arena, deal: Deal) -> Deal:
    """The deal with the agent's own game, which it plays when that is first asked for."""
    async with arena.reviewing:  # who asks for the same deal meanwhile finds it stored
        deal = await _find(arena, deal.day, deal.game)
        if deal.replay is None:
            await _play_champion(arena, deal)
    return await _find(arena, deal.day, deal.game)


async def _play_champion(arena: Arena, deal: Deal) -> None:
    """If the agent fails, the next who looks at the deal tries again."""
    start = await _deal_cards(arena, deal)
    names = (deal.agent,) * start.game.seats
    try:
        end = await arena.inference.play_out(names, start)
    except Exception:
        log.exception("agent failed", extra={"agent": deal.agent})
        return
    table = Table(new_id("t"), start, tuple(Seat("agent", name) for name in names), rated=False, replay=new_id("g"))
    for turn in end.history:
        table = table.put(turn.cards)
    await arena.storage.run(daily_ranking.add_champion, deal, table, [version_of(name) for name in names])


# -- answers ----------------------------------------------------------------------------------------------------------


async def _shown(arena: Arena, deal: Deal, person: Person | None) -> DailyDeal:
    """What this person may know of a deal now."""
    own = await _my_try(arena, deal, person)
    game = await arena.rules.load(deal.game, deal.rules)
    return DailyDeal(
        day=deal.day,
        game=deal.game,
        status=_status(deal),
        seat=SEAT,
        role=dict(enumerate(position.roles(game))).get(SEAT, ""),
        players=await arena.storage.run(daily_ranking.count_over, deal),
        mine=_mine(deal, own) if own else None,
        champion=await arena.storage.run(daily_ranking.champion_points, deal) if _knows_results(deal, own) else None,
    )


async def _my_try(arena: Arena, deal: Deal, person: Person | None) -> Row[Any] | None:
    return await arena.storage.run(daily_ranking.find_try, deal, person) if person else None


def _status(deal: Deal) -> DailyStatus:
    if not deal.hidden:
        return "closed"
    return "open" if ends_at(deal.day) > now() else "closing"


def _knows_results(deal: Deal, own: Row[Any] | None) -> bool:
    """Whether who has made this try, or none, may know how others did."""
    return not deal.hidden or (own is not None and not own.running)


def _mine(deal: Deal, own: Row[Any]) -> DailyTry:
    if own.running:
        return DailyTry(table=own.table_id, running=True, points=None, place=None, total=None, beaten=None, replay=None)
    return DailyTry(
        table=own.table_id,
        running=False,
        points=own.points,
        place=own.place,
        total=own.total,
        beaten=own.below / (own.total - 1) if own.total > 1 else None,
        replay=None if deal.hidden else own.replay,
    )


def _row(deal: Deal, row: Row[Any], person: Person | None) -> DailyRow:
    me = person is not None and row.person == person.id
    return DailyRow(place=row.place, name=row.name, points=row.points, me=me, replay=None if deal.hidden else row.replay)
