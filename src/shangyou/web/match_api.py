"""HTTP: duplicate matches of a person against an agent (Appendix B of the DeepRocket paper).

Every deal is played at two tables: the person is landlord against two opponents; then the opponent, with the same cards, is
landlord against two partners of the person. The second table is played when the first is over, so nobody can know of it before.
"""

import logging
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response
from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError

from shangyou.engines import reference
from shangyou.evaluation.teams import check_has_landlord
from shangyou.games import Ending, Game
from shangyou.web.api import KnownPerson, MaybePerson, TheArena, check_new, welcome
from shangyou.web.errors import Why
from shangyou.web.live.arena import Arena, new_id, new_seed
from shangyou.web.live.callers import address_of
from shangyou.web.live.inference import adviser, check_listed, version_of
from shangyou.web.storage import match_store, table_store
from shangyou.web.storage.match_store import Match, match_of
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused, Seat, Table
from shangyou.web.wire.answers import MatchDeal, MatchOut, SeatTaken
from shangyou.web.wire.requests import Id, NewMatch

router = APIRouter()
log = logging.getLogger(__name__)


@router.post("/matches")
async def open_match(body: NewMatch, request: Request, response: Response, arena: TheArena, person: MaybePerson) -> MatchOut:
    """A new match. Its deals are opened one by one."""
    game = await arena.rules.load(body.game, body.rules, address_of(request))
    wish = await arena.inference.open(lambda: _check_wish(body, game))
    await check_new(request, arena)
    person = person or await welcome(request, response, arena)
    match = Match(new_id("m"), person.id, **wish.model_dump())
    await arena.storage.run(match_store.add_match, match)
    return await _answer(arena, await _find(arena, match.id), person)


def _check_wish(body: NewMatch, game: Game) -> NewMatch:
    """The wish with its agents, who must play this game, and all its rules."""
    check_has_landlord(game)
    opponent, partner = (check_listed(name or adviser(game), game) for name in (body.opponent, body.partner))
    return body.model_copy(update={"opponent": opponent, "partner": partner, "rules": str(game.rules)})


@router.get("/matches")
async def my_matches(arena: TheArena, person: KnownPerson) -> list[MatchOut]:
    """Mine, latest first."""
    rows = await arena.storage.run(match_store.matches_of, person)
    return [await _answer(arena, row, person) for row in rows]


@router.get("/matches/{id}")
async def get_match(id: Id, arena: TheArena, person: MaybePerson) -> MatchOut:
    """The deals so far. The second table of a deal is played here, once the first is over."""
    row = await _find(arena, id)
    for deal in await arena.storage.run(match_store.deals_of, id):
        if deal.status in ("over", "left") and deal.second is None:
            await _play_second(arena, match_of(row), deal.id)
    return await _answer(arena, row, person)


@router.post("/matches/{id}/deals")
async def open_deal(id: Id, request: Request, arena: TheArena, person: KnownPerson) -> SeatTaken:
    """Sit down at the next deal, or at the one that is still played."""
    match, deals = match_of(await _find(arena, id)), await arena.storage.run(match_store.deals_of, id)
    if match.person != person.id:
        raise Refused("not_seated", Why.others_match())
    if running := next((deal.id for deal in deals if deal.status == "running"), None):
        return SeatTaken(table=running, seat=match_store.LANDLORD)
    if len(deals) == match.deals:
        raise Refused("over", Why.deals_played())
    await check_new(request, arena)
    game = await arena.inference.open(match.load_game)
    first = reference.deal(game, new_seed())
    seats = (Seat("person", person.nickname, person.id), *[Seat("agent", match.opponent)] * (game.seats - 1))
    table = Table(new_id("t"), first, seats, match.hints, match.pace, match=id, number=len(deals) + 1)
    try:
        await arena.open(table, first, store_deal=False)
    except IntegrityError as error:  # opened twice at once, as from two tabs
        raise Refused("stale", Why.deal_opened()) from error
    return SeatTaken(table=table.id, seat=match_store.LANDLORD)


async def _find(arena: Arena, id: str) -> Row[Any]:
    row = await arena.storage.run(match_store.find_match, id)
    if row is None:
        raise Refused("no_match", Why.no_match())
    return row


async def _play_second(arena: Arena, match: Match, id: str) -> None:
    """The second table of a deal. If an agent fails, the next who looks at the match tries again."""
    first = await arena.storage.run(table_store.find_table, id)
    assert first is not None
    names = (match.opponent, *[match.partner] * (first.game.seats - 1))
    start = reference.start(first.game, first.state.start)
    try:
        end = await arena.inference.play_out(names, start)
    except Exception:
        log.exception("agent failed", extra={"agent": ", ".join(names)})
        return
    table = Table(new_id("t"), start, tuple(Seat("agent", name) for name in names), rated=False)
    for turn in end.history:
        table = table.put(turn.cards)
    versions = [version_of(name) for name in names]
    await arena.storage.run(match_store.add_second, id, replace(table, replay=new_id("g")), versions)


async def _answer(arena: Arena, row: Row[Any], person: Person | None) -> MatchOut:
    deals, game = await arena.storage.run(match_store.deals_of, row.id), await arena.inference.open(match_of(row).load_game)
    played, totals = list[MatchDeal](), (0, 0)
    for deal in deals:
        mine, theirs = _scores(deal, game)
        if mine is not None and theirs is not None:
            totals = totals[0] + mine, totals[1] + theirs
        replays = deal.replay or None, deal.second
        running = deal.status == "running"
        played.append(
            MatchDeal(number=deal.number, table=deal.id, running=running, scores=(mine, theirs), totals=totals, replays=replays)
        )
    over = len(played) == row.deals and all(None not in deal.scores for deal in played)
    shown = {name: getattr(row, name) for name in ("game", "rules", "opponent", "partner", "deals", "made_at")}
    own = person is not None and row.person == person.id
    return MatchOut(match=row.id, mine=own, name=row.nickname, played=played, totals=totals, over=over, **shown)


def _scores(deal: Row[Any], game: Game) -> tuple[int | None, int | None]:
    """Of both landlords, as far as they are known. A deal that was given up is lost, without bombs."""
    if deal.status != "left":
        return deal.first_score, deal.second_score
    lost = game.scores(Ending(out=(1,), bombs=0, plays=(2,) * game.seats, landlord=match_store.LANDLORD))
    return lost[match_store.LANDLORD], deal.second_score
