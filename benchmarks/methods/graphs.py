"""Rivals that spread labels over a graph of neighbours: LLGC and Poisson learning."""

from __future__ import annotations

import numpy as np

from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.baselines import LLGC, PoissonLearning
from lapoleaf.baselines.base import lost_rows
from lapoleaf.baselines.graphs import Graph
from lapoleaf.baselines.nearest_labels import NearestLabels
from lapoleaf.baselines.poisson import mixing_steps, sources, walked_potential


def one_hot_of(y: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the classes among the given labels, and a row of 0 and 1 for every label.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Classes, -1 where there is none: the row is 0 then.
    """
    classes = np.unique(y[y >= 0])
    return classes, (y[:, None] == classes).astype(float)


def llgc(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by learning with local and global consistency (Zhou et al., 2004)."""
    return np.asarray(LLGC(missing_label=-1).fit(X, y).transduction_)


def poisson(X: FloatArray, y: IntArray) -> IntArray:
    """Return the classes by Poisson learning (Calder et al., 2020), all classes alike likely."""
    return np.asarray(PoissonLearning(missing_label=-1).fit(X, y).transduction_)


def poisson_on(graph: Graph, X: AnyArray, y: IntArray) -> IntArray:
    """Return the classes by Poisson learning on a graph that is there already."""
    classes, labels = one_hot_of(y)
    given = y >= 0
    potential = walked_potential(graph, sources(given, labels), mixing_steps(graph, given))
    scores = potential / labels[given].mean(axis=0)
    scores = NearestLabels(X, given, labels).instead_of(scores, lost_rows(scores), X)
    return np.asarray(classes[scores.argmax(axis=1)])
