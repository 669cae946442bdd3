"""The batch engine as a TorchRL environment: `env("doudizhu", games=4096, device="cuda")`. docs/torchrl.md describes it.

One seat of every game learns; the others are played by an agent of this project, so that a step goes from one decision of the
learner to its next. An action is a place in the list of legal plays, which is filled up to a fixed width.

B games, n of them running, S seats, W words a set of cards, T turns of history, K places in a list of plays, N legal plays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from shangyou import games
from shangyou.agents.batch import BatchAgent, load_batch
from shangyou.engines.batch import BatchEngine, Legal, State
from shangyou.engines.kernels.layout import MEMORY
from shangyou.games import BadInput, IllegalPlay
from shangyou.nets.inputs import Inputs, inputs_of
from shangyou.nets.spec import OBJECTIVES, POINTS
from shangyou.nets.value_net import ValueNet

try:
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase, TransformedEnv
    from torchrl.envs.transforms import ActionMask
except ImportError as error:
    raise ImportError("shangyou.torchrl needs TorchRL: pip install 'shangyou[torchrl]'") from error

VIEW = [("view", name) for name in Inputs._fields]
"""The keys of what the learner sees, in the order of `Inputs`: what a net of this project reads."""


def env(game: str = "doudizhu", **options: Any) -> Any:
    """The environment with TorchRL's mask, so that random actions are legal; options are those of `raw_env`, and rules."""
    return TransformedEnv(raw_env(game, **options), ActionMask())


class raw_env(EnvBase):  # type: ignore[misc]  # noqa: N801 - an untyped class; PettingZoo's users know the pair of names
    """Games in lockstep, [B]. An action that is no legal play raises an error.

    others: the agent in the other seats, by name or as it is. seat: the learner's; None: seat 0, 1, ... from deal to deal.
    objective: `points`, the score at the end of a game, or `win`, 1 or 0. plays: K; where more plays are legal, K of them,
    evenly spaced in the table, are offered, and `left_out` counts such decisions. turns: T.
    """

    def __init__(
        self,
        game: str = "doudizhu",
        *,
        games: int = 64,
        others: str | BatchAgent = "greedy",
        seat: int | None = None,
        objective: str = "points",
        plays: int = 128,
        turns: int = 15,
        seed: int = 0,
        device: str | torch.device = "cpu",
        **rules: Any,
    ) -> None:
        loaded = _checked(game, games, seat, objective, plays, turns, rules)
        self.engine = BatchEngine(loaded, device)
        super().__init__(device=self.engine.device, batch_size=[games])
        self.game, self.seat, self.plays, self.turns, self.left_out = loaded, seat, plays, turns, 0
        self.others = load_batch(others, loaded, seed, device) if isinstance(others, str) else others
        self.objective = OBJECTIVES.index(objective)
        self.state: State = self.engine.deal(games, seed)
        self.next_deal = 0
        self.learner = torch.zeros(games, dtype=torch.long, device=self.device)  # [B] the seat of the learner
        self.offered = torch.zeros(games, plays, dtype=torch.long, device=self.device)  # [B, K] rows of the table
        self.mask = torch.ones(games, plays, dtype=torch.bool, device=self.device)  # [B, K] which places have one
        self._make_specs()

    def _make_specs(self) -> None:
        seen = self._observation()
        view = {name: Unbounded(value.shape, dtype=value.dtype) for name, value in seen["view"].items()}
        self.observation_spec = Composite(
            view=Composite(view, shape=self.batch_size),
            plays=Unbounded(seen["plays"].shape, dtype=torch.long),
            action_mask=Binary(self.plays, seen["action_mask"].shape, dtype=torch.bool),
            shape=self.batch_size,
        ).to(self.device)
        self.action_spec = Categorical(self.plays, self.batch_size, dtype=torch.long).to(self.device)
        self.reward_spec = Unbounded((*self.batch_size, 1)).to(self.device)
        self.done_spec = Binary(1, (*self.batch_size, 1), dtype=torch.bool).to(self.device)

    # -- what TorchRL calls -----------------------------------------------------------------------------------------

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDict:
        """The next deals, in the games whose `_reset` is set, or in all."""
        wanted = None if tensordict is None else tensordict.get("_reset", None)
        due = torch.arange(len(self.learner), device=self.device) if wanted is None else torch.nonzero(wanted.flatten())[:, 0]
        while len(due):  # again, where a game is over before the learner's first turn
            index = torch.arange(len(due), device=self.device) + self.next_deal
            self.next_deal += len(due)
            self.learner[due] = index % self.game.seats if self.seat is None else self.seat
            self.state = self._others_play(self.engine.deal_again(self.state, due, index))
            due = due[self._over()[due]]
        return self._observation()

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        action, running = tensordict["action"], self.state.running
        self._check(action)
        chosen = self.offered.gather(1, action[:, None])[running, 0]
        self.state = self._others_play(self.engine.step(self.state, chosen))
        over = self._over()[:, None]
        result = self._observation()
        return result.update({"reward": self._rewards(running), "done": over, "terminated": over.clone()})

    def _set_seed(self, seed: int | None) -> None:
        """The deals from the first of this seed on."""
        self.state, self.next_deal = replace(self.state, seed=seed or 0), 0

    # -- parts ------------------------------------------------------------------------------------------------------

    def _others_play(self, state: State) -> State:
        """Until it is the learner's turn in every running game."""
        while len(waiting := torch.nonzero(self.engine.turn(state) != self.learner[state.running])[:, 0]):
            theirs = replace(state, running=state.running[waiting])
            after = self.engine.step(theirs, self.others.act(self.engine.view(theirs), self.engine.legal(theirs)))
            going = torch.zeros_like(self.learner, dtype=torch.bool)
            going[state.running] = True
            going[theirs.running] = False
            going[after.running] = True
            state = replace(state, running=torch.nonzero(going)[:, 0])
        return state

    def _over(self) -> Tensor:
        """[B]"""
        over = torch.ones_like(self.learner, dtype=torch.bool)
        over[self.state.running] = False
        return over

    def _rewards(self, before: Tensor) -> Tensor:
        """[B, 1] for the games that were running [n] and are over now."""
        rewards = torch.zeros(len(self.learner), 1, device=self.device)
        ended = before[self._over()[before]]
        results = self.engine.results(replace(self.state, scalars=self.state.scalars[:, ended]))  # [2, n, S]
        worth = results[0 if self.objective == POINTS else 1]
        rewards[ended] = worth.gather(1, self.learner[ended, None]).float()
        return rewards

    def _observation(self) -> TensorDict:
        """What the learners see, and their legal plays. Of a game that is over: zeros, and a pass as the one play."""
        running, legal = self.state.running, self.engine.legal(self.state)
        self.offered, self.mask = self._lists(legal)
        objective = torch.full_like(running, self.objective)
        seen = inputs_of(self.engine.view(self.state), objective).latest(self.turns)
        view = {name: _spread(value, running, len(self.learner)) for name, value in seen._asdict().items()}
        found = {"view": TensorDict(view, self.batch_size), "plays": self.offered, "action_mask": self.mask}
        return TensorDict(found, self.batch_size, device=self.device)

    def _lists(self, legal: Legal) -> tuple[Tensor, Tensor]:
        """[B, K] legal plays, and which of the places have one."""
        counts, column = legal.counts[:, None], torch.arange(self.plays, device=self.device)
        crowded = counts > self.plays
        self.left_out += int(crowded.sum())
        place = legal.starts[:-1, None] + torch.where(crowded, column * counts // self.plays, column.clamp(max=counts - 1))
        mask = column < counts
        rows = torch.where(mask, legal.plays[place].long() if len(legal.plays) else 0, 0)
        lists, offered = (_spread(part, self.state.running, len(self.learner)) for part in (rows, mask))
        offered[self._over(), 0] = True
        return lists, offered

    def _check(self, action: Tensor) -> None:
        """Actions [B]; those of games that are over do not matter."""
        running = self.state.running
        legal = (action >= 0) & (action < self.plays)
        legal &= self.mask.gather(1, action.clamp(0, self.plays - 1)[:, None])[:, 0]
        if not bool(legal[running].all()):
            game = int(running[torch.nonzero(~legal[running])[0, 0]])
            last = int(self.mask[game].sum()) - 1
            raise IllegalPlay(f"action {int(action[game])} of game {game}: its legal plays are 0..{last}")


def _checked(name: str, number: int, seat: int | None, objective: str, plays: int, turns: int, rules: dict[str, Any]) -> Any:
    """The game; an error for what an environment cannot be made of."""
    game = games.load(name, **rules)
    if game.has_bidding:
        raise BadInput(f"{name} with bidding: in this environment actions are plays; make it without bidding")
    if objective not in OBJECTIVES:
        raise BadInput(f"objective {objective!r} is not one of {', '.join(OBJECTIVES)}")
    if seat is not None and not 0 <= seat < game.seats:
        raise BadInput(f"seat {seat}: {name} has seats 0..{game.seats - 1}")
    for what, value, most in (("games", number, 1 << 24), ("plays", plays, 1 << 16), ("turns", turns, MEMORY)):
        if not 1 <= value <= most:
            raise BadInput(f"{what} {value} is not a number from 1 to {most}")
    return game


def _spread(values: Tensor, running: Tensor, number: int) -> Tensor:
    """[n, ...] to [B, ...], zeros where a game is over."""
    return values.new_zeros(number, *values.shape[1:]).index_copy(0, running, values)


class PlayValues(nn.Module):
    """A net of this project as a module of TorchRL: from `VIEW`, `plays` and `action_mask` to a value of every place, [B, K].

    The value is the logit of winning, or points, whichever the environment pays. Places without a play get `nothing`.
    """

    in_keys = (*VIEW, "plays", "action_mask")

    def __init__(self, net: ValueNet, nothing: float = -1e9) -> None:
        super().__init__()
        self.net, self.nothing = net, nothing

    def forward(self, *seen: Tensor) -> Tensor:
        *view, plays, mask = seen
        batch = plays.shape[:-1]  # [B], or [B, time] and the like
        inputs = Inputs(*(part.flatten(0, len(batch) - 1) for part in view))
        plays, mask = plays.flatten(0, -2), mask.flatten(0, -2)
        rows, _ = torch.nonzero(mask, as_tuple=True)
        answers = self.net.answer(self.net.features(inputs, rows, plays[mask]).float())  # [N, 2]
        worth = torch.where(inputs.objective[rows] == POINTS, answers[:, 1] * self.net.points_scale, answers[:, 0])
        return torch.full_like(plays, self.nothing, dtype=worth.dtype).masked_scatter(mask, worth).reshape(*batch, -1)
