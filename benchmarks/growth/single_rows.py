"""Time of predicting and adding single rows, as in a stream."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.data.water import readings, water_files
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray
from lapoleaf.estimators import LaPOLeaFRegressor, LeadingForestRegressor

PUBLISHED, DEFAULT = "as_published()", "default"
_WIDTH = 12
_SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
_QUICK_SIZES = (500, 1_000)
# Maximum number of rows for the default ensemble, since labelling all of them takes seconds.
_MOST_BY_DEFAULT = 10_000
_STEPS, _QUICK_STEPS, _WARM = 1_000, 30, 20
_DEFAULT_STEPS, _DEFAULT_WARM = 400, 5
# A row in three has no target yet.
_UNKNOWN = 3


def single_table(data: Path | None, sizes: Sequence[int] | None, *, quick: bool) -> Table:
    """Return the milliseconds of one prediction and insertion, for growing numbers of rows.

    Parameters
    ----------
    data : Path or None
        Folder of data sets: the water series are taken from it, if it has them.
    sizes : sequence of int or None
        Numbers of rows; the usual ones if None.
    quick : bool
        Whether a few small sizes are enough.
    """
    chosen = tuple(sizes) if sizes else _QUICK_SIZES if quick else _SIZES
    steps = _QUICK_STEPS if quick else _STEPS
    progress = Progress("new rows", len(chosen), verbose=1)
    rows = []
    for n in chosen:
        series = readings(data, n + steps + _WARM + _WIDTH)
        published = LaPOLeaFRegressor.as_published(build="full", n_jobs=1)
        rows.append((PUBLISHED, n, *_milliseconds(published, series, n, steps, _WARM)))
        if n <= (chosen[0] if quick else _MOST_BY_DEFAULT):
            usual = LaPOLeaFRegressor(build="full", n_jobs=1)
            few = 2 if quick else _DEFAULT_STEPS
            rows.append((DEFAULT, n, *_milliseconds(usual, series, n, few, _DEFAULT_WARM)))
        progress.advance(1)
    source = "water" if data is not None and water_files(data) else "a synthetic series"
    return Table(
        "single",
        "Milliseconds of one prediction plus one insertion",
        ("model", "rows", "median", "99th percentile", "mean", "median of processor time", "steps"),
        sorted(rows, key=lambda row: row[0] != PUBLISHED),
        f"Windows of {_WIDTH} readings ({source}), from which the next one is predicted; full "
        "builds, one thread. A row is predicted, then added with its target (two of three) or "
        "without. The default ensemble labels all rows again after every 2 % more rows or targets, "
        "which is included in the mean.",
        digits=2,
    )


def _milliseconds(
    model: LaPOLeaFRegressor | LeadingForestRegressor,
    series: FloatArray,
    n: int,
    steps: int,
    warm: int,
) -> tuple[float, float, float, float, int]:
    """Return median, 99th percentile and mean, and the median of processor time."""
    X = np.lib.stride_tricks.sliding_window_view(series[:-1], _WIDTH).copy()
    y = series[_WIDTH:].copy()
    y[np.arange(len(y)) % _UNKNOWN == 0] = np.nan
    model.fit(X[:n], y[:n])
    wall, busy = np.empty(steps + warm), np.empty(steps + warm)
    for step in range(steps + warm):
        row = slice(n + step, n + step + 1)
        began, worked = time.perf_counter(), time.process_time()
        model.predict(X[row])
        model.partial_fit(X[row], y[row])
        wall[step] = time.perf_counter() - began
        busy[step] = time.process_time() - worked
    wall, busy = 1000.0 * wall[warm:], 1000.0 * busy[warm:]
    return (
        float(np.median(wall)),
        float(np.quantile(wall, 0.99)),
        float(wall.mean()),
        float(np.median(busy)),
        steps,
    )
