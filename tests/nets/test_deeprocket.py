"""The nets of DeepRocket: what they read, that probabilities are over legal plays, and that exported models play as they do."""

from collections import defaultdict
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from shangyou import agents, games
from shangyou.agents.batch import load_batch, onnx_model
from shangyou.agents.batch import play as batch_play
from shangyou.agents.batch.agent import whole_positions
from shangyou.agents.batch.policy_net import PolicyNetAgent
from shangyou.agents.models.net_agent import arrays_of
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.engines.position import legal as legal_plays
from shangyou.engines.position import position
from shangyou.evaluation.exported import compare
from shangyou.games import NOBODY, PASS, RANKS, BadInput
from shangyou.games.labels import NO_KICKER, labels_of
from shangyou.nets.deeprocket import ConvSize, DeepRocket, Size
from shangyou.nets.deeprocket.planes import KICKER_PLANES, KICKER_ROWS, PADDED_PLANES, PLANES, PlaneEncoder
from shangyou.nets.export import halved, to_onnx
from shangyou.nets.inputs import Inputs, inputs_of
from shangyou.testing import check_agent

GAME = games.load("doudizhu")
TABLE, LABELS = GAME.table, labels_of(GAME.table)
FAMILIES = list(dict.fromkeys(TABLE.family))
TINY = ConvSize(16, ("11", "12", "21", "22")), ConvSize(8, ("11", "22"))
PLANES_TO_LEAD = "333444555666778899TJ"  # 20 cards: planes of two to four trios, with kickers of every kind


def net_of(roles="outputs", batch_norm=False, **size):
    torch.manual_seed(3)
    sizes = [replace(one, batch_norm=batch_norm) for one in TINY]
    return DeepRocket(GAME, Size(*sizes, roles=roles, **size)).eval()


def inputs_from(views):
    arrays = arrays_of(views, 18) | {"objective": np.zeros(len(views), np.int64)}
    return Inputs(**{name: torch.as_tensor(arrays[name]) for name in Inputs._fields})


def pairs_from(legals):
    counts = torch.tensor([len(legal) for legal in legals])
    return torch.repeat_interleave(torch.arange(len(legals)), counts), torch.as_tensor(np.concatenate(legals)).long()


def real_positions(deals, every=5):
    """Views and legal plays of random games."""
    for index in range(deals):
        state, choose = reference.deal(GAME, 8, index), Random(index)
        while not state.over:
            legal = reference.legal(state)
            if len(state.history) % every == 0:
                yield reference.view(state), legal
            state = reference.step(state, choose.choice(legal.tolist()))


def many_kickers():
    """The lead of the landlord who holds many planes."""
    view = position(GAME, hand=PLANES_TO_LEAD, role="landlord", public="9TJ")
    return view, legal_plays(view)


# -- what the nets read -----------------------------------------------------------------------------------------------


def count_rows(cards):
    return [[count >= n for n in (1, 2, 3, 4)] for count in GAME.deck.counts(cards)]


def plain_planes(view):
    """[21, 15, 19] of one view, cell by cell, without the context."""
    planes = np.zeros((PLANES, 15, 19), bool)
    latest = view.history[-18:]
    before = sum(view.played) - sum(turn.cards for turn in latest)
    planes[0, :, :4], planes[19, :, :4], planes[20, :, :4] = map(count_rows, (before, view.unseen, view.hand))
    for back, turn in enumerate(reversed(latest)):
        assert turn.seat == 2 - back % 3
        plane = planes[1 + 3 * (5 - back // 3) + turn.seat]  # the latest round last; me, next, previous
        plane[:, :4] = count_rows(turn.cards)
        main = LABELS.main[LABELS.label_of[turn.play]]
        plane[(main > 0) | (turn.play == PASS), 4 + FAMILIES.index(TABLE.family[turn.play])] = True
    for plane, cards in ((19, view.unseen), (20, view.hand)):
        counts = np.array(GAME.deck.counts(cards))
        for main, size, family in zip(LABELS.main[1:], LABELS.size[1:], LABELS.families[1:], strict=True):
            if (main <= counts).all() and size <= counts.sum():
                planes[plane, main > 0, 4 + FAMILIES.index(family)] = True
    return planes


def test_the_planes_of_table_2():
    views = [view for view, _ in real_positions(4, every=7)]
    assert max(len(view.history) for view in views) > 30
    found = PlaneEncoder(GAME, context=False).planes(inputs_from(views), torch.float32)
    assert found.shape == (len(views), PADDED_PLANES, 15, 4 + 15)
    assert not found[:, PLANES:].any()
    np.testing.assert_array_equal(found[:, :PLANES].numpy(), np.stack([plain_planes(view) for view in views]))


def test_the_context_is_in_the_first_plane_alone():
    view = next(view for view, _ in real_positions(1) if len(view.history) > 20 and view.landlord == 1)
    plain, told = (PlaneEncoder(GAME, context).planes(inputs_from([view]), torch.float32)[0] for context in (False, True))
    assert torch.equal(plain[1:], told[1:])
    assert torch.equal(plain[0, :, :4], told[0, :, :4])
    cells = told[0, :, 4:].numpy()
    assert cells[:, 0].sum() == min(15, view.left[1])
    assert cells[:, 1].sum() == min(15, view.left[2])
    np.testing.assert_array_equal(cells[:, 2:6], count_rows(view.public))
    assert cells[:, 6:9].tolist() == [[0, 0, 1]] * 15  # the next seat is the landlord
    assert cells[:, 9].all() == (view.last == PASS)
    assert not cells[:, 10:].any()


def test_roles():
    landlord = torch.tensor([0, 2, 1])  # relative: me, the seat before me, the seat after me
    assert PlaneEncoder(GAME).role(landlord).tolist() == [0, 1, 2]


def test_the_planes_of_a_kicker():
    """333 444 with two solos, of which 7 is chosen."""
    net, (view, legal) = net_of(), many_kickers()
    prefixes = net.paths(*pairs_from([legal])).prefixes
    label = LABELS.names.index("333444 + 2 solos")
    seven = 1 << 4 * RANKS.index("7")
    (which,) = torch.nonzero((prefixes.labels == label) & (prefixes.taken == seven))[:, 0].tolist()
    asked = prefixes.at(torch.tensor([which]))
    planes = net.encoder.kicker_planes(inputs_from([view]), asked, torch.float32)[0].numpy()
    assert planes.shape == (KICKER_PLANES, 15, KICKER_ROWS)
    left = GAME.deck.counts(view.hand)
    left = [count - 3 * (rank < 2) - (rank == 4) for rank, count in enumerate(left)]
    cells = {"".join(RANKS[i] for i in np.flatnonzero(row)) for row in planes[0].T[7:]}
    assert cells == {"789TJ", ""}  # solos from 7 on, no pairs
    assert planes[0, :, :3].tolist() == [[0, 1, 0]] * 15  # no pair; the landlord
    np.testing.assert_array_equal(planes[0, :, 3:7], [[count >= n for n in (1, 2, 3, 4)] for count in left])
    assert not planes[1, :, :4].any()  # nothing is played yet
    assert planes[1].sum(0)[4:].tolist() == [2, 0, 2, 1, 15]  # 3 and 4; nothing to beat; two kickers, one to come; leads
    np.testing.assert_array_equal(planes[2, :, :4], count_rows(view.unseen))
    assert planes[2].sum(0)[4:8].tolist() == [5, 1, 15, 15]
    assert planes[2, :, 8].tolist() == [0] * 15  # others have the big joker


# -- kickers in sequence ----------------------------------------------------------------------------------------------


def plain_prefixes(rows, plays):
    """What may come next by (position, label, kickers so far), where that is a choice."""
    nexts = defaultdict(set)
    for row, play in zip(rows.tolist(), plays.tolist(), strict=True):
        path = [kicker for kicker in LABELS.kickers[play].tolist() if kicker != NO_KICKER]
        for depth, kicker in enumerate(path):
            nexts[row, int(LABELS.label_of[play]), tuple(path[:depth])].add(kicker)
    return {prefix: kickers for prefix, kickers in nexts.items() if len(kickers) > 1}


def test_all_prefixes_are_found_once():
    _, legals = zip(many_kickers(), *real_positions(6, every=3), strict=True)
    rows, plays = pairs_from(legals)
    prefixes, expected = net_of().paths(rows, plays).prefixes, plain_prefixes(rows, plays)
    assert max(len(path) for _, _, path in expected) == 3
    cards = [count << 4 * rank for count, rank in LABELS.kicker_kinds]
    by_cards = {(row, label, sum(cards[kicker] for kicker in path)): nexts for (row, label, path), nexts in expected.items()}
    depths = {(row, label, sum(cards[kicker] for kicker in path)): len(path) for row, label, path in expected}
    keys = list(zip(prefixes.rows.tolist(), prefixes.labels.tolist(), prefixes.taken.tolist(), strict=True))
    assert len(keys) == len(set(keys)) == len(expected)
    for key, allowed, depth in zip(keys, prefixes.allowed, prefixes.depth.tolist(), strict=True):
        assert set(torch.nonzero(allowed)[:, 0].tolist()) == by_cards[key]
        assert depth == depths[key]


@torch.no_grad()
def test_a_play_is_its_label_and_its_kickers_one_by_one():
    """Kickers are asked for one after the other here, each with a call of the net of its own."""
    net, (view, legal) = net_of(), many_kickers()
    rows, plays = pairs_from([legal])
    seen = inputs_from([view])
    values, of_labels = net(seen, rows, plays), net.label_log_probs(seen, rows, plays)[0]
    prefixes = net.paths(rows, plays).prefixes
    number = {key: i for i, key in enumerate(zip(prefixes.labels.tolist(), prefixes.taken.tolist(), strict=True))}
    for play, value in list(zip(legal.tolist(), values.tolist(), strict=True))[::17]:
        label, taken = int(LABELS.label_of[play]), 0
        expected = float(of_labels[label])
        for kicker in (kicker for kicker in LABELS.kickers[play].tolist() if kicker != NO_KICKER):
            if (label, taken) in number:
                one = prefixes.at(torch.tensor([number[label, taken]]))
                expected += float(net.kicker_log_probs(seen, one)[0, kicker])
            count, rank = LABELS.kicker_kinds[kicker]
            taken += count << 4 * rank
        assert value == pytest.approx(expected, abs=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("roles", ["models", "outputs"])
def test_probabilities_of_the_legal_plays_add_up_to_one(roles):
    net = net_of(roles)
    views, legals = zip(many_kickers(), *real_positions(12), strict=True)
    rows, plays = pairs_from(legals)
    prefixes = net.paths(rows, plays).prefixes
    assert {LABELS.families[label] for label in prefixes.labels.tolist()} > {"plane+solos", "plane+pairs", "trio+solo"}
    values = net(inputs_from(views), rows, plays)
    total = torch.zeros(len(views)).scatter_add(0, rows, values.exp())
    torch.testing.assert_close(total, torch.ones(len(views)), rtol=0, atol=1e-4)


def test_losses_are_those_of_the_plays_made_and_reach_all_weights():
    net = net_of("models").train()
    views, legals = zip(many_kickers(), *real_positions(8), strict=True)
    rows, plays = pairs_from(legals)
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), torch.tensor([len(legal) for legal in legals]).cumsum(0)])[:-1]
    chosen = starts + torch.tensor([Random(i).randrange(len(legal)) for i, legal in enumerate(legals)])
    questions = net.encode(inputs_from(views), rows, plays, chosen)
    predictions = net.predict(questions)
    labels, kickers = predictions.losses()
    values = net(inputs_from(views), rows, plays)[chosen]
    assert len(labels) == len(views)
    assert len(kickers) > 0
    torch.testing.assert_close(labels.sum() + kickers.sum(), -values.sum())
    correct, kicker_correct = predictions.correct()
    assert 0 < correct.sum() < len(views)
    assert torch.equal(correct, predictions.labels.max(1).values == -labels)
    assert torch.equal(kicker_correct, predictions.kickers.max(1).values == -kickers)
    (labels.mean() + kickers.mean()).backward()
    assert all(weight.grad is not None and weight.grad.any() for weight in net.parameters())
    parts = [net.predict(part) for part in questions.split(5)]
    assert {len(part.label) for part in parts[:-1]} == {5}
    for whole, pieces in zip(predictions, zip(*parts, strict=True), strict=True):
        torch.testing.assert_close(torch.cat(pieces), whole)


# -- size -------------------------------------------------------------------------------------------------------------


def test_the_nets_of_the_paper_cost_at_most_three_gigaflops():
    net = DeepRocket(GAME, Size(roles="outputs"))
    (policy,) = net.policies
    assert [sum(isinstance(layer, torch.nn.Conv2d) for layer in part.layers) for part in (policy, net.kicker)] == [10, 5]
    assert policy.answer.out_features == 3 * 309
    assert net.kicker.answer.out_features == 28
    with FlopCounterMode(display=False) as counted:
        policy(torch.zeros(1, PADDED_PLANES, 15, 19))
    assert 2.5e9 < counted.get_total_flops() < 3e9
    convolutions = sum(weight.numel() for layer in policy.layers for weight in layer.parameters())
    assert 21e6 < convolutions < 22e6


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: ConvSize(8, ("1",)), "strides '1': two digits"),
        (lambda: ConvSize(8, ()), "strides ''"),
        (lambda: ConvSize(8, ("14",)), "strides '14'"),
        (lambda: ConvSize(0, ("11",)), "filters 0"),
        (lambda: Size(roles="two"), "roles 'two': there are models, outputs"),
        (lambda: DeepRocket(games.load("zsy2"), Size()), "play doudizhu, not zsy2"),
    ],
)
def test_settings_that_make_no_net(make, complaint):
    with pytest.raises(BadInput, match=complaint):
        make()


# -- at the table -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["models", "outputs"])
def net_and_file(request, tmp_path_factory):
    """Three nets without normalisation, and one with it and with running means of its own."""
    normalised = request.param == "outputs"
    net = net_of(request.param, batch_norm=normalised)
    for layer in (layer for layer in net.modules() if isinstance(layer, torch.nn.BatchNorm2d)):
        layer.running_mean.normal_(0, 0.1)
        layer.running_var.uniform_(0.5, 2)
    path = tmp_path_factory.mktemp("models") / "rocket.onnx"
    path.write_bytes(to_onnx(net, GAME, {}))
    return halved(net), path


def test_an_exported_model_is_one_file_that_plays_as_its_nets(net_and_file):
    net, path = net_and_file
    agent = agents.load(str(path), GAME)
    found = compare(net, agent, GAME, positions=60)
    assert found.differences["value"] < 1e-4
    assert found.same_choice == 1.0
    view, legal = many_kickers()
    with torch.no_grad():
        expected = net(inputs_from([view]), *pairs_from([legal]))
    np.testing.assert_allclose(agent.values(view, legal), expected, atol=1e-4)
    check_agent(lambda: agents.load(str(path), GAME), GAME, games=2)


def test_batches_have_the_values_of_single_games(net_and_file, monkeypatch):
    net, path = net_and_file
    engine, agent, single = BatchEngine(GAME), PolicyNetAgent(GAME, net), agents.load(str(path), GAME)
    monkeypatch.setattr(onnx_model, "PAIRS_AT_ONCE", 50)  # pieces of games would change the probabilities
    exported = load_batch(str(path), GAME)
    state = engine.deal(12, 7)
    twins = [reference.deal(GAME, 7, i) for i in range(12)]
    while len(state.running):
        view, legal = engine.view(state), engine.legal(state)
        values = agent.values(view, legal)
        torch.testing.assert_close(values.double(), exported.values(view, legal), rtol=0, atol=1e-4)
        running = [twins[i] for i in state.running.tolist()]
        one = single.estimate_many([reference.view(twin) for twin in running], [reference.legal(twin) for twin in running])
        np.testing.assert_allclose(values, np.concatenate([part.value for part in one]), atol=1e-4)
        plays = agent.act(view, legal)
        for i, play_id in zip(state.running.tolist(), plays.tolist(), strict=True):
            twins[i] = reference.step(twins[i], play_id)
        state = engine.step(state, plays)


def test_an_agent_on_tensors_plays_whole_games_and_learns_new_weights():
    engine, agent = BatchEngine(GAME), PolicyNetAgent(GAME, net_of("outputs", context=False))
    played = batch_play.play(engine, [agent] * 3, None, engine.deal(6, 2))
    assert (played.won.sum(1) > 0).all()
    other = net_of("outputs", context=False)
    with torch.no_grad():
        other.policies[0].answer.weight *= 2
    agent.refresh(other)
    assert torch.equal(agent.net.policies[0].answer.weight, other.policies[0].answer.weight)


def test_pieces_hold_whole_games():
    engine = BatchEngine(GAME)
    legal = engine.legal(engine.deal(40, 1))
    for pairs, positions in ((1, 100), (200, 100), (10**6, 7), (10**6, 100)):
        pieces = list(whole_positions(legal, pairs, positions))
        assert [i for games, _ in pieces for i in range(games.start, games.stop)] == list(range(40))
        assert [i for _, part in pieces for i in range(part.start, part.stop)] == list(range(len(legal.plays)))
        assert all(set(legal.rows[part].tolist()) == set(range(games.start, games.stop)) for games, part in pieces)
        assert all(len(legal.plays[part]) <= pairs or games.stop - games.start == 1 for games, part in pieces)
        assert all(games.stop - games.start <= positions for games, _ in pieces)


def test_turns_that_were_not_played_are_blank():
    view = reference.view(reference.deal(GAME, 3))
    seen = inputs_from([view])
    assert (seen.history_by == NOBODY).all()
    assert not PlaneEncoder(GAME).planes(seen, torch.float32)[0, 1:19].any()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu_values_are_close():
    net = net_of("models")
    on_cpu, on_gpu = BatchEngine(GAME), BatchEngine(GAME, "cuda")
    values = []
    for engine, agent in ((on_cpu, PolicyNetAgent(GAME, net)), (on_gpu, PolicyNetAgent(GAME, net.to("cuda")))):
        state = engine.deal(50, 4)
        values.append(agent.values(engine.view(state), engine.legal(state)).float().cpu())
    torch.testing.assert_close(*values, rtol=0, atol=0.1)
    view = on_gpu.view(on_gpu.deal(2, 0))
    planes = net.encoder.planes(inputs_of(view, torch.zeros_like(view.last)), torch.bfloat16)
    assert planes.is_contiguous(memory_format=torch.channels_last)
