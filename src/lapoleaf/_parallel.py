"""Parallel processing of blocks of rows by threads.

Kernels release the interpreter's lock, so that threads use all cores without forking or copying.
Results do not depend on the number of threads, because every block writes to its own rows.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from typing import Any

import joblib
import numpy as np
from sklearn import get_config
from sklearn.utils import gen_batches
from threadpoolctl import ThreadpoolController

from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray

# Larger blocks are not faster, and Ctrl-C waits for the end of a block.
_MOST_ROWS = 64
_MOST_WORK = 4e8
# Number of operations that are faster than starting threads.
_MIN_WORK_OF_THREADS = 3e5


def check_n_jobs(n_jobs: Any) -> None:
    """Raise for an invalid ``n_jobs``, without counting cores."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ValueError(
            f"n_jobs={shown(n_jobs)} must be None, a positive number of threads, or a negative "
            f"number counted back from all cores (-1: all of them)."
        )


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` asks for.

    ``None`` means all cores this process may use (fewer where ``OMP_NUM_THREADS`` sets it, as it
    does in joblib's worker processes), -1 all of them, -2 all but one.

    Examples
    --------
    >>> from lapoleaf._parallel import n_threads
    >>> n_threads(3)
    3
    """
    check_n_jobs(n_jobs)
    if n_jobs is not None and n_jobs > 0:
        # Counting cores takes longer than predicting a row.
        return int(n_jobs)
    cores: int = joblib.cpu_count()
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores
    return max(1, cores + 1 + int(n_jobs))


def threads_worth(threads: int, work: float) -> int:
    """Return the number of threads, or 1 if there are too few operations to start threads.

    Examples
    --------
    >>> from lapoleaf._parallel import threads_worth
    >>> threads_worth(2, work=1e3), threads_worth(2, work=1e9)
    (1, 2)
    """
    return threads if work > _MIN_WORK_OF_THREADS else 1


def row_blocks(
    n_rows: int, n_columns: int, work: float, threads: int, most: int = _MOST_ROWS
) -> list[slice]:
    """Split ``n_rows`` rows of ``n_columns`` float64 into blocks that fit into the working memory.

    All threads together stay within scikit-learn's ``working_memory``.

    Parameters
    ----------
    n_rows, n_columns : int
        Shape of the matrix that is processed block by block.
    work : float
        Operations per entry, to limit the time per block.
    threads : int
        Number of blocks in memory at once.
    most : int
        Maximum number of rows of a block.
    """
    allowed = get_config()["working_memory"] * 2**20 / (8 * n_columns * threads)
    short = _MOST_WORK / (n_columns * max(1.0, work))
    return list(gen_batches(n_rows, max(1, int(min(most, allowed, short)))))


def for_each_block(
    task: Callable[[slice], None],
    blocks: Sequence[slice],
    threads: int,
    progress: Progress | None = None,
) -> None:
    """Run ``task`` on every block; stop at the first error or Ctrl-C.

    Without ``progress`` nothing is reported.
    """
    if threads == 1 or len(blocks) == 1:
        for block in blocks:
            task(block)
            _advance(progress, block)
        return
    with ThreadPoolExecutor(threads) as pool:
        futures = {pool.submit(task, block): block for block in blocks}
        try:
            pending = set(futures)
            while pending:
                done, pending = wait(pending, timeout=0.2, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()
                    _advance(progress, futures[future])
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _advance(progress: Progress | None, block: slice) -> None:
    if progress is not None:
        progress.advance(block.stop - block.start)


@functools.cache
def _blas() -> ThreadpoolController:
    """Return the BLAS libraries of NumPy and SciPy, cached since the search takes milliseconds."""
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which matrix products and solvers use one thread.

    With several threads the last digits of results would depend on their number; matrices here are
    small, or processed by threads of this package.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1)
    return limited


def block_product(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the matrix product, with every row independent of the others to the last bit.

    BLAS may sum products of another shape in another order, so all blocks have the same shape.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._parallel import block_product
    >>> block_product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    n, m = first.shape
    panels = np.zeros((-(-n // _MOST_ROWS), _MOST_ROWS, m))
    panels.reshape(-1, m)[:n] = first
    product: FloatArray = np.matmul(panels, second).reshape(-1, second.shape[1])[:n]
    return product
