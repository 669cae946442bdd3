"""A policy gradient against earlier versions, as the second stage of AlphaGo (Silver et al. 2016).

    net = start("policy-gradient", Args("doudizhu", init="runs/doudizhu-supervised", minutes=5), RunFolder(path), report=print)

The net has learned from games of others first. In every game it has one side and an earlier version of it, drawn at random, the
other; all plays are drawn from the policies. log P of each play of the net moves with the result of its game, 1 or -1, less the
mean result of its role.

B games, S seats, D decisions.
"""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.policy_net import PolicyNetAgent
from shangyou.engines.batch import Legal, View
from shangyou.games import BadInput
from shangyou.nets.deeprocket import DeepRocket, Size
from shangyou.nets.deeprocket.planes import ROLES
from shangyou.training.algorithm import Algorithm, Run
from shangyou.training.reinforce import Batch, SampledArgs, minibatches, sample
from shangyou.training.self_play import seats_with_partners
from shangyou.training.supervised.imitation import load_policy, make_net


@dataclass(frozen=True)
class Args(SampledArgs):
    init: str = ""  # the run of supervised whose net to begin with
    batch: int = 8_192
    minibatch: int = 4_096
    lr: float = 2e-5
    clip: float = 1.0  # the greatest norm of a gradient
    opponents_a_batch: int = 4  # versions drawn for a batch
    every: int = 5  # batches until the net becomes a version
    versions: int = 20  # stored; the oldest but the first gives way
    size: Size = field(default_factory=Size)  # follows from the net to begin with

    def __post_init__(self) -> None:
        for name in ("opponents_a_batch", "every", "versions"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} {getattr(self, name)}: at least 1 is needed")


def train(args: Args, run: Run) -> DeepRocket:
    first = load_start(args, run)
    run.args = args = replace(args, size=first.size)
    net: DeepRocket = deepcopy(first).to(run.device, memory_format=torch.channels_last).train()  # type: ignore[call-overload]
    optimiser = torch.optim.Adam(net.parameters(), args.lr, fused=run.device.type == "cuda")
    run.restore(net, optimiser)
    run.rivals["start"] = PolicyNetAgent(run.game, first, "start")
    player, progress, versions = PolicyNetAgent(run.game, net), run.progress, Versions(args, run, first)
    sampler = PolicySampler(player, run.device)
    seats = seats_with_partners(run.game, args.batch, args.opponents_a_batch, 1.0, run.device)

    def state() -> dict[str, Any]:
        return {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "versions": versions.state()}

    for left in run.steps(state, lambda: player):
        for group in optimiser.param_groups:
            group["lr"] = args.lr * left
        seed = args.seed * 1_000_003 + progress.iterations
        sampler.generator.manual_seed(seed)
        with run.timed("acting"):
            batch = sample(run, args, [sampler, *versions.drawn(seed)], seats)
        with run.timed("learning"):
            surprises = [step(net, optimiser, part, args) for part in with_advantages(net, batch, args, sampler.generator)]
            player.refresh(net)
        progress.loss = float(torch.stack(surprises).mean())
        progress.metrics |= {"won": float((batch.reward > 0).float().mean()), "versions": float(len(versions.agents))}
        progress.count(args.batch, len(batch.chosen), len(batch.chosen), len(batch.legal.plays))
        if (progress.iterations + 1) % args.every == 0:
            versions.add(net)
    return net


def load_start(args: Args, run: Run) -> DeepRocket:
    if not args.init:
        raise BadInput("there is no net to begin with: --set init=RUN names a run of supervised")
    return load_policy("init", args.init, run)


class PolicySampler(Sampler):
    """Draws every play from the policy."""

    def logits(self, view: View, legal: Legal) -> Tensor:
        return self.player.values(view, legal)


class Versions:
    """The net as it was now and then, from its start on."""

    def __init__(self, args: Args, run: Run, first: DeepRocket) -> None:
        self.args, self.run, self.net = args, run, deepcopy(first)
        self.agents = [PolicyNetAgent(run.game, first)]
        for weights in (run.resumed or {}).get("versions", [])[1:]:
            self.net.load_state_dict(weights)
            self.add(self.net)

    def add(self, net: DeepRocket) -> None:
        self.agents.append(PolicyNetAgent(self.run.game, net))
        if len(self.agents) > self.args.versions:
            del self.agents[min(1, len(self.agents) - 2)]

    def drawn(self, seed: int) -> list[PolicySampler]:
        drawn = [
            PolicySampler(agent, self.run.device) for agent in Random(seed).choices(self.agents, k=self.args.opponents_a_batch)
        ]
        for number, sampler in enumerate(drawn, 1):
            sampler.generator.manual_seed(seed + 7_919 * number)
        return drawn

    def state(self) -> list[dict[str, Tensor]]:
        return [agent.net.state_dict() for agent in self.agents]


def with_advantages(net: DeepRocket, batch: Batch, args: Args, generator: torch.Generator) -> list[Batch]:
    """Every decision once. The mean reward of its role, which hardly depends on a single play, is taken off the reward."""
    role = net.encoder.role(batch.seen.landlord)
    sums, counts = (torch.zeros(ROLES, device=role.device) for _ in range(2))
    mean = sums.index_add(0, role, batch.reward) / counts.index_add(0, role, torch.ones_like(batch.reward)).clamp(min=1)
    return list(minibatches(batch._replace(reward=batch.reward - mean[role]), args.minibatch, generator))


def step(net: DeepRocket, optimiser: torch.optim.Optimizer, batch: Batch, args: Args) -> Tensor:
    """One step of the optimiser; the mean of -log P of the plays."""
    device = batch.reward.device.type
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        questions = net.encode(batch.seen, batch.legal.rows, batch.legal.plays, batch.chosen)
        labels, kickers = net.predict(questions).losses()
    loss = (batch.reward * labels).sum() + (batch.reward[questions.row] * kickers).sum()
    optimiser.zero_grad(set_to_none=True)
    (loss / len(questions)).backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(net.parameters(), args.clip)
    optimiser.step()
    return (labels.sum() + kickers.sum()).detach() / len(questions)


ALGORITHM = Algorithm(Args, train, make_net, cpu={"batch": 128, "minibatch": 512, "eval_deals": 50})
