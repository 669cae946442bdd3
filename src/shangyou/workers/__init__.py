"""Work in chunks: in this process, in processes of this machine, or on a Ray cluster.

    with closing(do_chunks(PlayDeals(game, contestants, seed), chunks, workers=4)) as results:
        for result in results: ...

Results come in the order of the chunks and do not depend on where they were made: a chunk must not, either, on those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from shangyou.games import BadInput

if TYPE_CHECKING:
    from shangyou.workers.cluster import Cluster

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")
Chunk_ = TypeVar("Chunk_", contravariant=True)
Result_ = TypeVar("Result_", covariant=True)

Workers: TypeAlias = "int | Cluster"  # so many processes of this machine, or those of a cluster
CHUNKS_EACH = 4  # at least, for each worker: one that is done early finds more to do, and one that is lost has little


class Work(Protocol[Chunk_, Result_]):
    """What is done with every chunk: a value that can be pickled, since each worker has a copy."""

    @property
    def agents(self) -> Iterable[str]:
        """The names of the agents in it: their models go with it to other machines."""

    def start(self) -> Callable[[Chunk_], Result_]:
        """Called once by every worker, and first by whoever asks for the work: what cannot be loaded is an error there."""


def do_chunks(work: Work[Chunk, Result], chunks: Iterable[Chunk], workers: Workers = 1, gpu: bool = False) -> Generator[Result]:
    """The result of every chunk, in order. With `gpu` each worker of a cluster has a GPU to itself."""
    if not isinstance(workers, int):
        if not gpu:  # which this machine may be without
            work.start()
        return workers.do_chunks(work, chunks, gpu)
    do = work.start()
    if count_of(workers) == 1:
        return (do(chunk) for chunk in chunks)
    from shangyou.workers.local import do_in_processes

    return do_in_processes(work, chunks, workers)


def count_of(workers: Workers) -> int:
    """How many chunks are worked on at once."""
    if not isinstance(workers, int):
        return workers.count
    if workers < 1:
        raise BadInput(f"workers {workers}: at least one is needed")
    return workers
