"""What the GPU kernels share: rows of scalars, bits of words of cards, and the hash behind every draw.

Triton reads constants only as `tl.constexpr`. Import them by name: Triton stores compiled kernels under a hash that has the
values of names, but not of a module's attributes.
"""

import triton
import triton.language as tl

from shangyou.engines import forest
from shangyou.engines.kernels import layout
from shangyou.games import shuffle

TURN, TURNS, FIRST, OUTS = (tl.constexpr(row) for row in (layout.TURN, layout.TURNS, layout.FIRST, layout.OUTS))
LAST, LAST_BY, LANDLORD = tl.constexpr(layout.LAST), tl.constexpr(layout.LAST_BY), tl.constexpr(layout.LANDLORD)
SCALARS = tl.constexpr(layout.SCALARS)
ONES = tl.constexpr(forest.ONES)
FIVES, THREES = tl.constexpr(0x555555555555555), tl.constexpr(0x333333333333333)
GOLDEN = tl.constexpr(shuffle.GOLDEN)
MIX_1, MIX_2 = tl.constexpr(shuffle.MIX_1), tl.constexpr(shuffle.MIX_2)


@triton.jit
def lanes(games, n, BLOCK: tl.constexpr):
    """The lanes of this program: their numbers, whether there is a game for each, and that game."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = lane < n
    return lane, live, tl.load(games + lane, mask=live, other=0)


@triton.jit
def at_least(counts, n):
    """A bit for every rank of which there are n or more."""
    return ((counts + (8 - n).to(tl.int64) * ONES) >> 3) & ONES


@triton.jit
def held_ranks(need):
    return ((need + 7 * ONES) >> 3) & ONES


@triton.jit
def suits_in_lanes(word):
    pairs = (word & FIVES) + ((word >> 1) & FIVES)
    return (pairs & THREES) + ((pairs >> 2) & THREES)


@triton.jit
def mix(x):
    x = (x ^ (x >> 30)) * MIX_1
    x = (x ^ (x >> 27)) * MIX_2
    return x ^ (x >> 31)


@triton.jit
def scaled(x, n):
    """64 random bits as a number below n."""
    return (((x >> 32) * n.to(tl.uint64)) >> 32).to(tl.int32)
