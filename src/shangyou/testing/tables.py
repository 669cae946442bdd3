"""A table of plays holds together."""

from collections.abc import Iterable, Iterator

import numpy as np

from shangyou.games import PASS, BadInput, Game, PlayTable
from shangyou.games.parse_play import read_play
from shangyou.games.table import Play
from shangyou.testing.failures import require

ROWS_PER_PATTERN = 40  # rows of a pattern compared pair by pair; all of them would be a hundred million pairs


def check_table(game: Game) -> None:
    """Every row is one play that can be written and read; beating is an order; bombs stand above."""
    table = game.table
    passes = np.flatnonzero(table.size == 0).tolist()
    require(passes == [PASS] and table.labels[PASS] == "pass", f"PASS is row 0 and no other, found rows {passes}", game)
    _require_unique(game, "label", table.labels)
    _require_unique(game, "set of cards", zip(table.cards.tolist(), table.suit.tolist(), strict=True))
    require(bool((table.need.sum(axis=0) == table.size).all()), "size is the number of cards needed", game)
    _check_labels(game)
    require(table.hash == _rebuilt(table).hash, "the table does not come out the same when built again", game)
    _check_answers(game)
    for rows in _comparable(table):
        _check_order(game, rows)


def _require_unique(game: Game, what: str, values: Iterable[object]) -> None:
    row_of: dict[object, int] = {}
    for row, value in enumerate(values):
        require(value not in row_of, f"rows {row_of.get(value)} and {row} have the same {what} {value!r}", game)
        row_of[value] = row


def _check_labels(game: Game) -> None:
    """A row's label, read by somebody who holds just its cards, means that row."""
    for row, label in enumerate(game.table.labels[1:], start=1):
        try:
            read = game.table.find(read_play(game, game.pick(game.deck.full, row), PASS, label))
        except BadInput as refusal:
            raise AssertionError(f"{game.name}: label {label!r} of row {row} cannot be read: {refusal}") from refusal
        require(read == row, f"label {label!r} of row {row} reads back as row {read}", game)


def _rebuilt(table: PlayTable) -> PlayTable:
    """The table from its own plays, given in another order inside each family."""
    columns = table.family, table.pattern, table.groups, table.strength, table.bomb, table.suit
    plays = [
        Play(family, table.patterns[pattern], groups, int(strength), int(bomb), int(suit))
        for family, pattern, groups, strength, bomb, suit in zip(*columns, strict=True)
    ][1:]
    plays.reverse()
    order = {family: i for i, family in enumerate(table.family_counts)}
    return PlayTable(table.deck, sorted(plays, key=lambda play: order[play.family]))


def _check_answers(game: Game) -> None:
    """What may be put on each play: a pass, its own pattern, and all bombs if it is none."""
    table, bombs = game.table, np.count_nonzero(game.table.bomb)
    keys = np.stack([table.pattern, table.strength, table.bomb])  # [3, P]
    for last in np.unique(keys, axis=1, return_index=True)[1].tolist():
        if last == PASS:
            continue
        answers, label = table.answers(last), table.labels[last]
        cards = answers[1:]
        require(answers[0] == PASS, f"a pass does not answer {label}", game)
        require(bool((np.diff(answers) > 0).all()), f"the answers to {label} are not in ascending order", game)
        is_bomb = table.bomb[cards] > 0
        fits = is_bomb | (table.pattern[cards] == table.pattern[last]) & (table.bomb[last] == 0)
        wrong = " ".join(table.labels[row] for row in cards[~fits][:10])
        require(not wrong, f"{label} is answered by {wrong}", game)
        require(bool(table.bomb[last]) or is_bomb.sum() == bombs, f"{label} is not beaten by every bomb", game)


def _comparable(table: PlayTable) -> Iterator[list[int]]:
    """Rows among which beating must be an order: those of each pattern, and the bombs."""
    by_pattern = np.split(np.argsort(table.pattern, kind="stable"), np.cumsum(np.bincount(table.pattern))[:-1])
    for rows in [*by_pattern, np.flatnonzero(table.bomb)]:
        by_strength = rows[np.argsort(table.strength[rows], kind="stable")]
        step = -(-len(rows) // ROWS_PER_PATTERN) or 1
        yield by_strength[::step].tolist()


def _check_order(game: Game, rows: list[int]) -> None:
    """`beats` is irreflexive, asymmetric and transitive among `rows`, and says what `answers` says."""
    table = game.table
    beats = np.array([[table.beats(a, b) for b in rows] for a in rows], bool).reshape(len(rows), len(rows))  # [N, N]
    answers = np.array([np.isin(rows, table.answers(b)) for b in rows], bool).reshape(beats.shape).T
    through_another = (beats.astype(np.int32) @ beats.astype(np.int32)) > 0
    for what, wrong in (
        ("{} beats itself", beats & np.eye(len(rows), dtype=bool)),
        ("{} and {} beat each other", beats & beats.T),
        ("{} beats a play that beats {}, but not {} itself", through_another & ~beats),
        ("whether {} beats {}: `beats` and `answers` disagree", beats != answers),
    ):
        for a, b in np.argwhere(wrong)[:1]:
            labels = table.labels[rows[a]], table.labels[rows[b]]
            require(False, what.format(*labels, labels[1]), game)
