"""The two backends play the same deals alike; fixed teams are measured and rated as every other game is."""

from __future__ import annotations

import numpy as np
import pytest

from games.variants import ON_TENSORS, variant_name
from shangyou import agents, games
from shangyou.agents.batch import SCRIPTED, load_batch
from shangyou.agents.batch.onnx_model import OnnxBatchAgent
from shangyou.agents.batch.play import play
from shangyou.agents.models.net_agent import NetAgent
from shangyou.agents.seating import even_share
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.backends import SCRIPTED_ON_TENSORS, Contestant, ReferenceBackend, by_name, make_backend
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import play_deals
from shangyou.evaluation.match import evaluate
from shangyou.evaluation.tournament import play_tournament
from team_game import TeamGame
from tiny_models import write_tiny

TEAMS = TeamGame()
GREEDY, RANDOM = by_name("greedy"), by_name("random", seed=1)


def on_reference(contestant: Contestant) -> Contestant:
    return Contestant(contestant.name, contestant.make)


def both(game, *contestants):
    """The same match on the batch engine and on the reference engine."""
    backends = [make_backend(game, cast, 3) for cast in (contestants, [on_reference(one) for one in contestants])]
    assert [type(backend) for backend in backends] == [BatchBackend, ReferenceBackend]
    return [play_deals(backend, range(5, 17), mirrored=True) for backend in backends]


@pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)
def test_scripted_agents_play_alike_game_by_game(variant):
    name, rules = variant
    batch, reference = both(games.load(name, **rules), GREEDY, RANDOM)
    for column in ("landlord", "won", "places", "scores", "side", "win"):
        assert np.array_equal(getattr(batch, column), getattr(reference, column)), column


@pytest.mark.parametrize("cast", [lambda one: one, on_reference], ids=["batch", "reference"])
@pytest.mark.parametrize("variant", [("zsy4", {"decks": 2}), ("doudizhu", {"bidding": True})], ids=variant_name)
def test_given_deals_are_played_as_dealt_ones(variant, cast):
    game = games.load(variant[0], **variant[1])
    pair, given = [cast(GREEDY), cast(RANDOM)], [game.deal(3, number) for number in range(12)]
    dealt, same = (play_deals(make_backend(game, pair, 3, deals), range(4, 12)) for deals in ((), given))
    for column in ("landlord", "won", "places", "scores"):
        assert np.array_equal(getattr(dealt, column), getattr(same, column)), column


def test_both_backends_report_the_same_bids():
    game, counts = games.load("doudizhu", bidding=True), []
    for cast in ([GREEDY, RANDOM], [on_reference(GREEDY), on_reference(RANDOM)]):
        made = []
        seats = np.array([[0, 1, 0], [1, 0, 1]] * 10)
        results = make_backend(game, cast, 3).play(seats, np.arange(20), made.append)
        bids = np.hstack([np.stack(part) for part in made])
        counts.append(np.unique(bids, axis=1, return_counts=True))
        assert (bids[1] == 0).sum() >= len(results.landlord)  # deals that were dealt again have a first bid too
    assert all(np.array_equal(*column) for column in zip(*counts, strict=True))


@pytest.mark.parametrize("objective", ["win", "points"])
def test_a_model_plays_alike(tmp_path, objective):
    path = write_tiny(tmp_path, "doudizhu")
    game = games.load("doudizhu", bidding=True)
    tiny = by_name(f"{path}:{objective}")
    batch, reference = both(game, tiny, GREEDY)
    assert np.array_equal(batch.scores, reference.scores)


def same_choices(name: str, deals: int, seed: int) -> list[bool]:
    """Of each decision in games of a champion with itself on the batch engine: whether onnxruntime, asked about this position
    alone as the reference engine shows it, prefers the same row."""
    game = games.load(name)
    champion, in_batch = (load(f"champion/{name}", game) for load in (agents.load, load_batch))
    states, same = [reference.deal(game, seed, i) for i in range(deals)], []

    def compare(decision):
        for i, chosen in zip(decision.games.tolist(), decision.plays.tolist(), strict=True):
            legal = reference.legal(states[i])
            if len(legal) > 1:
                same.append(champion.act(reference.view(states[i]), legal) == chosen)
            states[i] = reference.step(states[i], chosen)

    engine = BatchEngine(game)
    play(engine, [in_batch] * game.seats, None, engine.deal(deals, seed), compare)
    return same


def test_a_champion_chooses_the_same_rows_on_both_backends():
    same = same_choices("zsy2", deals=200, seed=11)
    assert len(same) > 3000
    assert np.mean(same) >= 0.9999


def test_the_names_known_without_torch_are_those_of_the_batch_agents():
    assert set(SCRIPTED_ON_TENSORS) == set(SCRIPTED)


def test_who_cannot_play_on_tensors_plays_on_the_reference_engine():
    game = games.load("doudizhu")
    assert isinstance(make_backend(game, [by_name("rule"), GREEDY], 1), ReferenceBackend)


def test_an_agent_of_a_batch_is_the_model_of_its_name(tmp_path):
    path = write_tiny(tmp_path, "zsy2")
    agent = OnnxBatchAgent(games.load("zsy2"), NetAgent(path, "tiny", "points"))
    assert (agent.name, agent.objective) == ("tiny", "points")


# -- fixed teams ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cast", [lambda one: one, on_reference], ids=["batch", "reference"])
def test_two_teams_of_equals_are_even(cast):
    match = evaluate(TEAMS, cast(GREEDY), cast(GREEDY), deals=30, seed=2)
    assert (match.even, match.games) == (0.5, 60)
    assert match.total.win.mean == 0.5
    assert match.total.win.half_width == 0
    assert not match.by_role


def test_two_teams_are_measured_alike_on_both_engines():
    batch, reference = both(TEAMS, GREEDY, RANDOM)
    assert np.array_equal(batch.scores, reference.scores)
    assert batch.win.mean() > 0.6


def test_teams_are_rated_as_teams():
    tournament = play_tournament(TEAMS, [GREEDY, RANDOM], deals=20, seed=4)
    assert tournament.even == even_share(TEAMS) == 0.5
    ratings = tournament.ratings()
    assert ratings["greedy"].mu > 25 > ratings["random"].mu
    assert ratings["greedy"].games == tournament.games == 40
