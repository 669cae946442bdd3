"""The net that plays: it estimates the win chance and the points of each legal play.

A trunk reads the position once; a head reads each legal play and the output of the trunk, and answers.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from shangyou.games import BadInput, Game
from shangyou.nets.encoding import Encoder
from shangyou.nets.history import FLAT, HISTORIES
from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net
from shangyou.nets.spec import ALL_OBJECTIVES, OBJECTIVES, POINTS, winner_utility


@dataclass(frozen=True)
class Size:
    """How large a net is, and how far it looks back."""

    trunk: int = 768  # width of the layers that see the position
    trunk_depth: int = 2
    head: int = 512  # width of the layers that see a play
    head_depth: int = 2
    turns: int = 15  # past plays shown to the net
    norm: bool = False  # whether layers normalise their inputs
    history: str = FLAT  # how past plays are shown: flat, gru, lstm or attention
    opponent_kind: bool = False  # whether the kind of opponent is an input: an equal, or a sparring partner

    def __post_init__(self) -> None:
        if self.history not in HISTORIES:
            raise BadInput(f"history {self.history!r}: there are {', '.join(HISTORIES)}")


class Residual(nn.Module):
    def __init__(self, width: int, norm: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width) if norm else nn.Identity()
        self.linear = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + functional.relu(self.linear(self.norm(x)))


class ValueNet(Net):
    """`forward` gives win chances and points of N pairs of position and play."""

    def __init__(self, game: Game, size: Size, points_scale: float = 1.0) -> None:
        super().__init__()
        self.size, self.points_scale = size, points_scale
        self.objectives = ALL_OBJECTIVES if size.opponent_kind else OBJECTIVES
        self.encoder = Encoder(game, size.turns, size.history, len(self.objectives))
        self.look = nn.Linear(self.encoder.width, size.trunk)
        self.trunk = nn.Sequential(*(Residual(size.trunk, size.norm) for _ in range(size.trunk_depth)))
        self.to_head = nn.Linear(size.trunk, size.head)
        self.of_play = nn.Linear(self.encoder.play_width, size.head, bias=False)
        self.of_rest = nn.Linear(self.encoder.counts_width, size.head, bias=False)
        self.head = nn.Sequential(*(Residual(size.head, size.norm) for _ in range(size.head_depth)))
        self.answer = nn.Linear(size.head, 2)  # logit of winning, scaled points; in float32 always, plays differ by little

    @property
    def prunable(self) -> bool:
        return not self.size.norm  # layers that normalise read the units that never fire, too

    def position(self, seen: Inputs) -> Tensor:
        """[n, head] the output of the trunk for each position."""
        x = functional.relu(self.look(self.encoder.state(seen, self.look.weight.dtype)))
        return self.to_head(self.trunk(x))  # type: ignore[no-any-return]

    def plays(self, plays: Tensor) -> Tensor:
        """[N, head] the features of each play, which do not depend on the position."""
        return self.of_play(self.encoder.play(plays, self.of_play.weight.dtype))  # type: ignore[no-any-return]

    def paired(self, position: Tensor, hand: Tensor, plays: Tensor, of_plays: Tensor) -> Tensor:
        """[N, head] the input of the head for each pair. position [N, head], hand [N, W], of_plays [N, head]."""
        rest = self.of_rest(self.encoder.hand_after(self.encoder.counts(hand), plays).to(self.of_rest.weight.dtype))
        return position + of_plays + rest  # type: ignore[no-any-return]

    def pair_features(self, position: Tensor, hand: Tensor, plays: Tensor, of_plays: Tensor) -> Tensor:
        """[N, head] the features of each pair, for `answer`; from the arguments of `paired`."""
        return self.head(functional.relu(self.paired(position, hand, plays, of_plays)))  # type: ignore[no-any-return]

    def features(self, seen: Inputs, rows: Tensor, plays: Tensor) -> Tensor:
        """[N, head] as `pair_features`, for plays [N] in positions rows [N]."""
        return self.pair_features(self.position(seen)[rows], seen.hand[rows], plays, self.plays(plays))

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor) -> tuple[Tensor, Tensor]:
        """Win chances [N] and points [N]."""
        return self.read(self.answer(self.features(seen, rows, plays).float()))

    def read(self, answers: Tensor) -> tuple[Tensor, Tensor]:
        """Win chances [N] and points [N] from answers [N, 2]."""
        return torch.sigmoid(answers[:, 0]), answers[:, 1] * self.points_scale


def utility(win: Tensor, points: Tensor, objective: Tensor) -> Tensor:
    """[N] the value of pairs for their objectives, from win chances, points and objectives, [N] each."""
    return torch.where(objective == POINTS, points, winner_utility(win, points))
