"""Logs as JSON, one line per event. Messages of errors are left out: they may quote cards."""

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {"at": when, "level": record.levelname.lower(), "from": record.name}
        line["event"] = record.getMessage()
        line |= {key: value for key, value in vars(record).items() if key not in _KNOWN}
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = _where(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False, default=str)


def _where(error: BaseException) -> dict[str, Any]:
    """The type of an error and its traceback, without its message."""
    steps = traceback.extract_tb(error.__traceback__)
    return {"type": type(error).__name__, "at": [f"{step.filename}:{step.lineno} {step.name}" for step in steps]}


def start_logs(level: int = logging.INFO) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for name, quiet in (("shangyou.web", level), ("uvicorn", logging.WARNING)):  # uvicorn would log links to tables
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(quiet)
