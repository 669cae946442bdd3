"""Replay: what is drawn how often, what is dropped, and what comes after a decision."""

import pytest
import torch

from nets.test_encoding import random_inputs
from shangyou import games
from shangyou.games import BadInput
from shangyou.nets.encoding import Encoder
from shangyou.training.ddqn.replay import BLOCK, Decisions, Priorities, Replay

CPU = torch.device("cpu")
GAME = games.load("zsy4")
CHI_SQUARE_LIMIT = 1.3  # of the statistic over its degrees of freedom: one in 10^9 by chance at 299


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def decisions(lengths: list[int], mark: int = 0) -> Decisions:
    """Games of one seat each; every decision is rewarded with its number, counted from `mark`."""
    count = sum(lengths)
    ends = torch.tensor(lengths).cumsum(0)
    discount = torch.full((count,), 0.5)
    discount[ends - 1] = 0.0
    first = torch.zeros(count, dtype=torch.bool)
    first[ends - torch.tensor(lengths)] = True
    seen = random_inputs(Encoder(GAME, turns=0), len(GAME.table), count)
    return Decisions(seen, torch.zeros(count).short(), mark + torch.arange(count).float(), discount, first)


def replay_of(*parts: Decisions, capacity: int = 100, kind: str = "prioritized") -> Replay:
    replay = Replay(capacity, kind, 1.0, CPU)
    for part in parts:
        replay.add(part)
    return replay


def test_places_are_drawn_as_often_as_their_priorities_say():
    """Chi-square: the counts of 300 places against their probabilities."""
    priorities = Priorities(3 * BLOCK, CPU)
    rows = torch.randperm(3 * BLOCK, generator=generator(1))[:300]
    priorities.set(rows, torch.rand(300, generator=generator(2)) ** 3 + 0.01)
    draws = 200_000
    counted = torch.bincount(priorities.draw(draws, generator(3)), minlength=3 * BLOCK).double()
    assert counted.sum() == counted[rows].sum() == draws
    expected = priorities.flat[rows].double() / priorities.flat.double().sum() * draws
    assert float(((counted[rows] - expected) ** 2 / expected).sum()) / 299 < CHI_SQUARE_LIMIT


def test_changed_priorities_are_drawn_by_at_once():
    priorities = Priorities(1000, CPU)
    priorities.fill(0, 1000, 1.0)
    priorities.fill(0, 999, 0.0)
    assert set(priorities.draw(1000, generator()).tolist()) == {999}
    priorities.set(torch.tensor([3, 500]), torch.tensor([1e-6, 3e-6]))
    priorities.set(torch.tensor([999]), 0.0)
    counted = torch.bincount(priorities.draw(40_000, generator()), minlength=1000)
    assert counted[3] + counted[500] == 40_000
    assert abs(counted[500] / 40_000 - 0.75) < 0.01


def test_whole_games_give_way_to_new_ones():
    replay = replay_of(decisions([30, 30, 30]), decisions([35], mark=1000))
    stored = torch.nonzero(replay.priorities.flat)[:, 0]
    assert set(stored.tolist()) == {*range(35), *range(60, 90)}  # the second game lost its beginning, so all of it
    assert replay.count == 65
    assert replay.stored.reward[:35].tolist() == list(range(1000, 1035))
    assert set(replay.draw(5000, 1.0, generator())[0].tolist()) == set(stored.tolist())


def test_more_than_fits_is_refused():
    with pytest.raises(BadInput, match="a replay of 20 decisions: 21 come at once"):
        replay_of(decisions([21]), capacity=20)
    with pytest.raises(BadInput, match="replay 'prio'"):
        replay_of(kind="prio")


def test_rewards_ahead_are_added_up_to_the_end_of_the_game():
    replay = replay_of(decisions([3, 2]))
    reward, discount, after = replay.ahead(torch.arange(5), 1)
    assert (reward.tolist(), discount.tolist()) == ([0, 1, 2, 3, 4], [0.5, 0.5, 0, 0.5, 0])
    assert after.tolist() == [1, 2, 2, 4, 4]
    reward, discount, after = replay.ahead(torch.arange(5), 2)
    assert (reward.tolist(), discount.tolist()) == ([0.5, 2, 2, 5, 4], [0.25, 0, 0, 0, 0])
    assert after[0] == 2
    reward, discount, _ = replay.ahead(torch.arange(5), 9)
    assert (reward.tolist(), discount.tolist()) == ([1, 2, 2, 5, 4], [0] * 5)


def test_weights_make_up_for_uneven_drawing():
    """With beta 1 the weighted mean of what is drawn is the mean of all decisions, up to the largest weight."""
    replay = replay_of(decisions([80]))
    replay.update(torch.arange(80), torch.linspace(0.1, 4, 80))
    rows, weights = replay.draw(400_000, 1.0, generator())
    values = replay.stored.reward[rows]
    assert abs(float((weights * values).sum() / weights.sum()) - 39.5) < 0.3
    assert abs(float(values.mean()) - 39.5) > 5
    assert weights.max() == 1


def test_uniform_and_weighted_replay_draw_evenly():
    for kind in ("uniform", "weighted"):
        replay = replay_of(decisions([80]), kind=kind)
        replay.update(torch.arange(80), torch.linspace(0.1, 4, 80))
        rows, weights = replay.draw(100_000, 1.0, generator())
        assert abs(float(replay.stored.reward[rows].mean()) - 39.5) < 0.4
        expected = replay.weight[rows] if kind == "weighted" else torch.ones(100_000)
        torch.testing.assert_close(weights, expected / expected.mean())
        assert (weights.std() > 0.3) == (kind == "weighted")


def test_ten_million_decisions_of_two_packs_with_their_past_fit_in_two_gigabytes():
    game = games.load("zsy4", decks=2)
    seen = random_inputs(Encoder(game, turns=15), len(game.table), 10)
    replay = Replay(1000, "prioritized", 0.6, CPU)
    flags = torch.ones(10, dtype=torch.bool)
    replay.add(Decisions(seen, torch.zeros(10).short(), torch.zeros(10), torch.zeros(10), flags))
    assert replay.bytes / 1024 * 10_000_000 < 2e9
