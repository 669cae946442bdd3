"""HTTP: my games, my devices, my recovery code, my strength; and how everything about me is forgotten."""

import json
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from sqlalchemy import Row

from shangyou.evaluation.intervals import share_interval
from shangyou.web.api import KnownPerson, MaybePerson, TheArena, device_of, give_cookie
from shangyou.web.archive_api import JSON_LINES, text_file, text_of
from shangyou.web.errors import Why
from shangyou.web.live.callers import COOKIE, address_of
from shangyou.web.storage import archive, people
from shangyou.web.table import Refused
from shangyou.web.wire.answers import CodeOut, DeviceOut, Forgotten, MyGame, ProfileOut, Recovered, SentRecord, Strength
from shangyou.web.wire.requests import Code, Number

router = APIRouter()


@router.get("/me/games")
async def my_games(arena: TheArena, person: KnownPerson) -> list[MyGame]:
    """What I played, latest first."""
    rows = await arena.storage.run(archive.games_of, person)
    return [MyGame(replay=row.id, players=json.loads(row.record)["players"], **row._mapping) for row in rows]


@router.get("/me/export", response_class=Response, responses=text_of(JSON_LINES))
async def export_my_games(arena: TheArena, person: KnownPerson) -> PlainTextResponse:
    """All my games as JSON Lines."""
    return text_file(await arena.storage.run(archive.records_of, person), "my-games.jsonl", JSON_LINES)


@router.get("/me/profile")
async def my_profile(arena: TheArena, person: KnownPerson) -> ProfileOut:
    """My devices, my strength in every game and role, the records I have sent."""
    devices = await arena.storage.run(people.devices_of, person)
    strength = await arena.storage.run(archive.strength_of, person)
    sent = await arena.storage.run(archive.records_sent, person)
    return ProfileOut(
        nickname=person.nickname,
        has_code=await arena.storage.run(people.has_code, person),
        devices=[
            DeviceOut(device=row.id, name=row.name, this=row.id == person.device, signed_in_at=row.made_at, seen_at=row.seen_at)
            for row in devices
        ],
        strength=[_strength(row) for row in strength],
        records=[
            SentRecord(replay=row.id, game=row.game, name=json.loads(row.record)["name"], sent_at=row.finished_at)
            for row in sent
        ],
    )


def _strength(row: Row[Any]) -> Strength:
    rate, interval = row.wins / row.games, share_interval(row.wins, row.games)
    counts = {"games": row.games, "wins": row.wins, "points": row.points / row.games}
    return Strength(game=row.game, role=row.role, win_rate=rate, win_interval=interval, **counts)


# -- devices ----------------------------------------------------------------------------------------------------------


@router.post("/me/code")
async def make_code(arena: TheArena, person: KnownPerson) -> CodeOut:
    """A recovery code, which signs in other devices as me; any code before it is void."""
    return CodeOut(code=await arena.storage.run(people.new_code, person.id))


@router.post("/me/recover")
async def recover(body: Code, request: Request, response: Response, arena: TheArena, person: MaybePerson) -> Recovered:
    """Sign this device in as the person who has this recovery code; it is signed out of who it was before."""
    if not await arena.take("codes", address_of(request)):
        raise Refused("too_many", Why.too_many_codes())
    found = await arena.storage.run(people.recover, body.code, device_of(request))
    if found is None:
        raise Refused("wrong_code", Why.wrong_code())
    owner, token, code = found
    if person is not None:
        await arena.storage.run(people.sign_out, person, person.device)
    give_cookie(request, response, token)
    return Recovered(nickname=owner.nickname, code=code)


@router.delete("/me/devices/{device}")
async def sign_out(device: Number, arena: TheArena, person: KnownPerson) -> Forgotten:
    """Sign one of my devices out."""
    if not await arena.storage.run(people.sign_out, person, device):
        raise Refused("no_device", Why.no_device())
    arena.hang_up_on(person.id)
    return Forgotten(forgotten=1)


# -- what is forgotten ------------------------------------------------------------------------------------------------


@router.delete("/me/games")
async def forget_my_games(arena: TheArena, person: KnownPerson) -> Forgotten:
    """Forget them: games with others stay theirs, without my name."""
    return Forgotten(forgotten=await arena.storage.run(archive.forget_games, person))


@router.delete("/me")
async def forget_me(response: Response, arena: TheArena, person: KnownPerson) -> Forgotten:
    """Forget everything: games that run are given up, then games, ratings, records, devices and the person are deleted."""
    await arena.leave_all(person)
    forgotten = await arena.storage.run(archive.forget_everything, person)
    arena.hang_up_on(person.id)
    response.delete_cookie(COOKIE)
    return Forgotten(forgotten=forgotten)
