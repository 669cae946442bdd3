"""The shapes all climbing games share: equal cards, runs of them, bombs."""

from collections.abc import Iterator

from shangyou.games.table import Play

Groups = tuple[tuple[int, int], ...]
"""(rank, count) pairs: what a play is made of."""


def equals(name: str, count: int, ranks: int) -> Iterator[Play]:
    """`count` cards of one rank, for the lowest `ranks` ranks."""
    return (Play(name, name, ((rank, count),), strength=rank) for rank in range(ranks))


def bombs(count: int, pattern: str = "bomb") -> Iterator[Play]:
    """Bombs of `count` equal cards: a higher tier than every bomb of fewer."""
    for rank in range(13):
        yield Play(pattern, pattern, ((rank, count),), strength=rank, bomb=100 * (count - 4) + rank + 1)


def runs(count: int, lengths: range, end: int) -> Iterator[Groups]:
    """Consecutive ranks below `end`, `count` cards of each."""
    for length in lengths:
        for start in range(end - length + 1):
            yield tuple((rank, count) for rank in range(start, start + length))
