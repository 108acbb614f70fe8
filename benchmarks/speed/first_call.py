"""The first call: seconds until digits are labelled, with and without compiled kernels."""

from __future__ import annotations

import tempfile
import time

from benchmarks.runner.fresh_process import printed_numbers
from benchmarks.runner.tables import Table
from lapoleaf._progress import tell

_PROGRAM = """
import time; began = time.perf_counter()
import lapoleaf; imported = time.perf_counter()
from lapoleaf import LaPOLeaFClassifier; ready = time.perf_counter()
import numpy as np
from sklearn.datasets import load_digits
X, y = load_digits(return_X_y=True)
given = np.where(np.arange(len(y)) % 36 == 0, y, -1)
loaded = time.perf_counter()
LaPOLeaFClassifier().fit(X / 16, given)
fitted = time.perf_counter()
print(imported - began, ready - imported, fitted - loaded, time.process_time())
"""
_PROCESSES = ("the first, nothing is compiled yet", "a later one")


def first_table(limit: float) -> Table:
    """Return the seconds of importing and of the first fit, in a first and in a later process.

    Parameters
    ----------
    limit : float
        Seconds after which a process is ended.
    """
    with tempfile.TemporaryDirectory() as folder:
        rows = [(process, *_seconds(folder, limit)) for process in _PROCESSES]
    return Table(
        "first",
        "Seconds of the first call",
        ("process", "import lapoleaf", "the classifier", "fit", "processor", "in all"),
        rows,
        "`LaPOLeaFClassifier().fit` of digits (1,797 rows, 50 labels), each in a new process. The "
        "second column of seconds is `from lapoleaf import LaPOLeaFClassifier`; the last two are "
        "of the whole process, Python's start and loading the digits too: seconds at work on all "
        "cores, and seconds until it ended.",
        digits=2,
    )


def _seconds(folder: str, limit: float) -> list[float | None]:
    """Time one process whose compiled kernels are kept in the folder."""
    began = time.perf_counter()
    found = printed_numbers(_PROGRAM, folder, limit)
    if not found:
        tell(f"first: not ready after {limit:g} seconds (--limit).")
        return [None] * 5
    return [*found, time.perf_counter() - began]
