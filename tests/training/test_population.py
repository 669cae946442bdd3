"""Deep Q, the population and linear TD learn; a population goes on where it stopped."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
import torch

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.ensemble import FIXED, EnsembleAgent
from shangyou.games import BadInput
from shangyou.nets.papers import Ensemble, NetSpec, Stack
from shangyou.training import deep_q, td_linear
from shangyou.training.game_buffer import DistillationBuffer, GameBuffer
from shangyou.training.learner import Learner, Recipe
from shangyou.training.population import Population, PopulationArgs, shares_won
from short_games import ENGINE, GAME, fill

SPECS = {"a": NetSpec((16, 8)), "b": NetSpec((16, 8)), "c": NetSpec((8,), ((3, 3), (3, 4)), "sigmoid")}
ARGS = PopulationArgs(epochs=4, batches=5, batch=64, games=60, first_games=60, most_games=120, test_deals=3, seed=7)
STATICS = {"random": load_batch("random", GAME, 3)}


def population(args: PopulationArgs = ARGS) -> Population:
    return Population(ENGINE, SPECS, dict.fromkeys(SPECS, Recipe()), args, STATICS)


def won_against_random(agent) -> float:
    return shares_won(ENGINE, [agent, load_batch("random", GAME, 3)], [(0, 1)], 300, seed=11).mean().item()


def test_deep_q_learns_to_beat_random():
    learner = Learner(GAME, {"q": NetSpec((64, 16), dropout=0.2)}, {"q": Recipe(reward_discount=0.9)}, ENGINE.device, seed=0)
    args = deep_q.DeepQArgs(games=1000, epochs=4, batch=128)
    buffer = deep_q.simulate(ENGINE, load_batch("random", GAME, 1), args.games, seed=1)
    curve = deep_q.fit(learner, buffer, args, seed=1)
    assert curve[-1].dev[0] < curve[0].dev[0]
    assert won_against_random(EnsembleAgent(GAME, learner.ensemble(["q"]))) > 0.65


def test_points_are_split():
    learned, dev = deep_q.split(torch.arange(1000), 0.02, torch.Generator().manual_seed(0))
    assert len(dev) == 20
    assert sorted(torch.cat([learned, dev]).tolist()) == list(range(1000))


def test_linear_td_learns_to_beat_random():
    net = td_linear.learn(ENGINE, td_linear.TDArgs(batches=30, games=128), seed=0)
    assert won_against_random(EnsembleAgent(GAME, Ensemble([net]))) > 0.65


def test_a_population_learns_and_goes_on_where_it_stopped():
    whole = population()
    list(whole.run())
    assert [report.epoch for report in whole.history] == [0, 1, 2, 3]
    assert set(whole.history[0].tests["a"]) == {"random"}
    assert whole.history[-1].loss["a"] < whole.history[0].loss["a"]

    first = population(replace(ARGS, epochs=2))
    list(first.run())
    second = population()
    second.restore(first.state())
    list(second.run())
    assert second.state()["history"] == whole.state()["history"]
    for one, other in zip(second.learner.optimizers, whole.learner.optimizers, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one.parameters, other.parameters, strict=True))


def test_exploration_and_removal_follow_the_formulas():
    found = population()
    assert found._epsilon(0) == 0.5
    assert found._epsilon(3) == pytest.approx(1 / 5)
    found.rate = {"a": 0.10, "b": 0.11, "c": 0.9}
    assert found._remove(0) == []  # the threshold starts at 0
    assert found._remove(1) == ["a", "b"]  # 0.5 (1 - 0.75) = 0.125
    assert found.alive == ["c"]
    assert found._epsilon(3) == pytest.approx(3**0.5 / 5)
    found.rate["c"] = 0.0
    assert found._remove(3) == []  # somebody stays
    fewer = population()
    fewer.alive, fewer.rate = ["a", "b"], {"a": 0.215, "b": 0.9, "c": 0.0}
    assert fewer._remove(3) == ["a"]  # 0.5 (1 - 0.75^(3 * 2 / 3)) = 0.219
    still = population(replace(ARGS, removal=False))
    still.alive = ["c"]
    assert still._epsilon(3) == pytest.approx(1 / 5)


def test_pairs_meet_as_often_on_each_side():
    seats = population()._every_pair(60)
    assert len(seats) == 60
    counts = {tuple(pair): int((seats == torch.tensor(pair)).all(1).sum()) for pair in seats.tolist()}
    assert set(counts.values()) == {5, 10}  # each with itself, both ways the same
    assert counts[0, 1] == counts[1, 0] == 5


def test_the_stronger_are_drawn_more_often():
    found = population(replace(ARGS, pairing="drawn", games=1000))
    found.rate = {"a": 0.9, "b": 0.1, "c": 0.0}
    seats = found._drawn_pairs(0)
    assert len(seats) == 1000
    assert 0.8 < (seats == 0).float().mean() < 0.97
    assert torch.equal(seats[:500], seats[500:].flip(1))


def test_rates_are_averaged_over_games_between_two_nets():
    found = population()
    seats = torch.tensor([[0, 1], [0, 1], [0, 0], [1, 2], [0, 3], [3, 1]])  # 3 is a static agent
    played = type("Played", (), {"won": torch.tensor([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]).bool()})
    found._rate(played, seats)
    assert found.rate == {"a": 0.75, "b": 0.25, "c": 0.75}


def test_an_aggregate_may_play_all_games():
    found = population(replace(ARGS, epochs=1, simulate_with=2))
    list(found.run())
    assert found.buffer.games == 120
    assert won_against_random(found.player("a", FIXED)) >= 0


def test_static_agents_may_join_in():
    """Each as often and as often on each side, in place of nets."""
    others = {"random": load_batch("random", GAME, 3), "greedy": load_batch("greedy", GAME)}
    joined = Population(ENGINE, SPECS, dict.fromkeys(SPECS, Recipe()), replace(ARGS, games=1200, with_statics=0.4), others)
    nets = joined._every_pair(1200)
    seats = joined._with_statics(nets, epoch=1)
    changed = seats != nets
    assert changed.sum(0).tolist() == [240, 240]
    assert not changed.all(1).any()
    assert torch.bincount(seats.flatten()).tolist()[3:] == [240, 240]
    assert not torch.equal(seats, joined._with_statics(nets, epoch=2))
    list(joined.run())
    assert joined.buffer.games == ARGS.most_games


def test_a_teacher_says_what_to_think_of_every_decision():
    """Nets come close to what it says, whoever won."""
    teacher = population()
    list(teacher.run())
    ensemble = teacher.learner.ensemble(["a", "c"])
    taught = Population(ENGINE, SPECS, dict.fromkeys(SPECS, Recipe()), replace(ARGS, epochs=8, batches=20), STATICS, ensemble)
    list(taught.run())
    rows = torch.arange(taught.buffer.used)
    chances, to_end = taught.buffer.outcomes(rows)
    said = torch.sigmoid(ensemble.logits(taught.buffer.pairs(rows, 0))).mean(0)
    torch.testing.assert_close(chances, said)
    won, same = GameBuffer.outcomes(taught.buffer, rows)
    assert torch.equal(to_end, same)
    assert not torch.equal(chances, won)
    learned = torch.sigmoid(taught.learner.ensemble(["b"]).eval().logits(taught.buffer.pairs(rows, 0)))[0]
    assert (learned - said).abs().mean() < 0.6 * (said - said.mean()).abs().mean()
    assert not any(weight.requires_grad for weight in ensemble.parameters())


def test_learning_slows_down_in_the_last_epochs():
    cooled = population(replace(ARGS, cooling=2))
    rates = [cooled.learner.optimizers[0].lr.flatten()[0].item() for _ in cooled.run()]
    assert rates == pytest.approx([1e-3, 1e-3, 2e-3 / 3, 1e-3 / 3])
    steady = population()
    list(steady.run())
    slow, fast = (found.learner.optimizers[0].parameters[0] for found in (cooled, steady))
    assert not torch.equal(slow, fast)


def test_a_teacher_may_look_back():
    """A recurrent one is shown as many past plays as it wants."""
    torch.manual_seed(1)
    teacher = Ensemble([Stack(GAME, [NetSpec((8,), lstm=8, turns=15)])])
    buffer = DistillationBuffer(GAME, 60, ENGINE.device, teacher)
    fill(buffer, 60, seed=5)
    rows = torch.arange(buffer.used)
    chances, _ = buffer.outcomes(rows)
    torch.testing.assert_close(chances, torch.sigmoid(teacher.logits(buffer.pairs(rows, 15)))[0])
    forgetful = teacher.logits(buffer.pairs(rows, 15)._replace(past=buffer.pairs(rows.flip(0), 15).past))
    assert not torch.equal(chances, torch.sigmoid(forgetful)[0])


def test_taught_and_cooled_nets_go_on_where_they_stopped():
    torch.manual_seed(1)
    teacher = Ensemble([Stack(GAME, [SPECS["a"]])])

    def taught() -> Population:
        return Population(ENGINE, SPECS, dict.fromkeys(SPECS, Recipe()), replace(ARGS, cooling=2), STATICS, teacher)

    whole, half, resumed = taught(), taught(), taught()
    list(whole.run())
    list(islice(half.run(), 2))
    resumed.restore(half.state())
    list(resumed.run())
    for one, other in zip(resumed.learner.optimizers, whole.learner.optimizers, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one.parameters, other.parameters, strict=True))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"with_statics": 1.5}, r"with_statics 1\.5: a share of the games is between 0 and 1"),
        ({"cooling": -1}, "cooling -1: of 25 epochs at least one"),
        ({"cooling": 25}, "cooling 25: of 25 epochs at least one"),
        ({"with_statics": 0.5, "simulate_with": 6}, "nobody else does"),
    ],
)
def test_settings_that_make_no_sense_are_named(wrong, said):
    with pytest.raises(BadInput, match=said):
        PopulationArgs(**wrong)


def test_what_a_population_cannot_do_is_said():
    with pytest.raises(BadInput, match="there are no static agents"):
        Population(ENGINE, SPECS, dict.fromkeys(SPECS, Recipe()), replace(ARGS, with_statics=0.5), {})
    teacher = Ensemble([Stack(GAME, [SPECS["a"]])])
    for recipe in (Recipe(loss="swapped"), Recipe(reward_discount=0.9)):
        with pytest.raises(BadInput, match="learned with the log loss, undiscounted"):
            Population(ENGINE, SPECS, dict.fromkeys(SPECS, recipe), ARGS, STATICS, teacher)


def test_a_pairing_that_is_none_is_named():
    with pytest.raises(BadInput, match="all and drawn"):
        PopulationArgs(pairing="swiss")
