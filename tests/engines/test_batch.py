"""The batch engine: equal to the reference engine and to plain torch, on every device there is."""

from functools import partial

import pytest
import torch

from engines import toy_games
from engines.plain_legal import legal_plays
from games.variants import ON_TENSORS, variant_name
from shangyou import games
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import BadInput, IllegalPlay
from shangyou.testing import check_engine, check_game
from team_game import TeamGame

no_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")
DEVICES = ["cpu", pytest.param("cuda", marks=no_gpu)]
SHIPPED = [("zsy2", {}), ("doudizhu", {}), ("zsy4", {}), ("zsy4", {"decks": 2})]
TABLES = {variant_name(variant): partial(games.load, variant[0], **variant[1]) for variant in SHIPPED}
TABLES |= {make.__name__: make for make in toy_games.TABLES}


def engine_of(variant, device):
    return BatchEngine(games.load(variant[0], **variant[1]), device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)
def test_agrees_with_the_reference_decision_by_decision(variant, device):
    assert check_engine(games.load(variant[0], **variant[1]), 20, 17, device) > 20


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)
def test_given_cards_start_as_the_same_cards_dealt(variant, device):
    engine, numbers = engine_of(variant, device), [4, 0, 9, 4]
    deals, words = [engine.game.deal(5, number) for number in numbers], engine.game.deck.words
    hands = torch.tensor([[words(hand) for hand in deal.hands] for deal in deals], device=engine.device)
    public, first = torch.tensor([(deal.public, deal.first) for deal in deals], device=engine.device).T
    given, dealt = engine.start(hands, public, first), engine.deal_these(torch.tensor(numbers, device=engine.device), 5)
    assert torch.equal(given.cards, dealt.cards)
    assert torch.equal(given.scalars, dealt.scalars)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("make", [*toy_games.TABLES, *toy_games.RULES, TeamGame])
def test_games_unlike_those_we_ship_are_played_right(make, device):
    check_game(make(), games=5)
    assert check_engine(make(), 30, 17, device) > 1000


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_kernels_agree_with_plain_torch(make, device):
    """Deals far too many for the reference engine, all along random games."""
    engine = BatchEngine(make(), device)
    state = engine.deal(500, seed=3)
    compared = 0
    for turn in range(200):
        if not len(state.running):
            break
        legal = engine.legal(state)
        if turn % 6 == 0:
            view = engine.view(state)
            counts, plays = legal_plays(engine.game, view.hand, view.last)
            assert torch.equal(counts, legal.counts)
            assert torch.equal(plays, legal.plays)
            compared += len(counts)
        choice = (torch.rand(len(state.running), device=engine.device) * legal.counts).long()
        state = engine.step(state, legal.plays[legal.starts[:-1] + choice])
    assert compared > 2000


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)
def test_deals_are_those_of_the_reference(variant, device):
    engine = engine_of(variant, device)
    state = engine.deal(20, seed=9, first_index=100)
    hands = state.cards[: engine.constants.seats * engine.constants.words].T.tolist()
    for i in range(20):
        twin = reference.deal(engine.game, 9, 100 + i)
        assert hands[i] == [word for hand in twin.hands for word in engine.game.deck.words(hand)]


@no_gpu
@pytest.mark.parametrize("variant", ON_TENSORS, ids=variant_name)
def test_random_games_are_the_same_on_both_devices(variant):
    if variant[1].get("bidding"):
        pytest.skip("random games start after the bids")
    ends = []
    for device in ("cpu", "cuda"):
        engine = engine_of(variant, device)
        state = engine.play_randomly(engine.deal(3000, seed=4), list(range(engine.constants.seats)))
        ends.append((state.cards.cpu(), state.scalars.cpu()))
    assert torch.equal(ends[0][0], ends[1][0])
    assert torch.equal(ends[0][1], ends[1][1])


def test_a_game_does_not_depend_on_the_games_beside_it():
    engine = BatchEngine(games.load("doudizhu"))
    alone = engine.play_randomly(engine.deal(1, seed=5, first_index=77), [1, 2, 3])
    among = engine.play_randomly(engine.deal(200, seed=5), [1, 2, 3])
    assert torch.equal(alone.cards[:, 0], among.cards[:, 77])
    assert torch.equal(alone.scalars[:, 0], among.scalars[:, 77])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("count", [0, 1])
def test_no_games_and_one_game(count, device):
    engine = BatchEngine(games.load("zsy4"), device)
    state = engine.deal(count, seed=1)
    while len(state.running):
        legal = engine.legal(state)
        engine.view(state)
        state = engine.step(state, legal.plays[legal.starts[:-1]])
    assert len(engine.legal(state).plays) == 0
    assert engine.view(state).hand.shape == (0, 1)
    assert engine.scores(state).shape == (count, 4)
    assert engine.scores(state).sum() == 0
    assert len(engine.play_randomly(engine.deal(count, seed=1), [0] * 4).running) == 0


@pytest.mark.parametrize("count", [-1, 1.5, "9", True, 1 << 40])
def test_bad_numbers_of_games_are_named(count):
    with pytest.raises(BadInput, match=f"games {count!r}"):
        BatchEngine(games.load("zsy2")).deal(count, seed=1)


@pytest.mark.parametrize("seed", [-1, "x", 2**63])
def test_bad_seeds_are_named(seed):
    with pytest.raises(BadInput, match=f"seed {seed!r}"):
        BatchEngine(games.load("zsy2")).deal(3, seed=seed)


@pytest.mark.parametrize("device", ["tpu", "meta", "cuda:99", 7.5])
def test_bad_devices_are_named(device):
    with pytest.raises(BadInput, match="device"):
        BatchEngine(games.load("zsy2"), device)


def test_the_wrong_number_of_plays_or_seeds_is_refused():
    engine = BatchEngine(games.load("zsy2"))
    state = engine.deal(3, seed=1)
    with pytest.raises(BadInput, match="plays for 3 running games"):
        engine.step(state, torch.tensor([1, 2]))
    with pytest.raises(BadInput, match="1 seeds for 2 seats"):
        engine.play_randomly(state, [1])


def test_illegal_plays_are_named():
    engine = BatchEngine(games.load("zsy2"))
    state = engine.deal(3, seed=1)
    legal = engine.legal(state)
    plays = legal.plays[legal.starts[:-1]].clone()
    engine.check(legal, plays)
    for play, complaint in ((0, r"play 0 \(pass\)"), (9999, r"play 9999 \(no row"), (9075, r"play 9075 \(2222\)")):
        plays[1] = play
        with pytest.raises(IllegalPlay, match=f"{complaint}.* is not legal in running game 1"):
            engine.check(legal, plays)


def test_bids_out_of_turn_are_refused():
    engine = BatchEngine(games.load("doudizhu", bidding=True))
    state = engine.deal(2, seed=1)
    with pytest.raises(IllegalPlay, match="bids come before plays"):
        engine.play_randomly(state, [0, 0, 0])
    with pytest.raises(IllegalPlay, match="bid 5"):
        engine.bid(state, torch.tensor([0, 5]))
    state = engine.bid(state, torch.tensor([3, 0]))
    with pytest.raises(IllegalPlay, match="some of the running games only"):
        engine.bid(state, torch.tensor([0, 0]))


def test_a_copy_of_a_state_stays_what_it_was():
    engine = BatchEngine(games.load("zsy2"))
    state = engine.deal(5, seed=2)
    kept = state.copy()
    legal = engine.legal(state)
    engine.step(state, legal.plays[legal.starts[:-1]])
    assert torch.equal(engine.legal(kept).plays, legal.plays)


def test_a_million_games_in_flight_take_little_memory():
    engine = BatchEngine(games.load("zsy2"))
    state = engine.deal(1000, seed=1)
    bytes_a_game = sum(tensor.numel() * tensor.element_size() for tensor in (state.cards, state.scalars, state.index)) / 1000
    assert bytes_a_game * 1_000_000 < 2e9
