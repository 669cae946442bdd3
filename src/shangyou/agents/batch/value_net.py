"""Agents that play a batch of games by a net that was trained here, on the device of the net."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, cast

import torch
from torch import Tensor, nn

from shangyou.agents.batch.agent import BatchAgent, BidOne, first_best
from shangyou.agents.batch.exploring import gumbel
from shangyou.agents.scripted.bidding import bid_by_strength
from shangyou.engines.batch import BatchEngine, Legal, View
from shangyou.games import Game
from shangyou.nets.douzero import DouZeroNet
from shangyou.nets.inputs import inputs_of
from shangyou.nets.q_net import QNet
from shangyou.nets.spec import ALL_OBJECTIVES, WIN
from shangyou.nets.value_net import ValueNet, utility

PAIRS_AT_ONCE = 1 << 19  # more would only take memory


class TorchAgent(BatchAgent):
    """Plays by its own copy of a net, in half precision on a GPU. `refresh` copies the weights of the net again."""

    def __init__(self, game: Game, net: Any, name: str, objective: int = WIN, bid_one: BidOne = bid_by_strength) -> None:
        super().__init__(game, bid_one)
        self.name, self.objective = name, objective
        self.net: Any = deepcopy(net).eval().requires_grad_(False)
        self.on_gpu = next(net.parameters()).is_cuda
        if self.on_gpu:
            self.net.to_bf16()

    def _compiled(self, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        return torch.compile(function, dynamic=True) if self.on_gpu else function

    @torch.no_grad()
    def refresh(self, net: Any) -> None:
        for mine, learned in zip(self.net.parameters(), net.parameters(), strict=True):
            mine.copy_(learned)

    def values(self, view: View, legal: Legal) -> Tensor:
        return self.values_for(view, legal, torch.full_like(view.last, self.objective))

    @abstractmethod
    def values_for(self, view: View, legal: Legal, objective: Tensor) -> Tensor:
        """[N] how good each legal play is, for the objective [n] of its position."""

    def explore(
        self,
        view: View,
        legal: Legal,
        objective: Tensor,
        epsilon: float,
        generator: torch.Generator,
        temperature: Tensor | None = None,
    ) -> Tensor:
        """[n] the best plays; in a share `epsilon` of the positions a random one of the legal plays.

        With temperatures [n] random plays are drawn in proportion to exp(value / temperature): mostly of those nearly as good.
        """
        values = self.values_for(view, legal, objective)
        best = first_best(values, legal)
        noise = torch.rand(2, len(best), generator=generator, device=best.device)
        if temperature is None:
            drawn = legal.starts[:-1] + (noise[1] * legal.counts).long().clamp(max=legal.counts - 1)
        else:
            uniform = torch.rand(len(values), generator=generator, device=values.device)
            drawn = first_best(values / temperature[legal.rows] + gumbel(uniform), legal)
        return legal.plays[torch.where(noise[0] < epsilon, drawn, best)]


class TorchNetAgent(TorchAgent):
    """Plays by a value net."""

    net: ValueNet

    def __init__(
        self, game: Game, net: ValueNet, objective: int = WIN, name: str = "net", bid_one: BidOne = bid_by_strength
    ) -> None:
        super().__init__(game, net, f"{name} ({ALL_OBJECTIVES[objective]})", objective, bid_one)
        self._position: Callable[..., Tensor] = self._compiled(self.net.position)
        self._answers: Callable[..., Tensor] = self._compiled(self._answers_of)
        self.refresh(net)

    @torch.no_grad()
    def refresh(self, net: ValueNet) -> None:
        super().refresh(net)
        everything = torch.arange(len(self.game.table), device=net.answer.weight.device)
        self.of_plays = self.net.plays(everything)  # [P, head]

    @torch.no_grad()
    def answers(self, view: View, legal: Legal, objective: Tensor) -> Tensor:
        """[N, 2] logit of winning and scaled points."""
        position = self._position(inputs_of(view, objective))
        pieces = []
        for start in range(0, len(legal.plays), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            pieces.append(self._answers(position, view.hand, legal.rows[part], legal.plays[part].long(), self.of_plays))
        return torch.cat(pieces)

    def _answers_of(self, position: Tensor, hand: Tensor, rows: Tensor, plays: Tensor, of_plays: Tensor) -> Tensor:
        features = self.net.pair_features(position[rows], hand[rows], plays, of_plays[plays]).float()
        weight, bias = self.net.answer.weight, self.net.answer.bias
        return torch.stack([(features * row).sum(1) for row in weight], 1) + bias  # two rows: faster than a product

    def expectations(self, view: View, legal: Legal) -> dict[str, Tensor]:
        win, points = self.net.read(self.answers(view, legal, torch.full_like(view.last, self.objective)))
        return {"win": win, "points": points}

    def values_for(self, view: View, legal: Legal, objective: Tensor) -> Tensor:
        return utility(*self.net.read(self.answers(view, legal, objective)), objective[legal.rows])


class QNetAgent(TorchAgent):
    """Plays what has the greatest Q. The engine finds the cards that a play takes from a hand."""

    net: QNet

    def __init__(self, engine: BatchEngine, net: QNet, name: str = "net") -> None:
        super().__init__(engine.game, net, name)
        self.engine = engine
        self._position: Callable[..., Tensor] = self._compiled(self.net.position)
        self._answers: Callable[..., Tensor] = self._compiled(self._answers_of)
        self.refresh(net)

    @torch.no_grad()
    def values_for(self, view: View, legal: Legal, objective: Tensor) -> Tensor:
        position, pieces = self._position(inputs_of(view, objective)), []
        for start in range(0, len(legal.plays), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            pieces.append(self._of_pairs(position, view, legal.rows[part], legal.plays[part].long()))
        return torch.cat(pieces)

    def _of_pairs(self, position: Tensor, view: View, rows: Tensor, plays: Tensor) -> Tensor:
        """[N] Q of plays [N] in positions rows [N]."""
        hand = view.hand[rows]
        cards = self.engine.cards_of(hand, plays) if self.net.encoder.reads_cards else None
        return self._answers(position, rows, hand, plays, cards)

    def _answers_of(self, position: Tensor, rows: Tensor, hand: Tensor, plays: Tensor, cards: Tensor | None) -> Tensor:
        return self.net.of_pairs(position[rows], hand, plays, cards)

    @property
    def group(self) -> object:
        shape = tuple((name, weight.shape) for name, weight in self.net.named_parameters())
        return type(self), type(self.net.encoder), self.net.turns, self.engine, shape

    def together(self, members: Sequence[BatchAgent]) -> BatchAgent:
        return self if len(members) == 1 else StackedQNets([member for member in members if isinstance(member, QNetAgent)])


class DouZeroAgent(TorchAgent):
    """Plays by DouZero's nets."""

    net: DouZeroNet

    def __init__(self, game: Game, net: DouZeroNet, name: str = "douzero") -> None:
        super().__init__(game, net, name)
        for part in self.net.roles:
            for function in ("position", "of_pairs"):  # of this copy of the net alone
                setattr(part, function, self._compiled(getattr(part, function)))
        self.refresh(net)

    @torch.no_grad()
    def values_for(self, view: View, legal: Legal, objective: Tensor) -> Tensor:
        return self.net(inputs_of(view, objective), legal.rows, legal.plays.long())  # type: ignore[no-any-return]


class SplitLinear(nn.Module):
    """The same layer of several nets, each for its own rows: `sizes`, which all layers of a stack share, says how many."""

    def __init__(self, layers: Sequence[nn.Linear], sizes: list[int]) -> None:
        super().__init__()
        self.layers, self.sizes = nn.ModuleList(layers), sizes

    @property
    def weight(self) -> Tensor:
        """Of the first: the type of numbers is that of all."""
        return self.layers[0].weight  # type: ignore[return-value]

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([layer(part) for layer, part in zip(self.layers, torch.split(x, self.sizes), strict=True)])


class StackedQNets(QNetAgent):
    """Agents with nets of one shape, asked at once. Only the products of their layers are made one by one."""

    def __init__(self, members: Sequence[QNetAgent]) -> None:
        first = members[0]
        BatchAgent.__init__(self, first.game)
        self.name, self.engine, self.net, self.sizes = "stacked", first.engine, deepcopy(first.net), list[int]()
        for name, layer in list(self.net.named_modules()):
            if isinstance(layer, nn.Linear):
                layers = [cast(nn.Linear, member.net.get_submodule(name)) for member in members]
                self.net.set_submodule(name, SplitLinear(layers, self.sizes))
        self._answers = self._answers_of

    @torch.no_grad()
    def act_each(self, view: View, legal: Legal, games: Tensor, ends: Sequence[int]) -> Tensor:
        places = torch.tensor(ends, device=legal.starts.device)
        self.sizes[:] = _sizes(torch.searchsorted(legal.starts, places).tolist())
        position = self.net.position(inputs_of(view, torch.zeros_like(view.last)))
        self.sizes[:] = _sizes(ends)
        return legal.plays[first_best(self._of_pairs(position, view, legal.rows, legal.plays.long()), legal)]

    def values(self, view: View, legal: Legal) -> Tensor:
        raise TypeError("agents asked together answer `act_each`: whose game it is decides who values its plays")


def _sizes(ends: Sequence[int]) -> list[int]:
    return [end - start for start, end in zip((0, *ends[:-1]), ends, strict=True)]
