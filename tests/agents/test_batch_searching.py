"""Search in many games at once: its worlds fit, its weights are those of beliefs, and what it plays is legal."""

import numpy as np
import pytest
import torch

from search.test_playout import small_net, win_chances
from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.searching import Search, Searcher, play_with_search
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput
from shangyou.search.beliefs import PolicyJudge, past_turns


@pytest.mark.parametrize("name", ["doudizhu", "zsy4"])
def test_worlds_and_weights_are_those_of_beliefs(name):
    game = games.load(name)
    engine, net = BatchEngine(game), small_net(game)
    agent = TorchNetAgent(game, net)
    searcher = Searcher(engine, agent, agent, Search(temperature=0.05))
    state, exact = engine.deal(3, 4), [reference.deal(game, 4, index) for index in range(3)]
    for turn in range(9):
        legal = engine.legal(state)
        plays = legal.plays[legal.starts[:-1] + turn * 5 % legal.counts]
        searcher.remember(state, plays)
        state = engine.step(state, plays)
        exact = [reference.step(one, int(play)) for one, play in zip(exact, plays, strict=True)]
    hands = searcher.worlds(state, state.running, 5)
    found = searcher.log_weights(state, state.running, hands)
    judge = PolicyJudge(lambda views, legals: win_chances(net, views, legals) if views else [], 0.05)
    for i, one in enumerate(exact):
        view, order = reference.view(one), [(one.turn + j) % game.seats for j in range(game.seats)]
        worlds = hands[i][:, order, None].numpy()
        assert (worlds[:, 0, 0] == view.hand).all()
        for world in worlds.tolist():
            assert [game.deck.size(hand) for (hand,) in world] == list(view.left)
            assert past_turns(view, world)
        wanted = judge.log_weights(view, worlds)
        assert (found[i] - found[i, 0]).numpy() == pytest.approx(wanted - wanted[0], abs=2e-3)  # up to a constant
    assert np.ptp(found.numpy(), axis=1).max() > 0.1


def test_games_are_searched_to_their_end():
    game = games.load("zsy2")
    engine, agent = BatchEngine(game), TorchNetAgent(game, small_net(game))
    search = Search(candidates=2, worlds=4, weighed=8)
    mine = torch.tensor([[True, False]]).expand(3, -1)
    played = play_with_search(engine, Searcher(engine, agent, agent, search), mine, engine.deal(3, 5), positions=2)
    assert (played.won.sum(1) == 1).all()
    unsearched = play_with_search(engine, Searcher(engine, agent, agent, search), ~mine & mine, engine.deal(3, 5))
    assert (unsearched.won.sum(1) == 1).all()


def test_two_packs_are_refused():
    game = games.load("zsy4", decks=2)
    with pytest.raises(BadInput, match="one pack"):
        Searcher(BatchEngine(game), load_batch("greedy", game), load_batch("greedy", game), Search())
