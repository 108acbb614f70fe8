"""Accuracy of one tree: the three stages, and the exact solver with its weights and choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data.loaders import classification_sets
from benchmarks.data.sets import DataSet
from benchmarks.data.splits import labels_a_class
from benchmarks.runner.tables import Table
from lapoleaf._forest import LeadingForest, lodog
from lapoleaf._progress import Progress
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.build import trees_of_rows
from lapoleaf._typing import AnyArray, BoolArray
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.settings_search import CANDIDATES, select_settings

_FIXED: dict[str, Sequence[Any]] = {
    "percent": (2.0,), "weights": ("inverse",), "alpha": (0.5,), "coupling": (1.0,),
    "mu": (np.inf,),
}  # fmt: skip
# The solver, and the candidates of every parameter that differ from the above.
SOLVERS: dict[str, tuple[str, dict[str, Sequence[Any]]]] = {
    "three stages": ("stages", {}),
    "exact, inverse": ("exact", {}),
    "exact, self-tuned": ("exact", {"weights": ("self-tuned",)}),
    "exact, all auto": ("exact", dict(CANDIDATES)),
}
_NOTE = (
    "Accuracy on the unlabelled rows, mean over {splits} random splits with "
    "{rate} labels per class (at most half of a class). One leading tree (percent=2), the same for "
    "all; the last column chooses bandwidth, weights, cut, coupling and mu by leave-one-out on the "
    "given labels."
)


def accuracy_tables(folder: Path | None, *, quick: bool) -> Iterator[Table]:
    """Yield a table for every number of labels a class, and the means of all."""
    rates, splits = ((2, 5), 2) if quick else ((2, 5, 20), 10)
    sets = classification_sets(folder, quick=quick)
    progress = Progress("accuracy", len(sets) * len(rates) * splits, verbose=1)
    found = np.zeros((len(sets), len(rates), len(SOLVERS)))
    for which, data in enumerate(sets):
        trees = candidate_trees(data)
        for k, rate in enumerate(rates):
            for seed in range(splits):
                given = labels_a_class(data.y, rate, seed)
                found[which, k] += accuracies(data.y, given, trees)
                progress.advance()
    found /= splits
    for k, rate in enumerate(rates):
        yield _table(rate, _NOTE.format(splits=splits, rate=rate), sets, found[:, k])
    yield _means(rates, found)


def candidate_trees(data: DataSet) -> dict[float, LeadingTree]:
    """Grow the tree of every candidate bandwidth, all from one pass over the distances."""
    percents = CANDIDATES["percent"]
    grown = trees_of_rows(
        data.X, percents=percents, bandwidth=None, metric="euclidean", metric_params=None,
        sample_weight=None, n_jobs=None, verbose=0,
    )  # fmt: skip
    return dict(zip(percents, grown.plain, strict=True))


def accuracies(y: AnyArray, given: BoolArray, trees: dict[float, LeadingTree]) -> list[float]:
    """Return the accuracy of every solver on the rows whose label is not given.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The true classes.
    given : ndarray of shape (n,), bool
        Rows whose label is given.
    trees : dict of float to LeadingTree
        The candidate trees.
    """
    tree = trees[2.0]
    classes, codes = np.unique(y[given], return_inverse=True)
    one_hot = np.zeros((len(y), len(classes)))
    one_hot[given] = np.eye(len(classes))[codes]
    problem, cut = Problem(*tree.to_nodes(one_hot, given)), _cutter(trees)
    found = []
    for solver, options in SOLVERS.values():
        result = select_settings([problem], cut, solver, {**_FIXED, **options}).results[0]
        labels = classes[tree.to_rows(result.labels.argmax(axis=1))]
        found.append(float(np.mean(labels[~given] == y[~given])))
    return found


def _cutter(trees: dict[float, LeadingTree]) -> Any:
    def cut(percent: float, alpha: float) -> LeadingForest:
        return lodog(trees[percent], alpha=alpha)

    return cut


def _table(rate: int, note: str, sets: Sequence[DataSet], found: AnyArray) -> Table:
    rows = [
        (data.name, len(data.X), len(np.unique(data.y)), *map(float, scores))
        for data, scores in zip(sets, found, strict=True)
    ]
    rows.append(("mean", None, None, *map(float, found.mean(axis=0))))
    return Table(
        f"accuracy-{rate}",
        f"Accuracy with {rate} labels per class",
        ("data set", "rows", "classes", *SOLVERS),
        rows,
        note,
    )


def _means(rates: Sequence[int], found: AnyArray) -> Table:
    rows = []
    for k, rate in enumerate(rates):
        means = found[:, k].mean(axis=0)
        gains = 100 * (means[1:] - means[0])
        better = [int((found[:, k, m] > found[:, k, 0]).sum()) for m in range(1, len(SOLVERS))]
        words = [f"{g:+.1f} ({b} of {len(found)})" for g, b in zip(gains, better, strict=True)]
        rows.append((rate, float(means[0]), *words))
    return Table(
        "accuracy-gain",
        "What the exact solver gains over the three stages",
        ("labels a class", *SOLVERS),
        rows,
        "Mean accuracy of the stages, and what each column adds to it in points; in brackets on "
        "how many of the data sets it is ahead.",
    )
