"""Tables of the benchmark of tables: means, and every data set with its paired difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.runner.ranks import ahead_level_behind
from benchmarks.runner.tables import Table
from benchmarks.tables.measuring import COLUMNS, PARTS, Pairs
from lapoleaf._typing import FloatArray


def mean_table(pairs: Pairs) -> Table:
    """Return the means over the data sets, and on how many ours is ahead.

    Parameters
    ----------
    pairs : Pairs
        What was measured.
    """
    part = PARTS[pairs.part]
    by_set = pairs.values.mean(axis=3)
    rows = []
    for k, column in enumerate(COLUMNS):
        gains = by_set[0, :, k] - by_set[1, :, k]
        means = [float(value) for value in by_set[:, :, k].mean(axis=1)]
        error = standard_error(gains) if len(gains) > 1 else None
        rows.append((column, *means, float(gains.mean()), error, ahead_level_behind(gains)))
    columns = ("labels", *part.methods, "difference", "± over sets", "ahead / level / behind")
    n_sets, n_splits = pairs.values.shape[1], pairs.values.shape[3]
    note = f"{part.note} Means over {n_sets} data sets and {n_splits} draws of labels."
    return Table(f"{pairs.part}-mean", part.title, columns, rows, note)


def set_table(pairs: Pairs) -> Table:
    """Return both methods on every data set, with the error of the difference over draws.

    Parameters
    ----------
    pairs : Pairs
        What was measured.
    """
    part = PARTS[pairs.part]
    rows: list[tuple[Any, ...]] = []
    for which, data in enumerate(pairs.sets):
        for k, column in enumerate(COLUMNS):
            ours, theirs = pairs.values[:, which, k]
            gain = float(np.mean(ours - theirs))
            error = standard_error(ours - theirs) if len(ours) > 1 else None
            facts = (data.name, len(data.X), len(np.unique(data.y)), column)
            rows.append((*facts, float(ours.mean()), float(theirs.mean()), gain, error))
    columns = ("data set", "rows", "classes", "labels", *part.methods, "difference", "±")
    note = "Difference on the same draws, and its standard error over them."
    return Table(f"{pairs.part}-sets", f"{part.title}: by data set", columns, rows, note)


def standard_error(values: FloatArray) -> float:
    """Return the standard error of a mean.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.tables.results import standard_error
    >>> standard_error(np.array([1.0, 3.0]))
    1.0
    """
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
