"""Compiled kernels are stored on disk: compiling takes half a minute and more, and the next process loads them.

Numba finds the place: the first it may write to of NUMBA_CACHE_DIR, __pycache__ beside the kernels, and the user's own cache.
But it looks for changes only in the file that defines a kernel, and most of a kernel is inlined from other files. So what is
stored carries a hash of all sources: a kernel of other sources is compiled again and replaces the old one.
"""

# mypy: disable-error-code="no-untyped-call"

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from shangyou.engines.sources import PACKAGE, hash_sources

# Nothing else can be in a kernel, since a layer imports only from those above it. Read now, while it is what Python has read.
SOURCES = hash_sources(PACKAGE / "games", PACKAGE / "engines", PACKAGE / "search")


before_compiling: Callable[[], None] | None = None  # called for every kernel that is not on disk


class StampedFiles(CompileResultCacheImpl):
    """What is in the files. The stamp is in the data, for which processes of different sources or CPUs may race."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Without Numba's line number, so that a kernel that moves in its file leaves nothing behind."""
        return f"{fullname}.{sys.implementation.cache_tag}{abiflags}"

    def stamp(self, codegen: Any) -> tuple[object, ...]:
        return SOURCES, numba.__version__, codegen.magic_tuple()

    def reduce(self, compiled: Any) -> tuple[object, ...]:
        return self.stamp(compiled.codegen), super().reduce(compiled)

    def rebuild(self, target: Any, stored: Any) -> Any:
        stamp, compiled = stored
        return super().rebuild(target, compiled) if stamp == self.stamp(target.codegen()) else None


class KernelCache(FunctionCache):
    """Whatever is wrong with the disk is a reason to compile, never to fail."""

    _impl_class = StampedFiles

    def load_overload(self, signature: Any, target: Any) -> Any:
        stored = self._stored(signature, target)
        if stored is None and before_compiling is not None:
            before_compiling()
        return stored

    def _stored(self, signature: Any, target: Any) -> Any:
        try:
            return super().load_overload(signature, target)
        except Exception:  # a broken file may raise anything
            with suppress(OSError):
                self.flush()  # or a broken index would be read again when the kernel is saved
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        with suppress(OSError):
            super().save_overload(signature, compiled)


Function = TypeVar("Function", bound=Callable[..., Any])
FAST: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}  # floats added up in any order

njit: Any = numba.njit  # `_nrt`, whether to count, is an option that its types do not name

part: Callable[[Function], Function] = njit(_nrt=False)
"""A function that kernels call, where inlining would make them too large. Numba counts who uses an array whenever one is handed
on; that took three quarters of the solver's time. A part does not count, so it may make no arrays."""

fast_part: Callable[[Function], Function] = njit(_nrt=False, **FAST)
"""A part of a fast kernel."""


def kernel(function: Callable[..., Any], parallel: bool = True) -> Any:
    """`function`, compiled by the first process that calls it: on all cores, or in the thread that calls it. In the latter case
    it makes no arrays, like a part."""
    compiled: Any = njit(nogil=True, parallel=parallel, _nrt=parallel)(function)
    with suppress(RuntimeError):  # Numba's word for having no place to write to
        compiled._cache = KernelCache(function)
    return compiled


def fast_kernel(function: Callable[..., Any]) -> Any:
    """A kernel in the thread that calls it, which may add up floats in any order, so several at once: for small nets."""
    compiled: Any = njit(nogil=True, **FAST)(function)
    with suppress(RuntimeError):
        compiled._cache = KernelCache(function)
    return compiled
