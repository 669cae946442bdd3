"""Double DQN: rewards reach the right decisions, targets are those of the formula, and it learns within seconds."""

from dataclasses import replace

import pytest
import torch

from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.play import play
from shangyou.engines.batch import BatchEngine
from shangyou.games import PASS, BadInput
from shangyou.nets.value_net import Size
from shangyou.records.runs import RunFolder, load_checkpoint
from shangyou.training.algorithm import args_of, preset, start
from shangyou.training.ddqn import double_dqn as ddqn
from shangyou.training.ddqn.replay import Collector

GAME = games.load("zsy4")
ENGINE = BatchEngine(GAME)
SIZE = Size(trunk=48, trunk_depth=1, head=48, head_depth=1, turns=0)
ARGS = replace(
    preset("ddqn", "zsy4", "cpu"), batches=12, games=96, steps=16, minibatch=256, lr=3e-3, size=SIZE, eval_deals=150,
    eval_seconds=1e9, pool=replace(ddqn.Args("zsy4").pool, every=3, rated_games=30),
)  # fmt: skip
DISCOUNT = 0.5


@pytest.fixture(scope="module")
def collected():
    """Random games in which seats 0 and 2 learn: every turn as it was, and the decisions that the collector made of them."""
    mine = torch.tensor([[True, False, True, False]]).repeat(20, 1)
    collector, turns = Collector(mine, 4), []

    def note(decision):
        collector(decision)
        for game, seat, move, choices in zip(decision.games.tolist(), decision.seat.tolist(), decision.plays.tolist(),
                                             decision.legal.counts.tolist(), strict=True):  # fmt: skip
            turns.append((game, seat, move, choices))

    agents = [load_batch("random", GAME, 1), load_batch("greedy", GAME)]
    played = play(ENGINE, agents, torch.tensor([[0, 1, 0, 1]]).repeat(20, 1), ENGINE.deal(20, 5), note)
    sizes = torch.as_tensor(GAME.table.size)
    rewards = lambda plays: ddqn.turn_reward("card", sizes, plays)  # noqa: E731
    return turns, played, collector.decisions(rewards, played.won.float(), DISCOUNT, 2.0)


def test_decisions_store_as_many_past_plays_as_the_net_reads(collected):
    _, _, decisions = collected
    assert decisions.seen.history.shape == decisions.seen.history_by.shape == (len(decisions), 4)


def expected_decisions(turns, played):
    """One seat after another: (play, reward, discount, first of its game), with rewards in units of 2."""
    found = []
    for game in range(20):
        first = True
        for seat in (0, 2):
            own = [(move, choices) for g, s, move, choices in turns if (g, s) == (game, seat)]
            rewards = [2 * 0.25 * float(GAME.table.size[move]) for move, _ in own]
            rewards[-1] += 2 * float(played.won[game, seat])
            at = [i for i, (_, choices) in enumerate(own) if choices > 1]
            for i, after in zip(at, [*at[1:], None], strict=True):
                total = sum(DISCOUNT ** (j - i) * reward for j, reward in enumerate(rewards[:after]) if j >= i)
                found.append((own[i][0], total, DISCOUNT ** (after - i) if after else 0.0, first))
                first = False
    return found


def test_rewards_of_turns_without_a_choice_go_to_the_decision_before(collected):
    turns, played, decisions = collected
    expected = expected_decisions(turns, played)
    assert any(choices == 1 and move != PASS for _, _, move, choices in turns)
    assert decisions.plays.tolist() == [move for move, _, _, _ in expected]
    torch.testing.assert_close(decisions.reward, torch.tensor([total for _, total, _, _ in expected]))
    torch.testing.assert_close(decisions.discount, torch.tensor([discount for _, _, discount, _ in expected]))
    assert decisions.first.tolist() == [first for _, _, _, first in expected]
    assert bool((ENGINE.legal_of(decisions.seen.hand, decisions.seen.last).counts > 1).all())


def learner_with(decisions, **changes):
    args = replace(ARGS, discount=DISCOUNT, **changes)
    learner = ddqn.Learner(args, ENGINE, ddqn.make_net(args, GAME), None)
    learner.target.load_state_dict(ddqn.make_net(replace(args, seed=1), GAME).state_dict())
    learner.replay.add(decisions)
    return learner


def q_of(net, seen, row, plays):
    hand = seen.hand[row].expand(len(plays), -1)
    rows = torch.full((len(plays),), row)
    return net(seen, rows, plays, ENGINE.cards_of(hand, plays))


@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize("encoding", ["cards", "counts", "own"])
@torch.no_grad()
def test_the_net_chooses_and_its_copy_values(collected, double, encoding):
    decisions = collected[2]
    learner = learner_with(decisions, n_step=1, double=double, encoding=encoding)
    found = learner.targets(torch.arange(len(decisions)))
    for row in range(0, len(decisions), 17):
        expected = decisions.reward[row]
        if decisions.discount[row] > 0:
            legal = ENGINE.legal_of(decisions.seen.hand[row + 1 : row + 2], decisions.seen.last[row + 1 : row + 2]).plays.long()
            valued = q_of(learner.target, decisions.seen, row + 1, legal)
            chosen = q_of(learner.net, decisions.seen, row + 1, legal).argmax() if double else valued.argmax()
            expected = expected + decisions.discount[row] * valued[chosen]
        torch.testing.assert_close(found[row], expected)


def test_rewards_of_all_kinds():
    plays, sizes = torch.tensor([PASS, 1, len(GAME.table) - 1]), torch.as_tensor(GAME.table.size)
    assert ddqn.turn_reward("card", sizes, plays).tolist() == [0, 0.25, 1.0]
    assert ddqn.turn_reward("play", sizes, plays).tolist() == [0, 0.25, 0.25]
    assert ddqn.turn_reward("first", sizes, plays).tolist() == [0, 0, 0]


def test_it_learns_against_a_pool_and_goes_on_where_it_stopped(tmp_path):
    folder = RunFolder(tmp_path)
    start("ddqn", ARGS, folder)
    first, last = folder.curve[0], folder.curve[-1]
    assert last["strength"]["random"][0] > first["strength"]["random"][0] + 0.05
    assert last["metrics"]["rating"] > last["metrics"]["lowest of pool"]
    assert last["metrics"]["versions"] == 4
    stored = load_checkpoint(tmp_path)
    start("ddqn", replace(args_of(stored), batches=13), folder, resumed=stored)
    after = load_checkpoint(tmp_path)
    assert list(after["pool"]["versions"]) == [f"version {i}" for i in range(5)]
    old, new = (checkpoint["pool"]["ratings"]["version 2"] for checkpoint in (stored, after))
    assert new["games"] > old["games"] > 0


@pytest.mark.parametrize(("settings", "reason"), [
    ({"reward": "cards"}, "reward 'cards': there are card, play, first, points"), ({"others": "me"}, "others 'me'"),
    ({"n_step": 0}, "n_step 0"), ({"replay": "none"}, "replay 'none'"), ({"encoding": "seed"}, "encoding 'seed'"),
])  # fmt: skip
def test_bad_settings_are_named(settings, reason, tmp_path):
    with pytest.raises(BadInput, match=reason):
        start("ddqn", replace(ARGS, **settings), RunFolder(tmp_path))


def test_cards_are_told_apart_only_where_there_are_suits(tmp_path):
    with pytest.raises(BadInput, match="cards of one rank are alike in zsy2"):
        start("ddqn", replace(ARGS, game="zsy2", encoding="cards"), RunFolder(tmp_path))
