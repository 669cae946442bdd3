"""Shuffling that gives the same deal on every machine: one 64-bit hash, no library's generator.

Draw number i of deal `index` under `seed` is a pure function of (seed, index, i), so that a batch of deals can be
made in any order, on a CPU or a GPU, and be equal to the ones made here one by one. The hash is SplitMix64
(Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
"""

from __future__ import annotations

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def mix(x: int) -> int:
    """64 bits in, 64 well-mixed bits out."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def seed_key(seed: int) -> int:
    """What a seed adds to everything drawn under it."""
    return mix((seed + GOLDEN) & MASK)


class Stream:
    """The draws of one deal, in order."""

    def __init__(self, seed: int, index: int = 0) -> None:
        self.state = mix((seed_key(seed) + index * GOLDEN) & MASK)

    def below(self, n: int) -> int:
        """A number in 0..n-1; the bias, n in 2**32, is far below what any experiment can see."""
        self.state = (self.state + GOLDEN) & MASK
        return (mix(self.state) >> 32) * n >> 32

    def draw(self, items: tuple[int, ...], take: int) -> list[int]:
        """The first `take` items of a shuffle (Fisher-Yates from the front), then the rest."""
        pile = list(items)
        for i in range(take):
            j = i + self.below(len(pile) - i)
            pile[i], pile[j] = pile[j], pile[i]
        return pile
