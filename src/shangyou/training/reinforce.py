"""REINFORCE: a policy gradient with a baseline (Williams 1992).

    net = start("reinforce", Args("zsy2", minutes=3, device="cpu"), RunFolder(path), report=print)

The policy is the softmax of a net's first answer over the legal plays of a position. The log probability of every play that was
sampled moves with its advantage: the reward of the game less what was to be expected of the position. That is the mean of the
net's second answer under the policy; the second answer learns the reward of the play that was made. Since the baseline does not
depend on that play, the gradient is unbiased.

D decisions, N legal plays of all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent, first_best, load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.play import Decision, in_order, play, slice_of
from shangyou.agents.batch.value_net import TorchNetAgent
from shangyou.engines.batch import Legal, View
from shangyou.games import BadInput
from shangyou.nets.inputs import Inputs, inputs_of, join
from shangyou.nets.spec import WIN
from shangyou.nets.value_net import Size, ValueNet
from shangyou.training.algorithm import Algorithm, Run, TimedArgs
from shangyou.training.dmc import FOR_CPU, make_net
from shangyou.training.dmc import PRESETS as DMC_PRESETS
from shangyou.training.self_play import seats_with_partners


@dataclass(frozen=True)
class SampledArgs(TimedArgs):
    """Of an algorithm that learns from games in which its plays are drawn from a policy."""

    batch: int = 16_384  # games played before learning from them
    minibatch: int = 8_192  # decisions a step of the optimiser
    lr: float = 1e-3  # falls to nothing
    reward: str = "win"  # 1 for a win and -1 else; or points, in units of points_scale
    points_scale: float = 1.0


@dataclass(frozen=True)
class Args(SampledArgs):
    entropy: float = 0.01  # weight of the policy's entropy in the objective; falls to nothing
    value_weight: float = 0.5  # of the baseline's squared error
    sparring: tuple[str, ...] = ()  # agents that have one side in a share of the games
    sparring_share: float = 0.4
    init: str = ""  # the run whose net to begin with, of any size
    size: Size = field(default_factory=Size)


def train(args: Args, run: Run) -> ValueNet:
    net = make_net(args, run.game).to(run.device)
    if args.init and run.resumed is None:
        net = run.load_net(args.init)
        run.args = args = replace(args, size=net.size, points_scale=net.points_scale)
    if args.size.opponent_kind:
        raise BadInput("size.opponent_kind=true: only the nets of dmc have the kind of opponent as an input")
    optimiser = torch.optim.Adam(net.parameters(), lr=args.lr)
    run.restore(net, optimiser)
    player, progress = TorchNetAgent(run.game, net), run.progress
    sampler, partners = PolicySampler(player, run.device), [load_batch(name, run.game) for name in args.sparring]
    seats = seats_with_partners(run.game, args.batch, len(partners), args.sparring_share, run.device)
    for left in run.learn(net, optimiser, lambda: player):
        for group in optimiser.param_groups:
            group["lr"] = args.lr * left
        sampler.generator.manual_seed(args.seed * 1_000_003 + progress.iterations)
        with run.timed("acting"):
            batch = sample(run, args, [sampler, *partners], seats)
        with run.timed("learning"):
            results = [step(net, optimiser, part, args, left) for part in minibatches(batch, args.minibatch, sampler.generator)]
            player.refresh(net)
        progress.loss, progress.metrics["entropy"] = torch.stack(results).mean(0).tolist()
        progress.count(args.batch, len(batch.chosen), len(batch.chosen), len(batch.legal.plays))
    return net


class PolicySampler(Sampler):
    """Draws every play from the policy."""

    player: TorchNetAgent

    def logits(self, view: View, legal: Legal) -> Tensor:
        return self.player.answers(view, legal, torch.full_like(view.last, WIN))[:, 0]


class Batch(NamedTuple):
    """Decisions of the sampler."""

    seen: Inputs  # [D]
    legal: Legal  # of D decisions
    chosen: Tensor  # [D] where in `legal` the plays that were made stand
    reward: Tensor  # [D]


def sample(run: Run, args: SampledArgs, agents: Sequence[BatchAgent], seats: Tensor) -> Batch:
    """Games of the sampler, the first of the agents, with itself and with others."""
    noted: list[tuple[Inputs, Tensor, Tensor, Tensor, Tensor, Tensor]] = []

    def note(decision: Decision) -> None:
        count, mine = decision.ends[0], decision.asked[: decision.ends[0]]
        if count:
            legal = slice_of(decision.choices, (0, count), (0, decision.play_ends[0]))
            seen, games = decision.seen.at(slice(count)), decision.games[mine]
            inputs = inputs_of(seen, torch.full_like(seen.last, WIN))
            noted.append((inputs, legal.counts, legal.plays, decision.plays[mine], games, decision.seat[mine]))

    played = play(run.engine, agents, seats, run.engine.deal(args.batch, args.seed, run.progress.iterations * args.batch), note)
    seen, *columns = zip(*noted, strict=True)
    counts, plays, made, game, seat = (torch.cat(column) for column in columns)
    legal = Legal.of(counts, plays)
    chosen = torch.nonzero(plays == made[legal.rows])[:, 0]
    points, won = played.results[:, game, seat].float()
    return Batch(join(list(seen)), legal, chosen, points / args.points_scale if args.reward == "points" else 2 * won - 1)


def minibatches(batch: Batch, size: int, generator: torch.Generator) -> Iterator[Batch]:
    """Every decision once."""
    order = torch.randperm(len(batch.chosen), generator=generator, device=batch.chosen.device)
    for rows in torch.split(order, size):
        legal = in_order(batch.legal, rows)
        chosen = batch.chosen[rows] - batch.legal.starts[rows] + legal.starts[:-1]
        yield Batch(batch.seen.at(rows), legal, chosen, batch.reward[rows])


def step(net: ValueNet, optimiser: torch.optim.Optimizer, batch: Batch, args: Args, left: float) -> Tensor:
    """One step of the optimiser; [2] its loss and the mean entropy of the policy."""
    rows, decisions = batch.legal.rows, len(batch.chosen)
    logits, values = net.answer(net.features(batch.seen, rows, batch.legal.plays.long()).float()).unbind(1)
    log_policy = logits - log_sums(logits, batch.legal)[rows]
    policy = log_policy.exp()
    expected = values.new_zeros(decisions).index_add(0, rows, (policy * values).detach())
    entropy = -(policy * log_policy).sum() / decisions
    gain = ((batch.reward - expected) * log_policy[batch.chosen]).mean() + args.entropy * left * entropy
    loss = args.value_weight * (batch.reward - values[batch.chosen]).square().mean() - gain
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    return torch.stack([loss, entropy]).detach()


def log_sums(logits: Tensor, legal: Legal) -> Tensor:
    """[D] the logarithm of the sum of the exponentials of each decision's logits."""
    highest = logits.detach()[first_best(logits.detach(), legal)]
    return highest + torch.zeros_like(highest).index_add(0, legal.rows, (logits - highest[legal.rows]).exp()).log()


PRESETS = {"zsy2": {name: DMC_PRESETS["zsy2"][name] for name in ("opponents", "size")}}
ALGORITHM = Algorithm(Args, train, make_net, PRESETS, FOR_CPU | {"batch": 256, "minibatch": 1024})
