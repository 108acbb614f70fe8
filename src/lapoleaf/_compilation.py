"""The decorator of all kernels: compilation by numba, cached on disk if possible.

numba raises on import of a module if there is no writable folder for its cache, and on a call if
that folder is full or was removed. The cache only saves time, so here a kernel is compiled in
memory in these cases, and the user is warned once.

numba also numbers the files of a kernel: two processes that compile it at the same time for
different signatures use the same name, and code for one signature may be loaded for another. Here
the name of a file is derived from the signature, so that processes can share the folder.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, Protocol, TypeVar, overload

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.core.registry import CPUDispatcher

from lapoleaf._warnings import warn_user

_P = ParamSpec("_P")
_R = TypeVar("_R", covariant=True)
_warned = False
# Kernels being compiled with the collector paused, whether it was on before, and their lock.
_n_compiling = 0
_was_collecting = False
_compiling_lock = threading.Lock()


class Kernel(Protocol[_P, _R]):
    """A compiled function."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...


@overload
def kernel(function: Callable[_P, _R]) -> Kernel[_P, _R]: ...


@overload
def kernel(**options: Any) -> Callable[[Callable[_P, _R]], Kernel[_P, _R]]: ...


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile a function on its first call; it releases the interpreter's lock.

    Parameters
    ----------
    function : callable, optional
        The function to compile; omitted if options are passed.
    **options
        Options of :func:`numba.njit`. With ``no_cpython_wrapper=True`` only kernels can call the
        function, and it is compiled faster; not for one that makes arrays, which numba would then
        compile a second time.

    Examples
    --------
    >>> from lapoleaf._compilation import kernel
    >>> @kernel
    ... def add(first, second):
    ...     return first + second
    """
    if function is None:
        return lambda function: kernel(function, **options)
    # Kernels are not called from C, and no division by 0 is an exception (numbers of a damaged file
    # that was mapped without being read may be 0), so there is less to compile. The options are the
    # same for all kernels, because numba compiles its own functions once more for other options.
    options = {"no_cfunc_wrapper": True, "error_model": "numpy", **options}
    compiled = numba.njit(nogil=True, **options)(function)
    if isinstance(compiled, CPUDispatcher):  # false with NUMBA_DISABLE_JIT=1
        compiled._cache = _KernelCache(function)  # type: ignore[attr-defined]
        inner = options.get("no_cpython_wrapper", False)
        compiled.__class__ = _ForKernels if inner else _Interruptible
    return compiled


class _Interruptible(CPUDispatcher):
    """A compiled function in which Ctrl-C always raises ``KeyboardInterrupt``.

    numba runs Python code while compiling and while converting results, and does not expect
    exceptions there. An interrupt in the compiler may end the process, so it is delayed; one during
    conversion would become a ``SystemError``.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except SystemError as error:
            cause: BaseException | None = error
            while cause is not None and not isinstance(cause, KeyboardInterrupt):
                cause = cause.__cause__ or cause.__context__
            if cause is None:
                raise
            raise KeyboardInterrupt from error

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        # Python raises interrupts only in the main thread.
        usual = signal.getsignal(signal.SIGINT) if _is_main_thread() else None
        if not callable(usual):
            with _no_collection():
                return super()._compile_for_args(*args, **kwargs)  # type: ignore[misc]
        arrived: list[tuple[Any, ...]] = []
        signal.signal(signal.SIGINT, lambda *interrupt: arrived.append(interrupt))
        try:
            with _no_collection():
                return super()._compile_for_args(*args, **kwargs)  # type: ignore[misc]
        finally:
            signal.signal(signal.SIGINT, usual)
            if arrived:
                usual(*arrived[0])


class _ForKernels(CPUDispatcher):
    """A compiled function without a wrapper for Python, which only kernels can call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.py_func.__name__
        raise TypeError(f"{name} is compiled with no_cpython_wrapper=True: only kernels call it.")


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the collection of garbage: the compiler makes many objects, hardly any of it garbage.

    Several threads may be in it at once.
    """
    global _n_compiling, _was_collecting
    with _compiling_lock:
        if _n_compiling == 0:
            _was_collecting = gc.isenabled()
            gc.disable()
        _n_compiling += 1
    try:
        yield
    finally:
        with _compiling_lock:
            _n_compiling -= 1
            if _n_compiling == 0 and _was_collecting:
                gc.enable()


def _is_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


class _KernelCache(NullCache):
    """Disk cache of one kernel, accessed only when needed.

    numba calls it while holding its compiler lock.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self._on_disk: Any = None
        self._usable = True

    @property
    def cache_path(self) -> str | None:
        path: str | None = None if self._on_disk is None else self._on_disk.cache_path
        return path

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        # Unpickling a damaged file may raise any exception.
        return self._tried(lambda disk: disk.load_overload(signature, target_context))

    def save_overload(self, signature: Any, compiled: Any) -> None:
        self._tried(lambda disk: disk.save_overload(signature, compiled))

    def flush(self) -> None:
        self._tried(lambda disk: disk.flush())

    def _tried(self, use: Callable[[Any], Any]) -> Any:
        """Run an action on the files; on failure warn and disable the cache."""
        if not self._usable:
            return None
        try:
            if self._on_disk is None:
                self._on_disk = FunctionCache(self.function)  # type: ignore[no-untyped-call]
                self._on_disk._cache_file.__class__ = _SharedFiles
            return use(self._on_disk)
        except Exception as error:
            self._usable = False
            _warn_once(error)
            return None


class _SharedFiles(IndexDataCacheFile):
    """Files of one kernel: an index, and one file per signature, named after it.

    Concurrent additions to the index by another process may be lost, and are then compiled again.
    """

    def save(self, key: Any, data: Any) -> None:
        number = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8])
        name = self._data_name(number)  # type: ignore[no-untyped-call]
        # The code is written first, so that entries of the index always exist.
        self._save_data(name, data)  # type: ignore[no-untyped-call]
        self._save_index({**self._load_index(), key: name})  # type: ignore[no-untyped-call]


def _warn_once(error: Exception) -> None:
    """Warn at the first failure in this process: the others have the same cause."""
    global _warned
    if _warned:
        return
    _warned = True
    reason = "no folder for it can be written" if "no locator" in str(error) else str(error)
    warn_user(
        f"Compiled code cannot be kept on disk ({reason}), so it is compiled again in every "
        f"process: set the environment variable NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
    )
