"""Double DQN finds the best reply: on a game so small that all its deals can be enumerated, Q is what the rules say it is.

Four seats with two cards each of the ranks 3, 4, 5 and 6. Seat 0 learns, the others are greedy: what seat 0 sees has one best
reply, and its value is a sum over the deals it may be in.
"""

from collections import defaultdict
from dataclasses import replace
from functools import cache, cached_property
from itertools import product
from math import comb
from types import SimpleNamespace

import torch

from engines.toy_games import ToyGame
from shangyou.agents import load
from shangyou.agents.batch.value_net import QNetAgent
from shangyou.agents.models.net_agent import arrays_of
from shangyou.engines import reference
from shangyou.engines.batch import BatchEngine
from shangyou.games import Deck
from shangyou.games.game import Deal
from shangyou.games.table import equals
from shangyou.nets.inputs import Inputs
from shangyou.nets.q_net import QNet
from shangyou.nets.value_net import Size
from shangyou.training.ddqn import double_dqn as ddqn

RANKS, COPIES = 4, 2
ARGS = replace(
    ddqn.Args("zsy4"), device="cpu", games=1024, steps=16, minibatch=512, capacity=50_000, lr=3e-3, epsilon=0.3, discount=0.9,
    n_step=1, target_every=20, others="bots", size=Size(trunk=64, trunk_depth=1, head=64, head_depth=1, turns=8),
)  # fmt: skip
BATCHES = 40


class TinyDeck(Deck):
    @cached_property
    def kinds(self) -> dict[tuple[int, int], int]:
        return {(rank, 0): COPIES for rank in range(RANKS)}


class TinyGame(ToyGame):
    seats = 4
    outs_to_end = 3

    def __init__(self) -> None:
        super().__init__([*equals("single", 1, RANKS), *equals("pair", 2, RANKS)], TinyDeck())

    def hand_sizes(self, first: int) -> tuple[int, ...]:
        return (2,) * 4


GAME, GREEDY = TinyGame(), load("greedy")


def all_deals() -> list[tuple[reference.State, int]]:
    """Every deal as a start, and in how many ways the cards can come to it."""
    hands = [counts for counts in product(range(3), repeat=RANKS) if sum(counts) == 2]
    starts = []
    for first_three in product(hands, repeat=3):
        last = tuple(COPIES - sum(column) for column in zip(*first_three, strict=True))
        if min(last) >= 0:
            dealt, ways, left = (*first_three, last), 1, [COPIES] * RANKS
            for hand in dealt:
                for rank, count in enumerate(hand):
                    ways *= comb(left[rank], count)
                    left[rank] -= count
            cards = tuple(sum(count << 4 * rank for rank, count in enumerate(hand)) for hand in dealt)
            starts += [(reference.start(GAME, Deal(cards, first)), ways) for first in range(4)]
    return starts


States = list[tuple[reference.State, int]]


def until_my_turn(states: States) -> States:
    """Where seat 0 is to act; games in which it is out, or that are over, are left out."""
    found = []
    for state, ways in states:
        while not state.over and state.hands[0] and state.turn != 0:
            state = _greedy_turn(state)
        if not state.over and state.hands[0]:
            found.append((state, ways))
    return found


@cache
def _greedy_turn(state: reference.State) -> reference.State:
    return reference.step(state, GREEDY.act(reference.view(state), reference.legal(state)))


def best_replies(states: States, solved: list) -> float:
    """The rewards that seat 0 can expect from its next turn on, times all ways.

    What it sees as long as it plays best is noted in `solved`: the view, Q of every legal play, the ways to come there.
    """
    seen = defaultdict(list)
    for state, ways in until_my_turn(states):
        view = reference.view(state)
        seen[view.hand, view.history].append((state, ways))
    total = 0.0
    for group in seen.values():
        ways, values, below = sum(ways for _, ways in group), {}, {}
        for play in reference.legal(group[0][0]).tolist():
            after = [(reference.step(state, play), ways) for state, ways in group]
            wins = sum(ways for state, ways in after if state.places[0] == 1)
            later = best_replies(after, below.setdefault(play, []))
            values[play] = 0.25 * int(GAME.table.size[play]) + (wins + ARGS.discount * later) / ways
        best = max(values, key=values.get)
        solved += [(reference.view(group[0][0]), values, ways), *below[best]]
        total += ways * max(values.values())
    return total


def trained_net() -> QNet:
    engine = BatchEngine(GAME)
    net = ddqn.make_net(ARGS, GAME)
    player, learner = QNetAgent(engine, net), ddqn.Learner(ARGS, engine, net, torch.optim.Adam(net.parameters()))
    table = ddqn.Table(ARGS, SimpleNamespace(engine=engine, game=GAME, device=engine.device, resumed=None), player)
    for batch in range(BATCHES):
        learner.replay.add(table.play(batch, ARGS.epsilon, seed=batch)[0])
        learner.learn(1 - batch / BATCHES, seed=batch)
        player.refresh(net)
    return net


@torch.no_grad()
def q_of(net: QNet, views: list[reference.View], plays: list[list[int]]) -> list[torch.Tensor]:
    """Q of the plays in each position."""
    arrays = arrays_of(views, ARGS.size.turns) | {"objective": torch.zeros(len(views), dtype=torch.long)}
    counts = [len(choices) for choices in plays]
    rows = torch.arange(len(views)).repeat_interleave(torch.tensor(counts))
    seen = Inputs(**{name: torch.as_tensor(arrays[name]) for name in Inputs._fields})
    return list(net(seen, rows, torch.tensor([play for choices in plays for play in choices])).split(counts))


def test_q_is_the_value_of_the_best_reply_to_three_greedy():
    starts, solved = all_deals(), []
    best = best_replies(starts, solved) / sum(ways for _, ways in starts)
    assert 0.5 < best < 1.5
    choices = [(view, values, ways) for view, values, ways in solved if len(values) > 1]
    assert len(choices) > 400
    found = q_of(trained_net(), [view for view, _, _ in choices], [list(values) for _, values, _ in choices])
    exact = [torch.tensor(list(values.values())) for _, values, _ in choices]
    ways = torch.tensor([float(ways) for _, _, ways in choices])
    weights = ways / ways.sum()
    errors = torch.stack([(mine.max() - true.max()).abs() for mine, true in zip(found, exact, strict=True)])
    lost = torch.stack([true.max() - true[mine.argmax()] for mine, true in zip(found, exact, strict=True)])
    assert (weights * errors).sum() < 0.02
    assert (weights * lost).sum() < 0.005
