"""The learning rate of an optimiser, with a warm-up of its first steps.

The first steps of Adam and RMSprop are as large for every weight, whatever its gradient: their memory is empty. A rate that
rises slowly keeps them from doing harm, at the start of a run and where a run goes on from weights alone.
"""

import torch


class LearningRate:
    """Of one group of an optimiser's weights. The rate is a tensor, so that it can change in a step that was recorded."""

    def __init__(self, optimiser: torch.optim.Optimizer, warmup: int, group: int = 0) -> None:
        self.group, self.warmup = optimiser.param_groups[group], warmup
        remembered = [optimiser.state[weight] for weight in self.group["params"] if weight in optimiser.state]
        self.steps = max((int(memory["step"]) for memory in remembered), default=0)  # 0 where it remembers nothing

    def set(self, rate: float) -> None:
        """Of the next step: so much of this rate as the warm-up allows."""
        self.steps += 1
        self.group["lr"].fill_(rate * min(1.0, self.steps / max(1, self.warmup)))
