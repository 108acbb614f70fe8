"""Few targets: DO from windows of pH and the time of day, one row in fifty with a target."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from benchmarks.data.water import Series, water_series
from benchmarks.methods import select
from benchmarks.methods.method import NUMBERS
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray
from lapoleaf.streams import fold_series

_LENGTH, _A_DAY, _ONE_IN = 96, 96, 50
_METHODS = select(NUMBERS, "few targets")


def rows_of(series: Series, n: int) -> tuple[FloatArray, FloatArray]:
    """Return windows of pH with the time of day, and the DO of that moment.

    Parameters
    ----------
    series : Series
        The readings.
    n : int
        How many rows, the first of the series.
    """
    ph = np.where(series.measured, series.values["ph"], np.nan)
    X, _, index = fold_series(ph, _LENGTH)
    X, index = X[:n], index[:n]
    angle = 2 * np.pi * (index % _A_DAY) / _A_DAY
    # The time of day counts as much as the readings together.
    hours = np.sqrt(_LENGTH / 2) * np.column_stack([np.sin(angle), np.cos(angle)])
    return np.hstack([(X - X.mean()) / X.std(), hours]), series.values["do"][index]


def few_tables(arguments: argparse.Namespace) -> Iterator[Table]:
    """Yield R² on the rows without a target."""
    n, n_splits = (2000, 2) if arguments.quick else (10_000, 5)
    chosen = water_series(None if arguments.quick else arguments.data)
    progress = Progress("few targets", len(chosen) * n_splits, verbose=1)
    rows = []
    for series in chosen:
        X, y = rows_of(series, n)
        for split in range(n_splits):
            rows.append((series.name, split, *_scores(X, y, split)))
            progress.advance()
    means = [float(np.mean([row[k] for row in rows])) for k in range(2, 2 + len(_METHODS))]
    yield Table(
        "few",
        "DO from windows of pH and the time of day, 2 % of the targets given: R²",
        ("series", "split", *(method.title for method in _METHODS.values())),
        [*rows, ("mean", "", *means)],
        f"On the rows without a target, of {n:,}. LaPOLeaF learns from all rows and the given "
        f"targets; ridge, k-nn and LSSVR the rows with targets, their parameters chosen by 5-fold "
        f"cross-validation on these.",
    )


def _scores(X: FloatArray, y: FloatArray, split: int) -> list[float]:
    chance = np.random.default_rng(split)
    given = np.sort(chance.choice(len(y), len(y) // _ONE_IN, replace=False))
    hidden = np.setdiff1d(np.arange(len(y)), given)
    few = np.full(len(y), np.nan)
    few[given] = y[given]
    answers = [
        np.asarray(method.make().fit(X, few).transduction_)[hidden] for method in _METHODS.values()
    ]
    total = float(((y[hidden] - y[given].mean()) ** 2).sum())
    return [1.0 - float(((answer - y[hidden]) ** 2).sum()) / total for answer in answers]
