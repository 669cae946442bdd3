"""The kernel of playouts answers as the net it was made of, and plays as that net would on the batch engine."""

import numpy as np
import pytest
import torch

from games.variants import variant_name
from search.test_beliefs import positions
from shangyou import games
from shangyou.agents.batch.play import play
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.agents.models.net_agent import arrays_of
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.nets.inputs import Inputs
from shangyou.nets.value_net import Size, ValueNet
from shangyou.search.beliefs import PolicyJudge, even_worlds
from shangyou.search.playout import PlayoutPlayer
from shangyou.search.playout_net import find_playout_net, load_playout_net, make_playout_net, packed_playout_net

SIZE = Size(trunk=32, trunk_depth=1, head=16, head_depth=0, turns=0)
GAMES = [("doudizhu", {}), ("zsy2", {}), ("zsy4", {}), ("zsy4", {"decks": 2}), ("doudizhu", {"bidding": True})]


def small_net(game, seed=3):
    torch.manual_seed(seed)
    net = ValueNet(game, SIZE).eval().requires_grad_(False)
    net.answer.weight[0] *= 20  # so that plays differ by more than rounding
    return net


def weights_of(net):
    return {name: tensor.numpy() for name, tensor in net.state_dict().items()}


def player_of(game, net, **settings):
    return PlayoutPlayer(game, net=make_playout_net(game, weights_of(net)), **settings)


def win_chances(net, views, legals):
    """As torch computes them."""
    arrays = {name: torch.as_tensor(array) for name, array in arrays_of(views, 1).items()}
    seen = Inputs(**arrays, objective=torch.zeros(len(views), dtype=torch.int64))
    rows = torch.repeat_interleave(torch.tensor([len(legal) for legal in legals]))
    win, _ = net(seen, rows, torch.as_tensor(np.concatenate(legals)).long())
    return np.split(win.numpy().astype(float), np.cumsum([len(legal) for legal in legals])[:-1])


@pytest.mark.parametrize("variant", GAMES, ids=variant_name)
def test_worlds_are_weighed_as_by_the_torch_net(variant):
    game = games.load(variant[0], **variant[1])
    net = small_net(game)
    judge, checked = PolicyJudge(lambda views, legals: win_chances(net, views, legals) if views else [], 0.05), 0
    for state in positions(*variant, deals=2, every=9):
        view = reference.view(state)
        worlds = even_worlds(view, 6, np.random.default_rng(1))
        wanted = judge.log_weights(view, worlds)
        for threads in (1, 2):
            found = player_of(game, net, temperature=0.05, threads=threads).log_weights(view, worlds)
            assert found == pytest.approx(wanted, abs=2e-3)
        checked += 1
    assert checked > 2


@pytest.mark.parametrize("variant", GAMES[:4], ids=variant_name)
def test_games_end_as_they_do_on_the_batch_engine(variant):
    """From the start of a game, with the hands dealt: the winner after each first play, and how often the net had a choice."""
    game = games.load(variant[0], **variant[1])
    net, engine = small_net(game), BatchEngine(game)
    agent = TorchNetAgent(game, net)
    agent.values = lambda view, legal: agent.win_chances(view, legal)
    player = player_of(game, net)
    for index in range(3):
        state = reference.deal(game, 8, index)
        seats = [(state.turn + i) % game.seats for i in range(game.seats)]
        world = np.array([[game.deck.words(state.hands[seat]) for seat in seats]])
        candidates = reference.legal(state)[:5]
        won = player.win(reference.view(state), world, candidates)[:, 0]
        for candidate, found in zip(candidates, won, strict=True):
            batch = engine.step(engine.deal(1, 8, index), torch.tensor([int(candidate)]))
            played = play(engine, [agent] * game.seats, None, batch)
            assert bool(played.won[0, state.turn]) == found
    assert player.decisions > 0


def test_a_stored_net_comes_back(tmp_path):
    game = games.load("zsy2")
    weights = weights_of(small_net(game))
    (tmp_path / "net.npz").write_bytes(packed_playout_net(game, weights))
    net, view = load_playout_net(game, tmp_path / "net.npz"), reference.view(reference.deal(game, 1))
    exact = make_playout_net(game, weights).public_part(view)
    assert net.public_part(view) == pytest.approx(exact, abs=5e-3)
    with pytest.raises(BadInput, match="no small net for the table of plays of zsy4"):
        load_playout_net(games.load("zsy4"), tmp_path / "net.npz")


def test_other_tables_have_no_net():
    other = games.load("zsy2", shortest_chain=3)
    assert find_playout_net(other) is None
    with pytest.raises(BadInput, match="comes with this package"):
        load_playout_net(other)
