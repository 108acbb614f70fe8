"""Timed work, one function per process, which returns figures by name."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from benchmarks.data.clustered import clustered_task
from benchmarks.data.fashion import fashion_task
from benchmarks.data.forests import SETTINGS, forests_and_graph, random_labels
from benchmarks.data.tasks import Task
from benchmarks.methods import find
from benchmarks.methods.method import CLASSES
from benchmarks.methods.ours import OURS, classifier
from benchmarks.runner.fresh_process import peak_megabytes
from benchmarks.runner.metrics import accuracy
from benchmarks.runner.timing import best_time
from lapoleaf._propagation.ensemble import propagate_ensemble
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.baselines.graphs import Graph
from lapoleaf.estimators import LaPOLeaFClassifier

# Parameters other than the registry's: all cores, and as many neighbours for all.
_PARAMS: dict[str, dict[str, Any]] = {
    OURS: {"n_jobs": None},
    "label-spreading": {"n_neighbors": 10, "alpha": 0.99, "n_jobs": 2},
}
# Rows and forests that are enough to compile every kernel: in the full build, in the other one.
_WARM, _WARM_MANY, _WARM_FORESTS = 500, 6_000, 3
_ITERATIONS, _ALPHA = 100, 0.99


def made_or_read(n: int, columns: int, folder: str | None) -> Task:
    """Return rows of Fashion-MNIST in a folder, or made ones where there is none."""
    return clustered_task(n, columns) if folder is None else fashion_task(Path(folder), n)


def label_once(method: str, n: int, columns: int, folder: str | None) -> dict[str, float]:
    """Time a method on n rows, after a warm-up on few rows of the same kind.

    Parameters
    ----------
    method : str
        Name of the method.
    n, columns : int
        Number of rows and columns.
    folder : str or None
        Folder of Fashion-MNIST; None: clustered points.
    """
    began = time.perf_counter()
    warm_up(method, columns)
    warm = time.perf_counter() - began
    before = peak_megabytes()
    task = made_or_read(n, columns, folder)
    began = time.perf_counter()
    found = fitted(method, task)
    seconds = time.perf_counter() - began
    peak = peak_megabytes()
    return {
        "seconds": seconds,
        "warm-up": warm,
        "accuracy": float("nan") if found is None else accuracy(found, task),
        "peak": peak,
        "above": peak - before,
    }


def fitted(method: str, task: Task) -> AnyArray | None:
    """Return the classes by a method; None of a method that has none.

    Parameters
    ----------
    method : str
        Name of the method.
    task : Task
        Rows and labels.
    """
    model = find(CLASSES, method).make(**_PARAMS.get(method, {})).fit(task.X, task.y)
    found: AnyArray | None = model.transduction_
    return found


def warm_up(method: str, columns: int) -> None:
    """Run a method on small data; ours by the build for many rows, too."""
    task = clustered_task(_WARM, columns)
    fitted(method, task)
    if method == OURS:
        task = clustered_task(_WARM_MANY, columns)
        with_build("approximate", n_forests=_WARM_FORESTS).fit(task.X, task.y)


def with_build(build: str, **params: Any) -> LaPOLeaFClassifier:
    """Return the classifier on all cores, with a build and other parameters."""
    return classifier(build=build, n_jobs=None, **params)


def both_builds(n: int, columns: int, folder: str | None) -> dict[str, float]:
    """Compare the approximate build with the full one: leaders, accuracy, seconds.

    Parameters
    ----------
    n, columns : int
        Number of rows and columns.
    folder : str or None
        Folder of Fashion-MNIST; None: clustered points.
    """
    warm_up(OURS, columns)
    task = made_or_read(n, columns, folder)
    figures, leaders = {}, []
    for build in ("full", "approximate"):
        began = time.perf_counter()
        model = with_build(build).fit(task.X, task.y)
        figures[f"{build} seconds"] = time.perf_counter() - began
        figures[f"{build} accuracy"] = accuracy(model.transduction_, task)
        leaders.append(model.tree_.parent)
    figures["equal"] = float(np.mean(leaders[0] == leaders[1]))
    return figures


def propagate_again(n: int, n_forests: int, repeats: int) -> dict[str, float]:
    """Time propagation in given forests, and label spreading on a given graph.

    Processor time, one thread each.

    Parameters
    ----------
    n : int
        Number of points.
    n_forests : int
        Number of forests, besides one.
    repeats : int
        Runs of which the best counts.
    """
    forests, neighbours = forests_and_graph(n, n_forests)
    labels, count = random_labels(n)
    one, many = (
        best_time(partial(propagate_ensemble, some, labels, count, SETTINGS), repeats)
        for some in (forests[:1], forests)
    )
    graph = normalised(neighbours)
    began = time.process_time()
    spread(graph, labels)
    return {"one": one, "many": many, "spreading": time.process_time() - began}


def normalised(neighbours: IntArray) -> Graph:
    """Return the graph of neighbours, symmetric, every edge over the root of its ends' degrees."""
    n, k = neighbours.shape
    starts = np.arange(0, n * k + 1, k)
    directed = csr_array((np.ones(n * k), neighbours.ravel(), starts), shape=(n, n))
    graph = directed.maximum(directed.T).tocsr()
    scale = diags_array(1.0 / np.sqrt(graph.sum(axis=1)))
    scaled: Graph = (scale @ graph @ scale).tocsr()
    return scaled


def spread(graph: Graph, labels: FloatArray) -> FloatArray:
    """Return the labels after 100 iterations of label spreading: F = alpha S F + (1 - alpha) Y."""
    found = labels
    for _ in range(_ITERATIONS):
        found = _ALPHA * (graph @ found) + (1.0 - _ALPHA) * labels
    return found
