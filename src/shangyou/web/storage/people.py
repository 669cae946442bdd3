"""People without accounts: a nickname, and a token in a cookie, of which only the hash is stored."""

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from shangyou.games import BadInput
from shangyou.web.storage.database import now
from shangyou.web.storage.schema import people

LONGEST_NICKNAME = 24


@dataclass(frozen=True, slots=True)
class Person:
    id: int
    nickname: str = ""
    keep: bool = True  # finished games may be exported
    bot: bool = False  # a program that has a token of its own


def hash_token(token: str) -> str:
    """The token is random enough that a plain hash cannot be reversed."""
    return hashlib.sha256(token.encode()).hexdigest()


def clean_nickname(text: str) -> str:
    name = " ".join(text.split())
    if len(name) > LONGEST_NICKNAME or not name.isprintable():
        raise BadInput(f"a nickname has at most {LONGEST_NICKNAME} characters that can be printed")
    return name


def find_person(db: Connection, token: str) -> Person | None:
    columns = people.c.id, people.c.nickname, people.c.keep
    row = db.execute(select(*columns).where(people.c.token_hash == hash_token(token))).one_or_none()
    return Person(*row) if row else None


def add_person(db: Connection) -> tuple[Person, str]:
    """A new person, and the token nobody can guess."""
    token = secrets.token_urlsafe(32)
    row = {"token_hash": hash_token(token), "nickname": "", "keep": True, "made_at": now()}
    return Person(db.execute(insert(people).values(row).returning(people.c.id)).scalar_one()), token


def change_person(db: Connection, person: Person) -> None:
    db.execute(update(people).where(people.c.id == person.id).values(nickname=person.nickname, keep=person.keep))
