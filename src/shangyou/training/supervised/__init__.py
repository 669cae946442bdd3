"""Learning from the games of others.

imitation.py is the algorithm. generate.py plays games to learn from, decisions.py makes minibatches of stored ones, accuracy.py
measures how well a policy predicts them.
"""

from shangyou.training.supervised.imitation import ALGORITHM, Args

__all__ = ["ALGORITHM", "Args"]
