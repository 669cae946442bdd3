"""The net of Double DQN: what it reads of the cards, and that an exported model plays as it does."""

import numpy as np
import pytest
import torch

from nets.test_encoding import random_inputs
from shangyou import agents, games
from shangyou.agents.batch import load_batch
from shangyou.agents.batch.play import play
from shangyou.agents.batch.value_net import QNetAgent
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.exported import compare
from shangyou.nets.export import halved, to_onnx
from shangyou.nets.inputs import inputs_of
from shangyou.nets.q_net import TRICKS, CardEncoder, CountEncoder, QNet
from shangyou.nets.value_net import Size
from shangyou.testing import check_agent

SIZE = Size(trunk=32, trunk_depth=1, head=32, head_depth=1, turns=0)
PACKS = pytest.mark.parametrize("decks", [1, 2])


def net_of(encoding: str, decks: int = 1, **size: object) -> tuple[games.Game, QNet]:
    game = games.load("zsy4", decks=decks)
    torch.manual_seed(3)
    return game, QNet(game, Size(**{**vars(SIZE), **size}), encoding).eval()


@PACKS
def test_224_numbers_show_the_trick_and_every_card(decks):
    game = games.load("zsy4", decks=decks)
    engine, encoder, deck = BatchEngine(game), CardEncoder(game, 0, "flat"), game.deck
    state = engine.deal(30, 3)
    for _ in range(9):
        legal = engine.legal(state)
        state = engine.step(state, legal.plays[legal.starts[1:] - 1])
    view, legal = engine.view(state), engine.legal(state)
    shown = encoder.state(inputs_of(view, view.last), torch.float32)
    action = encoder.action(
        view.hand[legal.rows], legal.plays, engine.cards_of(view.hand[legal.rows], legal.plays), torch.float32
    )
    assert TRICKS + 4 * 54 == 224
    assert not shown[:, TRICKS + 3 * 54 :].any()  # the rest is padding
    twins = _twins(game, 30, 3, 9)
    assert {twin.last for twin in twins} > {0}
    for i, twin in enumerate(twins):
        seen = reference.view(twin)
        trick, last, played, hand = shown[i, : TRICKS + 3 * 54].split([TRICKS, 54, 54, 54])
        assert trick.sum() == 1
        assert (trick[0] == 1) == (seen.last == 0)
        for part, cards in ((last, seen.last_cards), (played, sum(seen.played)), (hand, seen.hand)):
            copies = deck.copies_by_suit(cards)
            assert part.tolist() == [copies[rank][suit] for rank, suit in deck.kinds]
        assert action[legal.rows == i].sum(1).tolist() == game.table.size[reference.legal(twin)].tolist()


def _twins(game, count, seed, turns):
    twins = [reference.deal(game, seed, i) for i in range(count)]
    for _ in range(turns):
        twins = [reference.step(twin, int(reference.legal(twin)[-1])) for twin in twins]
    return twins


@pytest.mark.parametrize("field", ["hand", "played", "last", "last_cards"])
def test_every_part_changes_the_encoding(field):
    game, net = net_of("cards")
    seen, other = (random_inputs(net.encoder, len(game.table), seed=seed) for seed in range(2))
    changed = seen._replace(**{field: getattr(other, field)})
    before = net.encoder.state(seen, torch.float32)
    assert not torch.equal(net.encoder.state(changed, torch.float32), before)


@pytest.mark.parametrize(("encoding", "decks", "size"), [
    ("cards", 1, {}), ("counts", 1, {}), ("counts", 2, {"turns": 6, "history": "lstm"}), ("own", 1, {}),
])  # fmt: skip
def test_an_exported_model_plays_as_its_net(encoding, decks, size, tmp_path):
    game, net = net_of(encoding, decks, **size)
    path = tmp_path / "q.onnx"
    path.write_bytes(to_onnx(net, game, {}))
    agent = agents.load(str(path), game)
    found = compare(halved(net), agent, game, positions=60)
    assert found.differences["value"] < 1e-4
    assert found.same_choice == 1.0
    engine = BatchEngine(game)
    state = engine.deal(40, 7)
    view, legal = engine.view(state), engine.legal(state)
    values = load_batch(str(path), game).values(view, legal)
    torch.testing.assert_close(QNetAgent(engine, halved(net)).values(view, legal).double(), values, rtol=0, atol=1e-4)
    twin = reference.deal(game, 7, 0)
    one = agent.values(reference.view(twin), reference.legal(twin))
    np.testing.assert_allclose(values[legal.rows == 0].numpy(), one, atol=1e-5)


@PACKS
def test_counts_follow_from_the_same_cards(decks):
    """The numbers of `cards` come first in every set; then, for each rank, whether it has more than 0, 1, 2, ... cards."""
    game = games.load("zsy4", decks=decks)
    engine, plain, counted = BatchEngine(game), CardEncoder(game, 0, "flat"), CountEncoder(game, 0, "flat")
    state = engine.deal(20, 5)
    view, legal = engine.view(state), engine.legal(state)
    hand = view.hand[legal.rows]
    given = (hand, legal.plays, engine.cards_of(hand, legal.plays), torch.float32)
    cards, with_counts, width = plain.action(*given), counted.action(*given), 15 * 4 * decks
    assert torch.equal(with_counts[:, :54], cards[:, :54])
    of_play, after = with_counts[:, 54 : 54 + 2 * width].unflatten(1, (2, 15, -1)).sum(-1).unbind(1)
    need = torch.as_tensor(game.table.need.T.copy())[legal.plays]
    assert torch.equal(of_play, need.float())
    assert torch.equal(after, counted.counts(hand) - need.float())
    seen = inputs_of(view, view.last)
    of_hand = counted.state(seen, torch.float32)[:, TRICKS + 2 * (54 + width) :][:, 54 : 54 + width]
    assert torch.equal(of_hand.unflatten(1, (15, -1)).sum(-1), counted.counts(view.hand).float())


class Alone(QNetAgent):
    """Never asked together with others."""

    @property
    def group(self):
        return self


@pytest.mark.parametrize("size", [{}, {"turns": 6, "history": "lstm"}])
def test_nets_asked_together_play_as_one_by_one(size):
    game = games.load("zsy4")
    engine, nets = BatchEngine(game), []
    for seed in range(3):
        torch.manual_seed(seed)
        nets.append(QNet(game, Size(**{**vars(SIZE), **size}), "counts"))
    together = [QNetAgent(engine, net, f"net {i}") for i, net in enumerate(nets)]
    alone = [Alone(engine, net, f"net {i}") for i, net in enumerate(nets)]
    seats = torch.randint(0, 3, (60, 4), generator=torch.Generator().manual_seed(1))
    seats[:10] = 0  # in these games the second and third are never asked
    played = [play(engine, players, seats, engine.deal(60, 9)) for players in (together, alone)]
    assert torch.equal(played[0].state.scalars, played[1].state.scalars)
    assert torch.equal(played[0].state.cards, played[1].state.cards)
    assert together[0].group == together[1].group != QNetAgent(engine, net_of("own")[1]).group


def test_an_agent_of_one_answer_gives_values_and_no_chances(tmp_path):
    game, net = net_of("cards")
    path = tmp_path / "q.onnx"
    path.write_bytes(to_onnx(net, game, {}))
    check_agent(lambda: agents.load(str(path), game), game, games=1)
    view = reference.view(reference.deal(game, 4))
    found = agents.suggest(view, agents.load(str(path), game))
    assert [one.value for one in found] == sorted((one.value for one in found), reverse=True)
    assert {(one.win, one.points) for one in found} == {(None, None)}
