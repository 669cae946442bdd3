"""The buffer holds what was played, the latest of it, in little room."""

from __future__ import annotations

import pytest
import torch

from recorded_games import replay
from shangyou import games
from shangyou.games import BadInput
from shangyou.training.game_buffer import DECISIONS_A_GAME, GameBuffer, one_side
from short_games import CPU, GAME, fill


def test_decisions_come_back_as_they_were_played():
    buffer = GameBuffer(GAME, 30, CPU)
    fill(buffer, 30, seed=2)
    rows = torch.arange(buffer.used)
    pairs, (won, to_end) = buffer.pairs(rows, turns=15), buffer.outcomes(rows)
    start = 0
    for i, length in enumerate(buffer.lengths.tolist()):
        mine = slice(start, start + length)
        plays = [GAME.table.find(cards) for cards in pairs.play[mine].tolist()]
        end = replay(GAME, 2, i, plays)
        assert end.over
        seats = [turn.seat for turn in end.history]
        assert won[mine].tolist() == [float(seat in end.winners) for seat in seats]
        assert to_end[mine].tolist() == [float(seats[turn + 1 :].count(seat)) for turn, seat in enumerate(seats)]
        for turn, seat in enumerate(seats):
            before = [(t.play, 0 if t.seat == seat else 1) for t in reversed(end.history[:turn])][:15]
            before += [(0, -1)] * (15 - len(before))
            at = start + turn
            assert list(zip(pairs.past.plays[at].tolist(), pairs.past.by[at].tolist(), strict=True)) == before
            assert pairs.mine[at] == sum(t.cards for t in end.history[:turn] if t.seat == seat)
            assert pairs.theirs[at] == sum(t.cards for t in end.history[:turn] if t.seat != seat)
        start += length
    assert start == buffer.used


def test_the_oldest_give_way():
    buffer = GameBuffer(GAME, 50, CPU)
    for seed in range(4):
        fill(buffer, 20, seed)
    assert buffer.games == 50
    fresh = GameBuffer(GAME, 60, CPU)
    for seed in (1, 2, 3):
        fill(fresh, 20, seed)
    assert torch.equal(buffer.data[: buffer.used], fresh.data[fresh.used - buffer.used : fresh.used])
    assert torch.equal(buffer.lengths, fresh.lengths[10:])


def test_more_games_than_fit_leave_the_last():
    buffer = GameBuffer(GAME, 5, CPU)
    fill(buffer, 20, seed=1)
    whole = GameBuffer(GAME, 20, CPU)
    fill(whole, 20, seed=1)
    assert buffer.games == 5
    assert torch.equal(buffer.data[: buffer.used], whole.data[whole.used - buffer.used : whole.used])


def test_games_longer_than_expected_push_out_others():
    buffer = GameBuffer(GAME, 20, CPU)
    buffer.data = buffer.data[:300]  # room for fewer decisions than 20 games have
    for seed in range(3):
        fill(buffer, 20, seed)
        assert 0 < buffer.used <= 300
        assert buffer.used == buffer.lengths.sum()


def test_a_quarter_of_a_million_games_take_less_than_a_gigabyte():
    a_game = GameBuffer(GAME, 1, CPU)
    decisions = 250_000 * DECISIONS_A_GAME
    assert a_game.data.nbytes / len(a_game.data) < 40
    drawn = 3 * 8 * decisions  # all, the order in which they are drawn, and all in that order
    moved = decisions * a_game.data.nbytes / len(a_game.data)  # when the oldest are dropped, at another time
    assert 250_000 * a_game.data.nbytes + max(drawn, moved) < 1e9
    assert decisions >= 7_000_000


def test_one_side_is_every_other_turn():
    buffer = GameBuffer(GAME, 10, CPU)
    fill(buffer, 10, seed=3)
    expected = [start + turn for start, length in zip(
        (buffer.lengths.cumsum(0) - buffer.lengths).tolist(), buffer.lengths.tolist(), strict=True
    ) for turn in range(0, length, 2)]  # fmt: skip
    assert one_side(buffer).tolist() == expected


def test_a_buffer_comes_back():
    buffer, other = GameBuffer(GAME, 10, CPU), GameBuffer(GAME, 10, CPU)
    fill(buffer, 10, seed=3)
    other.restore(buffer.state())
    fill(buffer, 4, seed=4)
    fill(other, 4, seed=4)
    assert torch.equal(buffer.data[: buffer.used], other.data[: other.used])


def test_what_does_not_fit_is_refused():
    with pytest.raises(BadInput, match="at least one"):
        GameBuffer(GAME, 0, CPU)
    with pytest.raises(BadInput, match="without suits"):
        GameBuffer(games.load("zsy4"), 5, CPU)
