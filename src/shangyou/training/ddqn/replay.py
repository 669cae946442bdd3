"""Decisions to learn from again and again, on the device that learns: prioritized replay (Schaul et al. 2015).

    replay = Replay(capacity, "prioritized", alpha=0.6, device)
    replay.add(decisions)
    rows, weights = replay.draw(16_384, beta=0.4, generator)
    replay.update(rows, errors)

A decision is stored once; the next decision of the same seat, if there is one, stands right after it. The decisions of a game
lie side by side, seat by seat, and the oldest games give way as wholes, so that a next decision is always there.

C places, D decisions, n rows drawn. B games, S seats, T turns of the learner.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from shangyou.agents.batch.play import Decision
from shangyou.games import BadInput
from shangyou.nets.inputs import Inputs, inputs_of, join

KINDS = ("prioritized", "uniform", "weighted")
BLOCK = 128  # places whose priorities are summed up
LEAST_ERROR = 1e-3  # added to every error, so that all decisions are drawn now and then
DTYPES = dict.fromkeys(("hand", "unseen", "played", "public", "last_cards"), torch.int64)
DTYPES |= {"last": torch.int16, "history": torch.int16}  # rows of a table; the other inputs are small numbers


class Priorities:
    """A number for each of C places. Places are drawn in proportion to them: first a block by its sum, then a place in it."""

    def __init__(self, capacity: int, device: torch.device) -> None:
        blocks = -(-capacity // BLOCK)
        self.values = torch.zeros(blocks, BLOCK, device=device)
        self.sums = torch.zeros(blocks, dtype=torch.float64, device=device)

    @property
    def flat(self) -> Tensor:
        """[C] and a little more."""
        return self.values.view(-1)

    def set(self, rows: Tensor, values: Tensor | float) -> None:
        self.flat[rows] = values
        blocks = rows // BLOCK
        self.sums[blocks] = self.values[blocks].sum(1, dtype=torch.float64)

    def fill(self, start: int, end: int, value: Tensor | float) -> None:
        """All places from `start` to `end`."""
        self.flat[start:end] = value
        first, last = start // BLOCK, -(-end // BLOCK)
        self.sums[first:last] = self.values[first:last].sum(1, dtype=torch.float64)

    def draw(self, n: int, generator: torch.Generator) -> Tensor:
        """[n] places; none whose priority is 0."""
        ends = self.sums.cumsum(0)
        total = ends[-1]
        point = torch.rand(n, dtype=torch.float64, generator=generator, device=ends.device) * total
        block = torch.searchsorted(ends, torch.minimum(point, total * (1 - 1e-12)), right=True)
        inside = point - (ends - self.sums)[block]
        ends_inside = self.values[block].cumsum(1, dtype=torch.float64)  # [n, BLOCK]
        inside = torch.minimum(inside, ends_inside[:, -1] * (1 - 1e-12))  # sums of other orders differ by a rounding
        return block * BLOCK + (ends_inside <= inside[:, None]).sum(1)


@dataclass(frozen=True)
class Decisions:
    """Decisions of whole games, those of a game side by side, seat by seat in order of time."""

    seen: Inputs  # [D]
    plays: Tensor  # [D] int16
    reward: Tensor  # [D] until the next decision of the same seat, discounted
    discount: Tensor  # [D] of what is expected of that decision; 0 if there is none
    first: Tensor  # [D] bool whether it is the first one of its game

    def __len__(self) -> int:
        return len(self.plays)


class Collector:
    """An observer of `play`: the turns of the learner's seats [B, S], and what the learner saw at those with a choice.

    The learner is the first of the agents that play, and reads the last `turns` plays.
    """

    def __init__(self, mine: Tensor, turns: int) -> None:
        self.mine, self.past, self.count = mine, turns, 0
        self.seen: list[Inputs] = []
        self.chosen: list[Tensor] = []
        self.turns: list[tuple[Tensor, Tensor, Tensor]] = []  # game * S + seat; the play; the number of the decision, or -1

    def __call__(self, decision: Decision) -> None:
        seats, asked = self.mine.shape[1], decision.asked[: decision.ends[0]]
        number = torch.full_like(decision.seat, -1)
        number[asked] = self.count + torch.arange(len(asked), device=number.device)
        mine = torch.nonzero(self.mine[decision.games, decision.seat])[:, 0]
        self.turns.append(((decision.games * seats + decision.seat)[mine], decision.plays[mine], number[mine]))
        if len(asked):
            seen = decision.seen.at(slice(len(asked)))
            self.seen.append(inputs_of(seen, torch.zeros_like(seen.last)).latest(self.past))
            self.chosen.append(decision.plays[asked])
            self.count += len(asked)

    def decisions(self, reward_of: Callable[[Tensor], Tensor], terminal: Tensor, discount: float, scale: float) -> Decisions:
        """All decisions, with the rewards [T] of plays [T], and at a seat's last turn the terminal reward [B, S]."""
        owner, play, number = (torch.cat(column) for column in zip(*self.turns, strict=True))
        order = torch.argsort(owner, stable=True)  # game by game, seat by seat, in order of time
        owner, play, number = owner[order], play[order], number[order]
        rewards = scale * (reward_of(play) + _is_last(owner) * terminal.flatten()[owner])
        place = torch.nonzero(number >= 0)[:, 0]  # [D] the turns with a choice
        chosen, ahead = number[place], torch.zeros(len(place), device=owner.device)
        ahead[:-1] = torch.where(_same(owner[place]), discount ** (place[1:] - place[:-1]).float(), 0.0)
        first = torch.ones(len(place), dtype=torch.bool, device=owner.device)
        first[1:] = ~_same(owner[place] // self.mine.shape[1])
        total = _until_next(rewards, owner, place, discount)
        return Decisions(join(self.seen).at(chosen), torch.cat(self.chosen)[chosen].short(), total, ahead, first)


def _same(values: Tensor) -> Tensor:
    """[n - 1] whether each of n values equals the one before it."""
    return values[1:] == values[:-1]


def _is_last(owner: Tensor) -> Tensor:
    """[T] whether a turn is the last one of its owner."""
    last = torch.ones_like(owner, dtype=torch.bool)
    last[:-1] = ~_same(owner)
    return last


def _until_next(rewards: Tensor, owner: Tensor, place: Tensor, discount: float) -> Tensor:
    """[D] for each turn with a choice, at place [D], the discounted rewards [T] until its owner's next one."""
    turn = torch.arange(len(owner), device=owner.device)
    which = torch.searchsorted(place, turn, right=True) - 1  # [T] the latest turn with a choice, by number
    before = place[which.clamp(min=0)]
    counts = (which >= 0) & (owner[before] == owner)
    discounted = torch.where(counts, discount ** (turn - before).float() * rewards, 0.0)
    return torch.zeros(len(place), device=owner.device).index_add_(0, which.clamp(min=0), discounted)


class Replay:
    """At most C decisions. `kind`: drawn in proportion to their priorities; evenly; or evenly, but weighted by priority."""

    def __init__(self, capacity: int, kind: str, alpha: float, device: torch.device) -> None:
        if kind not in KINDS:
            raise BadInput(f"replay {kind!r}: there are {', '.join(KINDS)}")
        self.capacity, self.kind, self.alpha, self.device = capacity, kind, alpha, device
        self.priorities = Priorities(capacity, device)  # by which decisions are drawn; 0 where there is none
        self.weight = torch.zeros(capacity if kind == "weighted" else 0, device=device)
        self.highest = torch.ones((), device=device)  # of all priorities so far: new decisions are sure to be drawn soon
        self.stored: Decisions | None = None
        self.at = self.count = 0

    @property
    def bytes(self) -> int:
        if self.stored is None:
            return 0
        parts = [*self.stored.seen, *(getattr(self.stored, field.name) for field in fields(Decisions)[1:])]
        return sum(part.nbytes for part in (*parts, self.priorities.values, self.priorities.sums, self.weight))

    def add(self, new: Decisions) -> None:
        """Games that no longer fit give way, the oldest first."""
        if len(new) > self.capacity:
            raise BadInput(f"a replay of {self.capacity} decisions: {len(new)} come at once; raise capacity or lower games")
        stored = self.stored = self.stored or self._room(new)
        if self.at + len(new) > self.capacity:
            self.priorities.fill(self.at, self.capacity, 0.0)
            self.at = 0
        start, end = self.at, self.at + len(new)
        for column, value in zip(stored.seen, new.seen, strict=True):
            column[start:end] = value
        for name in ("plays", "reward", "discount", "first"):
            getattr(stored, name)[start:end] = getattr(new, name)
        self.priorities.fill(start, end, self.highest if self.kind == "prioritized" else 1.0)
        if self.kind == "weighted":
            self.weight[start:end] = self.highest
        self._drop_rest_of_game(end)
        self.at, self.count = end, int((self.priorities.values > 0).sum())

    def _room(self, new: Decisions) -> Decisions:
        def room(like: Tensor, dtype: torch.dtype) -> Tensor:
            return torch.zeros(self.capacity, *like.shape[1:], dtype=dtype, device=self.device)

        seen = Inputs(**{name: room(value, DTYPES.get(name, torch.int8)) for name, value in new.seen._asdict().items()})
        others: dict[str, Any] = {field.name: getattr(new, field.name) for field in fields(Decisions)[1:]}
        return Decisions(seen, **{name: room(value, value.dtype) for name, value in others.items()})

    @property
    def _decisions(self) -> Decisions:
        if self.stored is None:
            raise BadInput("the replay is empty: nothing was added to it")
        return self.stored

    def _drop_rest_of_game(self, end: int) -> None:
        """The game that was overwritten in part: its decisions reach to the first one of the next game."""
        firsts = torch.nonzero(self._decisions.first[end:])
        rest = int(firsts[0]) if len(firsts) else self.capacity - end
        self.priorities.fill(end, end + rest, 0.0)

    def draw(self, n: int, beta: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """[n] rows, and [n] what their errors count."""
        rows = self.priorities.draw(n, generator)
        if self.kind == "uniform":
            return rows, torch.ones(n, device=self.device)
        if self.kind == "weighted":
            weights = self.weight[rows]
            return rows, weights / weights.mean()
        weights = (self.priorities.flat[rows] * self.count).pow(-beta)  # up to a factor, which the next line takes out
        return rows, weights / weights.max()

    def ahead(self, rows: Tensor, steps: int) -> tuple[Tensor, Tensor, Tensor]:
        """[n] each: the rewards of so many decisions from `rows` on, the discount of what follows, and the decision after them.

        Where there is no such decision the discount is 0, and the last one stands for it.
        """
        stored = self._decisions
        reward, discount = stored.reward[rows], stored.discount[rows]
        after = torch.where(discount > 0, rows + 1, rows)
        for _ in range(steps - 1):
            reward = reward + discount * stored.reward[after]
            discount = discount * stored.discount[after]
            after = torch.where(discount > 0, after + 1, after)
        return reward, discount, after

    def update(self, rows: Tensor, errors: Tensor) -> None:
        """Priorities by the errors [n] of what was expected of decisions [n]."""
        if self.kind == "uniform":
            return
        priority = (errors.detach().abs().float() + LEAST_ERROR).pow(self.alpha)
        self.highest = torch.maximum(self.highest, priority.max())
        if self.kind == "weighted":
            self.weight[rows] = priority
        else:
            self.priorities.set(rows, priority)
