"""Training: one file an algorithm, and the parts they share. `algorithm.py` is the frame that runs them."""

ALGORITHMS = {
    "dmc": "shangyou.training.dmc",
    "reinforce": "shangyou.training.reinforce",
    "deep-q": "shangyou.training.deep_q",
    "population": "shangyou.training.population",
    "td-linear": "shangyou.training.td_linear",
    "bids": "shangyou.training.bids",
}
"""By name, the module that defines `ALGORITHM`; imported on demand, since it needs torch."""
