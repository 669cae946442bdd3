"""Several processes that learn one net together, each from its own games: started by `torchrun` or Ray Train,
one a GPU.

Alone, everything here does nothing.
"""

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, distributed


class DistributedContext:
    """This process among the others. `close` ends the connection."""

    def __init__(self, device: torch.device) -> None:
        self.count = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        self.device = device
        self.connects = self.count > 1 and not distributed.is_initialized()  # else Ray Train has connected the processes
        if self.connects:
            # Optimisers import it. Imported while processes are connected it holds the connection for good, whose threads then
            # run until Python is gone, and now and then abort the process.
            import_module("torch._dynamo")
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")

    def wait(self) -> None:
        """Until all processes are here."""
        if self.count > 1:
            distributed.barrier()

    def close(self) -> None:
        if self.connects:
            distributed.destroy_process_group()

    @property
    def first(self) -> bool:
        """Whether this is the process that reports and stores."""
        return self.rank == 0

    def same(self, value: Any) -> Any:
        """The first process's value, for all: what a clock says must be the same everywhere."""
        if self.count == 1:
            return value
        values = [value]
        distributed.broadcast_object_list(values, src=0, device=self.device)
        return values[0]

    def total(self, *values: int) -> list[int]:
        return self._reduced(values, "SUM")

    def least(self, value: int) -> int:
        return self._reduced([value], "MIN")[0]

    def _reduced(self, values: Sequence[int], how: str) -> list[int]:
        if self.count == 1:
            return list(values)
        reduced = torch.tensor(values, device=self.device)
        distributed.all_reduce(reduced, op=getattr(distributed.ReduceOp, how))
        return reduced.tolist()

    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        """All gradients in one message."""
        if self.count == 1:
            return
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(flat)
        parts = torch.split(flat / self.count, [gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))


def local_device(device: str) -> str:
    """`cuda` is the GPU of this process."""
    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if device == "cuda" else device
