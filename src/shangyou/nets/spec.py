"""What exported models and the agents that ask them share. It does not import torch, so that agents can play without it."""

from collections.abc import Sequence
from typing import TypeVar

ENCODING = 1
"""The version of the encoder: it grows whenever the same position is encoded in other numbers."""

OBJECTIVES = ("win", "points")
"""What a seat plays for. A win is worth the same however many bombs were played; points are not."""
SPARRING = "sparring"
"""What only some nets can be asked for: to win where the opponent is not the net itself but a sparring partner, or like one."""

ALL_OBJECTIVES = (*OBJECTIVES, SPARRING)
WIN, POINTS, TO_BEAT_SPARRING = range(3)

MODEL_NAMES = {"objective": "aim"}
"""Inputs that have another name in a model than in `nets.inputs.Inputs`: the models that exist were exported with it."""

POINT_UTILITY = 1e-4
"""What a point is worth, in win chance, to a seat that plays to win: too little to outweigh a real difference, enough to choose
between plays that win alike, or when the game is lost."""

Values = TypeVar("Values")  # numpy's arrays or torch's tensors


def winner_utility(win: Values, points: Values) -> Values:
    """The value of plays for a seat that plays to win, from win chances and points.

    Points are counted from -1: in a two-player game that is almost lost, small chances are then not rounded away.
    """
    return win + POINT_UTILITY * (points + 1)  # type: ignore[operator, no-any-return]


def value_of(answers: Sequence[Values], objective: str) -> Values:
    """By which plays are chosen: the only answer of a model, or of win chances and points what the objective makes of them."""
    if len(answers) == 1:
        return answers[0]
    return answers[1] if objective == "points" else winner_utility(*answers)


NO_BID = -1
"""The input of a bid net for a seat that has not bid yet."""
