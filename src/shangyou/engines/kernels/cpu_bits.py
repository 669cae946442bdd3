"""Bits of words of cards, and the hash behind every draw, for the CPU kernels."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from shangyou.engines.forest import ONES
from shangyou.games import shuffle

GOLDEN = np.uint64(shuffle.GOLDEN)
U30, U27, U31, U32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
MIX_1, MIX_2 = np.uint64(shuffle.MIX_1), np.uint64(shuffle.MIX_2)


@intrinsic
def lowest_bit(typing_context: Any, x: Any) -> Any:
    """The number of zeros below the lowest set bit; one machine instruction that Numba has no name for."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def number_of_bits(typing_context: Any, x: Any) -> Any:
    """How many bits are set; likewise."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@njit(inline="always")
def at_least(counts: int, n: int) -> int:
    """A bit for every rank of which there are n or more; counts go to 8, so the sum stays in its four bits."""
    return ((counts + (8 - n) * ONES) >> 3) & ONES


@njit(inline="always")
def suits_in_lanes(word: int) -> int:
    """Suits held, counted rank by rank."""
    pairs = (word & 0x555555555555555) + ((word >> 1) & 0x555555555555555)
    return (pairs & 0x333333333333333) + ((pairs >> 2) & 0x333333333333333)


@njit(inline="always")
def mix(x: Any) -> Any:
    x = (x ^ (x >> U30)) * MIX_1
    x = (x ^ (x >> U27)) * MIX_2
    return x ^ (x >> U31)


@njit(inline="always")
def scaled(x: Any, n: int) -> Any:
    """64 random bits as a number below n."""
    return np.int64(((x >> U32) * np.uint64(n)) >> U32)
