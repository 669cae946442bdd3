"""The table of plays as trees, so that a generator can skip what cannot fit.

A play is a path: its groups, main group first. Plays that begin alike share the beginning, and a node knows the cards that
everything below it needs. The nodes lie in preorder, each with the place where its subtree ends, so that generating plays
is one loop: a node that fits yields its row and steps to the next node, a node that does not fit jumps past its subtree.

    333444 ─┬─ 333444 5 ─┬─ 333444 56          nodes  333444  333444 5  333444 56  333444 57  333444 6 ...
            │            └─ 333444 57          rows      -       -          r         r+1        -
            └─ 333444 6 ──  ...                skip to the next sibling, or to the end

Trees that ask for the same kind of main group form a **segment**. A leader walks the segments of all families; a follower
those of the pattern to beat, from the first start that is higher, and then the bombs. In a segment of followers the strength
(of bombs: the tier) of a play is its start rank plus a constant, the offset; where it is not, the rows are split into more
segments, so that any order of strengths can be expressed. Rows of a table are numbered so that both walks are ascending.
"""

from collections.abc import Iterable
from functools import cache
from itertools import chain, groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from shangyou.engines.supported import check_rows, refuse_first
from shangyou.games import PlayTable
from shangyou.games.table import MIXED

RANKS = 15
ONES = 0x111111111111111  # the lowest bit of every rank's lane
GUARD = ONES << 3  # the highest

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

COUNT, RUN, SUIT, SHAPE, OFFSET, ROOTS = range(6)
"""Columns of a segment: cards of each rank of the main group; consecutive ranks every play has of them; ANY, MIXED or a flush's
suit; DIRECT, RUNS or TREES; strength (of bombs: tier) of a play less its start, for followers and bombs alone; and from ROOTS
on, for each start rank and one for the end, the first node of a tree that starts there or higher."""

DIRECT, RUNS, TREES = range(3)
"""One play a start; runs of every length from the shortest on, in consecutive rows; trees to be walked."""

MOST_IN_TREES = 7  # cards of one rank: the fourth bit of its lane is a guard while a tree is walked


class Forest(NamedTuple):
    """N nodes, G segments, Q patterns. The second column of nodes and of fans has two numbers: `high << 32 | low`."""

    nodes: Longs  # [N, 2] cards that a subtree needs, four bits a rank; where it ends (high), the node's row + 1 or 0 (low)
    fans: Longs  # [N, 2] ranks of a node's children if they are a fan, or 0; cards of their group (high), their first row (low)
    segments: Ints  # [G, 5 + R + 1]
    walks: Ints  # segments in walking order: a leader's, the bombs, then each pattern's without its bombs
    leads: int  # segments a leader walks: the first of `walks`
    bombs: int  # segments of bombs: the next
    follows_at: Ints  # [Q + 1] where in `walks` a pattern's begin


class _Builder:
    """Lays out segments one after the other."""

    def __init__(self, table: PlayTable) -> None:
        self.table = table
        self.kind = list(zip(table.family, table.suit.tolist(), strict=True))  # [P]
        start = np.array([0, *(groups[0][0] for groups in table.groups[1:])])
        self.offset = (np.where(table.bomb > 0, table.bomb, table.strength) - start).tolist()  # [P]
        self.nodes: list[tuple[int, int, int]] = []  # need, skip, row
        self.segments: list[list[int]] = []
        self.known: dict[tuple[int, ...], int] = {}

    def leads(self, rows: Iterable[int]) -> list[int]:
        """The segments of these rows: a new one where the family or the suit changes."""
        return [self._segment(tuple(same)) for _, same in groupby(rows, lambda row: self.kind[row])]

    def follows(self, rows: Iterable[int]) -> list[int]:
        """Likewise, and where the offset changes."""
        return [self._segment(tuple(same)) for _, same in groupby(rows, lambda row: (self.kind[row], self.offset[row]))]

    def _segment(self, rows: tuple[int, ...]) -> int:
        """The number of the segment of these rows, made if it is new."""
        if rows not in self.known:
            self.known[rows] = len(self.segments)
            self.segments.append(self._lay_out(rows))
        return self.known[rows]

    def _lay_out(self, rows: tuple[int, ...]) -> list[int]:
        groups = self.table.groups
        by_start: dict[int, list[int]] = {start: list(same) for start, same in groupby(rows, lambda row: groups[row][0][0])}
        roots = []
        for start in range(RANKS):
            roots.append(len(self.nodes))
            self._grow(by_start.get(start, []), 0, 0)
        roots.append(len(self.nodes))
        count = min(groups[row][0][1] for row in rows)
        run = min(_run_length(groups[row], count) for row in rows)
        shape = max(self._shape(same, count, run) for same in by_start.values())
        suit = int(self.table.suit[rows[0]])
        if shape == TREES or suit == MIXED:
            too_many = [row for row in rows if self.table.need[:, row].max() > MOST_IN_TREES]
            refuse_first(self.table, too_many, f"needs more than {MOST_IN_TREES} cards of a rank beside others")
        return [count, run, suit, shape, self.offset[rows[0]], *roots]

    def _shape(self, rows: list[int], count: int, run: int) -> int:
        """The shape of plays that have one start: trees, unless they are runs with no length and no row left out."""
        start = self.table.groups[rows[0]][0][0]
        for i, row in enumerate(rows):
            if row != rows[0] + i or self.table.groups[row] != tuple((start + j, count) for j in range(run + i)):
                return TREES
        return RUNS if len(rows) > 1 else DIRECT

    def _grow(self, rows: list[int], depth: int, need: int) -> None:
        """The trees of rows that agree in their first `depth` groups, which need `need`."""
        groups = self.table.groups
        for (rank, count), same in groupby(rows, lambda row: groups[row][depth]):
            branch, more, deeper = list(same), need + (count << 4 * rank), depth + 1
            while all(len(groups[row]) > deeper for row in branch) and len({groups[row][deeper] for row in branch}) == 1:
                rank, count = groups[branch[0]][deeper]  # nothing ends or parts here: no node of its own
                more, deeper = more + (count << 4 * rank), deeper + 1
            ends = len(groups[branch[0]]) == deeper
            here = len(self.nodes)
            self.nodes.append((more, 0, branch[0] if ends else -1))
            self._grow(branch[ends:], deeper, more)
            self.nodes[here] = (more, len(self.nodes), self.nodes[here][2])


def _run_length(groups: tuple[tuple[int, int], ...], count: int) -> int:
    length = 0
    while length < len(groups) and groups[length][0] == groups[0][0] + length and groups[length][1] >= count:
        length += 1
    return length


def _fan(need: int, below: list[tuple[int, int, int]]) -> tuple[int, int]:
    """The fan of a node whose subtree is `below`, as in `Forest.fans`; zeros if it is none.

    Where the children of a node differ in one rank alone, a generator need not visit them: a bit test finds those that fit.
    Their rows follow each other, so a child's row is the first one's and the number of children of lower rank.
    """
    ranks, sizes = 0, set()
    for place, (more, _, row) in enumerate(below):
        lane = ((more - need).bit_length() - 1) // 4 * 4
        ranks |= 1 << lane
        sizes.add((more - need) >> lane)
        if len(sizes) > 1 or need + (max(sizes) << lane) != more or row < 0 or row != below[0][2] + place:
            return 0, 0
    return (ranks, (sizes.pop() << 32) + below[0][2]) if below else (0, 0)


@cache
def build_forest(table: PlayTable) -> Forest:
    """The forest of a table; BadInput that names the first row which no forest can express."""
    check_rows(table)
    builder, rows = _Builder(table), range(1, len(table))
    by_pattern: list[list[int]] = [[] for _ in table.patterns]
    for row in rows:
        if row not in table.bombs:
            by_pattern[table.pattern[row]].append(row)
    leads = builder.leads(rows)
    follows = [builder.follows(same) for same in by_pattern]
    bombs = builder.follows(row for row in rows if row in table.bombs)
    nodes = builder.nodes
    return Forest(
        nodes=np.array([(need, (skip << 32) + row + 1) for need, skip, row in nodes], np.int64),
        fans=np.array([_fan(need, nodes[i + 1 : skip]) for i, (need, skip, _) in enumerate(nodes)], np.int64),
        segments=np.array(builder.segments, np.int32),
        walks=np.array([*leads, *bombs, *chain(*follows)], np.int32),
        leads=len(leads),
        bombs=len(bombs),
        follows_at=np.cumsum([len(leads) + len(bombs), *map(len, follows)], dtype=np.int32),
    )
