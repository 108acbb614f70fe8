"""Poisson learning (Calder et al., 2020)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.baselines.base import ClassifyingBaseline
from lapoleaf.baselines.graphs import Graph, Surroundings, degrees, neighbour_graph
from lapoleaf.baselines.parameters import check_choice, check_count, check_positive

_FEWEST_STEPS, _MOST_STEPS = 50, 1000


class PoissonLearning(ClassifyingBaseline):
    """Poisson learning: given labels are sources and sinks on a graph of near rows.

    For every class the potential u solves L u = y - mean(y) at the given labels and L u = 0
    elsewhere, L the Laplacian of the graph (Calder, Cook, Thorpe and Slepčev, 2020).

    The method labels the rows it was fitted on. ``predict`` gives a new row the mean of those
    around it, which is not part of the publication.

    Parameters
    ----------
    solver : {"walk", "exact"}, default="walk"
        ``"walk"``: the published iteration, stopped when a random walk from the labels has
        forgotten where it began. ``"exact"``: the solution it would reach if it went on, by
        conjugate gradients; mostly a little less accurate.
    n_neighbors : int, default=10
        Neighbours in the graph.
    sigma : float, default=None
        An edge of length d weighs exp(-d² / (2 sigma²)). None: weights are self-tuned,
        exp(-2 d² / (s_i s_j)), s the distance to the last neighbour.
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.

    Attributes
    ----------
    potential_ : ndarray of shape (n_rows, n_classes)
        The potentials, before the frequencies of the given labels are allowed for.
    transduction_ : ndarray of shape (n_rows,)
        The class of every row of X: that of the largest potential over the class's frequency among
        the given labels. Given labels may be overruled.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        A softmax of these quotients in units of their standard deviation: an order, no honest
        probabilities.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    given_ : ndarray of shape (n_rows,), bool
        Rows whose label was given.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    Notes
    -----
    In a part of the graph by itself, sources that do not cancel have no exact potential. What is
    left over is taken away evenly there, and added as the level that the published iteration would
    reach in 1,000 steps: so the labels of the part decide.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf.baselines import PoissonLearning
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.where(np.arange(150) % 10 == 0, truth, -1)
    >>> bool(np.mean(PoissonLearning().fit(X, y).transduction_ == truth) > 0.85)
    True
    """

    def __init__(
        self,
        *,
        solver: str = "walk",
        n_neighbors: int = 10,
        sigma: float | None = None,
        missing_label: Any = "auto",
    ) -> None:
        self.solver = solver
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_choice("solver", self.solver, ("walk", "exact"))
        check_count("n_neighbors", self.n_neighbors)
        if self.sigma is not None:
            check_positive("sigma", self.sigma)

    def _scores_of_rows(self, rows: Any, given: BoolArray, labels: FloatArray) -> FloatArray:
        graph = neighbour_graph(rows, self.n_neighbors, self.sigma)
        source = sources(given, labels)
        if self.solver == "exact":
            self.potential_ = potential(graph, source)
        else:
            self.potential_ = walked_potential(graph, source, mixing_steps(graph, given))
        self._around = Surroundings(rows, self.n_neighbors, self.sigma)
        # Published: "account for unbalanced training data".
        scores: FloatArray = self.potential_ / labels[given].mean(axis=0)
        self._unit = float(scores.std()) or 1.0
        return scores

    def _scores_of_new(self, rows: Any) -> FloatArray:
        return self._around.mean(self._scores, rows)

    def _probabilities(self, scores: FloatArray) -> FloatArray:
        height = (scores - scores.max(axis=1, keepdims=True)) / self._unit
        shares = np.exp(height)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def sources(given: BoolArray, labels: FloatArray) -> FloatArray:
    """Give labels less their mean, 0 where there is none.

    Parameters
    ----------
    given : ndarray of shape (n,), bool
        Rows with a label.
    labels : ndarray of shape (n, K)
        Their labels, as rows of 0 and 1.
    """
    return np.where(given[:, None], labels - labels[given].mean(axis=0), 0.0)


def potential(graph: Graph, source: FloatArray) -> FloatArray:
    """Solve L u = source, L the graph's Laplacian, with sum(degree * u) = 0.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric weights.
    source : ndarray of shape (n, K)
        What flows in and out; in the whole graph it cancels.
    """
    degree = degrees(graph)
    n_parts, part = connected_components(graph, directed=False)
    left_over = np.zeros((1, source.shape[1]))
    if n_parts > 1:
        left_over = _totals(source, part, n_parts) / _totals(degree[:, None], part, n_parts)
    balanced = source - degree[:, None] * left_over[part]
    laplacian = diags_array(degree) - graph
    # Divided by degrees, rows of very different weights are alike.
    like = LinearOperator(graph.shape, matvec=lambda v: v.ravel() / degree, dtype=np.float64)
    found = np.column_stack([cg(laplacian, column, rtol=1e-10, M=like)[0] for column in balanced.T])
    weights = degree[:, None]
    level = _totals(weights * found, part, n_parts) / _totals(weights, part, n_parts)
    shifted: FloatArray = found - level[part] + _MOST_STEPS * left_over[part]
    return shifted


def _totals(values: FloatArray, part: IntArray, n_parts: int) -> FloatArray:
    """Add up the values of every part of the graph."""
    totals = np.zeros((n_parts, values.shape[1]))
    np.add.at(totals, part, values)
    return totals


def walked_potential(graph: Graph, source: FloatArray, steps: int) -> FloatArray:
    """Approach the solution of L u = source, L the graph's Laplacian, from 0.

    A part of the graph that has a source of its own sum drifts towards its labels; one without
    labels stays 0.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric weights.
    source : ndarray of shape (n, K)
        What flows in and out.
    steps : int
        Number of steps.
    """
    degree = degrees(graph)[:, None]
    found = np.zeros_like(source)
    for _ in range(steps):
        # u + (source - L u) / D, where L = D - W.
        found = (source + graph @ found) / degree
    return found


def mixing_steps(
    graph: Graph, given: BoolArray, fewest: int = _FEWEST_STEPS, most: int = _MOST_STEPS
) -> int:
    """Count the steps until a random walk from the labels has forgotten where it began.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric weights.
    given : ndarray of shape (n,), bool
        Rows with a label.
    fewest, most : int
        Bounds of the answer.
    """
    degree = degrees(graph)
    end = degree / degree.sum()
    walk = given / given.sum()
    for step in range(most):
        if step >= fewest and np.abs(walk - end).max() <= 1.0 / len(end):
            return step
        walk = graph @ (walk / degree)
    return most
