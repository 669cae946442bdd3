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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

import numpy as np
import numpy.typing as npt

from shangyou.engines.supported import check_rows, refuse_first
from shangyou.games import PlayTable
from shangyou.games.table import MIXED

RANKS = 15
ONES = 0x111111111111111  # the lowest bit of every rank's lane
GUARD = ONES << 3  # the highest

Int32 = npt.NDArray[np.int32]

DIRECT, RUNS, TREES = range(3)
"""One play a start; runs of every length from the shortest on, in consecutive rows; trees to be walked."""

MOST_IN_TREES = 7  # cards of one rank: the fourth bit of its lane is a guard while a tree is walked


@dataclass(frozen=True)
class Forest:
    """N nodes, G segments, P plays, Q patterns."""

    need: npt.NDArray[np.int64]  # [N] cards a node and all below it need, four bits a rank
    skip: Int32  # [N] where the subtree ends
    row: Int32  # [N] the play a node is, or -1
    fan: npt.NDArray[np.int64]  # [N] the ranks of a node's children, if each is a play of one more group of the same size; or 0
    fan_size: Int32  # [N] cards of that group
    roots: Int32  # [G, R + 1] the first node of a tree that starts at this rank or higher
    count: Int32  # [G] cards of each rank of the main group
    run: Int32  # [G] consecutive ranks every play of the segment has of them
    suit: Int32  # [G] ANY, MIXED, or a flush's suit
    shape: Int32  # [G] DIRECT, RUNS or TREES: how much more there is to a play than its start
    offset: Int32  # [G] strength (of bombs: tier) of a play, less its start; followers and bombs alone
    leads: Int32  # the segments a leader walks, in order
    follows: Int32  # the segments of each pattern without its bombs, one pattern after the other
    follows_at: Int32  # [Q + 1] where a pattern's begin
    bombs: Int32  # the segments of bombs, in order


class _Builder:
    """Lays out segments one after the other."""

    def __init__(self, table: PlayTable) -> None:
        self.table = table
        self.kind = list(zip(table.family, table.suit.tolist(), strict=True))  # [P]
        start = np.array([0, *(groups[0][0] for groups in table.groups[1:])])
        self.offset = (np.where(table.bomb > 0, table.bomb, table.strength) - start).tolist()  # [P]
        self.nodes: list[tuple[int, int, int]] = []  # need, skip, row
        self.segments: list[tuple[list[int], int, int, int, int, int]] = []
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

    def _lay_out(self, rows: Sequence[int]) -> tuple[list[int], int, int, int, int, int]:
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
        return roots, count, run, suit, shape, self.offset[rows[0]]

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
    """The ranks of what is below a node, a bit each, and the size of the group each adds; zeros if it is no fan.

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
    return ranks, sizes.pop() if sizes else 0


@cache
def build_forest(table: PlayTable) -> Forest:
    """The forest of a table; BadInput that names the first row which no forest can express."""
    check_rows(table)
    builder, rows = _Builder(table), range(1, len(table))
    by_pattern: list[list[int]] = [[] for _ in table.patterns]
    for row in rows:
        if row not in table.bombs:
            by_pattern[table.pattern[row]].append(row)
    leads, follows, follows_at = builder.leads(rows), [], [0]
    for same in by_pattern:
        follows += builder.follows(same)
        follows_at.append(len(follows))
    bombs = builder.follows(row for row in rows if row in table.bombs)
    fans = [(*node, *_fan(node[0], builder.nodes[i + 1 : node[1]])) for i, node in enumerate(builder.nodes)]
    types = np.int64, np.int32, np.int32, np.int64, np.int32
    nodes = (np.array(column, kind) for column, kind in zip(zip(*fans, strict=True), types, strict=True))
    columns = (np.array(column, np.int32) for column in zip(*builder.segments, strict=True))
    lists = (np.array(numbers, np.int32) for numbers in (leads, follows, follows_at, bombs))
    return Forest(*nodes, *columns, *lists)
