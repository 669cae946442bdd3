"""Games that a value net plays to learn from them: every decision of its own with a choice, and how the game ended.

B games, S seats, D decisions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.batch.exploring import ExploringAgent
from shangyou.agents.batch.play import Decision, play
from shangyou.agents.batch.value_net import TorchAgent
from shangyou.agents.seating import seatings
from shangyou.engines.batch import BatchEngine, Legal, State, View
from shangyou.games import Game
from shangyou.nets.inputs import Inputs, inputs_of, join


@dataclass(frozen=True)
class TrainingBatch:
    """Decisions, and how their games ended for the seats that decided."""

    seen: Inputs  # [D]
    plays: Tensor  # [D] int32
    won: Tensor  # [D] float, 0 or 1
    points: Tensor  # [D] float
    decisions: int  # of all seats, those without a choice included
    pairs: int  # plays that the net valued

    @property
    def columns(self) -> list[Tensor]:
        """[D] each: all there is to learn from."""
        return [*self.seen, self.plays, self.won, self.points]


class Explorer(ExploringAgent):
    """Plays each game for that game's objective, and a share `epsilon` of its plays at random: any legal play alike, or with
    temperatures [B] of the games mostly those that are nearly as good as the best."""

    player: TorchAgent

    def __init__(self, player: TorchAgent, objective: Tensor, epsilon: float, temperature: Tensor | None = None) -> None:
        super().__init__(player, objective.device)
        self.objective, self.epsilon = objective, epsilon  # objective [B], an index into ALL_OBJECTIVES
        self.temperature = temperature

    def act_each(self, view: View, legal: Legal, games: Tensor, ends: Sequence[int]) -> Tensor:
        temperature = None if self.temperature is None else self.temperature[games]
        return self.player.explore(view, legal, self.objective[games], self.epsilon, self.generator, temperature)


def seats_with_partners(
    game: Game, games: int, partners: int, share: float, device: torch.device, objectives: int = 1
) -> Tensor:
    """[B, S] who sits where: 0, the learner, everywhere but on one side of a share of the games, where partners 1, 2, ... sit.

    Games with partners come first, a block for each; in a block sides take turns, each with all objectives in turn.
    """
    number, seats = torch.arange(games, device=device), torch.tensor(seatings(game), device=device)
    block = int(games * share / partners) if partners else 0
    own_side = seats[number // objectives % len(seats)]  # [B, S]
    partner = number // block if block else number + partners
    return torch.where(~own_side & (partner < partners)[:, None], 1 + partner[:, None], 0)


def play_training_batch(
    engine: BatchEngine, explorer: Explorer, others: Sequence[BatchAgent], seats: Tensor, start: State, forced: bool = False
) -> TrainingBatch:
    """Games of the explorer, number 0 of seats [B, S], with itself and with others. `forced`: with turns that had no choice."""
    seen, columns, pairs = list[Inputs](), list[tuple[Tensor, Tensor, Tensor]](), list[int]()

    def collect(decision: Decision) -> None:
        mine = decision.asked[: decision.ends[0]]  # where the first of the agents was asked
        if forced:
            mine = torch.nonzero(seats[decision.games, decision.seat] == 0)[:, 0]
        if len(mine):
            games, view = decision.games[mine], decision.view.at(mine) if forced else decision.seen.at(slice(len(mine)))
            seen.append(inputs_of(view, explorer.objective[games]))
            columns.append((games, decision.seat[mine], decision.plays[mine]))
            pairs.append(decision.play_ends[0])

    played = play(engine, [explorer, *others], seats, start, collect)
    game, seat, chosen = (torch.cat(column) for column in zip(*columns, strict=True))
    points, won = played.results[:, game, seat].float()
    return TrainingBatch(join(seen), chosen, won, points, int(played.turns.sum()), sum(pairs))
