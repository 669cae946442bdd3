"""Agents on tensors choose what their twins choose one game at a time; games played in a batch can be written down."""

from dataclasses import replace
from functools import cache

import numba
import pytest
import torch

from games.variants import ON_TENSORS, variant_name
from recorded_games import AskedAgent, record, replay
from shangyou import agents, games, records
from shangyou.agents.batch import ScalarAdapter, first_best, load_batch
from shangyou.agents.batch import play as loop
from shangyou.agents.batch.agent import BLANK_TURN, to_reference
from shangyou.agents.batch.play import in_order, play
from shangyou.agents.scripted.greedy import GreedyAgent
from shangyou.agents.scripted.random import RandomAgent
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine, Legal
from shangyou.engines.kernels.layout import MEMORY
from shangyou.games import BadInput

SEED = 11
COUNT = 8
every_variant = pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads for a handful of games cost more than they do; on a busy machine they wait for each other."""
    before = numba.get_num_threads(), torch.get_num_threads()
    numba.set_num_threads(1)
    torch.set_num_threads(1)
    yield
    numba.set_num_threads(before[0])
    torch.set_num_threads(before[1])


@cache
def engine_of(name, **rules):
    return BatchEngine(games.load(name, **rules))


def engine_for(variant):
    name, rules = variant
    return engine_of(name, **rules)


def seated(load, game, names):
    """An agent for every seat, the names over and over, each with a seed of its own."""
    return [load(names[seat % len(names)], game, seed=seat) for seat in range(game.seats)]


def check_twins(engine, names, count=COUNT, first_index=0):
    """The same deals with batched and with scalar agents: the same bids, plays and scores."""
    played = record(engine, seated(load_batch, engine.game, names), count, SEED, first_index=first_index)
    players = seated(agents.load, engine.game, names)
    for i in range(count):
        twin = agents.play_game(engine.game, players, SEED, first_index + i)
        assert played.of_game(i) == [(turn.seat, turn.play) for turn in twin.history], f"game {i}"
        assert played.bids_of_game(i) == list(twin.bids)
        assert int(played.played.state.index[i]) == twin.index
        assert played.played.scores[i].tolist() == list(twin.scores)
        assert played.played.places[i].tolist() == list(twin.places)


@every_variant
@pytest.mark.parametrize("names", [("random", "greedy"), ("greedy", "random")], ids="-".join)
def test_batched_agents_play_as_their_twins(variant, names):
    check_twins(engine_for(variant), names, first_index=100)


def test_the_papers_greedy():
    check_twins(engine_of("zsy2"), ["paper-greedy", "random"], 20)


def test_bids_and_redeals():
    """Random bids leave one deal in 64 without a landlord."""
    engine = engine_of("doudizhu", bidding=True)
    played = play(engine, seated(load_batch, engine.game, ["random"]), None, engine.deal(1000, SEED))
    redealt = torch.nonzero(played.state.index >= reference.REDEAL)[:, 0]
    assert 0 < len(redealt) < 50
    check_twins(engine, ["random"], first_index=int(redealt[0]))


def test_an_agent_of_one_game_at_a_time_plays_in_a_batch():
    check_twins(engine_of("doudizhu", bidding=True, spring=True), ["rule", "greedy"], 4)


@every_variant
def test_adapted_agents_play_as_the_batched_ones(variant):
    """Among them random, which depends on every card of its hand and on the number of turns."""
    engine = engine_for(variant)
    batched = record(engine, seated(load_batch, engine.game, ["random", "greedy"]), 3, SEED)
    scalar = [ScalarAdapter(engine.game, agent) for agent in seated(agents.load, engine.game, ["random", "greedy"])]
    adapted = record(engine, scalar, 3, SEED)
    assert torch.equal(batched.play, adapted.play)


def as_remembered(game, history):
    """Turns long past are blank, and which cards they took is known only where suits do not matter."""
    past = (BLANK_TURN,) * max(0, len(history) - MEMORY)
    return *past, *(turn._replace(cards=0 if game.deck.suited else turn.cards) for turn in history[-MEMORY:])


@every_variant
def test_views_become_reference_views(variant):
    engine = engine_for(variant)
    played = record(engine, seated(load_batch, engine.game, ["random"]), 3, SEED, views=True)
    seen = to_reference(engine.game, played.views)
    for i in range(3):
        mine = torch.nonzero(played.game == i)[:, 0].tolist()
        state = replay(engine.game, SEED, int(played.played.state.index[i]), (), played.bids_of_game(i))
        for place in mine:
            wanted = reference.view(state)
            assert seen[place].history == as_remembered(engine.game, wanted.history)
            assert sorted(seen[place].bids) == sorted(wanted.bids)
            assert replace(seen[place], history=(), bids=()) == replace(wanted, history=(), bids=())
            state = reference.step(state, int(played.play[place]))


def test_bids_stand_in_order_while_bidding():
    engine = engine_of("doudizhu", bidding=True)
    state, twins = engine.deal(50, SEED), [reference.deal(engine.game, SEED, i) for i in range(50)]
    for bids in ((0, 1), (1, 0), (0, 0)):
        for points in bids:
            state = engine.bid(state, torch.full((50,), points))
        for seen, twin in zip(to_reference(engine.game, engine.view(state)), twins, strict=True):
            for points in bids:
                twin = reference.bid(twin, points)
            assert seen == reference.view(twin)
        state = engine.deal(50, SEED)


@every_variant
def test_random_agents_play_what_the_engine_plays_at_random(variant):
    engine = engine_for(variant)
    if engine.game.has_bidding:
        pytest.skip("the engine does not bid")
    seeds = [5, 6, 7, 8][: engine.game.seats]
    players = [load_batch("random", engine.game, seed) for seed in seeds]
    played = play(engine, players, None, engine.deal(300, SEED))
    at_random = engine.play_randomly(engine.deal(300, SEED), seeds)
    assert torch.equal(played.state.cards, at_random.cards)
    assert torch.equal(played.state.scalars, at_random.scalars)


# -- the loop --------------------------------------------------------------------------------------------------------


def test_an_agent_in_several_seats_is_asked_once_a_turn_and_never_when_it_has_no_choice():
    engine = engine_of("doudizhu")
    asked = AskedAgent(engine.game)
    played = record(engine, [asked] * 3, 20, SEED)
    choices = played.choices
    assert len(asked.calls) <= max(len(played.of_game(i)) for i in range(20))
    assert sum(map(len, asked.calls)) == int((choices > 1).sum()) < len(choices)
    assert min(map(min, asked.calls)) > 1


def test_an_agent_without_bid_is_refused_where_bids_are_due():
    engine = engine_of("doudizhu", bidding=True)
    with pytest.raises(BadInput, match="agent 'asked' does not bid: it has no `bid`, which doudizhu with bidding needs"):
        record(engine, [AskedAgent(engine.game)] * 3, 2, SEED)


def test_how_games_are_batched_does_not_matter():
    engine = engine_of("zsy4")
    players = seated(load_batch, engine.game, ["random", "greedy", "greedy"])
    together = record(engine, players, 9, SEED)
    for i in (0, 4, 8):
        alone = record(engine, players, 1, SEED, first_index=i)
        assert alone.of_game(0) == together.of_game(i)
        assert alone.played.scores.tolist() == [together.played.scores[i].tolist()]


@pytest.mark.parametrize("variant", [("zsy2", {}), ("doudizhu", {"bidding": True}), ("zsy4", {"decks": 2})], ids=variant_name)
def test_no_games(variant):
    engine = engine_for(variant)
    seats, words = engine.game.seats, len(engine.game.deck.words(0))
    played = record(engine, seated(load_batch, engine.game, ["random"]), 0, SEED, views=True)
    assert played.played.scores.shape == played.played.places.shape == played.bids.shape == (0, seats)
    assert len(played.play) == 0
    assert played.views.played.shape == (0, seats, words)


@every_variant
def test_recorded_games_are_written_and_read(tmp_path, variant):
    engine = engine_for(variant)
    played = record(engine, seated(load_batch, engine.game, ["greedy", "random"]), 3, SEED)
    written = [records.Record.from_state(played.replayed(i), name=f"game {i}") for i in range(3)]
    records.write(tmp_path / "games.jsonl", written)
    found = list(records.read(tmp_path / "games.jsonl"))
    assert found == written
    assert [list(record.result.scores) for record in found] == played.played.scores.tolist()
    assert [list(record.result.places) for record in found] == played.played.places.tolist()


def test_there_is_no_game_beyond_the_last():
    engine = engine_of("zsy2")
    recorded = record(engine, seated(load_batch, engine.game, ["greedy"]), 2, SEED)
    assert recorded.of_game(-1) == recorded.of_game(1)
    with pytest.raises(IndexError):
        recorded.of_game(2)


def test_a_batch_needs_an_agent_for_every_seat():
    engine = engine_of("doudizhu")
    with pytest.raises(BadInput, match=r"doudizhu has 3 seats, and there are 1 games: seats of shape \(1, 2\)"):
        play(engine, seated(load_batch, engine.game, ["greedy"])[:2], None, engine.deal(1, SEED))


class NeverBids(GreedyAgent):
    def bid(self, view, bids):
        return 0


def test_games_nobody_bids_for_end(monkeypatch):
    monkeypatch.setattr(loop, "MOST_REDEALS", 3)
    engine = engine_of("doudizhu", bidding=True)
    with pytest.raises(BadInput, match="3 deals and no landlord: greedy never bid"):
        play(engine, [ScalarAdapter(engine.game, NeverBids())] * 3, None, engine.deal(1, SEED))


def test_bad_names_are_explained():
    with pytest.raises(BadInput, match="no agent 'alphazero'"):
        load_batch("alphazero", games.load("zsy2"))
    with pytest.raises(BadInput, match="plays zsy2 only"):
        load_batch("paper-greedy", games.load("doudizhu"))


# -- parts -----------------------------------------------------------------------------------------------------------


def legal_of(*lists):
    """Legal plays of games as the engine gives them."""
    counts = torch.tensor([len(plays) for plays in lists], dtype=torch.int64)
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), counts.cumsum(0)])
    plays = torch.tensor([play for plays in lists for play in plays], dtype=torch.int32)
    return Legal(torch.repeat_interleave(counts), plays, starts)


def test_among_equals_the_first_is_best():
    values = torch.tensor([1.0, 3.0, 3.0, -torch.inf, -torch.inf, -2.0, -5.0, -2.0])
    assert first_best(values, legal_of([0, 1, 2], [3, 4], [5, 6, 7])).tolist() == [1, 3, 5]


@pytest.mark.parametrize("kept", [[0, 1, 2], [0, 2], [2, 0], [1], []])
def test_part_of_the_legal_plays(kept):
    lists = [4, 5, 9], [0], [0, 7]
    part, wanted = in_order(legal_of(*lists), torch.tensor(kept, dtype=torch.int64)), legal_of(*(lists[i] for i in kept))
    assert torch.equal(part.plays, wanted.plays)
    assert torch.equal(part.rows, wanted.rows)
    assert torch.equal(part.starts, wanted.starts)


def test_counting_agents_say_in_values_what_they_play():
    engine = engine_of("zsy2")
    state = engine.deal(50, SEED)
    view, legal = engine.view(state), engine.legal(state)
    for name in ("random", "paper-greedy"):
        agent = load_batch(name, engine.game, 3)
        assert torch.equal(legal.plays[first_best(agent.values(view, legal), legal)], agent.act(view, legal))


def test_a_random_agent_is_its_seed():
    game = games.load("zsy2")
    assert load_batch("random", game, 4).key == RandomAgent(4).key != RandomAgent(5).key
