"""Double DQN: double_dqn.py, the algorithm; replay.py, the decisions it learns from; pool.py, the past versions it plays."""

from shangyou.training.ddqn.double_dqn import ALGORITHM, Args

__all__ = ["ALGORITHM", "Args"]
