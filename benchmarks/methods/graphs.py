"""Baselines that propagate labels along a graph of neighbours or anchors, and density peaks."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.semi_supervised import LabelSpreading

from benchmarks.methods.adapters import Quiet
from benchmarks.methods.method import CLASSES, Method, grid_of
from benchmarks.methods.near_neighbours import near_neighbours
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.baselines import AGR, FLP, HAGR, LLGC, RGSSLMCC, PoissonLearning
from lapoleaf.baselines.base import lost_rows
from lapoleaf.baselines.graphs import Graph, self_tuned_graph
from lapoleaf.baselines.nearest_labels import NearestLabels
from lapoleaf.baselines.poisson import mixing_steps, sources, walked_potential

_NEIGHBOURS = 10


def one_hot_of(y: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the classes among the given labels, and a row of 0 and 1 for every label.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Classes, -1 where there is none: the row is 0 then.
    """
    classes = np.unique(y[y >= 0])
    return classes, (y[:, None] == classes).astype(float)


def poisson_on(graph: Graph, X: AnyArray, y: IntArray) -> IntArray:
    """Return the classes by Poisson learning on a given graph."""
    classes, labels = one_hot_of(y)
    given = y >= 0
    potential = walked_potential(graph, sources(given, labels), mixing_steps(graph, given))
    scores = potential / labels[given].mean(axis=0)
    scores = NearestLabels(X, given, labels).instead_of(scores, lost_rows(scores), X)
    return np.asarray(classes[scores.argmax(axis=1)])


class NearPoisson:
    """Poisson learning on a graph of near neighbours, which faiss finds where it is installed."""

    def fit(self, X: AnyArray, y: IntArray) -> NearPoisson:
        """Build the graph and spread the labels."""
        graph = self_tuned_graph(*near_neighbours(X, _NEIGHBOURS))
        self.transduction_ = poisson_on(graph, X, y)
        return self


class DensityPeaks:
    """Density peaks by pydpc: densities and leaders only, no classes."""

    transduction_ = None

    def fit(self, X: AnyArray, y: IntArray) -> DensityPeaks:
        """Compute the densities and leaders of all rows."""
        cluster = importlib.import_module("pydpc").Cluster
        cluster(np.ascontiguousarray(X, dtype=np.float64), autoplot=False)
        return self


def label_spreading(**params: Any) -> Quiet:
    """Return scikit-learn's label spreading over 7 neighbours, 100 iterations."""
    model = LabelSpreading(**{"kernel": "knn", "n_neighbors": 7, "max_iter": 100, **params})
    # A row that no label reaches has only zeros, divided by their sum: RuntimeWarning.
    return Quiet(model, ConvergenceWarning, RuntimeWarning)


def _baseline(kind: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **params: kind(missing_label=-1, **params)


_TUNED = ("paper", "small")

METHODS = (
    Method("label-spreading", CLASSES, label_spreading, tags=("clean", "images", "speed")),
    Method(
        "llgc",
        CLASSES,
        _baseline(LLGC),
        grid=grid_of(n_neighbors=(6, 15), alpha=(0.9, 0.99)),
        tags=("clean", "images", *_TUNED),
        label="LLGC",
    ),
    Method(
        "FLP-style",
        CLASSES,
        _baseline(FLP),
        grid=grid_of(n_components=("auto", 20), spread=(10.0, 100.0)),
        tags=(*_TUNED, "cubic"),
    ),
    Method(
        "AGR",
        CLASSES,
        _baseline(AGR),
        grid=grid_of(weights=("lae", "gaussian"), gamma=(0.01, 0.1)),
        tags=_TUNED,
    ),
    Method(
        "HAGR",
        CLASSES,
        _baseline(HAGR),
        grid=grid_of(weights=("exponential", "gaussian"), gamma=(0.01, 0.1)),
        tags=_TUNED,
    ),
    Method(
        "RGSSL-MCC-style",
        CLASSES,
        _baseline(RGSSLMCC),
        grid=grid_of(lam=(0.001, 0.01, 0.1, 1.0)),
        tags=(*_TUNED, "cubic"),
    ),
    Method(
        "poisson",
        CLASSES,
        _baseline(PoissonLearning),
        grid=grid_of(n_neighbors=(6, 10, 15, 25)),
        tags=("clean", "images", *_TUNED),
        label="Poisson learning",
    ),
    Method("poisson-faiss", CLASSES, NearPoisson, tags=("speed",)),
    Method("pydpc", CLASSES, DensityPeaks, tags=("speed",)),
)
