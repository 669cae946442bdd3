"""HTTP: the adviser's review of a game, what was true of it with all hands known, and what my last games come to."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from shangyou.agents import thinking
from shangyou.agents.review import adviser_names
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import BadInput, Game
from shangyou.records import Record, with_bids
from shangyou.web.api import KnownPerson, TheArena, find_game
from shangyou.web.errors import Why
from shangyou.web.live.arena import Arena
from shangyou.web.live.hints import THINK, hint_of
from shangyou.web.live.inference import adviser, version_of
from shangyou.web.live.thinking import can_think
from shangyou.web.storage import archive
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused
from shangyou.web.wire.progress import Reviewed, add_up, reviewed
from shangyou.web.wire.puzzle_answers import TruthOut
from shangyou.web.wire.requests import Id
from shangyou.web.wire.review import FORM, make_review
from shangyou.web.wire.review_answers import MyReviews, ReviewOut

MOST_REVIEWED = 20  # of the last games of a person
router = APIRouter()


@router.get("/replays/{id}/review")
async def get_review(id: Id, arena: TheArena) -> ReviewOut:
    """Every decision against the adviser's: chance of winning, points, candidates, loss. Computed once, then stored."""
    record = (await find_game(arena, id)).record
    version = await _version(arena, record.game)
    review = await arena.storage.run(archive.find_review, id, version)
    if review is None:
        async with arena.reviewing:  # who asks for the same game meanwhile finds it stored
            review = await arena.storage.run(archive.find_review, id, version) or await _make(arena, id, version, record)
    return ReviewOut(replay=id, version=version, can_think=can_think(record.game), **review)


async def _version(arena: Arena, game: Game) -> str:
    """Of the adviser, and of the form of what is stored."""
    name = await arena.inference.run(lambda: adviser(game))
    return f"{name}@{version_of(name)};{FORM}"


async def _make(arena: Arena, id: str, version: str, record: Record) -> dict[str, Any]:
    names = adviser_names(adviser(record.game))
    advisers = {measure: (await arena.inference.queue(name, record.game)).agent for measure, name in names.items()}
    review = (await arena.inference.run(lambda: make_review(record, advisers))).model_dump(mode="json")
    await arena.storage.run(archive.store_review, id, version, review)
    return review


# -- thinking longer --------------------------------------------------------------------------------------------------


@router.get(
    "/replays/{id}/thought",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def think_about(
    id: Id, arena: TheArena, person: KnownPerson, turn: Annotated[int, Query(ge=0, lt=1 << 31)]
) -> StreamingResponse:
    """What the adviser makes of a turn, counted from 0, with what its seat could see, better and better as it thinks for three
    seconds. Each event is a hint as on a table's socket; of the last one `thinking` is false."""
    record = (await find_game(arena, id)).record
    plays = [state for state in await arena.inference.run(lambda: with_bids(record)) if not (state.bidding or state.over)]
    if turn >= len(plays):
        raise BadInput(Why.turns_number(turns=len(plays), turn=turn))
    if not can_think(record.game):
        raise Refused("bad_input", Why.no_thinking())
    arena.inference.thinking.check(person.id)
    name = thinking(await arena.inference.run(lambda: adviser(record.game)), THINK)
    events = _events(arena, person.id, name, reference.view(plays[turn]), turn)
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})  # nginx sends at once


async def _events(arena: Arena, person: int, name: str, view: View, turn: int) -> AsyncIterator[str]:
    async for suggestions, done in arena.inference.thinking.think(person, name, view):
        yield f"data: {hint_of(turn, name, view, suggestions, thinking=not done).model_dump_json()}\n\n"


# -- all hands known --------------------------------------------------------------------------------------------------


@router.get("/replays/{id}/truth")
async def get_truth(id: Id, arena: TheArena) -> TruthOut:
    """What each seat could force at its turns with all hands known, proven from the end backwards; which plays gave it away."""
    record = (await find_game(arena, id)).record

    def work() -> TruthOut:
        from shangyou.search.truth import truth  # Numba takes a while to import

        return TruthOut.of(id, record.game, truth(with_bids(record)))

    return await arena.solving.run_once(id, work)


# -- my last games ----------------------------------------------------------------------------------------------------


@router.get("/me/reviews")
async def my_reviews(arena: TheArena, person: KnownPerson) -> MyReviews:
    """What the reviews of my last games come to: accuracy, luck and skill, mistakes by kind; and how many are missing."""
    found, waiting = await _last_games(arena, person)
    return await arena.inference.run(lambda: add_up(found, len(waiting)))


@router.post("/me/reviews")
async def review_next(arena: TheArena, person: KnownPerson) -> MyReviews:
    """Make the next of them that is missing. Whoever wants all asks again; who goes away costs nothing more."""
    _, waiting = await _last_games(arena, person)
    if waiting:
        await get_review(waiting[0], arena)
    return await my_reviews(arena, person)


async def _last_games(arena: Arena, person: Person) -> tuple[list[Reviewed], list[str]]:
    """The last games of a person that have a review, and those that have none, latest first."""
    rows = await arena.storage.run(archive.last_reviews, person, MOST_REVIEWED)
    found, waiting = [], []
    for row in rows:
        game = await arena.rules.load(row.game, row.rules)
        if row.version == await _version(arena, game):
            about = {name: row._mapping[name] for name in ("game", "role", "finished_at", "seat", "score", "won")}
            found.append(reviewed(row.content, replay=row.id, **about))
        else:
            waiting.append(row.id)
    return found, waiting
