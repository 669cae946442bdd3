"""Games to learn from: each decision with a choice, once, with what became of it."""

from __future__ import annotations

import pytest
import torch

from shangyou import games
from shangyou.agents.batch import load_batch
from shangyou.agents.seating import seatings
from shangyou.agents.torch_net import TorchNetAgent
from shangyou.agents.trajectories import play
from shangyou.engines.batch import BatchEngine
from shangyou.nets.inputs import Inputs
from shangyou.nets.value_net import Size, ValueNet
from shangyou.training.dmc import Args, Seating
from shangyou.training.gauge import strength
from shangyou.training.self_play import Table, play_lessons

SMALL = Size(trunk=16, trunk_depth=1, head=16, head_depth=1, turns=2)


def sides(game):
    """The seats of one player in each seating."""
    return [tuple(seat for seat, mine in enumerate(seating) if mine) for seating in seatings(game)]


@pytest.fixture(scope="module", params=games.names())
def engine(request):
    return BatchEngine(games.load(request.param))


def make_agent(engine: BatchEngine, seed: int = 0, aim: int = 0) -> TorchNetAgent:
    torch.manual_seed(seed)
    return TorchNetAgent(engine.game, ValueNet(engine.game, SMALL), aim)


def all_for(engine: BatchEngine, agent: TorchNetAgent, count: int, epsilon: float = 0.0, aim: int = 0) -> Table:
    everywhere = torch.ones(count, engine.game.seats, dtype=torch.bool)
    return Table(agent, everywhere, torch.full((count,), aim), epsilon)


def test_lessons_are_the_decisions_of_the_games(engine):
    """The same games through the general loop, which records everything: the same views, plays and results."""
    agent, seats = make_agent(engine), engine.game.seats
    lessons = play_lessons(engine, all_for(engine, agent, 40), 40, 5, 7, torch.Generator())
    played = play(engine, [agent] * seats, 40, 5, record=True, first_index=7, views=True)
    recorded = played.trajectories
    chosen = torch.nonzero(recorded.choices > 1)[:, 0]
    assert lessons.decisions == len(recorded.play)
    assert lessons.pairs == int(recorded.choices[chosen].sum())
    assert torch.equal(lessons.plays, recorded.play[chosen])
    for field in Inputs._fields[:-1]:
        assert torch.equal(getattr(lessons.seen, field), getattr(recorded.views, field)[chosen]), field
    game, seat = recorded.game[chosen].long(), recorded.seat[chosen].long()
    assert torch.equal(lessons.points, played.scores[game, seat].float())
    assert torch.equal(lessons.won > 0, engine.winners(played.state)[game, seat])


def test_exploring_is_by_lot_and_repeats(engine):
    agent = make_agent(engine)
    drawn = [
        play_lessons(engine, all_for(engine, agent, 60, epsilon), 60, 5, 0, torch.Generator().manual_seed(seed)).plays.tolist()
        for epsilon, seed in [(0.0, 1), (0.0, 2), (0.5, 1), (0.5, 1), (0.5, 2)]
    ]
    assert drawn[0] == drawn[1]
    assert drawn[2] == drawn[3]
    assert drawn[2] != drawn[4]
    assert drawn[2] != drawn[0]


def test_the_aim_decides_which_answer_is_followed(engine):
    to_win, for_points = (make_agent(engine, aim=aim) for aim in range(2))
    one, other = (
        play_lessons(engine, all_for(engine, make_agent(engine), 60, aim=aim), 60, 5, 0, torch.Generator()) for aim in (0, 1)
    )
    seats = engine.game.seats
    for lessons, agent in ((one, to_win), (other, for_points)):
        played = play(engine, [agent] * seats, 60, 5, record=True)
        assert torch.equal(lessons.plays, played.trajectories.play[played.trajectories.choices > 1])
    assert one.plays.tolist() != other.plays.tolist()


def test_only_the_learner_is_learned_from(engine):
    """With a frozen opponent, the games are those two agents would play, and only one side's decisions come back."""
    learner, frozen = make_agent(engine, seed=1), make_agent(engine, seed=2)
    side = sides(engine.game)[-1]
    learns = torch.zeros(30, engine.game.seats, dtype=torch.bool)
    learns[:, list(side)] = True
    table = Table(learner, learns, torch.zeros(30, dtype=torch.long), 0.0, [(frozen, ~learns)])
    lessons = play_lessons(engine, table, 30, 9, 0, torch.Generator())
    agents = [learner if seat in side else frozen for seat in range(engine.game.seats)]
    recorded = play(engine, agents, 30, 9, record=True).trajectories
    mine = (recorded.choices > 1) & torch.isin(recorded.seat, torch.tensor(side))
    assert torch.equal(lessons.plays, recorded.play[mine])


def test_against_itself_an_agent_is_even(engine):
    agent = make_agent(engine)
    found = strength(engine, agent, agent, 50)
    assert found.won == pytest.approx(1 / 4 if engine.game.seats == 4 else 1 / 2)
    assert found.points == pytest.approx(0.0)


def test_partners_have_one_side_of_their_share(engine):
    """Blocks of a batch by partner, then the games of the learner alone; sides and aims in equal parts in each block."""
    args = Args(engine.game.name, batch=480, epsilon=0.0, device="cpu")
    partners = [load_batch(name, engine.game) for name in ("random", "greedy")]
    table = Seating(args, engine.game, make_agent(engine), partners, share=0.5).table
    assert [agent.name for agent, _ in table.others] == ["random", "greedy"]
    taken = [int(seats.any(1).sum()) for _, seats in table.others]
    assert taken == [120, 120]
    assert torch.equal(sum(seats.int() for _, seats in table.others) + table.learns.int(), torch.ones(480, engine.game.seats))
    assert table.learns[240:].all()
    for block in (slice(0, 120), slice(120, 240)):
        rows = table.learns[block].int().tolist()
        assert sorted(map(tuple, rows)) == sorted(
            tuple(int(seat in side) for seat in range(engine.game.seats))
            for side in sides(engine.game)
            for _ in range(120 // len(sides(engine.game)))
        )
        assert table.aim[block].float().mean() == 0.5
