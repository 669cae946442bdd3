"""The batches of games that a net plays to learn from them, one after the other or the next beside the learning.

    with closing(Batches(play, player, net, ahead=True)) as batches:
        batch = batches.take(0)  # play(0); from the second batch on the next one begins to be played now
        ...                      # learn from it meanwhile

Playing is many short kernels that wait for Python, learning long ones: side by side they take less time. The player is then a
batch behind the net.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

import torch
from torch import nn

from shangyou.agents.batch.value_net import TorchAgent

T = TypeVar("T")
ALONE = 1  # batches before any is played ahead: while kernels are compiled and recorded nothing else may run


class Batches(Generic[T]):
    """`play` a batch by its number with `player`, whose weights become those of `net` in between."""

    def __init__(self, play: Callable[[int], T], player: TorchAgent, net: nn.Module, ahead: bool = False) -> None:
        self._play, self._player, self._net, self._ahead, self._taken = play, player, net, ahead, 0
        self._thread = ThreadPoolExecutor(1, "playing")
        self._stream = torch.cuda.Stream() if ahead and player.on_gpu else None  # type: ignore[no-untyped-call]
        self._next: Future[T] | None = None

    def take(self, number: int) -> T:
        """Batch `number`. The one after it is played while this one is learned from."""
        self.settled()
        batch = self._next.result() if self._next else self._play(number)
        self._next = None
        if self._ahead and self._taken >= ALONE:
            if self._stream:
                self._stream.wait_stream(torch.cuda.current_stream())
            self._next = self._thread.submit(self._play_ahead, number + 1)
        self._taken += 1
        return batch

    def settled(self) -> TorchAgent:
        """The player with the weights as they are now, while nothing is played: so it can be measured."""
        if self._next:
            self._next.result()
        self._player.refresh(self._net)
        return self._player

    def close(self) -> None:
        """After the batch that is being played."""
        self._thread.shutdown(cancel_futures=True)

    def _play_ahead(self, number: int) -> T:
        if self._stream is None:
            return self._play(number)
        with torch.cuda.stream(self._stream):
            batch = self._play(number)
        self._stream.synchronize()
        return batch
