"""Time of one propagation: linear in the number of nodes and of columns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.data.forests import random_forest
from benchmarks.runner.fresh_process import printed_numbers
from benchmarks.runner.tables import Table
from benchmarks.runner.timing import best_time
from lapoleaf._forest import LeadingForest
from lapoleaf._progress import Progress
from lapoleaf._propagation import propagate

_COLUMNS = (1, 10)
_SHARES = (0.01, 0.5)


def time_tables(folder: Path | None, *, quick: bool) -> Iterator[Table]:
    """Yield the times, and how they grow. No data is needed."""
    sizes, repeats = ((1_000, 10_000), 3) if quick else ((10_000, 100_000, 1_000_000), 7)
    compiled, loaded = first_calls()
    progress = Progress("time", len(sizes) * len(_COLUMNS) * len(_SHARES), verbose=1)
    rows = []
    seconds: dict[tuple[int, float], list[float]] = {}
    for n in sizes:
        forest = random_forest(n)
        for columns in _COLUMNS:
            for share in _SHARES:
                stages, exact = (
                    best_time(propagation(forest, columns, share, solver), repeats)
                    for solver in ("stages", "exact")
                )
                seconds.setdefault((columns, share), []).append(exact)
                rows.append((n, columns, f"{share:.0%}", 1000 * stages, 1000 * exact))
                progress.advance()
    yield Table(
        "time",
        "Time of one propagation in milliseconds",
        ("nodes", "columns", "labelled", "three stages", "exact"),
        rows,
        f"Random trees, processor time on one core, the best of {repeats} runs; that of the exact "
        f"solver includes variances and leave-one-out. Compiling is not in the table: the very "
        f"first exact propagation on a machine takes {compiled:.1f} s, the first in a new process "
        f"{loaded:.2f} s.",
        digits=1,
    )
    yield _growth(sizes, seconds)


def _growth(sizes: tuple[int, ...], seconds: dict[tuple[int, float], list[float]]) -> Table:
    rows: list[tuple[object, ...]] = []
    for share in _SHARES:
        few, many = (seconds[columns, share] for columns in _COLUMNS)
        exponents = [float(np.polyfit(np.log(sizes), np.log(times), 1)[0]) for times in (few, many)]
        last = [times[-1] / times[-2] for times in (few, many)]
        rows.append((f"{share:.0%}", *exponents, *last, many[-1] / few[-1]))
    return Table(
        "growth",
        "How the time of the exact solver grows",
        (
            "labelled",
            *(f"exponent of n, K={columns}" for columns in _COLUMNS),
            *(f"last step of n, K={columns}" for columns in _COLUMNS),
            "K=10 against K=1",
        ),
        rows,
        f"The exponent is the slope of log time against log n over all sizes: 1 is linear. The "
        f"last step is the time for {sizes[-1]:,} nodes over that for {sizes[-2]:,}.",
        digits=2,
    )


def first_calls() -> tuple[float, float]:
    """Return the seconds of the first propagation on a machine, and of the first in a new process.

    Two processes, one after the other, with a cache of compiled kernels that is empty at first.
    """
    program = (
        "import time; from benchmarks.data.forests import random_forest; "
        "from benchmarks.solver.timing import propagation; "
        "forest = random_forest(100); began = time.perf_counter(); "
        "propagation(forest, 2, 0.5, 'exact')(); print(time.perf_counter() - began)"
    )
    with tempfile.TemporaryDirectory() as folder:
        (first,), (second,) = (printed_numbers(program, folder) for _ in range(2))
    return first, second


def propagation(
    forest: LeadingForest, columns: int, share: float, solver: str
) -> Callable[[], object]:
    """Return a function that propagates random labels of a share of the nodes."""
    rng = np.random.default_rng(1)
    n = forest.tree.n_nodes
    given = rng.random(n) < share
    labels = rng.random((n, columns))
    return lambda: propagate(forest, labels, given, solver=solver)
