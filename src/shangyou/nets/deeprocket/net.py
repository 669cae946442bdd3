"""DeepRocket: the log-probability of every legal play, from a policy net over labels and a net for kickers.

log P(play) = log P(label) + the sum of log P(kicker given the label and the lower kickers). All probabilities are among what is
legal, so those of the legal plays of a position add up to 1.

n positions, N legal plays in all, L labels, M prefixes of kickers, k kinds of kickers.
"""

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Self

import torch
from torch import Tensor, nn

from shangyou.games import BadInput, Game
from shangyou.nets.deeprocket.planes import KICKER_PLANES, KICKER_ROWS, PADDED_PLANES, ROLES, PlaneEncoder
from shangyou.nets.deeprocket.prefixes import Paths, Prefixes
from shangyou.nets.deeprocket.questions import Questions
from shangyou.nets.encoding import RANKS
from shangyou.nets.inputs import Inputs
from shangyou.nets.net import Net

ROLE_NETS = ("models", "outputs")


@dataclass(frozen=True)
class ConvSize:
    """Convolutions of 3 x 3, each followed by ReLU, then one fully connected layer."""

    filters: int
    strides: tuple[str, ...]  # of each layer: over ranks, then over rows of a plane; 12 halves the rows
    batch_norm: bool = False  # before each ReLU

    def __post_init__(self) -> None:
        if not self.strides or not all(len(pair) == 2 and set(pair) <= set("123") for pair in self.strides):
            raise BadInput(f"strides {','.join(self.strides)!r}: two digits from 1 to 3 for each layer, as in 11,12,21")
        if self.filters < 1:
            raise BadInput(f"filters {self.filters}: at least one is needed")

    @property
    def steps(self) -> list[tuple[int, int]]:
        return [(int(pair[0]), int(pair[1])) for pair in self.strides]


@dataclass(frozen=True)
class Size:
    policy: ConvSize = field(
        default_factory=lambda: ConvSize(512, ("11", "12", "11", "12", "11", "21", "11", "22", "11", "11"))
    )
    kicker: ConvSize = field(default_factory=lambda: ConvSize(64, ("11", "12", "11", "21", "11")))
    roles: str = (
        "models"  # models: a policy net for each role; outputs: one net with three outputs, of which the role selects one
    )
    context: bool = True  # see `PlaneEncoder`

    def __post_init__(self) -> None:
        if self.roles not in ROLE_NETS:
            raise BadInput(f"roles {self.roles!r}: there are {', '.join(ROLE_NETS)}")


class BatchNorm(nn.BatchNorm2d):
    """Written out for export: torch cannot export its own for a number of inputs that depends on the position."""

    def forward(self, x: Tensor) -> Tensor:
        if not torch.compiler.is_exporting():
            return super().forward(x)
        assert self.running_mean is not None
        assert self.running_var is not None
        scale = self.weight * (self.running_var + self.eps).rsqrt()
        return x * scale[:, None, None] + (self.bias - self.running_mean * scale)[:, None, None]


class ConvNet(nn.Module):
    """[n, planes, x, y] to [n, outputs]."""

    def __init__(self, planes: int, shape: tuple[int, int], size: ConvSize, outputs: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for stride in size.steps:
            layers.append(nn.Conv2d(planes, size.filters, 3, stride, padding=1, bias=not size.batch_norm))
            layers += [BatchNorm(size.filters)] if size.batch_norm else []
            layers.append(nn.ReLU())
            planes, shape = size.filters, (-(-shape[0] // stride[0]), -(-shape[1] // stride[1]))
        self.layers = nn.Sequential(*layers)
        self.answer = nn.Linear(planes * shape[0] * shape[1], outputs)
        for layer in self.layers:
            if isinstance(layer, nn.Conv2d):  # torch's own start shrinks what goes through ten layers of ReLU to nothing
                nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")

    def forward(self, planes: Tensor) -> Tensor:
        """The last layer is in float32: half precision has three digits, and the best answers often differ by less."""
        features = self.layers(planes).flatten(1).float()
        if not torch.is_autocast_enabled(features.device.type):
            return self.answer(features)  # type: ignore[no-any-return]
        with torch.autocast(features.device.type, enabled=False):
            return self.answer(features)  # type: ignore[no-any-return]

    def to_bf16(self) -> Self:
        """The convolutions in bf16, as a GPU computes them fastest."""
        self.layers.to(torch.bfloat16, memory_format=torch.channels_last)  # type: ignore[call-overload]
        return self

    @property
    def dtype(self) -> torch.dtype:
        """In which to build the input: that of the convolutions."""
        weight = next(self.layers.parameters())
        device = weight.device.type
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else weight.dtype


class Predictions(NamedTuple):
    """What the nets say of n decisions and of the M' kickers among them that were a choice, beside what was played."""

    labels: Tensor  # [n, L] log-probabilities; -inf for what is not legal
    label: Tensor  # [n] that was played
    kickers: Tensor  # [M', k]
    kicker: Tensor  # [M']

    def losses(self) -> tuple[Tensor, Tensor]:
        """[n] and [M'], -log P of what was played."""
        of_labels, of_kickers = self.labels.gather(1, self.label[:, None]), self.kickers.gather(1, self.kicker[:, None])
        return -of_labels[:, 0], -of_kickers[:, 0]

    def losses_to(self, other: "Predictions") -> tuple[Tensor, Tensor]:
        """[n] and [M'], the cross entropy to the probabilities that another net gives for the same decisions."""
        return _cross_entropy(self.labels, other.labels), _cross_entropy(self.kickers, other.kickers)

    def correct(self) -> tuple[Tensor, Tensor]:
        """[n] and [M'] bool, whether what was played is the most likely."""
        return self.labels.argmax(1) == self.label, self.kickers.argmax(1) == self.kicker


class DeepRocket(Net):
    """`forward` gives the log-probability of N legal plays: all legal plays of each position, ascending."""

    answers: ClassVar = ("value",)

    def __init__(self, game: Game, size: Size) -> None:
        super().__init__()
        self.size = size
        self.encoder: PlaneEncoder = PlaneEncoder(game, size.context)
        nets, outputs = (ROLES, 1) if size.roles == "models" else (1, ROLES)
        shape, labels = (RANKS, self.encoder.rows), self.encoder.labels
        self.policies = nn.ModuleList(ConvNet(PADDED_PLANES, shape, size.policy, outputs * labels) for _ in range(nets))
        self.kicker = ConvNet(KICKER_PLANES, (RANKS, KICKER_ROWS), size.kicker, self.encoder.kickers)

    def forward(self, seen: Inputs, rows: Tensor, plays: Tensor) -> Tensor:
        """[N] log-probabilities."""
        paths = self.paths(rows, plays)
        of_labels = self.label_log_probs(seen, rows, plays)[rows, self.labels_of(plays)]
        return of_labels + paths.log_probs(self.kicker_log_probs(seen, paths.prefixes))

    @torch.no_grad()
    def encode(self, seen: Inputs, rows: Tensor, plays: Tensor, chosen: Tensor) -> Questions:
        """What supervised learning asks; `chosen [n]` are the places of the plays that were made among the N, ascending."""
        encoder, (prefixes, kicker) = self.encoder, self.paths(rows, plays).of_plays(chosen)
        return Questions(
            planes=encoder.planes(seen, self.policies[0].dtype),  # type: ignore[arg-type]
            role=encoder.role(seen.landlord),
            legal=encoder.legal_labels(len(chosen), rows, plays),
            label=self.labels_of(plays[chosen]),
            row=prefixes.rows,
            kicker_planes=encoder.kicker_planes(seen.at(prefixes.rows), prefixes, self.kicker.dtype),
            allowed=prefixes.allowed,
            kicker=kicker,
        )

    def predict(self, questions: Questions) -> Predictions:
        labels = _log_softmax(self._policy(questions.planes, questions.role), questions.legal)
        kickers = _log_softmax(self.kicker(questions.kicker_planes), questions.allowed)
        return Predictions(labels, questions.label, kickers, questions.kicker)

    def labels_of(self, plays: Tensor) -> Tensor:
        """[...] rows of the table to labels."""
        return self.encoder.labels_of(plays)

    def label_log_probs(self, seen: Inputs, rows: Tensor, plays: Tensor) -> Tensor:
        """[n, L], -inf for labels of which no play is legal."""
        logits = self.policy(seen)
        return _log_softmax(logits, self.encoder.legal_labels(logits.shape[0], rows, plays))

    def policy(self, seen: Inputs) -> Tensor:
        """[n, L] logits of all labels."""
        return self._policy(self.encoder.planes(seen, self.policies[0].dtype), self.encoder.role(seen.landlord))  # type: ignore[arg-type]

    def _policy(self, planes: Tensor, role: Tensor) -> Tensor:
        """For the role of each position."""
        if len(self.policies) == 1:
            answers = self.policies[0](planes).view(-1, ROLES, self.encoder.labels)
            return answers.gather(1, role[:, None, None].expand(-1, 1, self.encoder.labels))[:, 0]  # type: ignore[no-any-return]
        logits = torch.zeros(role.shape[0], self.encoder.labels, device=role.device)
        for number, net in enumerate(self.policies):
            mine = torch.nonzero(role == number)[:, 0]
            logits = logits.index_copy(0, mine, net(planes[mine]))
        return logits

    def paths(self, rows: Tensor, plays: Tensor) -> Paths:
        return self.encoder.paths(rows, plays)

    def kicker_log_probs(self, seen: Inputs, asked: Prefixes) -> Tensor:
        """[M, k], -inf for kickers that may not come next."""
        planes = self.encoder.kicker_planes(seen.at(asked.rows), asked, self.kicker.dtype)
        return _log_softmax(self.kicker(planes), asked.allowed)


def _log_softmax(logits: Tensor, allowed: Tensor) -> Tensor:
    return logits.masked_fill(~allowed, -torch.inf).log_softmax(1)


def _cross_entropy(mine: Tensor, theirs: Tensor) -> Tensor:
    """[n] of log-probabilities [n, c], both -inf in the same places."""
    return -(theirs.exp() * mine.masked_fill(mine.isneginf(), 0)).sum(1)
