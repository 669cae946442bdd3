"""Nets of one shape, each with games of its own, asked all at once: a GPU minds the number of questions more than their size.

K nets, n games to decide in, N legal plays in all.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.panel import PanelAgent
from shangyou.engines.batch import Legal, View
from shangyou.nets.paper_nets import Panel, Stack


class Company(PanelAgent):
    """Agents of a net each that play in one style. What they do by lot, they do by the lots of the first."""

    def __init__(self, members: Sequence[PanelAgent]) -> None:
        first = members[0]
        panel = Panel([Stack.beside([_stack(member) for member in members])], encoder=first.panel.encoder)
        super().__init__(first.game, panel, first.style, "company")
        self.lots = first.lots

    def act_each(self, view: View, legal: Legal, ends: Sequence[int]) -> Tensor:
        """[n] plays, where the legal plays of the first member's games end at the first of `ends`, and so on."""
        return legal.plays[self.choose(view, legal, self._own_values(view, legal, ends))]

    @torch.no_grad()
    def _own_values(self, view: View, legal: Legal, ends: Sequence[int]) -> Tensor:
        """[N] of every play, by the member whose game it is. All are asked about as many as the one with the most."""
        starts = [0, *ends[:-1]]
        most, device = max(end - start for start, end in zip(starts, ends, strict=True)), legal.plays.device
        first = torch.tensor(starts, device=device)[:, None]
        said = torch.empty(self.panel.nets, most, device=device)
        for part in self.parts(most):
            places = (first + torch.arange(most, device=device)[part]).clamp(max=ends[-1] - 1)
            said[:, part] = self.panel.logits(self.pairs(view, legal, places.flatten()), apart=True)
        whose = torch.bucketize(torch.arange(ends[-1], device=device), first[1:, 0], right=True)
        own = torch.arange(ends[-1], device=device) - first[whose, 0] + whose * most
        return self.joined(said.flatten()[None, own])

    def values(self, view: View, legal: Legal) -> Tensor:
        raise TypeError("a company is asked with `act_each`: whose game it is decides who values its plays")


def companies(agents: Sequence[BatchAgent]) -> list[tuple[BatchAgent, list[int]]]:
    """Whom to ask, and for which of the agents: those that can be asked together, and the others one by one."""
    groups: dict[object, list[int]] = {}
    for number, agent in enumerate(agents):
        groups.setdefault(_kind(agent), []).append(number)
    return [(_asked([agents[number] for number in members]), members) for members in groups.values()]


def _asked(members: list[BatchAgent]) -> BatchAgent:
    return members[0] if len(members) == 1 else Company([member for member in members if isinstance(member, PanelAgent)])


def _kind(agent: BatchAgent) -> object:
    """Equal for agents that can be asked together."""
    if isinstance(agent, PanelAgent) and agent.panel.nets == 1 and isinstance(_stack(agent), Stack):
        spec = _stack(agent).spec
        if not spec.turns:
            return spec.shape, agent.style
    return agent


def _stack(agent: PanelAgent) -> Stack:
    return agent.panel.stacks[0]  # type: ignore[return-value]
