"""What the parts of the server share."""

from __future__ import annotations

from dataclasses import dataclass

from shangyou.web.limits import Limits
from shangyou.web.live.inference import Thinking
from shangyou.web.live.live_tables import Tables
from shangyou.web.settings import Settings
from shangyou.web.storage.database import Storage

COOKIE = "shangyou"


@dataclass(frozen=True, slots=True)
class Arena:
    settings: Settings
    storage: Storage
    thinking: Thinking
    tables: Tables
    limits: Limits
