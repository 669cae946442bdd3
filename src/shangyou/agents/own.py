"""An agent in a Python file of the user's own: `mine.py`, or `mine.py:Cautious` where the file has several.

The file is run, so the name must come from the person at this machine: the arena and the MCP server load no such agent.
"""

import inspect
import re
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from shangyou.agents.agent import Agent
from shangyou.games import BadInput

_NAME = re.compile(r"(?P<file>[^,]+\.py)(:(?P<wanted>\w+))?")


def is_own(name: str) -> bool:
    """Whether a name is that of an agent in a Python file."""
    return _NAME.fullmatch(name) is not None


def runs_a_file(name: str) -> bool:
    """Whether loading the agent, or a member of the ensemble, of that name runs a Python file."""
    return any(is_own(part.strip()) for part in (name, *name.partition(":")[2].split(",")))


def load_own(name: str, seed: int) -> Agent:
    """The agent; a class that takes a seed is given it."""
    found = _NAME.fullmatch(name)
    assert found is not None, name
    made = _class_of(name, _run(found["file"]), found["wanted"])
    try:
        agent = made(seed=seed) if "seed" in inspect.signature(made).parameters else made()
    except Exception as error:  # whatever the user's code raises
        raise _failed(name, error) from error
    agent.name = name
    return agent


def _run(file: str) -> ModuleType:
    path = Path(file)
    spec = spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise BadInput(f"agent {file!r}: there is no such Python file")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _failed(file, error) from error
    return module


def _class_of(name: str, module: ModuleType, wanted: str | None) -> Callable[..., Agent]:
    """The agent of that name, or the only one that the file itself defines."""
    classes: dict[str, type[Agent]] = {
        key: value for key, value in vars(module).items() if _is_agent(value) and value.__module__ == module.__name__
    }
    if wanted is None and len(classes) == 1:
        return next(iter(classes.values()))
    if wanted not in classes:
        raise BadInput(
            f"agent {name!r}: name one agent of the file, as in mine.py:Cautious; it has {', '.join(classes) or 'none'}"
        )
    return classes[wanted]


def _is_agent(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Agent) and not inspect.isabstract(value)


def _failed(name: str, error: Exception) -> BadInput:
    return BadInput(f"agent {name!r} could not be made: {type(error).__name__}: {error}")
