"""How often a policy predicts the plays of stored games, how well it knows that, and how well anybody can.

    found = measure(game, [decisions_of(engine, games, forced=True)], player.values, expert=sampler)

A policy gives numbers for the legal plays of positions; their softmax is its probabilities. The games of an expert that draws
plays from probabilities of its own cannot be predicted for certain. Two draws of the expert agree with a chance that is the sum
of the squares of its probabilities; whoever names its likeliest answer is right with a chance that is the greatest of them.
Both bounds are measured on the same decisions. So is what the policy's likeliest answers cost by the expert's own judgement.

n decisions, N legal plays in all, L labels, M' kickers that were a choice, c kinds of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from shangyou.agents.batch import BatchAgent
from shangyou.agents.batch.exploring import Sampler
from shangyou.engines.batch import Legal, View
from shangyou.evaluation.intervals import ClusteredMean
from shangyou.games import PASS, BadInput, Game
from shangyou.nets.deeprocket.planes import PlaneEncoder
from shangyou.training.reinforce import log_sums
from shangyou.training.supervised.decisions import DecisionBatch

Policy = Callable[[View, Legal], Tensor]
"""[N] the logarithms of probabilities, but for a constant of each position."""
Column = npt.NDArray[Any]

AT_ONCE = 1 << 14  # decisions: more would only take memory
ROLE_NAMES = ("landlord", "peasant after", "peasant before")
FEW_TO_MANY = ((2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, None))  # answers to choose from
TOLERANCE = 0.01  # of the logarithm of a sum that should be 1
BINS = 10  # of the reliability table
LEAST = 1e-300  # probability of an answer: its logarithm is finite
ACCURACY, AGREEMENT, BEST, COST = MEASURES = "accuracy", "expert_agreement", "best_possible", "expert_cost"


class Answers(NamedTuple):
    """What a policy says of choices of one kind, labels or kickers; arrays of one length."""

    game: Column
    role: Column
    options: Column  # how many answers were legal
    passed: Column  # bool, whether the play was a pass
    correct: Column  # 0 or 1, whether the likeliest answer was chosen
    confidence: Column  # its probability
    expert_agreement: Column  # of the expert: see `measure`; NaN without one
    best_possible: Column
    expert_cost: Column  # by how much the expert's win chance is lower with the policy's likeliest answer than with its own

    def at(self, which: Column) -> Answers:
        return Answers(*(column[which] for column in self))

    @classmethod
    def joined(cls, parts: Iterable[Answers]) -> Answers:
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


class Choices(NamedTuple):
    """Probabilities of n choices."""

    probs: Tensor  # [n, c], 0 for what is not legal
    chosen: Tensor  # [n]

    @property
    def correct(self) -> Tensor:
        return (self.probs.argmax(1) == self.chosen).double()

    @property
    def best(self) -> Tensor:
        """How often the likeliest answer is drawn."""
        return self.probs.amax(1)

    @property
    def agreement(self) -> Tensor:
        """How often two draws are the same."""
        return self.probs.square().sum(1)

    def cost(self, answers: Tensor) -> Tensor:
        """[n] how much less likely these are than the likeliest ones, as a difference of logarithms."""
        said = self.probs.gather(1, answers[:, None])[:, 0]
        return self.best.log() - said.clamp(min=LEAST).log()


@dataclass
class Row:
    """Some of the decisions, and the means over them; games are independent, the decisions of one game are not."""

    name: str
    means: dict[str, ClusteredMean] = field(default_factory=lambda: {name: ClusteredMean() for name in MEASURES})

    @property
    def decisions(self) -> int:
        return self.means[ACCURACY].count

    def add(self, found: Answers) -> None:
        columns = found.correct, found.expert_agreement, found.best_possible, found.expert_cost
        for name, column in zip(MEASURES, columns, strict=True):
            known = ~np.isnan(column)
            self.means[name].add(column[known], found.game[known])

    def to_json(self) -> dict[str, Any]:
        rates = {name: [mean.mean, mean.half_width] for name, mean in self.means.items() if mean.count}
        return {"decisions": self.name, "count": self.decisions, **rates}


@dataclass
class Calibration:
    """Whether answers that have a probability of p are right as often as p."""

    count: Column = field(default_factory=lambda: np.zeros(BINS))
    confidence: Column = field(default_factory=lambda: np.zeros(BINS))  # sums
    correct: Column = field(default_factory=lambda: np.zeros(BINS))

    def add(self, found: Answers) -> None:
        bins = np.minimum((found.confidence * BINS).astype(np.int64), BINS - 1)
        self.count += np.bincount(bins, minlength=BINS)
        self.confidence += np.bincount(bins, found.confidence, BINS)
        self.correct += np.bincount(bins, found.correct, BINS)

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of confidence and accuracy, over bins of confidence."""
        return float(np.abs(self.confidence - self.correct).sum() / max(1.0, self.count.sum()))

    @property
    def table(self) -> list[dict[str, float]]:
        """Every bin that is not empty: confidence, accuracy, and how many decisions."""
        rows = zip(self.count.tolist(), self.confidence.tolist(), self.correct.tolist(), strict=True)
        return [{"count": int(n), "confidence": sure / n, "accuracy": right / n} for n, sure, right in rows if n]

    def to_json(self) -> dict[str, Any]:
        return {"expected_calibration_error": self.error, "reliability": self.table}


class Part:
    """The rows of one kind of choices; the first is what "accuracy" means, and what calibration is measured on."""

    def __init__(self, slices: dict[str, Callable[[Answers], Column]]) -> None:
        self.slices, self.rows, self.calibration = slices, [Row(name) for name in slices], Calibration()

    def add(self, found: Answers) -> None:
        for i, (row, chosen) in enumerate(zip(self.rows, self.slices.values(), strict=True)):
            some = found.at(chosen(found))
            row.add(some)
            if i == 0:
                self.calibration.add(some)

    def to_json(self) -> dict[str, Any]:
        return {"rows": [row.to_json() for row in self.rows if row.decisions], **self.calibration.to_json()}


class Accuracy:
    def __init__(self) -> None:
        self.policy, self.kicker = Part(_policy_slices()), Part(_slices("kickers"))

    @property
    def accuracy(self) -> float:
        """Of labels, where two or more are legal."""
        return self.policy.rows[0].means[ACCURACY].mean

    @property
    def kicker_accuracy(self) -> float:
        return self.kicker.rows[0].means[ACCURACY].mean

    def to_json(self) -> dict[str, Any]:
        return {"policy": self.policy.to_json(), "kicker": self.kicker.to_json()}


def _slices(what: str) -> dict[str, Callable[[Answers], Column]]:
    """Of choices with two or more legal answers: all, by role, by how many answers; then those with one answer too."""
    some: dict[str, Callable[[Answers], Column]] = {f"2+ legal {what}": lambda found: found.options > 1}
    for role, name in enumerate(ROLE_NAMES):
        some[name] = lambda found, role=role: (found.options > 1) & (found.role == role)  # type: ignore[misc]
    for least, most in FEW_TO_MANY:
        name = f"{least}+ {what}" if most is None else f"{least} {what}" if least == most else f"{least} to {most} {what}"
        some[name] = lambda found, least=least, most=most or np.inf: (found.options >= least) & (found.options <= most)  # type: ignore[misc]
    return some | {"with forced ones": lambda found: found.options > 0}


def _policy_slices() -> dict[str, Callable[[Answers], Column]]:
    return _slices("labels") | {
        "without passes": lambda found: (found.options > 1) & ~found.passed,
        "with forced, without passes": lambda found: ~found.passed,
    }


def log_probs_of(agent: BatchAgent) -> Policy:
    """The values of an agent, if they are log-probabilities."""

    def values(view: View, legal: Legal) -> Tensor:
        found = agent.values(view, legal)
        if not bool((log_sums(found, legal).abs() < TOLERANCE).all()):
            raise BadInput(f"agent {agent.name!r} does not give probabilities of plays, only which play is best")
        return found

    return values


# -- measuring --------------------------------------------------------------------------------------------------------


def measure(
    game: Game,
    batches: Iterable[DecisionBatch],
    policy: Policy,
    expert: Sampler | None = None,
    report: Callable[[int], None] = lambda decisions: None,
) -> Accuracy:
    """Over all decisions; all those of a game are in one batch. `expert` drew the plays, and gives the bounds.

    Decisions of one legal play should be among them: they are rows of their own, and count nowhere else.
    """
    found, encoder, done = Accuracy(), PlaneEncoder(game), 0
    for batch in batches:
        encoder = encoder.to(batch.plays.device)
        if len(batch):
            pieces = [_answers(encoder, piece, policy, expert) for piece in _pieces(batch)]
            for part, columns in zip((found.policy, found.kicker), zip(*pieces, strict=True), strict=True):
                part.add(Answers.joined(columns))
        done += len(batch)
        report(done)
    if not done:
        raise BadInput("there is no decision to measure accuracy on")
    return found


def _pieces(batch: DecisionBatch) -> Iterator[DecisionBatch]:
    return (batch.at(rows) for rows in torch.split(torch.arange(len(batch), device=batch.plays.device), AT_ONCE))


def _answers(encoder: PlaneEncoder, batch: DecisionBatch, policy: Policy, expert: Sampler | None) -> tuple[Answers, Answers]:
    """Of labels and of kickers."""
    labels, kickers = choices_of(encoder, batch, policy)
    expert_labels, expert_kickers = choices_of(encoder, batch, expert.logits) if expert else (None, None)
    temperature = expert.temperature if expert else 1.0
    legal, plays = batch.legal.rows, batch.legal.plays
    prefixes, _ = encoder.paths(legal, plays).of_plays(batch.chosen)
    everywhere, options = torch.arange(len(batch), device=plays.device), encoder.legal_labels(len(batch), legal, plays).sum(1)
    asked = _columns(batch, prefixes.rows, prefixes.allowed.sum(1), kickers, expert_kickers, temperature)
    return (
        _columns(batch, everywhere, options, labels, expert_labels, temperature),
        Answers.joined([asked, _forced_kickers(encoder, batch, prefixes.rows, expert is not None)]),
    )


def _forced_kickers(encoder: PlaneEncoder, batch: DecisionBatch, asked: Tensor, bounded: bool) -> Answers:
    """Kickers of the plays that were made that left no choice; `asked [M']` are the decisions of the others."""
    kickers = (encoder.kickers_of[batch.plays.long()] < encoder.kickers).sum(1)
    rows = torch.repeat_interleave(kickers - torch.bincount(asked, minlength=len(batch)))
    certain = Choices(torch.ones(len(rows), 1, dtype=torch.double, device=rows.device), torch.zeros_like(rows))
    return _columns(batch, rows, torch.ones_like(rows), certain, certain if bounded else None)


def _columns(
    batch: DecisionBatch, rows: Tensor, options: Tensor, said: Choices, expert: Choices | None, temperature: float = 1.0
) -> Answers:
    unknown = torch.full_like(said.best, torch.nan)
    bounds = (unknown, unknown, unknown)
    if expert:
        bounds = expert.agreement, expert.best, temperature * expert.cost(said.probs.argmax(1))
    about = batch.game[rows], batch.role[rows], options, batch.plays[rows] == PASS
    return Answers(*(column.cpu().numpy() for column in (*about, said.correct, said.best, *bounds)))


def choices_of(encoder: PlaneEncoder, batch: DecisionBatch, policy: Policy) -> tuple[Choices, Choices]:
    """The labels [n] of decisions and the kickers [M'] that were a choice, from the probabilities of whole plays."""
    rows, chosen = batch.legal.rows, batch.chosen
    logits = policy(batch.view, batch.legal).double()
    probs = (logits - log_sums(logits, batch.legal)[rows]).exp()
    labels = encoder.labels_of(batch.legal.plays)
    sums = probs.new_zeros(len(batch) * encoder.labels).index_add(0, rows * encoder.labels + labels, probs)
    paths = encoder.paths(rows, batch.legal.plays)
    which, kicker = paths.met(chosen)
    return Choices(sums.view(-1, encoder.labels), labels[chosen]), Choices(paths.next_probs(probs)[which].nan_to_num(0), kicker)
