"""The command line inside this process."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner, Result

from shangyou.cli import app

WIDE = {"COLUMNS": "160"}


def run(*words: Any, code: int = 0) -> Result:
    """What the command did, which must have ended with this code."""
    result = CliRunner().invoke(app, [str(word) for word in words], env=WIDE)
    assert result.exit_code == code, result.output
    return result
