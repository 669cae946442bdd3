"""Hands inferred by a model: never against the View, drawn as likely as they are said to be, blind to what is hidden."""

from __future__ import annotations

import random
from math import comb

import numpy as np
import pytest
import torch

from shangyou import agents, games
from shangyou.agents.models.hands import HandModel, hidden_cards, log_likelihood, sample_hands
from shangyou.agents.models.model_files import champion_hands
from shangyou.agents.models.net_agent import arrays_of
from shangyou.engines import reference
from shangyou.engines.reference import State
from shangyou.games import NOBODY, BadInput
from shangyou.nets.export import to_onnx
from shangyou.nets.hand_net import HandNet, Size
from shangyou.nets.inputs import Inputs
from tiny_models import hollow_model

SIZE = Size(width=16, depth=1, turns=4)
GAMES = {"doudizhu": {}, "zsy2": {}, "zsy4": {}, "zsy4 of two packs": {"decks": 2}}


def load(name):
    return games.load(name.split()[0], **GAMES[name])


@pytest.fixture(scope="module", params=GAMES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def net(name):
    torch.manual_seed(1)
    net = HandNet(load(name), SIZE)
    torch.nn.init.normal_(net.answer.weight, std=1.0)
    return net


class ByNet:
    """Scores as a `HandModel` gives them, of a net that was not exported."""

    def __init__(self, net):
        self.net = net

    def scores(self, views):
        with torch.no_grad():
            return self.net(inputs_of(views)).double().numpy()


@pytest.fixture(scope="module")
def model(net):
    return ByNet(net)


def inputs_of(views) -> Inputs:
    arrays = {key: torch.tensor(value) for key, value in arrays_of(views, SIZE.turns).items()}
    return Inputs(**arrays, objective=torch.zeros(len(views), dtype=torch.int64))


def states(game, seed, every=7) -> list[State]:
    """Points in a random game after its first play."""
    state, draw, found = reference.deal(game, seed), random.Random(seed), []
    while not state.over:
        found += [state] if len(state.history) % every == 1 else []
        state = reference.step(state, draw.choice(reference.legal(state).tolist()))
    return found


def hands_seen_from(state) -> np.ndarray:
    """[1, S, W] the true hands, the seat to act first."""
    seats = [(state.turn + i) % state.game.seats for i in range(state.game.seats)]
    return np.array([[state.game.deck.words(state.hands[seat]) for seat in seats]])


@pytest.mark.parametrize("evenly", [False, True])
def test_hands_never_contradict_the_view(model, name, evenly):
    game, rng = load(name), np.random.default_rng(3)
    deck = game.deck
    for state in states(game, seed=1):
        view = reference.view(state)
        hands, weights = sample_hands(view, model, 20, rng, evenly)
        assert hands.dtype == np.int64
        assert np.isfinite(weights).all()
        for one in hands.tolist():
            held = [deck.from_words(words) for words in one]
            assert held[0] == view.hand
            assert tuple(map(deck.size, held)) == view.left
            assert deck.holds(view.unseen, sum(held[1:]))
            if view.landlord > 0:
                assert deck.holds(view.played[view.landlord] + held[view.landlord], view.public)
        likely = log_likelihood(view, hands, model)
        np.testing.assert_allclose(likely - log_likelihood(view, hands, None), weights, atol=1e-9)
        assert np.isfinite(log_likelihood(view, hands_seen_from(state), model)).all()


@pytest.mark.parametrize("name", ["doudizhu", "zsy4"], indirect=True)  # an export takes seconds
def test_net_and_exported_model_agree_on_the_true_hands(net, name, tmp_path):
    path, points = tmp_path / "hands.onnx", states(load(name), seed=2)
    path.write_bytes(to_onnx(net, load(name), {}))
    model, seen = HandModel(path), inputs_of([reference.view(state) for state in points])
    others = torch.tensor(np.concatenate([hands_seen_from(state) for state in points]))[:, 1:]
    with torch.no_grad():
        expected = net.log_likelihood(net(seen), seen, others)
    found = [float(log_likelihood(reference.view(state), hands_seen_from(state), model)[0]) for state in points]
    np.testing.assert_allclose(found, expected, atol=0.05)  # weights of a model are in half precision
    assert len({round(value, 3) for value in found}) > 1


def reshuffled(state, seed) -> State:
    """The same point with the hidden cards of the others exchanged, as far as the View allows."""
    game, view = state.game, reference.view(state)
    hands, _ = sample_hands(view, None, 1, np.random.default_rng(seed))
    cards = list(state.hands)
    for i, words in enumerate(hands[0].tolist()):
        cards[(state.turn + i) % game.seats] = game.deck.from_words(words)
    return State(**{field: getattr(state, field) for field in State.__slots__} | {"hands": tuple(cards)})


def test_hidden_cards_do_not_change_the_answer(model, name):
    different = 0
    for state in states(load(name), seed=4):
        other = reshuffled(state, seed=5)
        different += other.hands != state.hands
        one, two = (model.scores([reference.view(each)]) for each in (state, other))
        assert np.array_equal(one, two)
    assert different


def test_before_the_first_play_all_deals_are_as_likely(model, name):
    view = reference.view(reference.deal(load(name), seed=6))
    assert not model.scores([view]).any()
    _, weights = sample_hands(view, model, 5, np.random.default_rng(0))
    assert not weights.any()


def test_weights_of_even_hands_have_mean_one(model, name):
    """The mean of P by the model / P if even, over even hands, is the sum of P by the model."""
    views = [reference.view(state) for state in states(load(name), seed=7, every=2)]
    view = [view for view in views if sum(view.left[1:]) >= 9 and min(view.left) > 0][-1]
    _, weights = sample_hands(view, model, 5000, np.random.default_rng(1), evenly=True)
    ratio = np.exp(weights)
    assert ratio.std() > 0
    assert abs(ratio.mean() - 1) < 5 * ratio.std() / len(ratio) ** 0.5


@pytest.fixture(scope="module")
def last_cards():
    """A doudizhu position: a peasant to act, the landlord next but one, who must have a 5 of his public cards."""
    game = games.load("doudizhu")
    parse = game.deck.parse
    return reference.View(
        game=game,
        hand=parse("K"),
        unseen=parse("33 4 55"),
        played=(0, 0, parse("22")),
        left=(1, 2, 3),
        landlord=2,
        public=parse("5 22"),
    )


def test_likelihoods_by_hand(last_cards):
    """Of 33 4 5 the next seat has two, all but the 5 that is the landlord's: 6 ways."""
    parse = last_cards.game.deck.parse
    pairs = {("33", "455"): 1, ("34", "355"): 2, ("35", "345"): 2, ("45", "335"): 1, ("55", "334"): 0, ("3", "3455"): 0}
    hands = np.array([[[parse("K")], [parse(one)], [parse(two)]] for one, two in pairs])
    np.testing.assert_allclose(np.exp(log_likelihood(last_cards, hands, None)), np.array(list(pairs.values())) / comb(4, 2))


def test_even_hands_are_drawn_evenly(last_cards):
    draws, parse = 6000, last_cards.game.deck.parse
    hands, weights = sample_hands(last_cards, None, draws, np.random.default_rng(8))
    assert not weights.any()
    shares = {text: (hands[:, 1, 0] == parse(text)).mean() for text in ("33", "34", "35", "45")}
    assert shares == pytest.approx({"33": 1 / 6, "34": 1 / 3, "35": 1 / 3, "45": 1 / 6}, abs=0.03)
    assert sum(shares.values()) == pytest.approx(1)


def test_suits_are_drawn_evenly():
    game = games.load("zsy4")
    parse = game.deck.parse
    played = tuple(map(parse, ("", "", "", "")))
    view = reference.View(game, parse("Ah"), parse("3s3h3c"), played, (1, 1, 1, 1))
    hands, _ = sample_hands(view, None, 3000, np.random.default_rng(9))
    orders, counts = np.unique(hands[:, 1:, 0], axis=0, return_counts=True)
    assert len(orders) == 6
    assert counts.min() > 400


def test_the_shipped_model_knows_more_of_the_champions_hands_than_even_splits():
    game = games.load("doudizhu")
    model, champion = HandModel(champion_hands("doudizhu")), agents.load("champion/doudizhu", game)
    gains = []
    for index in range(30):
        state, of_game = reference.deal(game, 11, index), []
        while not state.over:
            legal, view = reference.legal(state), reference.view(state)
            if len(state.history) > 6:
                true = hands_seen_from(state)
                of_game += [log_likelihood(view, true, model) - log_likelihood(view, true, None)]
            state = reference.step(state, legal[int(champion.values(view, legal).argmax())])
        gains.append(np.mean(of_game))
    assert np.mean(gains) > 4 * np.std(gains) / len(gains) ** 0.5  # in nats; one number a game, games are independent


def test_what_cannot_be_inferred_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no model that infers hidden hands of zsy2"):
        champion_hands("zsy2")
    bidding = reference.view(reference.deal(games.load("doudizhu", bidding=True), seed=1))
    assert bidding.landlord == NOBODY
    with pytest.raises(BadInput, match="3 unseen cards are in nobody's hand"):
        hidden_cards(bidding)
    path = tmp_path / "plays.onnx"
    path.write_bytes(hollow_model())
    with pytest.raises(BadInput, match="is a value model, not a hands model"):
        HandModel(path)
