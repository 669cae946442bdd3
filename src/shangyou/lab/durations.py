"""How long an experiment takes, printed before it begins. Where it says so the figure is an estimate."""

from typing import NamedTuple


class Duration(NamedTuple):
    """None where it was not measured."""

    small: float | None  # minutes on two CPU cores, with nothing stored
    gpu: float | None  # minutes at paper scale on an H200
    cpu: float | None  # hours at paper scale on two CPU cores, at least: `small` times how much more is learned and played


DURATIONS = {
    "deep-zsy": Duration(1.4, 3.7, 5),
    "hyperparameters": Duration(1.5, None, 4),
    "iterations": Duration(3.8, 2.8, 12),
    "buffer-size": Duration(4.5, None, 10),
    "round-robin": Duration(4.5, None, 24),
    "discordance": Duration(4.6, None, 24),
    "aggregation": Duration(4.8, None, 24),
    "battle-royale": Duration(5, 4, 48),
    "more-games": Duration(5.4, None, None),
    "regularisation": Duration(3.4, None, None),
    "findings": Duration(11, 41, 240),
    "people": Duration(0.1, 0.1, 0.01),
    "ddqn-pool": Duration(9, 70, None),
    "deeprocket": Duration(10, None, None),
}


def expected(name: str, scale: str, on_gpu: bool) -> str:
    """A sentence for whoever starts an experiment; empty at smoke scale."""
    known = DURATIONS.get(name, Duration(None, None, None))
    if scale == "small":
        return f"about {known.small:g} minutes on two CPU cores, less what is stored" if known.small else ""
    if scale == "paper" and on_gpu:
        return f"about {known.gpu:g} minutes on an H200, less what is stored" if known.gpu else ""
    if scale == "paper" and (known.cpu is None or known.cpu >= 1):
        long = "days" if known.cpu is None or known.cpu >= 24 else f"at least {known.cpu:g} hours"
        return f"warning: scale paper is for a GPU; on two CPU cores expect {long} (estimated). --scale small takes minutes"
    return ""
