"""The columns and rows of tables.py as constants that Triton can read."""
# mypy: ignore-errors

from __future__ import annotations

import triton.language as tl

from shangyou.engines.kernels import tables
from shangyou.games import table

COUNT, RUN, SUIT, OFFSET, ROOTS = (tl.constexpr(getattr(tables, name)) for name in ("COUNT", "RUN", "SUIT", "OFFSET", "ROOTS"))
SEGMENT = tl.constexpr(tables.ROOTS + 16)  # columns of a segment
FOLLOWS, FOLLOWS_END = tl.constexpr(tables.FOLLOWS), tl.constexpr(tables.FOLLOWS_END)
STRENGTH, BOMB, PLAY_SUIT = tl.constexpr(tables.STRENGTH), tl.constexpr(tables.BOMB), tl.constexpr(tables.PLAY_SUIT)
PLAY = tl.constexpr(5)  # columns of a play
TURN, LAST, LAST_BY, PASSED = (tl.constexpr(getattr(tables, name)) for name in ("TURN", "LAST", "LAST_BY", "PASSED"))
OUTS, BOMBS, TURNS = tl.constexpr(tables.OUTS), tl.constexpr(tables.BOMBS), tl.constexpr(tables.TURNS)
LANDLORD, FIRST = tl.constexpr(tables.LANDLORD), tl.constexpr(tables.FIRST)
SCALARS, MEMORY, SIDE_OUT = tl.constexpr(tables.SCALARS), tl.constexpr(tables.MEMORY), tl.constexpr(tables.SIDE_OUT)
MIXED = tl.constexpr(table.MIXED)
