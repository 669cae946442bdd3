"""What the parts of the server share."""

from __future__ import annotations

from dataclasses import dataclass

from shangyou.web.limits import Limits
from shangyou.web.settings import Settings
from shangyou.web.storage import Storage
from shangyou.web.tables import Tables
from shangyou.web.thinking import Thinking

COOKIE = "shangyou"


@dataclass(frozen=True, slots=True)
class Arena:
    settings: Settings
    storage: Storage
    thinking: Thinking
    tables: Tables
    limits: Limits
