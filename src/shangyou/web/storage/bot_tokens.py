"""Bots: programs of people's own, each stored as a person with a name and a token, of which only the hash is stored."""

import secrets
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from shangyou.games import BadInput
from shangyou.web.errors import Why
from shangyou.web.storage.database import lock, now
from shangyou.web.storage.people import Person, clean_nickname, hash_token
from shangyou.web.storage.schema import bot_tokens, people

MOST_BOTS = 20  # of one person
PREFIX = "sybot_"  # so that a token that was published by mistake can be searched for
IS_BOT = bot_tokens.c.bot == people.c.id


def add_bot(db: Connection, owner: Person, name: str) -> tuple[Person, str]:
    """A new bot, and its token, which is not stored and cannot be shown again."""
    name = clean_nickname(name)
    if not name:
        raise BadInput(Why.bot_needs_name())
    lock(db, "bots")  # two names, or two bots too many, at the same moment
    if db.execute(select(bot_tokens.c.bot).where(IS_BOT, people.c.nickname == name)).first():
        raise BadInput(Why.bot_name_taken(name=name))
    if len(bots_of(db, owner)) >= MOST_BOTS:
        raise BadInput(Why.most_bots(n=MOST_BOTS))
    row = {"nickname": name, "keep": True, "made_at": now()}
    bot = db.execute(insert(people).values(row).returning(people.c.id)).scalar_one()
    token = PREFIX + secrets.token_urlsafe(32)
    db.execute(insert(bot_tokens).values(bot=bot, owner=owner.id, token_hash=hash_token(token), made_at=now()))
    return Person(bot, name, bot=True), token


def bots_of(db: Connection, owner: Person) -> Sequence[Row[Any, Any, Any]]:
    """The bots of a person, the oldest first: `bot`, `name`, `made_at`."""
    columns = bot_tokens.c.bot, people.c.nickname.label("name"), bot_tokens.c.made_at
    return db.execute(select(*columns).where(IS_BOT, bot_tokens.c.owner == owner.id).order_by(bot_tokens.c.bot)).all()


def find_bot(db: Connection, token: str) -> Person | None:
    columns = people.c.id, people.c.nickname, people.c.keep
    row = db.execute(select(*columns).where(IS_BOT, bot_tokens.c.token_hash == hash_token(token))).one_or_none()
    return Person(*row, bot=True) if row else None


def revoke_bot(db: Connection, owner: Person, bot: int) -> bool:
    """Make the token of one's own bot worthless; whether there was one. What the bot played stays under its name."""
    mine = (bot_tokens.c.bot == bot) & (bot_tokens.c.owner == owner.id)
    found = db.execute(delete(bot_tokens).where(mine)).rowcount > 0
    if found:
        db.execute(update(people).where(people.c.id == bot).values(signed_out_at=now()))
    return found
