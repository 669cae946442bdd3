"""DouZero's nets: what they read, that their layers are torch's own, one for each role, and that models play as they do."""

from __future__ import annotations

from itertools import chain

import pytest
import torch
from torch import nn

from shangyou import agents, games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.value_net import DouZeroAgent
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.engines.position import legal
from shangyou.evaluation.exported import compare
from shangyou.games import BadInput
from shangyou.nets import douzero
from shangyou.nets.douzero import BOMBS, DouZeroNet, RoleEncoder, Size
from shangyou.nets.export import halved, to_onnx
from shangyou.nets.inputs import Inputs, inputs_of
from shangyou.testing import check_agent

GAME = games.load("doudizhu")
DECK, SMALL = GAME.deck, Size(units=16, width=32)


def make_net(game: games.Game = GAME, size: Size = SMALL) -> DouZeroNet:
    torch.manual_seed(2)
    return DouZeroNet(game, size).eval()


def positions(turns: int, count: int = 12) -> tuple[Inputs, list[reference.View]]:
    """After so many turns of games in which everybody makes the play last listed; with the views of the reference engine."""
    engine = BatchEngine(GAME)
    state, twins = engine.deal(count, 3), [reference.deal(GAME, 3, i) for i in range(count)]
    for _ in range(turns):
        choices = engine.legal(state)
        state = engine.step(state, choices.plays[choices.starts[1:] - 1])
        twins = [reference.step(twin, int(reference.legal(twin)[-1])) for twin in twins]
    return inputs_of(engine.view(state), torch.zeros(count, dtype=torch.int64)), [reference.view(twin) for twin in twins]


def dots(cards: int) -> list[int]:
    """54 numbers: of each rank whether there are more than 0, 1, 2, 3; of each joker whether it is there."""
    counts = DECK.counts(cards)
    return [int(counts[rank] > copy) for rank in range(13) for copy in range(4)] + [counts[13], counts[14]]


def one_hot(number: int, choices: int) -> list[int]:
    return [int(place == number) for place in range(choices)]


@pytest.mark.parametrize("turns", [6, 7, 8])
def test_a_position_is_the_numbers_of_the_published_program(turns):
    """373 of the landlord and 484 of a peasant, with the 54 of the play; written out here from the reference engine's views."""
    encoder, (seen, views) = RoleEncoder(GAME), positions(turns)
    role = turns % 3
    assert encoder.width_of(role) + 54 == (373 if role == 0 else 484)
    assert encoder.role(seen.landlord).tolist() == [role] * len(views)
    found = encoder.position(seen, role, torch.float32).long().tolist()
    plays = GAME.table.cards.tolist()
    for numbers, view in zip(found, views, strict=True):
        seats = [seat for seat in (-role % 3, (1 - role) % 3, (2 - role) % 3) if seat]  # of the other roles, in their order
        expected = [dots(view.hand), dots(view.unseen), dots(plays[view.last])]
        expected += [dots(view.played[seat]) for seat in seats]
        if role:
            expected += [dots(next(turn.cards for turn in reversed(view.history) if turn.seat == seat)) for seat in seats]
        expected += [one_hot(view.left[seat] - 1, 20 if seat == view.landlord else 17) for seat in seats]
        expected += [one_hot(sum(turn.play in GAME.table.bombs for turn in view.history), BOMBS)]
        assert numbers == list(chain(*expected))


@pytest.mark.parametrize("turns", [0, 2, 7, 20])
def test_past_moves_are_five_steps_of_three_the_oldest_first(turns):
    encoder, (seen, views) = RoleEncoder(GAME), positions(turns)
    moves = encoder.moves(seen, torch.float32)
    assert moves.shape == (len(views), 5, 162)
    for found, view in zip(moves.long().flatten(1).tolist(), views, strict=True):
        past = [0] * 15 + [turn.cards for turn in view.history]
        assert found == list(chain(*map(dots, past[-15:])))


def test_the_layers_are_those_of_the_published_program():
    """Widths as published; and the LSTM and the split first layer give what torch's own do."""
    net = make_net(size=Size())
    for role, reads in ((0, 373), (1, 484), (2, 484)):
        part = net.net_of(role)
        assert part.first.weight.shape == (512, reads + 128)
        assert [tuple(layer.weight.shape) for layer in (*part.layers, part.answer)] == [(512, 512)] * 4 + [(1, 512)]
        own, torchs = part.lstm, nn.LSTM(162, 128, batch_first=True)
        torchs.load_state_dict({f"{name}_l0": weight for name, weight in own.cell.state_dict().items()})
        seen, views = positions(21 + role)
        past = part.encoder.moves(seen, torch.float32)
        torch.testing.assert_close(own(past), torchs(past)[0][:, -1])
        plays = torch.tensor([int(legal(view)[-1]) for view in views])
        read = own(past), part.encoder.position(seen, role, torch.float32), part.encoder.cards_of_plays(plays).float()
        x = torch.cat(read, 1)
        for layer in (part.first, *part.layers):
            x = torch.relu(layer(x))
        torch.testing.assert_close(part(seen, plays), part.answer(x)[:, 0], rtol=1e-4, atol=1e-5)


def mixed_positions() -> tuple[Inputs, torch.Tensor, torch.Tensor]:
    """Of all roles at once, each with every third of its legal plays."""
    parts, rows, plays = [], [], []
    for turns in (6, 7, 8):
        seen, views = positions(turns)
        for i, view in enumerate(views):
            some = legal(view)[::3].tolist()
            rows += [len(parts) * len(views) + i] * len(some)
            plays += some
        parts.append(seen)
    order = torch.randperm(3 * len(views), generator=torch.Generator().manual_seed(1))
    place = torch.empty_like(order).scatter_(0, order, torch.arange(len(order)))
    joined = Inputs(*(torch.cat(fields)[order] for fields in zip(*parts, strict=True)))
    return joined, place[torch.tensor(rows)], torch.tensor(plays)


def test_the_net_of_a_role_answers_for_that_role_alone(monkeypatch):
    net, (seen, rows, plays) = make_net(), mixed_positions()
    role = net.encoder.role(seen.landlord)[rows]
    assert torch.bincount(role).tolist().count(0) == 0
    with torch.no_grad():
        before = net(seen, rows, plays)
        for number in range(3):
            own = torch.nonzero(role == number)[:, 0]
            alone = net.net_of(number)(seen.at(rows[own]), plays[own])
            torch.testing.assert_close(alone, before[own])
        monkeypatch.setattr(douzero, "PAIRS_AT_ONCE", 5)
        torch.testing.assert_close(net(seen, rows, plays), before)
        net.net_of(1).answer.bias += 1
        changed = net(seen, rows, plays) - before
    torch.testing.assert_close(changed, (role == 1).float(), atol=1e-5, rtol=0)


def test_an_exported_model_plays_as_its_net(tmp_path):
    net, path = make_net(), tmp_path / "douzero.onnx"
    path.write_bytes(to_onnx(net, GAME, {}))
    agent = agents.load(str(path), GAME)
    found = compare(halved(net), agent, GAME, positions=60)
    assert found.differences["value"] < 1e-4
    assert found.same_choice == 1.0
    check_agent(lambda: agents.load(str(path), GAME), GAME, games=1)
    engine = BatchEngine(games.load("doudizhu", bidding=True))  # the seat that leads is of any role
    state = engine.bid(engine.deal(40, 7), torch.full((40,), 3, dtype=torch.int32))
    view, choices = engine.view(state), engine.legal(state)
    values = load_batch(str(path), engine.game).values(view, choices)
    torch.testing.assert_close(DouZeroAgent(engine.game, halved(net)).values(view, choices).double(), values, rtol=0, atol=1e-4)


def test_other_games_are_refused():
    with pytest.raises(BadInput, match="three roles of doudizhu; zsy2 has none"):
        make_net(games.load("zsy2"))
