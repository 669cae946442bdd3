"""The past plays, side by side or through a block: they are learned from, in their order, and blank turns are not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.nn import functional

from nets.test_encoding import random_inputs
from shangyou import games
from shangyou.agents.models.net_agent import NetAgent
from shangyou.evaluation.exported import compare
from shangyou.games import NOBODY, BadInput
from shangyou.nets.encoding import Encoder
from shangyou.nets.export import halved, to_onnx
from shangyou.nets.history import BLOCKS, HISTORIES, UNITS
from shangyou.nets.inputs import Inputs
from shangyou.nets.pruning import PrunedNet, activation_stats
from shangyou.nets.value_net import Size, ValueNet
from shangyou.training import dmc
from shangyou.training.algorithm import Progress, args_of, checkpoint, nets_of, preset
from shangyou.training.distributed import DistributedContext
from shangyou.training.settings import changed

GAME = games.load("zsy2")
PLAYS = len(GAME.table)
SIZE = Size(trunk=32, trunk_depth=1, head=16, head_depth=1, turns=6)
each_history = pytest.mark.parametrize("how", HISTORIES)
each_block = pytest.mark.parametrize("how", BLOCKS)


def net_of(how: str, turns: int = 6, name: str = "zsy2") -> ValueNet:
    torch.manual_seed(0)
    return ValueNet(games.load(name), replace(SIZE, history=how, turns=turns)).eval()


def encoder_of(how: str, turns: int = 6) -> Encoder:
    torch.manual_seed(0)
    return Encoder(GAME, turns, how)


def after(seen: Inputs, turns: int) -> Inputs:
    """The same positions with no more than so many turns made."""
    by = seen.history_by.clamp(min=0)
    by[:, turns:] = NOBODY
    return seen._replace(history_by=by)


def past(encoder: Encoder, seen: Inputs) -> torch.Tensor:
    with torch.no_grad():
        return torch.cat([part.float() for part in encoder.past(seen, torch.float32)], 1)


def test_side_by_side_all_cards_come_before_all_seats():
    """In the order in which nets have learned to read them."""
    encoder = encoder_of("flat")
    seen = random_inputs(encoder, PLAYS)
    cards, seats = encoder.more_than_of_plays(seen.history).flatten(1), encoder.seat(seen.history_by).flatten(1)
    expected = torch.cat([cards, seats], 1).float()
    windows = encoder.state(seen, torch.float32).unfold(1, expected.shape[1], 1)  # [n, places, width]
    assert (windows == expected[:, None]).all(2).all(0).sum() == 1


@each_block
def test_a_block_gives_a_fixed_width(how):
    encoder = encoder_of(how)
    seen = random_inputs(encoder, PLAYS)
    assert past(encoder, seen).shape == (7, UNITS)
    assert encoder.state(seen, torch.float32).shape == (7, encoder.width)
    assert encoder.width == encoder_of(how, turns=15).width


@each_history
def test_a_step_of_learning_reaches_all_weights(how):
    args, n = dmc.Args("zsy2", device="cpu", size=replace(SIZE, history=how)), 64
    net, before = dmc.make_net(args, GAME), dmc.make_net(args, GAME)
    seen = random_inputs(net.encoder, PLAYS, n=n)
    step = dmc.Step(net, dmc.make_optimiser(args, net), args, DistributedContext(torch.device("cpu")))
    step.take([*seen, torch.arange(n), torch.arange(n) % 2.0, torch.zeros(n)])
    assert (how in BLOCKS) == any(name.startswith("encoder.history.") for name, _ in net.named_parameters())
    for (name, new), old in zip(net.named_parameters(), before.parameters(), strict=True):
        assert not torch.equal(new, old), name


@each_block
def test_who_made_the_third_last_play_can_be_learned(how):
    net = net_of(how).train()
    optimiser = torch.optim.Adam(net.parameters(), lr=3e-3)
    accuracy = 0.0
    for step in range(100):
        seen = after(random_inputs(net.encoder, PLAYS, n=256, seed=step), 6)
        mine = (seen.history_by[:, 2] == 0).float()
        logit = net.answer(net.features(seen, torch.arange(256), torch.zeros(256, dtype=torch.int64)))[:, 0]
        accuracy = ((logit > 0) == (mine > 0.5)).float().mean().item()  # of positions not yet learned from
        optimiser.zero_grad()
        functional.binary_cross_entropy_with_logits(logit, mine).backward()
        optimiser.step()
    assert accuracy > 0.95


@each_history
def test_the_order_of_plays_matters(how):
    encoder = encoder_of(how)
    seen = after(random_inputs(encoder, PLAYS), 6)
    swapped = [1, 0, 2, 3, 4, 5]
    other = seen._replace(history=seen.history[:, swapped], history_by=seen.history_by[:, swapped])
    assert ((past(encoder, seen) - past(encoder, other)).abs().amax(1) > 1e-3).all()


def test_the_gru_is_a_gru_told_the_oldest_turn_first():
    """It weighs the new, torch's the old: the gate between them has the other sign."""
    torch.manual_seed(0)
    block, oracle = BLOCKS["gru"](5, 16), torch.nn.GRU(16, UNITS, batch_first=True)
    sign = torch.tensor([1.0, -1.0, 1.0]).repeat_interleave(UNITS)
    for suffix, layer in (("ih_l0", block.of_turn), ("hh_l0", block.of_state)):
        getattr(oracle, f"weight_{suffix}").data = layer.weight.data * sign[:, None]
        getattr(oracle, f"bias_{suffix}").data = layer.bias.data * sign
    turns = torch.randn(7, 5, 16)
    _, last = oracle(turns.flip(1))
    torch.testing.assert_close(block(turns, torch.ones(7, 5, dtype=torch.bool)), last[0])


def test_the_lstm_is_an_lstm_that_reads_the_oldest_turn_first():
    """Its forget gate begins one higher; torch has the forget gate second and the new values third."""
    torch.manual_seed(0)
    block, oracle = BLOCKS["lstm"](5, 16), torch.nn.LSTM(16, UNITS, batch_first=True)
    order = torch.arange(4 * UNITS).view(4, UNITS)[[0, 1, 3, 2]].flatten()
    oracle.weight_ih_l0.data, oracle.weight_hh_l0.data = block.of_turn.weight.data[order], block.of_state.weight.data[order]
    oracle.bias_ih_l0.data, oracle.bias_hh_l0.data = block.of_turn.bias.data[order], torch.zeros(4 * UNITS)
    oracle.bias_hh_l0.data[UNITS : 2 * UNITS] = 1
    turns = torch.randn(7, 5, 16)
    _, (last, _) = oracle(turns.flip(1))
    torch.testing.assert_close(block(turns, torch.ones(7, 5, dtype=torch.bool)), last[0])


@each_block
def test_what_stands_in_blank_turns_changes_nothing(how):
    encoder = encoder_of(how)
    seen = after(random_inputs(encoder, PLAYS), 3)
    other = random_inputs(encoder, PLAYS, seed=1).history
    encoded = past(encoder, seen)
    assert torch.equal(past(encoder, seen._replace(history=torch.cat([seen.history[:, :3], other[:, 3:]], 1))), encoded)
    assert not torch.equal(past(encoder, seen._replace(history=torch.cat([seen.history[:, :2], other[:, 2:]], 1))), encoded)


@each_block
def test_a_longer_memory_says_the_same_of_a_young_game(how):
    long, short = encoder_of(how, turns=15), encoder_of(how, turns=8)
    weights = long.state_dict()
    short.load_state_dict({name: weight[:8] if name.endswith("place") else weight for name, weight in weights.items()})
    for made in (0, 3):
        seen = after(random_inputs(long, PLAYS), made)
        torch.testing.assert_close(past(short, seen), past(long, seen))
        assert past(long, seen).isfinite().all()
        assert (past(long, seen).abs().sum(1) > 0).all() == (made > 0)


@each_history
def test_no_turns_are_no_history(how):
    net, plain = net_of(how, turns=0), net_of("flat", turns=0)
    seen = random_inputs(net.encoder, PLAYS)
    rows, plays = torch.arange(7), torch.arange(7)
    net.load_state_dict(plain.state_dict())
    torch.testing.assert_close(net(seen, rows, plays), plain(seen, rows, plays), rtol=0, atol=0)


@each_block
@pytest.mark.parametrize("name", games.names())
def test_a_thin_net_says_the_same(how, name):
    net = net_of(how, name=name)
    net.look.bias.data[:4] = -1e3
    plays = len(net.encoder.play_cards)
    seen, rows = random_inputs(net.encoder, plays, n=40), torch.arange(40)
    asked = torch.randint(plays, (40,), generator=torch.Generator().manual_seed(1))
    slim = PrunedNet(net, [layer.firing() for layer in activation_stats(net, seen, rows, asked)])
    assert len(slim.look.weight) <= 28
    torch.testing.assert_close(slim(seen, rows, asked), net(seen, rows, asked))


@each_block
def test_an_exported_net_says_the_same(how, tmp_path):
    net, path = net_of(how), tmp_path / "net.onnx"
    path.write_bytes(to_onnx(net, GAME, {}))
    found = compare(halved(net), NetAgent(path, how), GAME, positions=60)
    assert found.differences["win"] < 1e-3
    assert found.differences["points"] < 1e-3
    assert found.same_choice == 1.0


@each_block
def test_it_compiles_for_any_number_of_positions(how):
    net = net_of(how)
    compiled = torch.compile(net.position, dynamic=True, fullgraph=True, backend="aot_eager")
    with torch.no_grad():
        for n in (5, 9, 33):
            seen = random_inputs(net.encoder, PLAYS, n=n)
            torch.testing.assert_close(compiled(seen), net.position(seen))


@each_block
def test_half_precision_says_nearly_the_same(how):
    """As a net plays on a GPU: in bfloat16 but for the last layer."""
    net, half = net_of(how), net_of(how).bfloat16()
    half.answer.float()
    seen = random_inputs(net.encoder, PLAYS, n=50)
    rows, plays = torch.arange(50), torch.arange(50)
    torch.testing.assert_close(half(seen, rows, plays)[0], net(seen, rows, plays)[0], rtol=0, atol=0.02)


def test_a_checkpoint_from_before_the_choice_is_flat():
    args = dmc.Args("zsy2", size=SIZE)
    net = dmc.make_net(args, GAME)
    kept = checkpoint("dmc", args, Progress(), {"net": net.state_dict()})
    del kept["args"]["size"]["history"]
    assert args_of(kept) == args
    seen = random_inputs(net.encoder, PLAYS)
    rows, plays = torch.arange(7), torch.arange(7)
    torch.testing.assert_close(nets_of(kept)["net"](seen, rows, plays), net(seen, rows, plays), rtol=0, atol=0)


def test_the_choice_is_a_setting_and_a_wrong_one_is_named():
    args = preset("dmc", "zsy2", "cpu")
    assert changed(args, ["size.history=gru"]).size == replace(args.size, history="gru")
    with pytest.raises(BadInput, match="history 'rnn': there are flat, gru, lstm, attention"):
        changed(args, ["size.history=rnn"])
