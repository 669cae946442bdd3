"""The types that the page is checked with say what the server sends."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shangyou.web
from web.page_checks.server_types import server_types, ts

STATIC = Path(shangyou.web.__file__).parent / "static"
CHECKS = Path(__file__).parent / "page_checks"
TSC = CHECKS / "node_modules" / ".bin" / "tsc"
NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
API = STATIC / "api.js"
RIGHT = [
    f'import * as api from "{API.as_posix()}";',
    'const [game] = await api.get("games");',
    "const { decisions } = await api.get(`replays/${game.name}/review`);",
    'await api.post("tables", { game: game.name, seats: ["me"] });',
]
WRONG = {
    "game.seat;": "Property 'seat' does not exist on type 'GameOut'",
    "decisions[0].rank.length;": "Property 'length' does not exist on type 'number'",
    'await api.post("tables", { seats: ["me"] });': "Property '\"game\"' is missing",
    '(await api.get("gams")).name;': "Property 'name' does not exist on type 'never'",
}


@pytest.mark.parametrize(
    ("schema", "type"),
    [
        ({"type": "integer"}, "number"),
        ({"$ref": "#/$defs/Put"}, "Put"),
        ({"enum": ["me", "open"]}, '"me" | "open"'),
        ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, "(string)[] | null"),
        ({"type": "array", "prefixItems": [{"type": "number"}, {"const": 1}]}, "[number, 1]"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "Record<string, boolean>"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]},
            '{ "a": string; "b"?: any; }',
        ),
    ],
)
def test_a_schema_as_a_type(schema, type):
    assert ts(schema) == type


@pytest.mark.skipif(not TSC.exists() or NODE is None, reason="make lint installs TypeScript")
def test_what_the_server_does_not_send_is_an_error(tmp_path):
    (tmp_path / "server.d.ts").write_text(server_types(), encoding="utf-8")
    (tmp_path / "page.js").write_text("\n".join([*RIGHT, *WRONG]), encoding="utf-8")
    config = {"extends": str(CHECKS / "tsconfig.json"), "include": ["*.js", "*.d.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    checked = subprocess.run([NODE, TSC.resolve(), "--project", tmp_path], capture_output=True, text=True, check=False)
    found = [line for line in checked.stdout.splitlines() if ": error TS" in line]
    assert len(found) == len(WRONG), checked.stdout
    for number, (line, says) in enumerate(zip(found, WRONG.values(), strict=True), len(RIGHT) + 1):
        assert f"page.js({number}," in line
        assert says in line
