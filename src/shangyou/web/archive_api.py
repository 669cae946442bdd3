"""HTTP: finished games, their replays and reviews, records."""

import json
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from shangyou.games import BadInput
from shangyou.records import BadRecord, Form, Record, read_bytes
from shangyou.records.jsonl import format_jsonl
from shangyou.records.text import format_text
from shangyou.web.api import KnownPerson, TheArena, check_new, find_game
from shangyou.web.live.arena import Arena, new_id
from shangyou.web.live.inference import adviser, version_of
from shangyou.web.storage import archive
from shangyou.web.wire.answers import Forgotten, MyGame, RecordOut, ReplayOut, ReviewOut
from shangyou.web.wire.reasons import Fault
from shangyou.web.wire.requests import GameName, RulesText
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
    rows = await arena.storage.run(archive.games_of, person)
    return [MyGame(replay=row.id, players=json.loads(row.record)["players"], **row._mapping) for row in rows]


@router.get("/me/export", response_class=Response, responses=_text(JSON_LINES))
async def export_my_games(arena: TheArena, person: KnownPerson) -> PlainTextResponse:
    """All my games as JSON Lines."""
    return _file(await arena.storage.run(archive.records_of, person), "my-games.jsonl", JSON_LINES)


@router.delete("/me/games")
async def forget_my_games(arena: TheArena, person: KnownPerson) -> Forgotten:
    """Forget them: games with others stay theirs, without my name."""
    return Forgotten(forgotten=await arena.storage.run(archive.forget_games, person))


def _file(text: str, name: str, kind: str) -> PlainTextResponse:
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=kind)


# -- replays ----------------------------------------------------------------------------------------------------------


@router.get("/replays/{id}")
async def get_replay(id: str, arena: TheArena) -> ReplayOut:
    """A finished game, all hands face up."""
    stored = await find_game(arena, id)
    return await arena.inference.run(lambda: replay_out(stored))


@router.get("/replays/{id}/record", response_class=Response, responses=_text("text/plain", JSON_LINES))
async def get_record(id: str, arena: TheArena, form: Literal[Form.TEXT, Form.JSONL] = Form.TEXT) -> PlainTextResponse:
    """The same as a file."""
    record = (await find_game(arena, id)).record
    if form is Form.JSONL:
        return _file(format_jsonl([record]), f"{id}.jsonl", JSON_LINES)
    return _file(format_text([record]), f"{id}.txt", "text/plain")


@router.get("/replays/{id}/review")
async def get_review(id: str, arena: TheArena) -> ReviewOut:
    """Every decision against the adviser's: win chance, candidates, loss. Computed once, then stored."""
    record = (await find_game(arena, id)).record
    name = await arena.inference.run(lambda: adviser(record.game))
    version = f"{name}@{version_of(name)}"
    review = await arena.storage.run(archive.find_review, id, version)
    if review is None:
        agent = (await arena.inference.queue(name, record.game)).agent
        review = (await arena.inference.run(lambda: make_review(record, agent))).model_dump()
        await arena.storage.run(archive.store_review, id, version, review)
    return ReviewOut(replay=id, version=version, **review)


# -- records ----------------------------------------------------------------------------------------------------------


@router.post("/records", openapi_extra=SENT)
async def send_records(request: Request, arena: TheArena, game: GameName = "", rules: RulesText = "") -> list[RecordOut]:
    """Games as text or JSON Lines, in the body as they are; each gets a replay, a bad one says why."""
    check_new(request, arena)
    content = await request.body()
    records = await arena.inference.run(lambda: list(read_bytes(content, game, rules, most=MOST_RECORDS)))
    if not records:
        raise BadInput("there are no records")
    return [await _store_record(arena, number, record) for number, record in enumerate(records, 1)]


async def _store_record(arena: Arena, number: int, record: Record | BadRecord) -> RecordOut:
    if isinstance(record, BadRecord):
        fault = Fault.because("bad_input", str(record))
        return RecordOut(number=number, name=record.name, replay=None, line=record.line, fault=fault)
    id = new_id("g")
    await arena.storage.run(archive.add_record, id, record)
    return RecordOut(number=number, name=record.name, replay=id, game=record.game.name, finished=record.result.finished)
