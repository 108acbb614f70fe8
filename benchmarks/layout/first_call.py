"""The first map of a process: seconds with and without compiled kernels."""

from __future__ import annotations

import tempfile

from benchmarks.runner.fresh_process import printed_numbers
from benchmarks.runner.tables import Table
from lapoleaf._progress import tell

# Forests first, so that only what the map needs is compiled in the first map.
_PROGRAM = """
import time
from sklearn.datasets import load_digits
from lapoleaf import LaPOLeaFClassifier, layout
X, y = load_digits(return_X_y=True)
y[::2] = -1
model = LaPOLeaFClassifier().fit(X, y)
for n_iterations in (None, 200):
    began, at_work = time.perf_counter(), time.process_time()
    layout(model, n_iterations=n_iterations)
    print(time.perf_counter() - began, time.process_time() - at_work)
"""
_PROCESSES = ("the first, nothing is compiled yet", "a later one")


def first_table(limit: float) -> Table:
    """Return the seconds of the first and the second map, in a first and in a later process.

    Parameters
    ----------
    limit : float
        Seconds after which a process is ended.
    """
    with tempfile.TemporaryDirectory() as folder:
        rows = [(process, *_seconds(folder, limit)) for process in _PROCESSES]
    return Table(
        "first",
        "Seconds of the first map",
        ("process", "first map", "processor", "second map", "processor "),
        rows,
        "`layout(model)` of digits (1,797 rows) after a fit, each in a new process: by the clock, "
        "and at work on all cores.",
        digits=2,
    )


def _seconds(folder: str, limit: float) -> list[float | None]:
    """Time one process whose compiled kernels are kept in the folder."""
    found = printed_numbers(_PROGRAM, folder, limit)
    if not found:
        tell(f"first: not ready after {limit:g} seconds (--limit).")
        return [None] * 4
    return [*found]
