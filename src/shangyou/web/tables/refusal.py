"""What is answered to a request that is not carried out: a code for programs and a reason for people."""

from typing import Literal

from shangyou.games import BadInput

Code = Literal[
    "illegal", "bad_input", "malformed", "too_long", "stale", "not_your_turn", "not_seated", "not_started", "over", "full",
    "no_hints", "nobody", "foreign", "too_many", "no_table", "no_replay", "not_found", "no_method", "agent_failed", "failed",
]  # fmt: skip


class Refused(BadInput):
    """A request is not carried out. The page reads the code, the person reads the reason."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code: Code = code
