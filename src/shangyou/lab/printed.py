"""What the papers print, and what their logs and stored results say beyond that. Shares won, of the first named."""

from __future__ import annotations

# Deep ZSY (2018): percent against the greedy and the random agent, and the combined loss: the product of both percentages lost.
DEEP_ZSY = {"TD linear": (81.0, 92.0, 152.0), "Deep Q": (71.9, 96.6, 95.7), "Deep Q, 2nd iteration": (75.7, 97.2, 67.3)}
GAMES_OF_A_RATE = 10_000  # of Deep ZSY
FIRST_MODEL_COST = (0.624, 0.634)  # train and dev, without dropout
MOVES_A_GAME, POINTS = 19.2, 1_920_000  # back and forth, of 100,000 games
DEEP_Q_2_WITH_ONE_HOTS = 79.7  # against greedy, its stored weights with the input of first moves put right

# Models of the hyper-parameter table: reward discount, cost discount, learning rate, then percent against greedy and random.
MODELS = {
    "10": (1.0, 1.0, 1e-3, 42.0, 84.8),
    "11": (0.9, 1.0, 1e-3, 41.0, 76.7),
    "12": (0.95, 1.0, 1e-3, 56.9, 92.5),
    "13": (0.95, 1.0, 1e-4, 62.9, 93.7),
    "14": (0.95, 0.99, 1e-4, 63.3, 94.7),
    "15": (0.95, 0.95, 1e-4, 60.4, 94.5),
    "16": (0.95, 0.9, 1e-4, 61.0, 94.1),
}
STORED_MODELS = {
    "10": (0.8, 1.0, 1e-3),
    "11": (0.95, 1.0, 1e-3),
    "12": (0.8, 1.0, 1e-4),
}  # where the stored files say otherwise
MODEL_9 = (18.6, 23.7)  # reward discount 1, not in the paper
ITERATIONS = [(67.2, 94.4), (46.8, 89.4), (65.0, 95.0), (64.8, 95.1), (64.8, 94.7), (62.3, 94.2), (62.4, 94.1)]

# Battle Royale Exploration (2019): shares against random, greedy and the Old DQN.
EXPERIMENT_1_LOG = {
    "ConvNet2": (0.974, 0.769, 0.590),
    "ConvNet1": (0.132, 0.215, 0.087),
    "ConvNet3": (0.650, 0.434, 0.135),
    "DenseNet1": (0.647, 0.496, 0.193),
    "DenseNet2": (0.701, 0.443, 0.154),
}
EXPERIMENT_2_LOG = {  # the last 20 tests without exploration, 2,000 games
    "ConvNet1": (0.977, 0.767, 0.642),
    "ConvNet2": (0.976, 0.753, 0.682),
    "ConvNet3": (0.976, 0.746, 0.630),
    "ConvNet4": (0.972, 0.741, 0.645),
    "ConvNet5": (0.974, 0.749, 0.642),
    "ConvNet6": (0.977, 0.740, 0.637),
    "DenseNet1": (0.964, 0.729, 0.484),
    "DenseNet2": (0.947, 0.670, 0.452),
    "DenseNet3": (0.960, 0.697, 0.500),
    "DenseNet4": (0.789, 0.500, 0.353),
    "DenseNet5": (0.816, 0.536, 0.346),
    "DenseNet6": (0.802, 0.498, 0.332),
}
EXPERIMENT_5_LOG = {  # the last 10 epochs without exploration, 2,000 games; the last two before they were removed
    "ConvNet1": (0.985, 0.770, 0.724),
    "ConvNet2": (0.980, 0.767, 0.704),
    "ConvNet3": (0.984, 0.761, 0.707),
    "ConvNet4": (0.972, 0.772, 0.696),
    "ConvNet5": (0.977, 0.752, 0.707),
    "ConvNet6": (0.978, 0.731, 0.672),
    "ConvNet7": (0.981, 0.744, 0.709),
    "ConvNet9": (0.982, 0.753, 0.704),
    "ConvNet10": (0.969, 0.733, 0.689),
    "ConvNet12": (0.984, 0.745, 0.687),
    "ConvNet8": (0.979, 0.755, 0.664),
    "ConvNet11": (0.978, 0.761, 0.650),
}
TABLE_1 = {  # average share in the round robin of Experiment 2's agents, aggregates and static agents
    "Min6": 0.652,
    "Mean6": 0.649,
    "ConvNet2": 0.546,
    "ConvNet1": 0.535,
    "Max9": 0.478,
    "Old DQN": 0.477,
    "DenseNet3": 0.462,
    "DenseNet1": 0.453,
}
TABLE_2 = {"Min6": (0.993, 0.773, 0.690), "ConvNet2": (0.956, 0.743, 0.623), "DenseNet3": (0.933, 0.643, 0.440)}
TABLE_3 = {
    "Min6": 0.695,
    "Min3": 0.695,
    "ConvNet2": 0.574,
    "ConvNet3": 0.573,
    "ConvNet11": 0.530,
    "Old DQN": 0.464,
    "DenseNet3": 0.436,
    "DenseNet5": 0.435,
    "Greedy": 0.336,
    "DenseNet11": 0.333,
}
TABLE_4 = {
    "Min6": (0.978, 0.777, 0.754),
    "ConvNet2": (0.966, 0.726, 0.628),
    "DenseNet3": (0.962, 0.617, 0.426),
    "DenseNet9": (0.896, 0.511, 0.244),
}
EXPERIMENT_4_LOG_2 = {  # stored results for the agents of Experiment 2, 300 games
    "Min6": (0.993, 0.773, 0.690),
    "Mean6": (0.980, 0.810, 0.670),
    "Mean3": (0.997, 0.727, 0.697),
    "Min3": (0.983, 0.750, 0.677),
    "Mean9": (0.970, 0.780, 0.647),
    "Min9": (0.967, 0.740, 0.667),
    "Max3": (0.973, 0.773, 0.600),
    "Max6": (0.980, 0.770, 0.613),
    "Max9": (0.933, 0.670, 0.407),
}
EXPERIMENT_4_LOG_5 = {  # the same for those of Experiment 5, 1,000 games
    "Min6": (0.978, 0.777, 0.754),
    "Min3": (0.984, 0.786, 0.746),
    "Max3": (0.988, 0.796, 0.746),
    "Max6": (0.987, 0.783, 0.739),
    "Max9": (0.984, 0.768, 0.761),
    "Mean6": (0.988, 0.761, 0.737),
    "Mean9": (0.984, 0.788, 0.754),
    "Min9": (0.982, 0.776, 0.766),
    "Mean3": (0.988, 0.787, 0.748),
}
GAMES_IN_TABLE = {2: 300, 4: 1000}  # of every two agents
DIFFERENT_CHOICES_OF_CONVNETS = "about a third"
LAST_STEP_OF_REMOVED = {
    "DenseNet9": 2499,
    **dict.fromkeys(("DenseNet7", "DenseNet10", "DenseNet11", "DenseNet12"), 2999),
    "DenseNet8": 3499,
    **dict.fromkeys(("DenseNet2", "DenseNet4"), 3999),
    **dict.fromkeys(("DenseNet1", "DenseNet6"), 4499),
    **dict.fromkeys(("DenseNet3", "DenseNet5"), 4999),
    "ConvNet11": 9499,
    "ConvNet8": 10_999,
}
BEST = {"greedy": 0.796, "random": 0.988}  # of any of their agents over 1,000 games or more
EXPLORATION_IN_TABLES = 0.1  # of single nets; combined and static agents had none
