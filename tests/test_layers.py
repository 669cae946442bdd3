"""The arrow of the layers: a folder imports only from those above it, and playing never needs torch."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "shangyou"
LAYERS = (
    "games", "engines", "nets", "search", "agents", "workers", "evaluation", "training", "records", "lab", "client", "web",
)  # fmt: skip
WEB = (  # rooms of web
    "settings", "limits", "proxies", "connections", "logs", "errors", "clock", "levels", "daily", "table", "storage",
    "wire", "live", "api", "archive_api", "reviews_api", "me_api", "lobby_api", "match_api", "daily_api", "puzzles_api",
    "ratings_api", "bots_api", "guard", "app",
)  # fmt: skip
TOP = ("testing", "spaces", "pettingzoo", "openspiel", "torchrl", "mcp", "cli", "__main__")  # may import everything
ONLY_FOR_RULES = sys.stdlib_module_names | {"numpy", "shangyou"}
WITHOUT_TORCH = (
    "shangyou.games", "shangyou.engines.reference", "shangyou.engines.position", "shangyou.search", "shangyou.agents",
    "shangyou.workers",
    "shangyou.evaluation", "shangyou.records", "shangyou.client", "shangyou.web", "shangyou.testing",
)  # fmt: skip
ON_TENSORS = (
    "shangyou.agents.batch",
    "shangyou.evaluation.batch_backend",
    "shangyou.evaluation.chances",
)  # not for those that only play


def find_modules(source: Path) -> dict[str, ast.Module]:
    """Every module under `source` by its dotted name; packages go by the name of their folder."""
    modules = {}
    for path in sorted(source.rglob("*.py")):
        parts = (source.name, *path.relative_to(source).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return modules


def imported(nodes: Iterator[ast.AST]) -> Iterator[str]:
    """Dotted names behind import statements; `from a import b` may mean the module a.b, so both are given."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full, not relative"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield str(node.module)


def run_on_import(node: ast.AST) -> Iterator[ast.AST]:
    """The statements that importing a module runs: not what waits inside functions, nor what only type checkers read."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from run_on_import(child)


def layer_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def arrows_upward(modules: dict[str, ast.Module]) -> list[str]:
    """Imports of a lower layer from a higher one, wherever in a module they stand."""
    height = {layer: i for i, layer in enumerate(LAYERS)} | dict.fromkeys(TOP, len(LAYERS)) | {"": len(LAYERS)}
    wrong = [f"{name} belongs to no layer" for name in modules if layer_of(name) not in height]
    for name, tree in modules.items():
        targets = {target for target in imported(ast.walk(tree)) if target in modules and target != "shangyou"}
        wrong += [
            f"{name} imports {target}"
            for target in sorted(targets)
            if height.get(layer_of(target), 0) > height.get(layer_of(name), 0)
        ]
    return wrong


def arrows_upward_in_web(modules: dict[str, ast.Module]) -> list[str]:
    """Imports of a room of the arena, a folder or a file beside the folders, from one that comes after it in `WEB`."""
    rooms = {name: name.split(".")[2] for name in modules if name.startswith("shangyou.web.")}
    wrong = [f"{name} belongs to no room" for name, room in rooms.items() if room not in WEB]
    arrows = [(name, target) for name in rooms for target in sorted(set(imported(ast.walk(modules[name]))) & set(rooms))]
    known = [(name, target) for name, target in arrows if {rooms[name], rooms[target]} <= set(WEB)]
    return wrong + [f"{name} imports {target}" for name, target in known if WEB.index(rooms[target]) > WEB.index(rooms[name])]


def strangers_in_rules(modules: dict[str, ast.Module]) -> list[str]:
    """What `games` imports besides the standard library and numpy."""
    rules = {name: tree for name, tree in modules.items() if layer_of(name) == "games"}
    found = {(name, target.split(".")[0]) for name, tree in rules.items() for target in imported(ast.walk(tree))}
    return sorted(f"{name} imports {target}" for name, target in found if target not in ONLY_FOR_RULES)


def paths_to_torch(modules: dict[str, ast.Module]) -> list[str]:
    """Modules that bring in torch when one that only plays is imported, with the way there."""
    waiting = [(name,) for name in modules if _in(name, WITHOUT_TORCH) and not _in(name, ON_TENSORS)]
    known, wrong = set(), []
    while waiting:
        way = waiting.pop()
        if way[-1] in known:
            continue
        known.add(way[-1])
        targets = set(imported(run_on_import(modules[way[-1]])))
        wrong += [" -> ".join((*way, "torch"))] if any(target.split(".")[0] == "torch" for target in targets) else []
        waiting += [(*way, name) for target in sorted(targets) for name in with_parents(target) if name in modules]
    return sorted(wrong)


def _in(name: str, roots: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{root}.") for root in roots)


def with_parents(name: str) -> list[str]:
    """Importing a.b.c runs a and a.b too."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def test_a_folder_imports_only_from_those_above_it():
    assert arrows_upward(find_modules(SOURCE)) == []


def test_a_room_of_the_arena_imports_only_from_those_before_it():
    assert arrows_upward_in_web(find_modules(SOURCE)) == []


def test_rules_need_the_standard_library_and_numpy_only():
    assert strangers_in_rules(find_modules(SOURCE)) == []


def test_playing_needs_no_torch():
    assert paths_to_torch(find_modules(SOURCE)) == []


@pytest.fixture
def planted(tmp_path):
    """A package of our layers, to which a test adds a module."""

    def plant(**texts: str) -> dict[str, ast.Module]:
        for name, text in texts.items():
            path = tmp_path / "shangyou" / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return find_modules(tmp_path / "shangyou")

    return plant


def test_an_upward_arrow_is_found_even_inside_a_function(planted):
    modules = planted(
        games__zsy2="def late():\n    from shangyou.agents import greedy", agents__greedy="import shangyou.games.zsy2"
    )
    assert arrows_upward(modules) == ["shangyou.games.zsy2 imports shangyou.agents.greedy"]


def test_nothing_below_imports_what_stands_on_top(planted):
    modules = planted(web__server="import shangyou.cli", cli="import shangyou.web.server")
    assert arrows_upward(modules) == ["shangyou.web.server imports shangyou.cli"]


def test_a_folder_without_a_place_is_found(planted):
    assert arrows_upward(planted(helpers__text="")) == ["shangyou.helpers.text belongs to no layer"]


def test_an_upward_arrow_inside_the_arena_is_found(planted):
    modules = planted(web__table="import shangyou.web.wire.json", web__wire__json="import shangyou.web.table", web__odd="")
    assert arrows_upward_in_web(modules) == [
        "shangyou.web.odd belongs to no room",
        "shangyou.web.table imports shangyou.web.wire.json",
    ]


def test_a_library_in_the_rules_is_found(planted):
    modules = planted(games__zsy2="import numpy as np\nimport json\nfrom rich.table import Table")
    assert strangers_in_rules(modules) == ["shangyou.games.zsy2 imports rich"]


def test_torch_is_found_at_the_end_of_a_chain(planted):
    modules = planted(
        agents__net="from shangyou.nets import trunk",
        nets__trunk="try:\n    from torch import nn\nexcept ImportError:\n    raise",
        engines__batch="import torch",  # not among those that only play
    )
    assert paths_to_torch(modules) == ["shangyou.agents.net -> shangyou.nets.trunk -> torch"]


def test_agents_on_tensors_are_not_for_those_that_only_play(planted):
    modules = planted(agents__batch="import torch", agents__greedy="")
    assert paths_to_torch(modules) == []
    modules = planted(agents__greedy="from shangyou.agents import batch")
    assert paths_to_torch(modules) == ["shangyou.agents.greedy -> shangyou.agents.batch -> torch"]


def test_torch_asked_for_only_when_called_is_allowed(planted):
    assert paths_to_torch(planted(records__checkpoints="def save():\n    import torch")) == []
