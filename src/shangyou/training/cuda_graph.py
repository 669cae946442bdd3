"""A step that is recorded once and then replayed: on a GPU its few hundred short kernels need not wait for Python."""

import gc
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Step = Callable[[Sequence[Tensor]], Tensor]
WARM = 3  # calls before recording, in which kernels are compiled and memory is allocated


class CudaGraphStep:
    """`step` of tensors that keep their shapes, on one GPU. The next call overwrites its result."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.calls = 0
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.graph = torch.cuda.CUDAGraph()
        self.given: list[Tensor] = []
        self.answer: Tensor

    def __call__(self, given: Sequence[Tensor]) -> Tensor:
        self.calls += 1
        if self.calls <= WARM:
            return self._on_own_stream(given)
        if not self.given:
            self.given = [tensor.clone() for tensor in given]
            gc.collect()  # a graph that is freed while another is recorded makes the recording fail; torch does not collect
            with torch.cuda.graph(self.graph, stream=self.stream):  # records the kernels, without running them
                self.answer = self.step(self.given)
        elif [tensor.shape for tensor in given] != [tensor.shape for tensor in self.given]:
            return self._on_own_stream(given)
        torch._foreach_copy_(self.given, list(given))
        self.graph.replay()
        return self.answer

    def _on_own_stream(self, given: Sequence[Tensor]) -> Tensor:
        """The stream on which it will be recorded: memory of gradients belongs to a stream."""
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            answer = self.step(given)
        torch.cuda.current_stream().wait_stream(self.stream)
        return answer
