"""The columns and rows of layout.py as constants that Triton can read.

Import them by name: Triton stores compiled kernels under a hash that has the values of names, but not of a module's attributes.
"""
# mypy: ignore-errors

import triton.language as tl

from shangyou.engines.kernels import layout
from shangyou.games import table

COUNT, RUN, SUIT, OFFSET, ROOTS = (tl.constexpr(getattr(layout, name)) for name in ("COUNT", "RUN", "SUIT", "OFFSET", "ROOTS"))
SEGMENT = tl.constexpr(layout.ROOTS + 16)  # columns of a segment
FOLLOWS, FOLLOWS_END = tl.constexpr(layout.FOLLOWS), tl.constexpr(layout.FOLLOWS_END)
STRENGTH, BOMB, PLAY_SUIT = tl.constexpr(layout.STRENGTH), tl.constexpr(layout.BOMB), tl.constexpr(layout.PLAY_SUIT)
PLAY = tl.constexpr(5)  # columns of a play
TURN, LAST, LAST_BY, PASSED = (tl.constexpr(getattr(layout, name)) for name in ("TURN", "LAST", "LAST_BY", "PASSED"))
OUTS, BOMBS, TURNS = tl.constexpr(layout.OUTS), tl.constexpr(layout.BOMBS), tl.constexpr(layout.TURNS)
LANDLORD, FIRST = tl.constexpr(layout.LANDLORD), tl.constexpr(layout.FIRST)
SCALARS, MEMORY, SIDE_OUT = tl.constexpr(layout.SCALARS), tl.constexpr(layout.MEMORY), tl.constexpr(layout.SIDE_OUT)
MIXED = tl.constexpr(table.MIXED)
