"""Games to learn from: each decision with a choice, once, with what became of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from recorded_games import record
from shangyou import games
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.agents.seating import seatings
from shangyou.engines.batch import BatchEngine
from shangyou.nets.inputs import Inputs
from shangyou.nets.value_net import Size, ValueNet
from shangyou.records.runs import RunFolder
from shangyou.training.algorithm import Run
from shangyou.training.dmc import Args, make_net, seat_explorer
from shangyou.training.self_play import Explorer, TrainingBatch, play_training_batch

SMALL = Size(trunk=16, trunk_depth=1, head=16, head_depth=1, turns=2)


def sides(game):
    """The seats of one player in each seating."""
    return [tuple(seat for seat, mine in enumerate(seating) if mine) for seating in seatings(game)]


@pytest.fixture(scope="module", params=games.names())
def engine(request):
    return BatchEngine(games.load(request.param))


def make_agent(engine: BatchEngine, seed: int = 0, objective: int = 0) -> TorchNetAgent:
    torch.manual_seed(seed)
    return TorchNetAgent(engine.game, ValueNet(engine.game, SMALL), objective)


def training_batch_of(
    engine: BatchEngine,
    agent: TorchNetAgent,
    count: int,
    first: int = 0,
    epsilon: float = 0.0,
    objective: int = 0,
    seed: int = 0,
) -> TrainingBatch:
    """Games of an agent with itself."""
    explorer = Explorer(agent, torch.full((count,), objective), epsilon)
    explorer.generator.manual_seed(seed)
    seats = torch.zeros(count, engine.game.seats, dtype=torch.int64)
    return play_training_batch(engine, explorer, [], seats, engine.deal(count, 5, first))


def test_a_training_batch_has_the_decisions_of_the_games(engine):
    """The same games through the general loop, which records everything: the same views, plays and results."""
    agent, seats = make_agent(engine), engine.game.seats
    batch = training_batch_of(engine, agent, 40, first=7)
    recorded = record(engine, [agent] * seats, 40, 5, first_index=7, views=True)
    played = recorded.played
    chosen = torch.nonzero(recorded.choices > 1)[:, 0]
    assert batch.decisions == len(recorded.play)
    assert batch.pairs == int(recorded.choices[chosen].sum())
    assert torch.equal(batch.plays, recorded.play[chosen])
    for field in Inputs._fields[:-1]:
        assert torch.equal(getattr(batch.seen, field), getattr(recorded.views, field)[chosen]), field
    game, seat = recorded.game[chosen].long(), recorded.seat[chosen].long()
    assert torch.equal(batch.points, played.scores[game, seat].float())
    assert torch.equal(batch.won > 0, played.won[game, seat])


def test_exploring_is_random_and_repeats(engine):
    agent = make_agent(engine)
    drawn = [
        training_batch_of(engine, agent, 60, epsilon=epsilon, seed=seed).plays.tolist()
        for epsilon, seed in [(0.0, 1), (0.0, 2), (0.5, 1), (0.5, 1), (0.5, 2)]
    ]
    assert drawn[0] == drawn[1]
    assert drawn[2] == drawn[3]
    assert drawn[2] != drawn[4]
    assert drawn[2] != drawn[0]


def test_with_a_temperature_plays_are_drawn_in_proportion_to_their_values(engine):
    agent, count = make_agent(engine), 4000
    state = engine.deal_these(torch.zeros(count, dtype=torch.int64), 5)  # one position
    view, legal = engine.view(state), engine.legal(state)
    number, objective = int(legal.counts[0]), torch.zeros(count, dtype=torch.int64)
    values, generator = agent.values(view, legal)[:number], torch.Generator().manual_seed(3)
    wanted = torch.softmax(values / 0.02, 0)

    def shares(temperature: float, epsilon: float) -> torch.Tensor:
        plays = agent.explore(view, legal, objective, epsilon, generator, torch.full((count,), temperature))
        return torch.bincount(torch.searchsorted(legal.plays[:number], plays), minlength=number) / count

    assert 0.05 < wanted.max() < 0.95  # there is something to draw
    assert (shares(0.02, 1.0) - wanted).abs().max() < 4 * 0.5 / count**0.5
    assert shares(1e-6, 1.0)[values.argmax()] == 1
    best = torch.zeros(number).index_fill(0, values.argmax(), 1.0)
    assert (shares(0.02, 0.5) - (wanted + best) / 2).abs().max() < 4 * 0.5 / count**0.5


def test_temperatures_are_in_units_of_what_is_played_for():
    args = Args("zsy4", device="cpu", batch=4, points_scale=3.0, size=SMALL, temperature=0.01)
    learner = TorchNetAgent(args.load_game(), make_net(args, args.load_game()))
    explorer, _ = seat_explorer(args, learner, 0, 0.0)
    assert explorer.temperature.tolist() == pytest.approx([0.01, 0.03, 0.01, 0.03])
    assert seat_explorer(replace(args, temperature=0.0), learner, 0, 0.0)[0].temperature is None


def test_the_objective_decides_which_answer_is_followed(engine):
    to_win, for_points = (make_agent(engine, objective=objective) for objective in range(2))
    one, other = (training_batch_of(engine, make_agent(engine), 60, objective=objective) for objective in (0, 1))
    seats = engine.game.seats
    for batch, agent in ((one, to_win), (other, for_points)):
        recorded = record(engine, [agent] * seats, 60, 5)
        assert torch.equal(batch.plays, recorded.play[recorded.choices > 1])
    assert one.plays.tolist() != other.plays.tolist()


def test_only_the_learner_is_learned_from(engine):
    """With a frozen opponent, the games are those two agents would play, and only one side's decisions come back."""
    learner, frozen = make_agent(engine, seed=1), make_agent(engine, seed=2)
    side = sides(engine.game)[-1]
    seats = torch.ones(30, engine.game.seats, dtype=torch.int64)
    seats[:, list(side)] = 0
    explorer = Explorer(learner, torch.zeros(30, dtype=torch.long), 0.0)
    batch = play_training_batch(engine, explorer, [frozen], seats, engine.deal(30, 9))
    agents = [learner if seat in side else frozen for seat in range(engine.game.seats)]
    recorded = record(engine, agents, 30, 9)
    mine = (recorded.choices > 1) & torch.isin(recorded.seat, torch.tensor(side))
    assert torch.equal(batch.plays, recorded.play[mine])


def test_against_itself_an_agent_is_even(engine, tmp_path):
    agent = make_agent(engine)
    args = Args(engine.game.name, device="cpu", opponents=(), eval_deals=50)
    run = Run("dmc", args, RunFolder(tmp_path), print, None)
    run.rivals["itself"] = agent
    won, points = run.evaluate(agent)["itself"]
    assert won == pytest.approx(1 / 4 if engine.game.seats == 4 else 1 / 2)
    assert points == pytest.approx(0.0)


def test_partners_have_one_side_of_their_share(engine):
    """Blocks of a batch by partner, then the games of the learner alone; sides and objectives in equal parts in each block."""
    args = Args(engine.game.name, batch=480, epsilon=0.0, device="cpu")
    explorer, seats = seat_explorer(args, make_agent(engine), partners=2, share=0.5)
    assert [int((seats == number).any(1).sum()) for number in (1, 2)] == [120, 120]
    learns = seats == 0
    assert learns[240:].all()
    for number, block in ((1, slice(0, 120)), (2, slice(120, 240))):
        assert set(seats[block].unique().tolist()) == {0, number}
        rows = learns[block].int().tolist()
        assert sorted(map(tuple, rows)) == sorted(
            tuple(int(seat in side) for seat in range(engine.game.seats))
            for side in sides(engine.game)
            for _ in range(120 // len(sides(engine.game)))
        )
        assert explorer.objective[block].float().mean() == 0.5


def test_a_net_that_learns_bids_as_its_player_does():
    """A run with bidding=true needs a landlord in every game."""
    engine = BatchEngine(games.load("doudizhu", bidding=True))
    assert len(training_batch_of(engine, make_agent(engine), 20).plays) > 0
