"""Training by several processes of a Ray cluster, one a GPU: what `torchrun` does on one machine, on many.

    train_on_cluster(cluster, "dmc", args, "s3://bucket/run", ranks=16)

Ray Train starts the processes and connects them; every one plays its own games, and gradients are averaged. If one is lost all
are started again, and go on from the last checkpoint, which lies where every node can read it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from shangyou.agents.models.parcels import Parcel, pack, unpack
from shangyou.games import BadInput
from shangyou.records.remote_runs import find_filesystem, open_run
from shangyou.workers.cluster import Cluster, check_versions, versions
from shangyou.workers.local import use_threads

if TYPE_CHECKING:
    from shangyou.training.algorithm import Progress

FAILURES = 100  # after which a run is given up: a cluster of nodes that may be taken away loses some every day
REPORT_SECONDS = 0.5
AGENTS = ("opponents", "sparring", "teachers", "teacher")  # settings that name agents


@dataclass(frozen=True)
class Order:
    """What every process is to do."""

    algorithm: str
    args: Any
    where: str
    models: list[Parcel]
    made_by: dict[str, str]
    board: Any  # the actor that knows how far the run is


def train_on_cluster(
    cluster: Cluster,
    algorithm: str,
    args: Any,
    where: str | Path,
    ranks: int,
    report: Callable[[Progress], None] = lambda progress: None,
    failures: int = FAILURES,
) -> None:
    """Train, or go on with the run that is there. `where` is a URI, or a path that is the same folder on every node."""
    import ray
    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.torch import TorchConfig, TorchTrainer

    on_gpu = args.device.partition(":")[0] == "cuda"
    there = cluster.gpus if on_gpu else cluster.count
    if not 1 <= ranks <= there:
        raise BadInput(f"processes {ranks}: the cluster has {there} {'GPUs' if on_gpu else 'CPUs'}")
    place = str(where) if "://" in str(where) else str(Path(where).resolve())
    files, root = find_filesystem(place if "://" in place else Path(place).as_uri())
    board = ray.remote(num_cpus=0)(Board).remote()
    order = Order(algorithm, args, place, pack(_agents(args)), versions(), board)
    logging.getLogger("ray.train").setLevel(logging.ERROR)
    trainer = TorchTrainer(
        _train,
        train_loop_config={"order": order},
        torch_config=TorchConfig(backend="nccl" if on_gpu else "gloo"),
        scaling_config=ScalingConfig(num_workers=ranks, use_gpu=on_gpu),
        run_config=RunConfig(  # Ray Train's own notes, beside the run
            name="ray", storage_path=root, storage_filesystem=files, failure_config=FailureConfig(max_failures=failures)
        ),
    )
    with _reports(ray, board, report):
        try:
            trainer.fit()
        except Exception as error:  # Ray Train wraps what the processes raised
            raise _cause(error) from error


def _agents(args: Any) -> Iterator[str]:
    for setting in AGENTS:
        value = getattr(args, setting, ())
        yield from ((value,) if isinstance(value, str) else value)


def _cause(error: BaseException) -> BaseException:
    """The bad input of the first process that had any."""
    for inner in getattr(error, "worker_failures", {}).values():
        found = getattr(inner, "cause", None) or inner
        if isinstance(found, BadInput):
            return found
    return error


class Board:
    """An actor: the first process writes on it, whoever started the run reads."""

    def __init__(self) -> None:
        self.progress: Progress | None = None

    def write(self, progress: Progress) -> None:
        self.progress = progress

    def read(self) -> Progress | None:
        return self.progress


@contextmanager
def _reports(ray: Any, board: Any, report: Callable[[Progress], None]) -> Iterator[None]:
    over = Event()

    def follow() -> None:
        while not over.wait(REPORT_SECONDS):
            if progress := ray.get(board.read.remote()):
                report(progress)

    thread = Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if progress := ray.get(board.read.remote()):
            report(progress)


def _train(config: dict[str, Any]) -> None:
    """In every process, each time they are started."""
    order: Order = config["order"]
    check_versions(order.made_by)
    use_threads(1)
    unpack(order.models)
    from shangyou.training.algorithm import start

    keeper = open_run(order.where)
    reported = 0.0

    def report(progress: Progress) -> None:
        nonlocal reported
        if monotonic() - reported >= REPORT_SECONDS or order.args.share_left(progress) == 0:
            reported = monotonic()
            order.board.write.remote(progress)

    start(order.algorithm, order.args, keeper, report, keeper.resume() if keeper.exists else None)
