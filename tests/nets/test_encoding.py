"""The encoder: every field of a position is encoded, and alike however it is computed."""

from __future__ import annotations

import pytest
import torch

from shangyou import games
from shangyou.games import PASS
from shangyou.nets import encoding
from shangyou.nets.encoding import GRAIN, Encoder
from shangyou.nets.inputs import Inputs

NAMES = games.names()


def random_inputs(encoder: Encoder, plays: int, n: int = 7, seed: int = 0) -> Inputs:
    """Sets of cards over the full range of their bits; positions need not make sense to be encoded."""
    draw = torch.Generator().manual_seed(seed)

    def sets(*shape: int) -> torch.Tensor:
        return torch.randint(0, 1 << 60, shape, generator=draw)

    def numbers(low: int, high: int, *shape: int) -> torch.Tensor:
        return torch.randint(low, high, shape, generator=draw)

    seats, words, turns = encoder.seats, encoder.words, encoder.turns
    return Inputs(
        hand=sets(n, words), unseen=sets(n, words), played=sets(n, seats, words),
        left=numbers(0, encoder.most_cards + 1, n, seats), last=numbers(0, plays, n), last_by=numbers(-1, seats, n),
        landlord=numbers(-1, seats, n), public=sets(n), passed=numbers(0, 2, n, seats), bombs=numbers(0, 7, n),
        history=numbers(0, plays, n, turns), history_by=numbers(-1, seats, n, turns),
        last_cards=sets(n, words), objective=numbers(0, 2, n),
    )  # fmt: skip


def test_one_dot_for_every_card_more_of_a_rank():
    encoder = Encoder(games.load("doudizhu"), turns=0)
    hand = games.load("doudizhu").deck.parse("3 555 22 B")
    dots = encoder.card_set(torch.tensor([[hand]])).view(15, 4).int().tolist()
    assert dots[0] == [1, 0, 0, 0]
    assert dots[2] == [1, 1, 1, 0]
    assert dots[12] == [1, 1, 0, 0]
    assert dots[14] == [1, 0, 0, 0]
    assert sum(map(sum, dots)) == 7


def test_suits_are_told_where_they_matter():
    game = games.load("zsy4")
    encoder = Encoder(game, turns=0)
    hand = game.deck.parse("3♠ 3♥ 4♣")
    encoded = encoder.card_set(torch.tensor([game.deck.words(hand)]))[0]
    counts, suits = encoded[:60].view(15, 4), encoded[60:].view(15, 4)
    assert counts[0].tolist() == [True, True, False, False]
    assert counts[1].tolist() == [True, False, False, False]
    assert suits[0].sum() == 2
    assert suits[1].sum() == 1
    assert suits.sum() == 3


@pytest.mark.parametrize("name", NAMES)
def test_width_is_what_comes_out(name):
    game = games.load(name)
    encoder = Encoder(game, turns=5)
    seen = random_inputs(encoder, len(game.table))
    state = encoder.state(seen, torch.float32)
    assert state.shape == (7, encoder.width)
    assert encoder.width % GRAIN == encoder.play_width % GRAIN == 0
    assert set(state.unique().tolist()) == {0.0, 1.0}
    assert encoder.play(torch.arange(9), torch.float32).shape == (9, encoder.play_width)


@pytest.mark.parametrize("name", NAMES)
def test_division_unpacks_as_shifts_do(name, monkeypatch):
    game = games.load(name)
    encoder = Encoder(game, turns=3)
    seen = random_inputs(encoder, len(game.table), n=50)
    by_shifts = encoder.state(seen, torch.float32)
    monkeypatch.setattr(encoding.torch.compiler, "is_exporting", lambda: True)
    assert torch.equal(encoder.state(seen, torch.float32), by_shifts)


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_encoded(name):
    """A net cannot learn from a field that is not encoded: each one changes the encoding."""
    game = games.load(name)
    encoder = Encoder(game, turns=4)
    seen, other = (random_inputs(encoder, len(game.table), seed=seed) for seed in range(2))
    state = encoder.state(seen, torch.float32)
    for field in set(Inputs._fields) - {"last_cards"}:  # the last play is encoded as a row of the table
        changed = seen._replace(**{field: getattr(other, field)})
        assert not torch.equal(encoder.state(changed, torch.float32), state), field


def test_every_play_is_told_apart():
    for name in NAMES:
        table = games.load(name).table
        encoded = Encoder(games.load(name), turns=0).play(torch.arange(len(table)), torch.float32)
        assert len(torch.unique(encoded, dim=0)) == len(table), name


def test_hand_after_a_play():
    game = games.load("doudizhu")
    encoder, table = Encoder(game, turns=0), game.table
    hand, rest = game.deck.parse("3 555 66 K"), game.deck.parse("3 66 K")
    trio = table.labels.index("555")
    hands, plays = torch.tensor([[hand], [hand]]), torch.tensor([trio, PASS])
    expected = encoder.card_set(torch.tensor([[rest], [hand]]))
    assert torch.equal(encoder.hand_after(encoder.counts(hands), plays), expected)
