"""JSON Schema of every message on the sockets, made from the models that read and write them."""

from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from shangyou.web.wire.bots import BOT_MESSAGE, BotNews
from shangyou.web.wire.messages import TableNews
from shangyou.web.wire.requests import MESSAGE

Mode = Literal["validation", "serialization"]
SOCKETS: dict[str, tuple[Mode, TypeAdapter[Any], str]] = {
    "table_to_server": ("validation", MESSAGE, "What may be sent on /api/v1/tables/{id}/live"),
    "table_from_server": ("serialization", TypeAdapter(TableNews), "What comes on /api/v1/tables/{id}/live"),
    "stream_to_server": ("validation", BOT_MESSAGE, "What a bot may send on /api/v1/bots/stream"),
    "stream_from_server": ("serialization", TypeAdapter(BotNews), "What comes to a bot on /api/v1/bots/stream"),
}


@cache
def socket_schema() -> dict[str, Any]:
    """One document; a message of a socket and direction must fit the definition of that name in `$defs`."""
    inputs = [(name, mode, adapter) for name, (mode, adapter, _) in SOCKETS.items()]
    roots, shared = TypeAdapter.json_schemas(inputs, ref_template="#/$defs/{model}")
    named = {name: roots[name, mode] | {"title": name, "description": text} for name, (mode, _, text) in SOCKETS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Messages on the sockets of a shangyou arena",
        "description": "A definition for each socket and direction: " + ", ".join(SOCKETS),
        "$defs": named | shared["$defs"],
    }
