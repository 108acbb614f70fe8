"""One label more, the rows to label next, an explanation and new rows, beside other methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.data.clustered import clustered_task
from benchmarks.methods.ours import OURS
from benchmarks.runner.isolated import Job, ratio
from benchmarks.runner.tables import Table
from benchmarks.speed.session import Session
from benchmarks.speed.work import fitted, warm_up, with_build

_COLUMNS = 16
_SPREADING = "label-spreading"
# New rows that are predicted, and nearest rows that brute force finds for each of them.
_NEW_ROWS, _NEIGHBOURS = 1_000, 10
_NOISE = np.float32(0.1)
# Clicks, suggestions and explanations of which the median counts, after some that do not.
_REPEATS, _WARM = 9, 2


def click_tables(session: Session) -> Iterator[Table]:
    """Yield the milliseconds of what a person waits for while labelling."""
    rows = []
    for n in session.sizes((1_000,), (10_000, 100_000)):
        job = Job("clicks", f"clustered x {_COLUMNS}", n, OURS, time_clicks, (n, _COLUMNS))
        found = session.alone(job)
        figures = (
            "click", "choosing", "suggest", "explain", "predict", "neighbours", "fit", "spreading",
        )  # fmt: skip
        rows.append((n, *map(found.get, figures), ratio(found, found, "spreading", "click")))
    yield Table(
        "clicks",
        "A label more, and what follows from it",
        (
            "points",
            "label, ms",
            "label and choice, ms",
            "suggest(10), ms",
            "explain, ms",
            "predict 1,000 rows, ms",
            "neighbours of 1,000 rows, ms",
            "fit, ms",
            "label spreading, ms",
            "label spreading / label",
        ),
        rows,
        f"Clustered points of {_COLUMNS} columns, 20 labels a class, the default classifier on all "
        f"cores. A label: `update_labels` of one row with `rechoose=False`, then the labels and "
        f"confidences of all rows; the choice: `rechoose=True`. New rows: rows with noise; their "
        f"{_NEIGHBOURS} neighbours by scikit-learn's brute force, on all cores. Medians of "
        f"{_REPEATS}, after {_WARM} that do not count. `fit` and label spreading, each once, in "
        "the same process.",
    )


def time_clicks(n: int, columns: int) -> dict[str, float]:
    """Time what a person waits for while labelling, and predictions, in milliseconds.

    Parameters
    ----------
    n, columns : int
        Number of rows and columns.
    """
    warm_up(OURS, columns)
    task = clustered_task(n, columns)
    model = with_build("auto")
    found = {"fit": _milliseconds(lambda: model.fit(task.X, task.y))}
    rng = np.random.default_rng(0)
    free = iter(rng.permutation(np.flatnonzero(~model.given_)).tolist())

    def click(rechoose: bool) -> None:
        row = next(free)
        model.update_labels(row, task.truth[row], rechoose=rechoose)
        model.transduction_, model.confidence_  # noqa: B018 - computed when they are read

    found["click"] = _median(lambda: click(False))
    found["suggest"] = _median(lambda: model.suggest(10))
    found["explain"] = _median(lambda: model.explain(next(free)))
    noise = _NOISE * rng.standard_normal((_NEW_ROWS, columns), dtype=np.float32)
    new = task.X[rng.integers(n, size=_NEW_ROWS)] + noise
    brute = NearestNeighbors(n_neighbors=_NEIGHBOURS, algorithm="brute", n_jobs=-1).fit(task.X)
    found["predict"] = _median(lambda: model.predict(new))
    found["neighbours"] = _median(lambda: brute.kneighbors(new))
    found["choosing"] = _median(lambda: click(True))
    found["spreading"] = _milliseconds(lambda: fitted(_SPREADING, task))
    return found


def _median(work: Callable[[], object]) -> float:
    """Return the median of the milliseconds of some work, after runs that do not count."""
    times = [_milliseconds(work) for _ in range(_WARM + _REPEATS)]
    return float(np.median(times[_WARM:]))


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000.0 * (time.perf_counter() - began)
