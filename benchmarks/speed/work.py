"""What is timed, one function a process: figures by their names."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, diags_array

from lapoleaf._propagation.ensemble import propagate_ensemble
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.baselines.graphs import Graph
from benchmarks.data.tasks import Task, accuracy
from benchmarks.runner.fresh_process import peak_megabytes
from benchmarks.data.forests import forests_and_graph
from benchmarks.solver.timing import best_time
from benchmarks.data.clustered import clustered_task, fashion_task
from benchmarks.methods.near_neighbours import METHODS, OURS
from benchmarks.suggest.timing import SETTINGS, random_labels
from lapoleaf.estimators import LaPOLeaFClassifier

# Rows and forests that are enough to compile every kernel: in the full build, in the other one.
_WARM, _WARM_MANY, _WARM_FORESTS = 500, 6_000, 3
_ITERATIONS, _ALPHA = 100, 0.99


def made_or_read(n: int, columns: int, folder: str | None) -> Task:
    """Return rows of Fashion-MNIST in a folder, or made ones where there is none."""
    return clustered_task(n, columns) if folder is None else fashion_task(Path(folder), n)


def label_once(method: str, n: int, columns: int, folder: str | None) -> dict[str, float]:
    """Time a method on n rows, after small ones of the same kind.

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
    found = METHODS[method](task.X, task.y)
    seconds = time.perf_counter() - began
    peak = peak_megabytes()
    return {
        "seconds": seconds,
        "warm-up": warm,
        "accuracy": float("nan") if found is None else accuracy(found, task),
        "peak": peak,
        "above": peak - before,
    }


def warm_up(method: str, columns: int) -> None:
    """Run a method on small data; ours by the build for many rows, too."""
    task = clustered_task(_WARM, columns)
    METHODS[method](task.X, task.y)
    if method == OURS:
        task = clustered_task(_WARM_MANY, columns)
        classifier("approximate").set_params(n_forests=_WARM_FORESTS).fit(task.X, task.y)


def classifier(build: str) -> LaPOLeaFClassifier:
    """Return the classifier as it comes, but for the build."""
    model: LaPOLeaFClassifier = LaPOLeaFClassifier(missing_label=-1).set_params(build=build)
    return model


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
        model = classifier(build).fit(task.X, task.y)
        figures[f"{build} seconds"] = time.perf_counter() - began
        figures[f"{build} accuracy"] = accuracy(model.transduction_, task)
        leaders.append(model.tree_.parent)
    figures["equal"] = float(np.mean(leaders[0] == leaders[1]))
    return figures


def propagate_again(n: int, n_forests: int, repeats: int) -> dict[str, float]:
    """Time propagation in forests that are there, and label spreading on a graph that is.

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
    one_way = csr_array((np.ones(n * k), neighbours.ravel(), starts), shape=(n, n))
    graph = one_way.maximum(one_way.T).tocsr()
    scale = diags_array(1.0 / np.sqrt(graph.sum(axis=1)))
    scaled: Graph = (scale @ graph @ scale).tocsr()
    return scaled


def spread(graph: Graph, labels: FloatArray) -> FloatArray:
    """Return the labels after 100 iterations of label spreading: F = alpha S F + (1 - alpha) Y."""
    found = labels
    for _ in range(_ITERATIONS):
        found = _ALPHA * (graph @ found) + (1.0 - _ALPHA) * labels
    return found
