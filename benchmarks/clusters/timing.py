"""Seconds of a fit, by cut and number of rows."""

from __future__ import annotations

import time

from sklearn.datasets import load_digits

from benchmarks.data.clustered import GROUP_COLUMNS, overlapping_groups
from benchmarks.methods import select
from benchmarks.methods.method import CLUSTERS
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray

_SIZES, _QUICK_SIZES = (10_000, 100_000), (1_000,)


def time_table(*, quick: bool) -> Table:
    """Return the seconds of a fit of digits and of made groups, for all cuts.

    Parameters
    ----------
    quick : bool
        Whether a small case is enough.
    """
    cases: list[tuple[str, FloatArray]] = [("digits", load_digits().data)]
    sizes = _QUICK_SIZES if quick else _SIZES
    cases += [("groups", overlapping_groups(n)[0]) for n in sizes]
    methods = select(CLUSTERS, "time")
    progress = Progress("time", len(cases) * len(methods), verbose=1)
    rows = []
    for name, X in cases:
        seconds = []
        for method in methods.values():
            # Compile what will be needed.
            method.make(build="full" if len(X) <= 10_000 else "approximate").fit(X[:6_000])
            began = time.process_time()
            method.make().fit(X)
            seconds.append(time.process_time() - began)
            progress.advance()
        rows.append((name, len(X), X.shape[1], *seconds))
    return Table(
        "time",
        "Seconds of a fit",
        ("data", "rows", "columns", *methods),
        rows,
        f"Processor time of all threads together, one run after a warm-up; groups overlap, in "
        f"{GROUP_COLUMNS} columns.",
        digits=2,
    )
