"""HTTP: finished games, their replays, records."""

from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from shangyou.games import BadInput
from shangyou.records import BadRecord, Form, Record, read_bytes
from shangyou.records.errors import Why as OfRecords
from shangyou.records.jsonl import format_jsonl
from shangyou.records.text import format_text
from shangyou.web.api import KnownPerson, MaybePerson, TheArena, check_new, find_game
from shangyou.web.errors import Why
from shangyou.web.live.arena import Arena, new_id
from shangyou.web.live.callers import address_of
from shangyou.web.storage import archive
from shangyou.web.storage.people import Person
from shangyou.web.table import Refused
from shangyou.web.wire.answers import Forgotten, RecordOut, ReplayOut
from shangyou.web.wire.reasons import Fault, clean
from shangyou.web.wire.replay import replay_out
from shangyou.web.wire.requests import GameName, Id, RulesText

MOST_RECORDS = 50  # sent at once
JSON_LINES = "application/x-ndjson"
router = APIRouter()


def text_of(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """A file as the answer, for OpenAPI."""
    return {200: {"content": {kind: {"schema": {"type": "string"}} for kind in kinds}}}


SENT = {"requestBody": {"required": True, **text_of("text/plain", JSON_LINES)[200]}}


def text_file(text: str, name: str, kind: str) -> PlainTextResponse:
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'}, media_type=kind)


# -- replays ----------------------------------------------------------------------------------------------------------


@router.get("/replays/{id}")
async def get_replay(id: Id, arena: TheArena, person: MaybePerson) -> ReplayOut:
    """A finished game, all hands face up."""
    stored = await find_game(arena, id)
    return await arena.inference.run(lambda: replay_out(stored, person.id if person else None))


@router.get("/replays/{id}/record", response_class=Response, responses=text_of("text/plain", JSON_LINES))
async def get_record(id: Id, arena: TheArena, form: Literal[Form.TEXT, Form.JSONL] = Form.TEXT) -> PlainTextResponse:
    """The same as a file."""
    record = (await find_game(arena, id)).record
    if form is Form.JSONL:
        return text_file(format_jsonl([record]), f"{id}.jsonl", JSON_LINES)
    return text_file(format_text([record]), f"{id}.txt", "text/plain")


# -- records ----------------------------------------------------------------------------------------------------------


@router.post("/records", openapi_extra=SENT)
async def send_records(
    request: Request, arena: TheArena, person: KnownPerson, game: GameName = "", rules: RulesText = ""
) -> list[RecordOut]:
    """Games as text or JSON Lines, in the body as they are; each gets a replay for a month, a bad one says why."""
    await check_new(request, arena)
    content = await request.body()
    await check_sent(request, arena, 1)  # reading is work too
    records = await arena.rules.run(lambda: list(read_bytes(content, game, rules, most=MOST_RECORDS)))
    if not records:
        raise BadInput(OfRecords.no_records())
    await check_sent(request, arena, len(records) - 1)
    return [await _store_record(arena, person, number, record) for number, record in enumerate(records, 1)]


async def check_sent(request: Request, arena: Arena, count: int) -> None:
    if not await arena.take("records", address_of(request), count):
        raise Refused("too_many", Why.too_many_today())


async def _store_record(arena: Arena, person: Person, number: int, record: Record | BadRecord) -> RecordOut:
    if isinstance(record, BadRecord):
        fault = Fault.because("bad_input", record.full_why)
        return RecordOut(number=number, name=clean(record.name), replay=None, line=record.line, fault=fault)
    id = new_id("g")
    try:
        await arena.storage.run(archive.add_record, id, record, person)
    except Refused as refused:
        fault = Fault.because(refused.code, refused.reason)
        return RecordOut(number=number, name=clean(record.name), replay=None, fault=fault)
    return RecordOut(number=number, name=record.name, replay=id, game=record.game.name, finished=record.result.finished)


@router.delete("/records/{id}")
async def delete_record(id: Id, arena: TheArena, person: KnownPerson) -> Forgotten:
    """A record I have sent."""
    if not await arena.storage.run(archive.delete_record, id, person):
        raise Refused("no_replay", Why.no_record())
    return Forgotten(forgotten=1)
