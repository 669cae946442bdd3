"""What the server takes and sends as TypeScript types, for the check of the page: `python server_types.py OUT.d.ts`.

Made from the OpenAPI description and the schema of the sockets, so that the page reads no field the server does not send.
`Server.StateOut` is a message or an answer by its name in `web/wire`. `Server.Got<"GET tables/k3">` is the answer to a request
and `Server.Body<"POST tables">` what is sent with it: they type `get`, `post` and `remove` of `api.js`.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shangyou.web.app import ROOT, create_app
from shangyou.web.settings import Settings
from shangyou.web.wire.socket_schema import socket_schema

HEAD = "// Made by server_types.py from what the server says of itself.\ndeclare namespace Server {"
REQUEST = "type {name}<R extends string> = R extends `${{infer Path}}?${{string}}` ? {name}<Path>"


def server_types() -> str:
    spec = create_app(Settings()).openapi()
    schemas = spec["components"]["schemas"] | socket_schema()["$defs"]
    lines = [f"  {line}" for name, schema in schemas.items() for line in _declared(name, schema)]
    lines += [f"  {line}" for line in _requests(spec["paths"])]
    return "\n".join([HEAD, *lines, "}", ""])


def _declared(name: str, schema: dict[str, Any]) -> Iterator[str]:
    if "properties" not in schema:
        yield f"type {name} = {ts(schema)};"
        return
    yield f"interface {name} {{"
    yield from (f"  {line}" for line in _fields(schema))
    yield "}"


def _fields(schema: dict[str, Any]) -> Iterator[str]:
    for field, kind in schema["properties"].items():
        yield f"{json.dumps(field)}{'' if field in schema.get('required', ()) else '?'}: {ts(kind)};"


def ts(schema: dict[str, Any]) -> str:
    """A JSON Schema as a type."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema.get("enum", [schema.get("const")]))
    if parts := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(map(ts, parts))
    return _of_type(schema)


def _of_type(schema: dict[str, Any]) -> str:
    match schema.get("type"):
        case "array" if "prefixItems" in schema:
            return f"[{', '.join(map(ts, schema['prefixItems']))}]"
        case "array":
            return f"({ts(schema.get('items', {}))})[]"
        case "object" if "properties" in schema:
            return f"{{ {' '.join(_fields(schema))} }}"
        case "object":
            values = schema.get("additionalProperties")
            return f"Record<string, {ts(values) if isinstance(values, dict) else 'any'}>"
        case "integer" | "number":
            return "number"
        case "string" | "boolean" | "null":
            return str(schema["type"])
    return "any"


def _requests(paths: dict[str, Any]) -> Iterator[str]:
    """Fixed parts of a path come before `{id}`, which any text fits, more of it too: the longest come first."""
    found = [(method.upper(), path, route) for path, methods in paths.items() for method, route in methods.items()]
    found.sort(key=lambda one: (-one[1].count("/"), one[1].count("{")))
    contents = {"Got": lambda route: route["responses"]["200"], "Body": lambda route: route.get("requestBody")}
    for name, content_of in contents.items():
        yield REQUEST.format(name=name)
        for method, path, route in found:
            if content := content_of(route):
                pattern = re.sub(r"\{\w+\}", "${string}", path.removeprefix(f"{ROOT}/"))
                yield f"  : R extends `{method} {pattern}` ? {_content(content['content'])}"
        yield "  : never;"


def _content(content: dict[str, Any]) -> str:
    """Of what is JSON its type; the rest is text."""
    return ts(content["application/json"]["schema"]) if "application/json" in content else "string"


if __name__ == "__main__":
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(server_types(), encoding="utf-8")
