"""Thinking ahead: beliefs about hidden hands, search by playing games to their end, an exact solver.

What needs Numba is imported when it is asked for: `from shangyou.search import Question, solve`.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("Answer", "Question", "solve"):
        from shangyou.search import solver

        return getattr(solver, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
