"""One label more, the rows to label next, an explanation and new rows, beside other methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors

from benchmarks.data.clustered import clustered_task, with_few_labels
from benchmarks.data.fashion import fashion_is_in
from benchmarks.data.tasks import Task
from benchmarks.methods.ours import OURS
from benchmarks.runner.isolated import Job, ratio
from benchmarks.runner.tables import Table
from benchmarks.speed.session import Session
from benchmarks.speed.work import fitted, made_or_read, warm_up, with_build

_SPREADING = "label-spreading"
# New rows that are predicted, and nearest rows that brute force finds for each of them.
_NEW_ROWS, _NEIGHBOURS = 1_000, 10
_NOISE = 0.1
# Numbers of measured clicks, suggestions and explanations, and of warm-up ones.
_REPEATS, _WARM = 9, 2
# Maximum number of rows for label spreading, new choices, and fits without experts.
_MOST_FOR_OTHERS = 100_000
# A table with a class for every letter has more classes than the others.
_LETTERS = 26
# Labels a class of a million rows: 90 in all.
_FEW_LABELS = 9
_FIGURES = (
    "click", "choosing", "suggest", "explain", "predict", "neighbours", "fit",
    "fit without experts", "spreading",
)  # fmt: skip


class Rows(NamedTuple):
    """Which rows are labelled.

    Attributes
    ----------
    name : str
        "digits", "clustered", "26 classes" or "Fashion-MNIST".
    n, columns : int
        Number of rows and columns.
    folder : str or None
        Folder of Fashion-MNIST.
    """

    name: str
    n: int
    columns: int
    folder: str | None = None

    def task(self) -> Task:
        """Return the rows with labels."""
        if self.name == "digits":
            X, y = load_digits(return_X_y=True)
            return with_few_labels(X, y)
        if self.name == "26 classes":
            return clustered_task(self.n, self.columns, n_classes=_LETTERS)
        if self.folder is None and self.n > _MOST_FOR_OTHERS:
            return clustered_task(self.n, self.columns, n_labels=_FEW_LABELS)
        return made_or_read(self.n, self.columns, self.folder)


_QUICK = (Rows("clustered", 1_000, 16),)
_USUAL = (
    Rows("digits", 1_797, 64),
    Rows("26 classes", 10_000, 16),
    Rows("clustered", 10_000, 784),
    Rows("clustered", 100_000, 16),
    Rows("clustered", 1_000_000, 16),
)


def click_tables(session: Session) -> Iterator[Table]:
    """Yield the milliseconds of the actions during labelling."""
    rows = []
    for some in _rows_asked_for(session):
        name = f"{some.name} x {some.columns}"
        found = session.alone(Job("clicks", name, some.n, OURS, time_clicks, tuple(some)))
        ratios = ratio(found, found, "spreading", "click"), ratio(found, found, "fit", "click")
        rows.append((some.name, some.n, some.columns, *map(found.get, _FIGURES), *ratios))
    yield Table(
        "clicks",
        "A label more, and what follows from it",
        (
            "data",
            "points",
            "columns",
            "label, ms",
            "label and choice, ms",
            "suggest(10), ms",
            "explain, ms",
            "predict 1,000 rows, ms",
            "neighbours of 1,000 rows, ms",
            "fit, ms",
            "fit without experts, ms",
            "label spreading, ms",
            "label spreading / label",
            "fit / label",
        ),
        rows,
        f"The default classifier on all cores; 20 labels per class, {_FEW_LABELS} with more than "
        f"{_MOST_FOR_OTHERS:,} points. A label: `update_labels` of one row with `rechoose=False`, "
        "then reading the labels and confidences of all rows; the choice: `rechoose=True`. New "
        f"rows are rows with noise; their {_NEIGHBOURS} neighbours are found by scikit-learn's "
        f"brute-force search on all cores. Medians of {_REPEATS} after {_WARM} warm-up runs. Fits "
        "and label spreading are measured once, in the same process, up to "
        f"{_MOST_FOR_OTHERS:,} points.",
    )


def _rows_asked_for(session: Session) -> Sequence[Rows]:
    """Return clustered rows of the numbers asked for, else the usual ones."""
    sizes = session.sizes((), ())
    if len(sizes):
        return [Rows("clustered", n, 16) for n in sizes]
    if session.quick:
        return _QUICK
    if not fashion_is_in(session.fashion):
        return _USUAL
    return [*_USUAL, Rows("Fashion-MNIST", 70_000, 784, str(session.fashion))]


def time_clicks(name: str, n: int, columns: int, folder: str | None = None) -> dict[str, float]:
    """Time the actions during labelling, and predictions, in milliseconds.

    Parameters
    ----------
    name, n, columns, folder
        As in :class:`Rows`.
    """
    warm_up(OURS, columns)
    task = Rows(name, n, columns, folder).task()
    model = with_build("auto")
    found = dict.fromkeys(_FIGURES, float("nan"))
    found["fit"] = _milliseconds(lambda: model.fit(task.X, task.y))
    rng = np.random.default_rng(0)
    free = iter(rng.permutation(np.flatnonzero(~model.given_)).tolist())

    def click(rechoose: bool) -> None:
        row = next(free)
        model.update_labels(row, task.truth[row], rechoose=rechoose)
        model.transduction_, model.confidence_  # noqa: B018 - computed when they are read

    found["click"] = _median(lambda: click(False))
    found["suggest"] = _median(lambda: model.suggest(10))
    found["explain"] = _median(lambda: model.explain(next(free)))
    noise = _NOISE * float(task.X.std()) * rng.standard_normal((_NEW_ROWS, columns))
    new = (task.X[rng.integers(len(task.X), size=_NEW_ROWS)] + noise).astype(task.X.dtype)
    brute = NearestNeighbors(n_neighbors=_NEIGHBOURS, algorithm="brute", n_jobs=-1).fit(task.X)
    found["predict"] = _median(lambda: model.predict(new))
    found["neighbours"] = _median(lambda: brute.kneighbors(new))
    if len(task.X) <= _MOST_FOR_OTHERS:
        found["choosing"] = _median(lambda: click(True))
        plain = with_build("auto", experts=None)
        found["fit without experts"] = _milliseconds(lambda: plain.fit(task.X, task.y))
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
