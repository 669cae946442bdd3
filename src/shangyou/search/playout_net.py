"""The small nets of playouts: their files, and their weights arranged so that a kernel looks up what others multiply.

A net is a `ValueNet` without a past and with one layer for a pair (`training/distill.py`). Its first layer is linear in sets
of cards, and a set counts by how many cards of each rank it has: a table by set, rank and number is all that is needed to go on
from one position to the next.

R ranks, K = 1 + copies of a rank, S seats, W words a set of cards, H units of the first layers, E of the last, P plays.
"""

from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from shangyou.engines.reference import View
from shangyou.games import NOBODY, BadInput, Game, PlayTable
from shangyou.nets.spec import ENCODING, OBJECTIVES, WIN
from shangyou.search.errors import Why

Floats = npt.NDArray[np.float32]
Weights = dict[str, npt.NDArray[Any]]

FOLDER = Path(__file__).parents[1] / "champions"
SUFFIX = "-playout.npz"
RANKS, MOST_BOMBS, NO_SUIT, GRAIN = 15, 4, 2, 16  # as in nets/encoding.py, which needs torch; a test compares the answers
HAND, UNSEEN, PLAYED = range(3)  # the sets of cards; those played by the seats in turn from PLAYED on


class NetTables(NamedTuple):
    """What the kernels read, float32 unless said otherwise."""

    bias: Floats  # [H]
    sets: Floats  # [2 + S, R, K, H] cards of a rank, so many, in each set
    suits: Floats  # [2 + S, W, 60, H] cards of a suit; without suits [2 + S, 1, 1, H]
    last: Floats  # [R, K, H] the play to beat
    last_kind: Floats  # [kinds, H]
    left: Floats  # [S, T, H] cards of each seat
    last_by: Floats  # [S, H]
    passed: Floats  # [S, H]
    bombs: Floats  # [1 + MOST_BOMBS, H]
    trunk: Floats  # [layers, H, H] input by output, like all that follow
    trunk_bias: Floats  # [layers, H]
    to_head: Floats  # [H, E]
    head_bias: Floats  # [E]
    group: Floats  # [R, K, K, E] of a play's group: rank, cards held, cards put down
    rest: Floats  # [R, K, E] the hand
    kind: Floats  # [kinds, E]
    answer: Floats  # [E]
    answer_bias: Floats  # [1]
    kinds: npt.NDArray[np.int32]  # [P] family and suit of a play
    sizes: npt.NDArray[np.int32]  # [P]
    group_starts: npt.NDArray[np.int32]  # [P + 1]
    groups: npt.NDArray[np.int32]  # [groups, 2] rank and count


@dataclass(frozen=True)
class PlayoutNet:
    """A small net of a game."""

    game: Game
    tables: NetTables
    public: Floats  # [R, K, H] the public cards
    landlord: Floats  # [S, H]

    def public_part(self, view: View) -> Floats:
        """[H] of the first layer's sums: all but the hand and what is unseen."""
        deck, seats, net = view.game.deck, view.game.seats, self.tables
        total = net.bias.copy()
        for seat in range(seats):
            total += self.set_part(PLAYED + seat, view.played[seat])
            total += net.left[seat, min(view.left[seat], net.left.shape[1] - 1)]
            if seat in view.passed:
                total += net.passed[seat]
        if view.public:
            total += self.public[np.arange(RANKS), deck.counts(view.public)].sum(0)
        for rank, count in net.groups[net.group_starts[view.last] : net.group_starts[view.last + 1]]:
            total += net.last[rank, count]
        total += net.last_kind[net.kinds[view.last]]
        total += net.last_by[view.last_by] if view.last_by != NOBODY else 0
        total += self.landlord[view.landlord] if view.landlord != NOBODY else 0
        bombs = sum(turn.play in view.game.table.bombs for turn in view.history)
        return np.asarray(total + net.bombs[min(bombs, MOST_BOMBS)], np.float32)

    def set_part(self, which: int, cards: int) -> Floats:
        """[H] of one set of cards."""
        deck, net = self.game.deck, self.tables
        total: Floats = net.sets[which, np.arange(RANKS), deck.counts(cards)].sum(0)
        if deck.suited:
            bits = np.array(deck.words(cards))[:, None] >> np.arange(60) & 1  # [W, 60]
            total = total + (net.suits[which] * bits[..., None]).sum((0, 1))
        return total

    def fixed_part(self, view: View) -> Floats:
        """[S, H] of the first layer's sums as each seat sees the game: what stays the same to its end."""
        seats, total = view.game.seats, np.repeat(self.tables.bias[None], view.game.seats, 0)
        if view.public:
            total += self.public[np.arange(RANKS), view.game.deck.counts(view.public)].sum(0)
        if view.landlord != NOBODY:
            total += self.landlord[[(view.landlord - seat) % seats for seat in range(seats)]]
        return np.asarray(total, np.float32)


def find_playout_net(game: Game) -> Path | None:
    """The file of the small net of a game, if there is one for its table of plays."""
    path = FOLDER / f"{game.name}{SUFFIX}"
    return path if path.is_file() and _table_of(path) == game.table.hash else None


@cache
def _table_of(path: Path) -> str:
    with np.load(path) as stored:
        return str(stored["table"])


@cache
def load_playout_net(game: Game, path: Path | None = None) -> PlayoutNet:
    found = path or find_playout_net(game)
    if found is None:
        raise BadInput(Why.no_playout_net(game=game.name, rules=str(game.rules)))
    with np.load(found) as stored:
        if str(stored["table"]) != game.table.hash or int(stored["encoding"]) != ENCODING:
            raise BadInput(Why.playout_net_table(path=str(found), game=game.name))
        return make_playout_net(game, {name: stored[name].astype(np.float32) for name in stored.files if "." in name})


def make_playout_net(game: Game, weights: Weights) -> PlayoutNet:
    """From the weights of a `ValueNet` by their names."""
    deck, table, seats = game.deck, game.table, game.seats
    copies, words = 4 * deck.packs, deck.packs if deck.suited else 1
    families, suits = len(dict.fromkeys(table.family)), int(table.suit.max()) + NO_SUIT + 1
    counted, play_width = RANKS * copies, -(-(RANKS * copies + families + suits) // GRAIN) * GRAIN
    set_width = counted + (RANKS * 4 * words if deck.suited else 0)
    columns = _Columns(weights["look.weight"].T.astype(np.float32))  # [width, H]
    set_rows = [columns.take(set_width) for _ in range(2 + seats)]
    public, last = columns.take(counted), columns.take(play_width)
    left = columns.take(seats * (game.largest_hand + 1))
    last_by, landlord, passed = (columns.take(seats) for _ in range(3))
    bombs, objectives = columns.take(MOST_BOMBS), columns.take(len(OBJECTIVES))
    units, of_play = len(weights["look.bias"]), weights["of_play.weight"].T.astype(np.float32)
    rest = _sums(weights["of_rest.weight"].T.astype(np.float32), copies)
    layers = [name for name in weights if name.startswith("trunk.") and name.endswith(".weight")]
    nothing = np.zeros((0, units, units), np.float32)
    starts, groups = _groups(table)
    tables = NetTables(
        bias=weights["look.bias"] + objectives[WIN],
        sets=np.stack([_sums(rows[:counted], copies) for rows in set_rows]),
        suits=np.stack([rows[counted:].reshape(words, -1, units) if deck.suited else rows[:1, None] for rows in set_rows]),
        last=_sums(last[:counted], copies),
        last_kind=_kind_rows(last[counted:], families, suits),
        left=left.reshape(seats, -1, units),
        last_by=last_by,
        passed=passed,
        bombs=np.concatenate([np.zeros((1, units), np.float32), bombs.cumsum(0)]),
        trunk=np.concatenate([nothing, *(weights[name].T[None] for name in layers)]),
        trunk_bias=np.concatenate([nothing[:, 0], *(weights[name.replace("weight", "bias")][None] for name in layers)]),
        to_head=weights["to_head.weight"].T,
        head_bias=weights["to_head.bias"],
        group=_group_rows(_sums(of_play[:counted], copies), rest),
        rest=rest,
        kind=_kind_rows(of_play[counted:], families, suits),
        answer=weights["answer.weight"][0],
        answer_bias=weights["answer.bias"][:1],
        kinds=_kinds(table, suits),
        sizes=table.size.astype(np.int32),
        group_starts=starts,
        groups=groups,
    )
    arrays: Any = (np.ascontiguousarray(a, np.int32 if a.dtype.kind == "i" else np.float32) for a in tables)
    return PlayoutNet(game, NetTables(*arrays), _sums(public, copies), landlord)


class _Columns:
    """The rows of a matrix, some after some, as the encoder concatenates them."""

    def __init__(self, rows: Floats) -> None:
        self.rows, self.at = rows, 0

    def take(self, number: int) -> Floats:
        self.at += number
        return self.rows[self.at - number : self.at]


def _sums(rows: Floats, copies: int) -> Floats:
    """[R, K, units] what so many cards of a rank add, from what each further card does [R * copies, units]."""
    steps = rows.reshape(RANKS, copies, -1)
    return np.concatenate([np.zeros_like(steps[:, :1]), steps.cumsum(1)], 1)


def _group_rows(play: Floats, rest: Floats) -> Floats:
    """[R, K, K, E] what putting down so many of the cards held of a rank adds: the play's own part, and a smaller hand."""
    held, put = np.meshgrid(np.arange(rest.shape[1]), np.arange(rest.shape[1]), indexing="ij")
    after = np.maximum(held - put, 0)
    rows: Floats = play[:, put] + rest[:, after] - rest[:, held]
    return rows


def _kind_rows(rows: Floats, families: int, suits: int) -> Floats:
    """[kinds, units] family and suit in one number."""
    both: Floats = rows[:families, None] + rows[None, families : families + suits]
    return both.reshape(families * suits, -1)


def _kinds(table: PlayTable, suits: int) -> npt.NDArray[np.int32]:
    families = list(dict.fromkeys(table.family))
    return np.array([families.index(family) for family in table.family], np.int32) * suits + table.suit + NO_SUIT


def _groups(table: PlayTable) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    lengths = [len(groups) for groups in table.groups]
    flat = [pair for groups in table.groups for pair in groups]
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32), np.array(flat, np.int32).reshape(-1, 2)


def packed_playout_net(game: Game, weights: Weights) -> bytes:
    """The file of a trained net: its weights in half precision."""
    file, halves = BytesIO(), {name: array.astype(np.float16) for name, array in weights.items()}
    np.savez_compressed(file, table=game.table.hash, encoding=ENCODING, allow_pickle=False, **halves)
    return file.getvalue()
