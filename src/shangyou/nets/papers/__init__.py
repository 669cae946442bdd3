"""The nets of Deep ZSY and Battle Royale."""

from shangyou.nets.papers.ensemble import HOW, Ensemble, StoredNets, ensemble_of, spec_of, stored_net
from shangyou.nets.papers.specs import CONV_LSTM, DEEP_Q, EXPERIMENT_1, EXPERIMENT_2, EXPERIMENT_5, LSTM, OLD_DQN, NetSpec
from shangyou.nets.papers.stacks import PairNet, Stack

__all__ = [
    "CONV_LSTM", "DEEP_Q", "EXPERIMENT_1", "EXPERIMENT_2", "EXPERIMENT_5", "HOW", "LSTM", "OLD_DQN", "Ensemble", "NetSpec",
    "PairNet", "Stack", "StoredNets", "ensemble_of", "spec_of", "stored_net",
]  # fmt: skip
