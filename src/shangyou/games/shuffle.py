"""Shuffling that gives the same deal on every machine: one 64-bit hash, no library's generator.

Draw number i of deal `index` under `seed` is a pure function of (seed, index, i), so that a batch of deals can be
made in any order, on a CPU or a GPU, and be equal to the ones made here one by one. The hash is SplitMix64
(Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
"""

from collections.abc import Sequence

GOLDEN = 0x9E3779B97F4A7C15
MIX_1, MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
HAND_KEY, TWICE_KEY = 0xD6E8FEB86659FD93, 0xA0761D6478BD642F  # odd and unlike: factors of the words of a hand in `hash_choice`
MASK = (1 << 64) - 1


def mix(x: int) -> int:
    """64 bits in, 64 well-mixed bits out."""
    x = (x ^ (x >> 30)) * MIX_1 & MASK
    x = (x ^ (x >> 27)) * MIX_2 & MASK
    return x ^ (x >> 31)


def scaled(x: int, n: int) -> int:
    """64 random bits as a number below n; the bias, n in 2**32, is far below what any experiment can see."""
    return (x >> 32) * n >> 32


def seed_key(seed: int) -> int:
    """What a seed adds to everything drawn under it."""
    return mix((seed + GOLDEN) & MASK)


def hash_choice(key: int, turns: int, hand: Sequence[int], n: int) -> int:
    """A random choice, 0..n-1: a hash of the `seed_key` of the player's seed, the turn and the words of its hand.

    There is no state, so engines that play their games in different orders, or many at once, choose alike.
    """
    x = key + turns * GOLDEN + sum(word * salt for word, salt in zip(hand, (HAND_KEY, TWICE_KEY), strict=False))
    return scaled(mix(x & MASK), n)


class Stream:
    """The draws of one deal, in order."""

    def __init__(self, seed: int, index: int = 0) -> None:
        self.state = mix((seed_key(seed) + index * GOLDEN) & MASK)

    def below(self, n: int) -> int:
        """A number in 0..n-1."""
        self.state = (self.state + GOLDEN) & MASK
        return scaled(mix(self.state), n)

    def draw(self, items: tuple[int, ...], take: int) -> list[int]:
        """The first `take` items of a shuffle (Fisher-Yates from the front), then the rest."""
        pile = list(items)
        for i in range(take):
            j = i + self.below(len(pile) - i)
            pile[i], pile[j] = pile[j], pile[i]
        return pile
