"""A Ray cluster that does work.

    with Cluster("auto") as cluster:
        match = evaluate(game, a, b, deals=20_000, seed=1, workers=cluster)

A chunk whose worker or node is lost runs again elsewhere, by Ray's own retries; its result is asked for once, so nothing is
counted twice. The work lies once in Ray's object store, which brings it once to every node.
"""

from __future__ import annotations

import os
import platform
import socket
from collections import deque
from collections.abc import Callable, Generator, Iterable
from importlib.metadata import PackageNotFoundError, version
from types import TracebackType
from typing import Any, NamedTuple, Self

import shangyou
from shangyou.agents.models.parcels import Parcel, pack, unpack
from shangyou.engines.sources import PACKAGE, hash_sources
from shangyou.games import BadInput
from shangyou.workers import Chunk, Result, Work
from shangyou.workers.local import use_threads

CHUNKS_AHEAD = 4  # for each worker: while a lost chunk runs again the others do not wait
TRIES = 10  # of a chunk: one that ends every worker it comes to is an error
CONNECT_SECONDS = 5.0
PATIENCE = 10.0  # seconds without a result after which it is asked whether anybody is left to work
SAME = ("numpy", "torch", "onnxruntime", "numba")  # libraries that results depend on

# With 0 a loopback address stays one: Ray would take this machine's address in the network instead, where a cluster
# that was started on loopback does not answer.
LOOPBACK = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"


class Cluster:
    """The connection of this process; it runs on a machine of the cluster."""

    def __init__(self, address: str = "auto") -> None:
        self.address, self._ray = address, _import_ray()
        _check_address(address)
        try:
            self._ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, RuntimeError, ValueError, self._ray.exceptions.RayError) as error:
            raise BadInput(f"Ray cluster {address}: {_reason(error)}") from error
        if not self.count:
            self.close()
            raise BadInput(f"Ray cluster {address}: none of its nodes has a CPU to work with")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends what still runs there for this process."""
        self._ray.shutdown()

    @property
    def count(self) -> int:
        """How many chunks run at once: one on each CPU."""
        return int(self._ray.cluster_resources().get("CPU", 0))

    @property
    def gpus(self) -> int:
        return int(self._ray.cluster_resources().get("GPU", 0))

    def do_chunks(self, work: Work[Chunk, Result], chunks: Iterable[Chunk], gpu: bool = False) -> Generator[Result]:
        """The results in the order of the chunks.

        Who asks for no more leaves those that wait, a few seconds of work, to be done for nothing or until this process
        disconnects: Ray ends the whole process where `ray.cancel` meets a chunk that is just ready (2.60: "Tried to complete
        task that was not pending").
        """
        packed = self._ray.put(Packed(work, pack(work.agents)))
        options = {"num_cpus": 1, "num_gpus": 1 if gpu else 0, "max_retries": TRIES, "retry_exceptions": False}
        remote, made_by = self._ray.remote(_do).options(**options), versions()
        waiting: deque[Any] = deque()
        for chunk in chunks:
            waiting.append(remote.remote([packed], made_by, chunk))
            if len(waiting) > CHUNKS_AHEAD * (self.gpus if gpu else self.count):
                yield self._result(waiting.popleft())
        while waiting:
            yield self._result(waiting.popleft())

    def _result(self, reference: Any) -> Any:
        while not self._ray.wait([reference], timeout=PATIENCE)[0]:
            if not self.count:
                raise BadInput(f"Ray cluster {self.address}: all nodes with a CPU are lost")
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error  # what the work raised
        except self._ray.exceptions.RayError as error:
            raise BadInput(f"Ray cluster {self.address}: a chunk failed {TRIES} times: {str(error).splitlines()[0]}") from error


def _import_ray() -> Any:
    given = LOOPBACK in os.environ
    os.environ.setdefault(LOOPBACK, "0")  # read when Ray is imported; not for `ray start` by a child of this process
    try:
        import ray
    except ImportError as missing:
        raise BadInput("working on a cluster needs ray: pip install shangyou[cluster]") from missing
    finally:
        if not given:
            del os.environ[LOOPBACK]
    return ray


def _reason(error: BaseException) -> str:
    """In one line. That the token is missing or wrong stands only in what caused the error."""
    found: BaseException | None = error
    while found:
        if "InvalidAuthToken" in str(found):
            return "it wants a token, RAY_AUTH_MODE=token with RAY_AUTH_TOKEN as its nodes were started with"
        found = found.__context__
    return str(error).strip().splitlines()[0]


def _check_address(address: str) -> None:
    """Whether something there speaks gRPC: Ray itself would wait for minutes."""
    if address == "auto":
        return
    host, _, port = address.rpartition(":")
    if "/" in address or not (host and port.isdecimal()):
        raise BadInput(f"Ray cluster {address!r}: write auto or HOST:PORT, the address that `ray start` prints")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS) as connection:
            if os.environ.get("RAY_USE_TLS", "0") in ("", "0"):
                connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))  # empty settings
                if connection.recv(9)[3:4] != b"\x04":
                    raise BadInput(f"Ray cluster {address}: what answers there is not Ray")
    except (OSError, OverflowError) as error:
        raise BadInput(f"Ray cluster {address} does not answer: {error}") from error


# -- on the nodes -----------------------------------------------------------------------------------------------------


class Packed(NamedTuple):
    work: Work[Any, Any]
    models: list[Parcel]


def versions() -> dict[str, str]:
    """What the result of a chunk depends on besides the chunk."""
    found = {"shangyou": f"{shangyou.__version__} (sources {hash_sources(PACKAGE)[:12]})", "machine": platform.machine()}
    for name in SAME:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def check_versions(wanted: dict[str, str]) -> None:
    """Whether this node has what the machine that asked for the work has."""
    if different := [f"{name} {here}, not {wanted[name]}" for name, here in versions().items() if here != wanted[name]]:
        node = _import_ray().util.get_node_ip_address()
        raise BadInput(f"node {node} of the Ray cluster has {'; '.join(different)}")


_started: dict[Any, Callable[[Any], Any]] = {}  # at most one: the work this process did last


def _do(packed: list[Any], made_by: dict[str, str], chunk: Any) -> Any:
    """In a worker. The work is in a list so that Ray passes its reference: it is read by the first chunk alone."""
    ray = _import_ray()
    (reference,) = packed
    if reference not in _started:
        check_versions(made_by)
        use_threads(1)
        work, models = ray.get(reference)
        unpack(models)
        _started.clear()
        _started[reference] = work.start()
    return _started[reference](chunk)
