"""Training: one file an algorithm, and the parts they share. `algorithm.py` is the frame that runs them."""

ALGORITHMS = (
    "dmc", "reinforce", "ddqn", "deep-q", "population", "td-linear", "supervised", "policy-gradient", "hands", "bids",
    "distill", "douzero", "douzero-large",
)  # fmt: skip
"""Each is the file of its name, which defines `ALGORITHM`; imported on demand, since it needs torch."""
