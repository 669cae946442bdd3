"""Sequential probability ratio test: a match stops as soon as it is clear enough whether A is better."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf, log

from shangyou.evaluation.intervals import RunningMean
from shangyou.games import BadInput


class Verdict(StrEnum):
    H0 = "H0"
    H1 = "H1"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Sprt:
    """H0: the mean of the values is `mu0`; H1: it is `mu1`, above it.

    The generalised test of Stockfish's fishtest (its `LLR_alt`) on any independent values, here a deal's score each. The
    variance is not known but fitted under either hypothesis; what is left of the log likelihood ratio is, for every value,
    half the log of the ratio of the mean squared distances from mu0 and from mu1.
    """

    mu0: float
    mu1: float
    alpha: float = 0.05  # chance to accept H1 where H0 is true
    beta: float = 0.05  # chance to accept H0 where H1 is true

    def __post_init__(self) -> None:
        if not self.mu0 < self.mu1:
            raise BadInput(f"sprt: H1 ({self.mu1}) must lie above H0 ({self.mu0})")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise BadInput(f"sprt: error rates {self.alpha} and {self.beta} must lie between 0 and 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios below which H0 is accepted, and above which H1 is."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, values: RunningMean) -> float:
        """The log likelihood ratio of the values, H1 over H0."""
        if values.count == 0:
            return 0.0
        from_h0, from_h1 = values.squared_distance(self.mu0), values.squared_distance(self.mu1)
        if from_h0 == 0 or from_h1 == 0:  # every single value was what the hypothesis says of the mean
            return -inf if from_h0 == 0 else inf
        return values.count / 2 * log(from_h0 / from_h1)

    def verdict(self, values: RunningMean) -> Verdict:
        low, high = self.bounds
        llr = self.llr(values)
        return Verdict.H0 if llr <= low else Verdict.H1 if llr >= high else Verdict.UNDECIDED
