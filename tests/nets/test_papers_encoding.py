"""The papers' picture of a play, card by card."""

from __future__ import annotations

import numpy as np
import torch

from shangyou import games
from shangyou.engines.batch import BatchEngine
from shangyou.nets.inputs import inputs_of
from shangyou.nets.papers.encoding import DualEncoder, Pairs, Past, expanded

GAME = games.load("zsy2")


def packed(*counts: int) -> torch.Tensor:
    return torch.tensor([sum(count << 4 * rank for rank, count in enumerate(counts))])


def test_the_hand_of_the_papers():
    """Their own example, with the slips of their print put right."""
    counts = torch.tensor([2, 1, 2, 0, 0, 0, 2, 2, 2, 1, 2, 2, 1, 1, 0])
    rows = ["000000000000000", "000000000000000", "101000111011000", "010000000100110", "000111000000001"]
    assert ["".join(map(str, row)) for row in expanded(counts).int().tolist()] == rows


def test_four_cards_are_row_0_and_every_column_has_one():
    found = expanded(torch.tensor([[4, 0], [3, 1]]))
    assert found[0, :, 0].tolist() == [True, False, False, False, False]
    assert found[1, :, 0].tolist() == [False, True, False, False, False]
    assert (found.sum(1) == 1).all()


def test_the_array_is_mine_theirs_after_play():
    encoder = DualEncoder(GAME, turns=0)
    array = encoder.encoded(Pairs(packed(1), packed(0, 2), packed(0, 0, 3), packed(0, 0, 0, 4))).array[0]  # [5, 60]
    assert array.shape == (5, 60)
    marked = [(row, column) for row, column in array.nonzero().tolist() if row < 4]
    assert sorted(marked, key=lambda place: place[1]) == [(3, 0), (2, 16), (1, 32), (0, 48)]


def test_blank_sets_are_all_zero():
    encoder = DualEncoder(GAME, turns=0)
    pairs = Pairs(*(packed(1).expand(3) for _ in range(4)), blank=torch.tensor([[True, True], [True, False], [False, False]]))
    sums = encoder.encoded(pairs).array.int().view(3, 5, 4, 15).sum((1, 3))
    assert sums.tolist() == [[0, 0, 15, 15], [0, 15, 15, 15], [15, 15, 15, 15]]


def test_triples_and_windows_are_columns_side_by_side():
    """Read back digit by digit, with a blank set among them."""
    pairs = Pairs(packed(1, 4), packed(0, 2), packed(0, 0, 3), packed(0, 0, 0, 4), blank=torch.tensor([[False, True]]))
    encoded = DualEncoder(GAME, turns=0).encoded(pairs)
    columns = [1, 4, *[0] * 13, *[5] * 15, 0, 0, 3, *[0] * 12, 0, 0, 0, 4, *[0] * 11]
    assert encoded.counts[0].tolist() == columns
    digits = [[int(np.base_repr(window, 6).zfill(5)[i]) for i in range(5)] for window in encoded.windows[0].tolist()]
    assert digits == [columns[i : i + 5] for i in range(56)]
    assert encoded.triples[0].tolist() == [int("".join(map(str, columns[i : i + 3])), 6) for i in range(58)]
    assert encoded.which_triples.shape == (1, 60, 216)
    assert encoded.which_triples[0].nonzero().tolist() == [[i, triple] for i, triple in enumerate(encoded.triples[0].tolist())]


def test_pairs_are_made_of_what_a_seat_sees():
    engine, encoder = BatchEngine(GAME), DualEncoder(GAME, turns=15)
    state = engine.deal(5, seed=3)
    for _ in range(6):
        state = engine.step(state, engine.legal(state).plays[engine.legal(state).starts[:-1]])
    legal, view = engine.legal(state), engine.view(state)
    pairs = encoder.pairs(inputs_of(view, torch.zeros_like(view.last)), legal.rows, legal.plays.long())
    assert torch.equal(pairs.after + pairs.play, view.hand[legal.rows, 0])
    assert torch.equal(pairs.mine, view.played[legal.rows, 0, 0])
    assert pairs.past is not None
    assert pairs.past.plays.shape == (len(legal.plays), 15)


def test_a_sequence_tells_the_play_and_its_player():
    encoder = DualEncoder(GAME, turns=2)
    found = encoder.sequence(Past(torch.tensor([[1, 0]]), torch.tensor([[1, -1]])), torch.float32)
    assert found.shape == (1, 2, 77)
    assert found[0, 0, 75:].tolist() == [0, 1]
    assert found[0, 1, 75:].tolist() == [0, 0]
    assert found[0, 0, :75].view(5, 15)[3].sum() == 1  # a single card
