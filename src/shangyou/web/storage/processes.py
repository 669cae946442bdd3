"""What processes on one database know of each other: which live, who has which table open through them, what was said there,
what an address has asked for."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from shangyou.web.storage.database import insert_missing, lock, now
from shangyou.web.storage.people import hash_token
from shangyou.web.storage.schema import buckets, people, phrases, processes, watchers
from shangyou.web.storage.table_store import notify

LEASE = timedelta(seconds=5)  # without a sign of life, after which a process is dead and others go on with its tables
REMEMBERED = timedelta(minutes=10)  # phrases, and processes that are dead


class Watchers(NamedTuple):
    """Who has a table open."""

    people: frozenset[int] = frozenset()
    strangers: int = 0  # whom the server does not know


NOBODY = Watchers()


# -- which live -------------------------------------------------------------------------------------------------------


def beat(db: Connection, me: str) -> frozenset[str]:
    """Say that this process lives; all that do."""
    row = {"id": me, "seen_at": now()}
    if not db.execute(update(processes).where(processes.c.id == me).values(row)).rowcount:
        db.execute(insert(processes).values(row))
    return frozenset(db.execute(select(processes.c.id).where(processes.c.seen_at > now() - LEASE)).scalars())


def end(db: Connection, me: str) -> None:
    """This process stops in good order."""
    db.execute(delete(watchers).where(watchers.c.process == me))
    db.execute(delete(processes).where(processes.c.id == me))


def sweep(db: Connection) -> None:
    """Forget the dead, and what is old."""
    long_ago = now() - REMEMBERED
    db.execute(delete(processes).where(processes.c.seen_at < long_ago))
    db.execute(delete(watchers).where(watchers.c.process.not_in(select(processes.c.id))))
    db.execute(delete(phrases).where(phrases.c.said_at < long_ago))
    db.execute(delete(buckets).where(buckets.c.full_at < now()))


# -- who watches ------------------------------------------------------------------------------------------------------


def watch(db: Connection, me: str, table: str, here: Watchers) -> None:
    """Who has a table open through this process."""
    db.execute(delete(watchers).where(watchers.c.table_id == table, watchers.c.process == me))
    if here != NOBODY:
        db.execute(insert(watchers).values(table_id=table, process=me, people=sorted(here.people), strangers=here.strangers))
    notify(db, f"watchers {table} 0")


def watchers_elsewhere(db: Connection, others: Collection[str], tables: Sequence[str]) -> dict[str, Watchers]:
    """Who has these tables open through other processes, those that live."""
    found: dict[str, Watchers] = {}
    for row in db.execute(select(watchers).where(watchers.c.table_id.in_(tables), watchers.c.process.in_(others))):
        before = found.get(row.table_id, NOBODY)
        found[row.table_id] = Watchers(before.people | set(row.people), before.strangers + row.strangers)
    return found


def signed_out(db: Connection, ids: Collection[int]) -> dict[int, datetime]:
    """When a token was last taken back from each of these people, of those it was; now from who was deleted."""
    known = select(people.c.id, people.c.signed_out_at).where(people.c.id.in_(ids))
    found = {row.id: row.signed_out_at for row in db.execute(known)}
    return {id: at for id in ids if (at := found.get(id, now())) is not None}


# -- what is said -----------------------------------------------------------------------------------------------------


def say(db: Connection, me: str, table: str, seat: int, phrase: str, most: int, span: timedelta) -> bool:
    """A phrase for those who have the table open through other processes; whether the seat may say so many."""
    lock(db, f"phrases {table} {seat}")
    recent = (phrases.c.table_id == table) & (phrases.c.seat == seat) & (phrases.c.said_at > now() - span)
    if db.execute(select(func.count()).select_from(phrases).where(recent)).scalar_one() >= most:
        return False
    row = {"table_id": table, "seat": seat, "phrase": phrase, "process": me, "said_at": now()}
    number = db.execute(insert(phrases).values(row).returning(phrases.c.id)).scalar_one()
    notify(db, f"phrase {table} {number}")
    return True


def find_phrase(db: Connection, number: int) -> Row[Any] | None:
    return db.execute(select(phrases).where(phrases.c.id == number)).one_or_none()


# -- limits -----------------------------------------------------------------------------------------------------------


def take(db: Connection, kind: str, address: str, count: int, most: int, span: timedelta) -> bool:
    """As `RateLimit.take`, for all processes together: one bucket for each kind and address."""
    key = {"kind": kind, "address_hash": hash_token(address)}
    insert_missing(db, buckets, [key | {"full_at": now()}])
    here = (buckets.c.kind == kind) & (buckets.c.address_hash == key["address_hash"])
    moment = now()
    full_at = max(moment, db.execute(select(buckets.c.full_at).where(here).with_for_update()).scalar_one())
    full_at += count * span / most if most else 2 * span
    allowed: bool = full_at - moment <= span
    if allowed:
        db.execute(update(buckets).where(here).values(full_at=full_at))
    return allowed
