"""Settings: what suits a game, and what a person writes instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shangyou.games import BadInput
from shangyou.training.algorithm import preset
from shangyou.training.settings import changed


def test_settings_are_taken_over():
    args = preset("dmc", "zsy2", "cpu")
    given = changed(args, ["minibatch=64", "lr=1", "sparring=random,greedy", "sparring=", "size.turns=0", "size.norm=true"])
    size = replace(args.size, turns=0, norm=True)
    assert given == replace(args, minibatch=64, lr=1, sparring=(), size=size)
    assert changed(args, ["opponents=random,greedy"]).opponents == ("random", "greedy")


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("depth=3", "setting 'depth=3': write NAME=VALUE, where the name is one of game, rules, .*size.turns"),
        ("minibatch", "setting 'minibatch': write NAME=VALUE"),
        ("size=4", "setting 'size=4': write NAME=VALUE"),
        ("size.lr=4", "setting 'size.lr=4': write NAME=VALUE"),
        ("minibatch=many", "'many' is not a whole number"),
        ("minibatch=1.5", "'1.5' is not a whole number"),
        ("minibatch=true", "'true' is not a whole number"),
        ("size.norm=1", "'1' is not true or false"),
        ("lr=", "'' is not a number"),
    ],
)
def test_settings_that_are_none_are_named(setting, reason):
    with pytest.raises(BadInput, match=reason):
        changed(preset("dmc", "zsy2", "cpu"), [setting])
