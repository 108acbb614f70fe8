"""Time of adding a batch of rows to a large model, compared with a new fit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data.clustered import GROUP_COLUMNS, GROUPS, overlapping_groups
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators import LaPOLeaFClassifier, LeadingForestClassifier

_ROWS, _BATCH, _BATCHES = 100_000, 1_000, 3
_QUICK_ROWS, _QUICK_BATCH = 6_000, 100
_GIVEN = 20
_MODELS: dict[str, Callable[..., LaPOLeaFClassifier | LeadingForestClassifier]] = {
    "as_published()": LaPOLeaFClassifier.as_published,
    "default": LaPOLeaFClassifier,
}


def batch_table(*, quick: bool) -> Table:
    """Return the seconds of batches and of a new fit, and the accuracy after both.

    Parameters
    ----------
    quick : bool
        Whether a small case is enough.
    """
    n, m = (_QUICK_ROWS, _QUICK_BATCH) if quick else (_ROWS, _BATCH)
    X, truth = overlapping_groups(n + _BATCHES * m)
    y = np.full(len(X), -1)
    draws = np.random.default_rng(1)
    for which in range(GROUPS):
        given = draws.choice(np.flatnonzero(truth == which), _GIVEN, replace=False)
        y[given] = which
    settings: dict[str, Any] = {"build": "approximate", "n_jobs": 1}
    progress = Progress("batches", len(_MODELS), verbose=1)
    rows = []
    for name, maker in _MODELS.items():
        _warm(maker(**settings), X, y)
        model = maker(**settings).fit(X[:n], y[:n])
        joining, labelling = [], []
        for at in range(n, len(X), m):
            began = time.process_time()
            model.partial_fit(X[at : at + m], y[at : at + m])
            joined = time.process_time()
            _ = model.transduction_
            joining.append(joined - began)
            labelling.append(time.process_time() - joined)
        began = time.process_time()
        refit = maker(**settings).fit(X, y)
        seconds = time.process_time() - began
        hidden = y == -1
        right = [float(np.mean((each.transduction_ == truth)[hidden])) for each in (model, refit)]
        join, label = float(np.median(joining)), float(np.median(labelling))
        ratios = (seconds / (join + label), seconds / join)
        rows.append((name, join, label, seconds, *ratios, *right))
        progress.advance(1)
    return Table(
        "batch",
        f"Seconds of {m:,} new rows in a model of {n:,} x {GROUP_COLUMNS}, and of a new fit",
        ("model", "joining", "labels", "refit", "refit / both", "refit / joining", "accuracy grown",
         "accuracy refit"),
        rows,
        f"Approximate builds, one thread, processor time; the median of {_BATCHES} batches. "
        f"Labels of all rows are computed when they are read. {GROUPS} overlapping groups, "
        f"{_GIVEN} labels each; accuracy on rows without a label, after all batches.",
    )  # fmt: skip


def _warm(model: LaPOLeaFClassifier | LeadingForestClassifier, X: FloatArray, y: IntArray) -> None:
    """Compile the kernels."""
    if isinstance(model, LaPOLeaFClassifier):
        model.set_params(n_forests=3)
    some = np.flatnonzero(y >= 0)
    few = np.concatenate([some, np.arange(5_000)])
    model.fit(X[few], y[few])
    _ = model.partial_fit(X[5_000:5_100]).transduction_
