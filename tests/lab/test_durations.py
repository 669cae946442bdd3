"""What is said of the time an experiment takes, before it begins."""

import pytest

from shangyou.lab import EXPERIMENTS
from shangyou.lab.durations import DURATIONS, expected


def test_only_experiments_have_durations():
    assert set(DURATIONS) <= set(EXPERIMENTS)


@pytest.mark.parametrize(
    ("name", "scale", "on_gpu", "words"),
    [
        ("deep-zsy", "smoke", False, ""),
        ("deep-zsy", "small", False, "about 1.4 minutes on two CPU cores"),
        ("deep-zsy", "paper", True, "about 3.7 minutes on an H200"),
        ("deep-zsy", "paper", False, "warning: scale paper is for a GPU; on two CPU cores expect at least 5 hours (estimated)"),
        ("battle-royale", "paper", False, "expect days (estimated)"),
        ("deeprocket", "paper", False, "expect days (estimated)"),
        ("people", "paper", False, ""),
    ],
)
def test_a_sentence_for_each_scale(name, scale, on_gpu, words):
    told = expected(name, scale, on_gpu)
    assert words in told
    assert bool(told) == bool(words)
