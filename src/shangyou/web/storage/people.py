"""People without accounts: a nickname, and a token on each device. Of tokens and recovery codes only hashes are stored."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from shangyou.games import BadInput
from shangyou.web.errors import Why
from shangyou.web.storage.database import now
from shangyou.web.storage.schema import metadata, people, tokens

LONGEST_NICKNAME = 24
JOINER = "\u200d"  # joins characters to one emoji; prints nothing by itself
SEEN_EVERY = timedelta(minutes=10)  # how exactly a device's last visit is known
SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # of recovery codes: 5 bits each, none like another
CODE_SIGNS, GROUP = 28, 4  # 140 bits


@dataclass(frozen=True, slots=True)
class Person:
    id: int
    nickname: str = ""
    keep: bool = True  # finished games may be exported
    device: int = 0  # whose token came with the request
    bot: bool = False  # a program that has a token of its own


def hash_token(token: str) -> str:
    """The token is random enough that a plain hash cannot be reversed."""
    return hashlib.sha256(token.encode()).hexdigest()


def clean_nickname(text: str) -> str:
    name = " ".join(text.split())
    shown = name.replace(JOINER, "")
    if len(name) > LONGEST_NICKNAME or not shown.isprintable() or (name and not shown):
        raise BadInput(Why.nickname(n=LONGEST_NICKNAME))
    return name


def find_person(db: Connection, token: str) -> Person | None:
    """Who has this token; that the device was seen is stored, if it is news."""
    here = tokens.c.token_hash == hash_token(token)
    columns = people.c.id, people.c.nickname, people.c.keep, tokens.c.id.label("device"), tokens.c.seen_at
    row = db.execute(select(*columns).join(tokens, tokens.c.person == people.c.id).where(here)).one_or_none()
    if row is None:
        return None
    if row.seen_at < now() - SEEN_EVERY:
        db.execute(update(tokens).where(here).values(seen_at=now()))
    return Person(row.id, row.nickname, row.keep, row.device)


def add_person(db: Connection, device_name: str = "") -> tuple[Person, str]:
    """A new person, and the token of their first device, which nobody can guess."""
    row = {"nickname": "", "keep": True, "made_at": now()}
    return add_device(db, db.execute(insert(people).values(row).returning(people.c.id)).scalar_one(), device_name)


def change_person(db: Connection, person: Person) -> None:
    db.execute(update(people).where(people.c.id == person.id).values(nickname=person.nickname, keep=person.keep))


def forget_person(db: Connection, person: Person) -> None:
    """Delete the person, with every row that refers to them; where a row may do without a person, it stays."""
    for table in metadata.sorted_tables:
        for key in table.foreign_keys:
            if key.references(people):
                mine = key.parent == person.id
                db.execute(
                    update(table).where(mine).values({key.parent: None}) if key.parent.nullable else delete(table).where(mine)
                )
    db.execute(delete(people).where(people.c.id == person.id))


# -- devices ----------------------------------------------------------------------------------------------------------


def add_device(db: Connection, person: int, name: str) -> tuple[Person, str]:
    token = secrets.token_urlsafe(32)
    row = {"person": person, "token_hash": hash_token(token), "name": name, "made_at": now(), "seen_at": now()}
    db.execute(insert(tokens).values(row))
    found = find_person(db, token)
    assert found is not None
    return found, token


def devices_of(db: Connection, person: Person) -> Sequence[Row[Any]]:
    """Those that are signed in, the one seen last first."""
    return db.execute(select(tokens).where(tokens.c.person == person.id).order_by(tokens.c.seen_at.desc(), tokens.c.id)).all()


def sign_out(db: Connection, person: Person, device: int) -> bool:
    """Whether there was such a device of this person."""
    found = db.execute(delete(tokens).where(tokens.c.person == person.id, tokens.c.id == device)).rowcount > 0
    if found:
        db.execute(update(people).where(people.c.id == person.id).values(signed_out_at=now()))
    return found


def device_name(user_agent: str) -> str:
    """The browser and the system that a browser says it is."""
    browsers = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
    systems = {
        "Android": "Android",
        "iPhone": "iPhone",
        "iPad": "iPad",
        "Windows": "Windows",
        "Mac OS": "Mac",
        "Linux": "Linux",
    }
    found = (next((name for sign, name in names.items() if sign in user_agent), "") for names in (browsers, systems))
    return ", ".join(filter(None, found))


# -- recovery codes ---------------------------------------------------------------------------------------------------


def new_code(db: Connection, person: int) -> str:
    """A new recovery code, in place of any before it. It is shown once: the database has its hash."""
    signs = "".join(secrets.choice(SIGNS) for _ in range(CODE_SIGNS))
    db.execute(update(people).where(people.c.id == person).values(recovery_hash=hash_token(signs)))
    return "-".join(signs[i : i + GROUP] for i in range(0, CODE_SIGNS, GROUP))


def recover(db: Connection, code: str, device: str) -> tuple[Person, str, str] | None:
    """Who has this code, a token for another device of theirs, and the next code: each is used once."""
    here = people.c.recovery_hash == hash_token(_read_code(code))
    id = db.execute(update(people).where(here).values(recovery_hash=None).returning(people.c.id)).scalar_one_or_none()
    return (*add_device(db, id, device), new_code(db, id)) if id is not None else None


def _read_code(text: str) -> str:
    """As it was given out, however it is typed: O is read as 0, I and L as 1, and what stands between the signs is ignored."""
    typed = text.upper().translate(str.maketrans("OIL", "011"))
    return "".join(sign for sign in typed if sign in SIGNS)


def has_code(db: Connection, person: Person) -> bool:
    return db.execute(select(people.c.recovery_hash).where(people.c.id == person.id)).scalar_one_or_none() is not None
