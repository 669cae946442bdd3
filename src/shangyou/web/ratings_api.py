"""HTTP: the ladder of people, season by season; agents, who are measured in tournaments, and the levels made of them."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from shangyou import games
from shangyou.evaluation.intervals import share_interval
from shangyou.evaluation.strength import Measured, ladder_of, ladders
from shangyou.web.api import MaybePerson, TheArena
from shangyou.web.levels import offered, usual
from shangyou.web.live.callers import address_of
from shangyou.web.live.inference import listed
from shangyou.web.storage import ratings
from shangyou.web.storage.people import Person
from shangyou.web.storage.ratings import SEASON, Placed
from shangyou.web.wire.rating_answers import AgentLadder, LevelOut, LevelsOut, MeasuredAgent, RatingOut, RatingsOut
from shangyou.web.wire.requests import GameName, RulesText

router = APIRouter()

Season = Annotated[int, Query(ge=1, le=SEASON)]
Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=1 << 31)]


@router.get("/ratings")
async def list_ratings(
    arena: TheArena, person: MaybePerson, game: GameName, season: Season = SEASON, limit: Limit = 50, offset: Offset = 0
) -> RatingsOut:
    """People, best first: by the rating that is almost certainly reached, mu - 3 sigma. My own row comes with every part."""
    games.rules_of(game)
    total = await arena.storage.run(ratings.count_ratings, game, season)
    placed = await arena.storage.run(ratings.list_ratings, game, season, limit, offset)
    mine = await arena.storage.run(ratings.rating_of, game, season, person) if person else None
    return RatingsOut(
        game=game,
        season=season,
        open=season == SEASON,
        seasons=list(range(1, SEASON + 1)),
        total=total,
        rows=[_rating(one, person) for one in placed],
        next=offset + limit if offset + limit < total else None,
        me=_rating(mine, person) if mine else None,
    )


def _rating(placed: Placed, person: Person | None) -> RatingOut:
    row = placed.row
    return RatingOut(
        place=placed.place,
        name=placed.name,
        kind=row.player.partition(":")[0],
        me=person is not None and row.player == ratings.key_of(person.id),
        games=row.games,
        wins=row.wins,
        win_rate=row.wins / row.games,
        win_interval=share_interval(row.wins, row.games),
        points=row.points / row.games,
        rating=row.mu,
        sigma=row.sigma,
        sure=row.mu - 3 * row.sigma,
    )


@router.get("/ratings/bots")
async def list_bots(game: GameName) -> list[AgentLadder]:
    """Agents, best first, by the rules under which they were measured; games in the arena do not change this."""
    games.rules_of(game)
    found = [ladder for ladder in ladders() if ladder.game == game]
    return [
        AgentLadder(game=game, rules=str(one.rules), command=one.command, rows=[_bot(bot) for bot in one.bots]) for one in found
    ]


@router.get("/levels")
async def list_levels(request: Request, arena: TheArena, game: GameName, rules: RulesText = "") -> LevelsOut:
    """Whom one can play against under these rules, by strength, with what a tournament under them measured."""
    found = await arena.rules.load(game, rules, address_of(request))
    names = {agent.name for agent in await arena.inference.open(lambda: listed(found))}
    levels, ladder = offered(found, names), ladder_of(found)
    chosen, bots = usual(levels), {bot.name: _bot(bot) for bot in ladder.bots} if ladder else {}
    return LevelsOut(
        game=game,
        rules=str(found.rules),
        contestants=len(bots),
        levels=[LevelOut(level=one.name, agent=one.agent, usual=one == chosen, measured=bots.get(one.agent)) for one in levels],
    )


def _bot(bot: Measured) -> MeasuredAgent:
    rating = bot.rating
    return MeasuredAgent(
        name=bot.name, games=rating.games, win_rate=bot.win_rate, points=bot.points, rating=rating.mu, sigma=rating.sigma
    )
