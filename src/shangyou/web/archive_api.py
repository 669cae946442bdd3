"""HTTP: finished games, their replays and reviews, records, ratings."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from fastapi import Request as HttpRequest
from fastapi.responses import PlainTextResponse

from shangyou.evaluation.intervals import share_interval
from shangyou.games import BadInput
from shangyou.records import BadRecord, Form, Record, read_bytes
from shangyou.records.jsonl import format_jsonl
from shangyou.records.text import format_text
from shangyou.web.api import GameName, KnownPerson, MaybePerson, RulesText, TheArena, check_new
from shangyou.web.live.arena import Arena
from shangyou.web.live.inference import adviser, version_of
from shangyou.web.live.live_tables import new_id
from shangyou.web.storage import archive
from shangyou.web.storage.archive import KeptGame
from shangyou.web.tables.table_value import Refused
from shangyou.web.wire.answers import Forgotten, MyGame, RatingOut, RecordOut, ReplayOut, ReviewOut
from shangyou.web.wire.reasons import Fault
from shangyou.web.wire.review import make_review, replay_out

MOST_RECORDS = 50  # sent at once
JSON_LINES = "application/x-ndjson"
router = APIRouter()


def _text(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """A file as the answer, for OpenAPI."""
    return {200: {"content": {kind: {"schema": {"type": "string"}} for kind in kinds}}}


SENT = {"requestBody": {"required": True, **_text("text/plain", JSON_LINES)[200]}}


# -- my games ---------------------------------------------------------------------------------------------------------


@router.get("/me/games")
async def my_games(arena: TheArena, person: KnownPerson) -> list[MyGame]:
    """What I played, latest first."""
    return [MyGame(**one) for one in await arena.storage.ask(archive.games_of, person)]


@router.get("/me/export", response_class=Response, responses=_text(JSON_LINES))
async def export_my_games(arena: TheArena, person: KnownPerson) -> PlainTextResponse:
    """All my games as JSON Lines."""
    return _file(await arena.storage.ask(archive.records_of, person), "my-games.jsonl", JSON_LINES)


@router.delete("/me/games")
async def forget_my_games(arena: TheArena, person: KnownPerson) -> Forgotten:
    """Forget them: games with others stay theirs, without my name."""
    return Forgotten(forgotten=await arena.storage.ask(archive.forget_games, person))


def _file(text: str, name: str, kind: str) -> PlainTextResponse:
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=kind)


# -- replays ----------------------------------------------------------------------------------------------------------


@router.get("/replays/{id}")
async def get_replay(id: str, arena: TheArena) -> ReplayOut:
    """A finished game, all hands face up."""
    kept = await _find(arena, id)
    return await arena.thinking.run(lambda: replay_out(kept))


@router.get("/replays/{id}/record", response_class=Response, responses=_text("text/plain", JSON_LINES))
async def get_record(id: str, arena: TheArena, form: Form = Form.TEXT) -> PlainTextResponse:
    """The same as a file."""
    record = (await _find(arena, id)).record
    if form is Form.JSONL:
        return _file(format_jsonl([record]), f"{id}.jsonl", JSON_LINES)
    return _file(format_text([record]), f"{id}.txt", "text/plain")


@router.get("/replays/{id}/review")
async def get_review(id: str, arena: TheArena) -> ReviewOut:
    """Every decision against the adviser's: win chance, candidates, loss. Made once, then kept."""
    kept = await _find(arena, id)
    judge = await arena.thinking.run(lambda: adviser(kept.record.game))
    version = f"{judge}@{version_of(judge)}"
    found = await arena.storage.ask(archive.find_review, id, version)
    if found is None:
        agent = await arena.thinking.agent(judge, kept.record.game)
        found = (await arena.thinking.run(lambda: make_review(kept.record, agent))).model_dump()
        await arena.storage.ask(archive.keep_review, id, version, found)
    return ReviewOut(replay=id, version=version, **found)


async def _find(arena: Arena, id: str) -> KeptGame:
    kept = await arena.storage.ask(archive.find_game, id)
    if kept is None:
        raise Refused("no_replay", "there is no such game")
    return kept


# -- records ----------------------------------------------------------------------------------------------------------


@router.post("/records", openapi_extra=SENT)
async def send_records(request: HttpRequest, arena: TheArena, game: GameName = "", rules: RulesText = "") -> list[RecordOut]:
    """Games as text or JSON Lines, in the body as they are; each gets a replay, a bad one says why."""
    check_new(request, arena)
    content = await request.body()
    found = await arena.thinking.run(lambda: list(read_bytes(content, game, rules, most=MOST_RECORDS)))
    if not found:
        raise BadInput("there are no records")
    return [await _take(arena, number, one) for number, one in enumerate(found, 1)]


async def _take(arena: Arena, number: int, found: Record | BadRecord) -> RecordOut:
    if isinstance(found, BadRecord):
        fault = Fault.because("bad_input", str(found))
        return RecordOut(number=number, name=found.name, replay=None, line=found.line, fault=fault)
    id = new_id("g")
    await arena.storage.ask(archive.keep_record, id, found)
    return RecordOut(number=number, name=found.name, replay=id, game=found.game.name, finished=found.result.finished)


# -- ratings ----------------------------------------------------------------------------------------------------------


@router.get("/ratings")
async def list_ratings(arena: TheArena, person: MaybePerson, game: GameName) -> list[RatingOut]:
    """People and agents, best first: by the rating that is almost certainly reached, mu - 3 sigma."""
    rows = await arena.storage.ask(archive.list_ratings, game)
    ratings = [_rating(row, person.id if person else None) for row in rows]
    return sorted(ratings, key=lambda one: one.sure, reverse=True)


def _rating(row: dict[str, Any], me: int | None) -> RatingOut:
    games, wins, who = row["games"], row["wins"], row["person"]
    return RatingOut(
        name=row["name"],
        kind=row["kind"],
        me=who is not None and who == me,
        games=games,
        wins=wins,
        win_rate=wins / games,
        win_interval=share_interval(wins, games),
        points=row["points"] / games,
        rating=row["mu"],
        sigma=row["sigma"],
        sure=row["mu"] - 3 * row["sigma"],
    )
