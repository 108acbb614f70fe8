"""How well clusters agree with the classes, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from benchmarks.data.loaders import classification_sets, shape_sets
from benchmarks.data.sets import DataSet, at_most
from benchmarks.methods import select
from benchmarks.methods.method import CLUSTERS
from benchmarks.runner.tables import Table
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray

_DRAWS = 5


def agreement_tables(folder: Path | None, rows: int, *, quick: bool) -> Iterator[Table]:
    """Yield agreement and numbers of clusters on data sets, and on data made for it.

    Parameters
    ----------
    folder : Path or None
        The folder with the directories ``shapes`` and ``classification``.
    rows : int
        Most rows of a set.
    quick : bool
        Whether iris and wine are enough.
    """
    shapes = [] if quick else shape_sets(folder)
    sets = [at_most(data, rows) for data in [*shapes, *classification_sets(folder, quick=quick)]]
    methods = select(CLUSTERS, "agreement")
    progress = Progress("agreement", len(sets) * len(methods), verbose=1)
    scores, numbers = np.empty((2, len(sets), len(methods)))
    for which, data in enumerate(sets):
        for column, method in enumerate(methods.values()):
            found = method.make().fit(data.X).labels_
            scores[which, column] = adjusted_rand_score(data.y, found)
            numbers[which, column] = n_clusters(found)
            progress.advance()
    names = tuple(methods)
    yield _means(names, scores, len(shapes))
    yield _table("agreement", "Adjusted Rand index", names, sets, scores.tolist())
    counts = numbers.astype(int).tolist()
    yield _table("number", "Number of clusters and of classes", names, sets, counts)
    yield _made_table(names, quick=quick)


def n_clusters(labels: IntArray) -> int:
    """Return the number of clusters; rows of none (-1) are not one."""
    return len(np.unique(labels[labels >= 0]))


def _means(names: Sequence[str], scores: FloatArray, n_shapes: int) -> Table:
    groups = {"shapes": scores[:n_shapes], "classification": scores[n_shapes:], "all": scores}
    rows = [
        (name, len(some), *map(float, some.mean(axis=0)))
        for name, some in groups.items()
        if len(some)
    ]
    return Table(
        "mean",
        "Mean adjusted Rand index of clusters and classes",
        ("data", "sets", *names),
        rows,
        "1: clusters equal the classes; 0: agreement by chance. No method uses the classes.",
    )


def _table(
    name: str,
    title: str,
    names: Sequence[str],
    sets: Sequence[DataSet],
    found: Sequence[Sequence[float]],
) -> Table:
    rows = [
        (data.name, len(data.X), len(np.unique(data.y)), *values)
        for data, values in zip(sets, found, strict=True)
    ]
    return Table(name, title, ("data set", "rows", "classes", *names), rows)


def made_case(kind: str, n: int, seed: int) -> FloatArray:
    """Return made points: two moons, five blobs, one blob, or points all over a square.

    Parameters
    ----------
    kind : {"two moons", "five blobs", "one blob", "a square"}
        What to make.
    n : int
        Number of points.
    seed : int
        Which points.
    """
    if kind == "two moons":
        X = make_moons(n, noise=0.05, random_state=seed)[0]
    elif kind == "a square":
        X = np.random.default_rng(seed).random((n, 2))
    else:
        centres = 5 if kind == "five blobs" else 1
        X = make_blobs(n, centers=centres, cluster_std=0.5, random_state=seed)[0]
    return np.asarray(X)


def _made_table(names: Sequence[str], *, quick: bool) -> Table:
    sizes = (200,) if quick else (200, 500, 2000)
    rows = []
    for kind in ("two moons", "five blobs", "one blob", "a square"):
        for n in sizes:
            found = [
                [n_clusters(method.make().fit(made_case(kind, n, seed)).labels_)
                 for seed in range(_DRAWS)]
                for method in select(CLUSTERS, "agreement").values()
            ]  # fmt: skip
            ranges = [f"{min(some)} to {max(some)}" for some in found]
            rows.append((kind, n, *ranges))
    return Table(
        "made",
        "Number of clusters of synthetic points",
        ("points", "rows", *names),
        rows,
        f"Minimum and maximum of {_DRAWS} draws.",
    )
