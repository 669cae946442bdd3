"""HTTP: the adviser's review of a game, what was true of it with all hands known, and what my last games come to."""

from typing import Any

from fastapi import APIRouter

from shangyou.agents.review import adviser_names
from shangyou.games import Game
from shangyou.records import Record, with_bids
from shangyou.web.api import KnownPerson, TheArena, find_game
from shangyou.web.live.arena import Arena
from shangyou.web.live.inference import adviser, version_of
from shangyou.web.storage import archive
from shangyou.web.storage.people import Person
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
    return ReviewOut(replay=id, version=version, **review)


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
