"""Stacks of nets that learn from the same decisions, each net by a recipe of its own.

    learner = Learner(game, {"a": DEEP_Q, "b": DEEP_Q}, {"a": Recipe(), "b": Recipe(loss="swapped")}, device, seed=0)
    learner.attach(buffer, batch=4096)
    learner.step(rows)  # one step of Adam for every net

K nets of a stack, N decisions of a batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.nets.papers import Ensemble, NetSpec, Stack, StoredNets, stored_net
from shangyou.nets.papers.encoding import DualEncoder, EncodedBatch
from shangyou.training.cuda_graph import CudaGraphStep
from shangyou.training.game_buffer import GameBuffer

FLOOR = 1e-7  # the papers' framework adds it before it takes a logarithm
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # of Adam


@dataclass(frozen=True)
class Recipe:
    """How one net learns."""

    lr: float = 1e-3
    loss: str = "log"  # cross entropy; or swapped, as the papers ran it, with output and target in each other's place
    reward_discount: float = 1.0  # R: the target is (1 +- R^k)/2, k own moves before the end
    cost_discount: float = 1.0  # C: a decision weighs C^k
    l2: float = 0.0  # times the sum of squares of all weights, added to the loss

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise BadInput(f"loss {self.loss!r}: there are {' and '.join(LOSSES)}")


class StackOptimizer:
    """A stack, the recipes of its nets, and Adam's memory of them."""

    def __init__(self, stack: Stack, recipes: Sequence[Recipe]) -> None:
        device = stack.slopes.device
        self.stack = stack
        self.parameters = list(stack.parameters())
        self.first = [torch.zeros_like(weight) for weight in self.parameters]
        self.second = [torch.zeros_like(weight) for weight in self.parameters]
        self.steps = torch.zeros((), device=device)
        self.full_lr = _column([recipe.lr for recipe in recipes], device)[:, None]  # [K, 1, 1]
        self.lr = self.full_lr.clone()
        self.alive = torch.ones_like(self.lr)
        self.reward = _column([recipe.reward_discount for recipe in recipes], device)  # [K, 1], as all below
        self.cost = _column([recipe.cost_discount for recipe in recipes], device)
        self.l2 = _column([recipe.l2 for recipe in recipes], device)[:, None]  # [K, 1, 1]
        self.shrinks = any(recipe.l2 for recipe in recipes)
        self.kinds = {recipe.loss for recipe in recipes}
        self.swapped = _column([recipe.loss == "swapped" for recipe in recipes], device)

    def losses(self, encoded: EncodedBatch, won: Tensor, to_end: Tensor, loss: str = "") -> Tensor:
        """[K] of decisions [N]: inputs of the nets, whether they won (or a teacher's chance of it), own moves to come.

        With `loss`, by that one and undiscounted, whatever the recipes say.
        """
        with torch.autocast(won.device.type, torch.bfloat16, enabled=won.is_cuda):
            logits = self.stack(encoded)
        if loss:
            return LOSSES[loss](logits, won.expand_as(logits)).mean(1)
        target = (1 + (2 * won - 1) * self.reward**to_end) / 2
        losses = [LOSSES[kind](logits, target) for kind in sorted(self.kinds)]
        chosen = losses[0] if len(losses) == 1 else torch.where(self.swapped, losses[1], losses[0])
        return (self.cost**to_end * chosen).mean(1)

    @torch.no_grad()
    def adam(self) -> None:
        """One step for every net that is alive."""
        self.steps += 1
        unbiased = [-torch.expm1(self.steps * log(beta)) for beta in (BETA_1, BETA_2)]  # 1 - beta^steps
        rate = self.alive * self.lr * unbiased[1].sqrt() / unbiased[0]
        gradients = [weight.grad for weight in self.parameters if weight.grad is not None]
        if self.shrinks:
            for weight, gradient in zip(self.parameters, gradients, strict=True):
                gradient.addcmul_(self.l2, weight, value=2)
        torch._foreach_lerp_(self.first, gradients, 1 - BETA_1)
        torch._foreach_mul_(self.second, BETA_2)
        torch._foreach_addcmul_(self.second, gradients, gradients, 1 - BETA_2)
        sizes = torch._foreach_sqrt(self.second)
        torch._foreach_add_(sizes, EPSILON)
        for weight, move in zip(self.parameters, torch._foreach_div(self.first, sizes), strict=True):
            weight.addcmul_(rate, move, value=-1)
        torch._foreach_zero_(gradients)


def _column(values: Sequence[float], device: torch.device) -> Tensor:
    return torch.tensor(values, device=device)[:, None]


def log_loss(logits: Tensor, target: Tensor) -> Tensor:
    """The cross entropy of chances given as logits, element by element."""
    return functional.binary_cross_entropy_with_logits(logits, target, reduction="none")


def swapped_loss(logits: Tensor, target: Tensor) -> Tensor:
    """The log loss with its two arguments in each other's place: 16.118 |output - target| where targets are 0 and 1."""
    output = torch.sigmoid(logits)
    return -(output * (target + FLOOR).log() + (1 - output) * (1 - target + FLOOR).log())


LOSSES = {"log": log_loss, "swapped": swapped_loss}


class Learner:
    """Nets by name."""

    def __init__(
        self, game: Game, specs: Mapping[str, NetSpec], recipes: Mapping[str, Recipe], device: torch.device, seed: int
    ) -> None:
        self.game, self.device, self.names = game, device, list(specs)
        shapes: dict[NetSpec, list[str]] = {}
        for name, spec in specs.items():
            shapes.setdefault(spec.shape, []).append(name)
        torch.manual_seed(seed)
        stacks = [Stack(game, [specs[name] for name in names]).to(device) for names in shapes.values()]
        recipes_of = [[recipes[name] for name in names] for names in shapes.values()]
        self.optimizers = [StackOptimizer(*pair) for pair in zip(stacks, recipes_of, strict=True)]
        members = list(zip(self.optimizers, shapes.values(), strict=True))
        self.place = {name: (optimizer, i) for optimizer, names in members for i, name in enumerate(names)}
        self.from_stacks = torch.tensor([list(self.place).index(name) for name in self.names], device=device)
        self.turns = max(spec.turns for spec in specs.values())
        self.encoder = DualEncoder(game, self.turns).to(device)

    def attach(self, buffer: GameBuffer, batch: int) -> None:
        """Learn from this buffer from now on, so many decisions a step."""
        self.buffer, self.batch = buffer, batch
        self._take = CudaGraphStep(self._step) if self.device.type == "cuda" else self._step

    def step(self, rows: Tensor) -> Tensor:
        """[nets] losses on decisions [batch], before the step that they bring about; the next call may overwrite them."""
        return self._take([rows])

    @torch.no_grad()
    def losses_on(self, rows: Tensor, loss: str = "") -> Tensor:
        """[nets] mean losses on decisions, without dropout and without learning; of all nets by `loss`, if it is given."""
        total = torch.zeros(len(self.names), device=self.device)
        for optimizer in self.optimizers:
            optimizer.stack.eval()
        for part in torch.split(rows, self.batch):
            encoded = self._encoded(part)
            losses = [optimizer.losses(*encoded, loss) for optimizer in self.optimizers]
            total += len(part) * torch.cat(losses)[self.from_stacks]
        for optimizer in self.optimizers:
            optimizer.stack.train()
        return total / len(rows)

    def _encoded(self, rows: Tensor) -> tuple[EncodedBatch, Tensor, Tensor]:
        """Decisions encoded once for all nets, and their outcomes."""
        dtype = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        return self.encoder.encoded(self.buffer.pairs(rows, self.turns), dtype), *self.buffer.outcomes(rows)

    def _step(self, given: Sequence[Tensor]) -> Tensor:
        """Nothing is compiled: a compiler that tries out kernels may choose others the next time, and sum in another order."""
        encoded, all_losses = self._encoded(given[0]), []
        for optimizer in self.optimizers:
            losses = optimizer.losses(*encoded)
            losses.sum().backward()  # type: ignore[no-untyped-call]
            optimizer.adam()
            all_losses.append(losses.detach())
        return torch.cat(all_losses)[self.from_stacks]

    # -- the nets ----------------------------------------------------------------------------------------------------

    def slow_down(self, share: float) -> None:
        """Learn at so much of the recipes' rates from now on."""
        for optimizer in self.optimizers:
            torch.mul(optimizer.full_lr, share, out=optimizer.lr)  # in place, since a recorded step knows where it lies

    def retire(self, name: str) -> None:
        """This net stays as it is from now on."""
        optimizer, place = self.place[name]
        optimizer.alive[place] = 0.0

    def ensemble(self, names: Sequence[str], how: str = "mean") -> Ensemble:
        """Copies of some nets as they are now, joined."""
        chosen: dict[int, list[int]] = {}
        for name in names:
            optimizer, place = self.place[name]
            chosen.setdefault(self.optimizers.index(optimizer), []).append(place)
        stacks = [self.optimizers[i].stack.pick(places) for i, places in chosen.items()]
        shared = max(stack.spec.turns for stack in stacks) == self.turns
        return Ensemble(stacks, how, self.encoder if shared else None)

    def nets(self) -> StoredNets:
        return {name: stored_net(optimizer.stack, place) for name, (optimizer, place) in self.place.items()}

    @torch.no_grad()
    def load(self, name: str, net: dict[str, Any]) -> None:
        """Let a net start from the weights of a stored one."""
        optimizer, place = self.place[name]
        for weight, stored in zip(optimizer.parameters, net["weights"], strict=True):
            weight[place] = stored.to(weight.device)

    def state(self) -> list[dict[str, Any]]:
        """All that learning goes on from, copied."""
        return [
            {
                "weights": [weight.detach().clone() for weight in optimizer.parameters],
                "first": [memory.clone() for memory in optimizer.first],
                "second": [memory.clone() for memory in optimizer.second],
                "steps": optimizer.steps.clone(),
                "alive": optimizer.alive.clone(),
            }
            for optimizer in self.optimizers
        ]

    @torch.no_grad()
    def restore(self, stored: list[dict[str, Any]]) -> None:
        """In place, since a recorded step knows where everything lies."""
        for optimizer, was in zip(self.optimizers, stored, strict=True):
            mine = [*optimizer.parameters, *optimizer.first, *optimizer.second, optimizer.steps, optimizer.alive]
            values = [*was["weights"], *was["first"], *was["second"], was["steps"], was["alive"]]
            for tensor, value in zip(mine, values, strict=True):
                tensor.copy_(value)


def drawn_batches(choices: Tensor, batch: int, generator: torch.Generator) -> list[Tensor]:
    """The decisions `choices` in minibatches drawn without replacement; what fills none is left out."""
    order = choices[torch.randperm(len(choices), generator=generator, device=choices.device)]
    return list(order[: len(order) // batch * batch].view(-1, batch))
