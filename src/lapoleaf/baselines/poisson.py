"""Poisson learning (Calder et al., 2020)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.baselines.base import ClassifyingBaseline
from lapoleaf.baselines.conjugate_gradients import solved
from lapoleaf.baselines.graphs import (
    Graph,
    Surroundings,
    degrees,
    neighbour_graph,
    normalised,
)
from lapoleaf.baselines.parameters import check_choice, check_count, check_positive_or_none

_FEWEST_STEPS, _MOST_STEPS = 50, 1000
# Share of the probabilities that is normalised by row, since potentials far from all labels may be
# so small that classes would be nearly equal otherwise.
_BY_ROW = 0.01
# Maximum range of the scores of a row, in units of the usual range.
_HIGHEST = 10.0
# Edges with a smaller normalised weight do not connect components.
_FAINTEST = 1e-12


class PoissonLearning(ClassifyingBaseline):
    """Poisson learning: given labels are sources and sinks on a neighbour graph.

    For every class the potential u solves L u = y - mean(y) at the given labels and L u = 0
    elsewhere, L the Laplacian of the graph (Calder, Cook, Thorpe and Slepčev, 2020).

    The method is transductive. ``predict`` returns the weighted mean of neighbours for new rows,
    which is not part of the publication.

    Parameters
    ----------
    solver : {"walk", "exact"}, default="walk"
        ``"walk"``: the published iteration, stopped when a random walk from the labels has mixed.
        ``"exact"``: its limit, computed by conjugate gradients; usually slightly less accurate.
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
        The potentials, before the correction for the frequencies of the given labels.
    transduction_ : ndarray of shape (n_rows,)
        The class of every row of X: that of the largest potential over the class's frequency among
        the given labels. Given labels may be overruled.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        A softmax of these quotients, in units of the usual range within a row, at most 10; one
        percent of it is in units of the row's own range. They rank classes and are not calibrated.
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
    In a connected component, sources that do not sum to 0 have no exact potential. Their mean is
    subtracted, and added as the level that the published iteration would reach in 1,000 steps, or
    in the number of steps after which classes without a label in the component are negative
    everywhere in it, so that its own labels decide.

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
        check_positive_or_none("sigma", self.sigma)

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
        return in_usual_heights(scores)

    def _scores_of_new(self, rows: Any) -> FloatArray:
        return self._around.mean(self._scores, rows)

    def _probabilities(self, scores: FloatArray) -> FloatArray:
        below = scores - scores.max(axis=1, keepdims=True)
        own = -below.min(axis=1, keepdims=True)
        by_row = _exponential_shares(below / np.where(own > 0.0, own, 1.0))
        return (1.0 - _BY_ROW) * _exponential_shares(below) + _BY_ROW * by_row


def _exponential_shares(heights: FloatArray) -> FloatArray:
    """Return the softmax of scores of at most 0."""
    shares = np.exp(heights)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def in_usual_heights(scores: FloatArray) -> FloatArray:
    """Return scores in units of the usual range within a row, with large ranges compressed.

    The order within a row is kept. At labels, and near isolated labels, potentials are so high that
    they would dominate the predictions for new rows.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Scores of the classes.
    """
    heights = np.ptp(scores, axis=1, keepdims=True)
    usual = float(np.median(heights[heights > 0.0])) if heights.any() else 1.0
    return np.asarray(_HIGHEST * (scores / np.maximum(heights, _HIGHEST * usual)))


def sources(given: BoolArray, labels: FloatArray) -> FloatArray:
    """Return centred labels, 0 for unlabelled rows.

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
        Sources and sinks, which sum to 0 over the whole graph.
    """
    graph = _without_faint_edges(graph)
    degree = degrees(graph)
    weights = degree[:, None]
    n_parts, part = connected_components(graph, directed=False)
    left_over = np.zeros((1, source.shape[1]))
    if n_parts > 1:
        left_over = _totals(source, part, n_parts) / _totals(weights, part, n_parts)
    balanced = source - weights * left_over[part]
    # Preconditioned by the degrees, since weights of rows may differ by orders of magnitude.
    like = LinearOperator(graph.shape, matvec=lambda v: v.ravel() / degree, dtype=np.float64)
    found = solved(
        diags_array(degree) - graph,
        balanced,
        1e-10,
        "PoissonLearning(solver='exact')",
        "use solver='walk', or a larger sigma or None",
        like,
    )
    level = _totals(weights * found, part, n_parts) / _totals(weights, part, n_parts)
    found -= level[part]
    steps = _steps_to_decide(found, source, left_over, part)
    shifted: FloatArray = found + (steps * left_over)[part]
    return shifted


def _without_faint_edges(graph: Graph) -> Graph:
    """Remove edges that are negligible relative to the other edges at both ends."""
    clear: Graph = graph.multiply(normalised(graph) >= _FAINTEST).tocsr()
    return clear


def _steps_to_decide(
    found: FloatArray, source: FloatArray, left_over: FloatArray, part: IntArray
) -> FloatArray:
    """Return the number of steps after which absent classes are negative in every component."""
    highest = np.zeros(left_over.shape)
    np.maximum.at(highest, part, found)
    here = np.zeros(left_over.shape, dtype=bool)
    np.logical_or.at(here, part, source > 0.0)
    needed = np.zeros(left_over.shape)
    np.divide(highest, -left_over, out=needed, where=~here & (left_over < 0.0))
    return np.asarray(np.maximum(2.0 * needed.max(axis=1, keepdims=True), float(_MOST_STEPS)))


def _totals(values: FloatArray, part: IntArray, n_parts: int) -> FloatArray:
    """Return the sums of values over every connected component."""
    totals = np.zeros((n_parts, values.shape[1]))
    np.add.at(totals, part, values)
    return totals


def walked_potential(graph: Graph, source: FloatArray, steps: int) -> FloatArray:
    """Iterate towards the solution of L u = source, L the graph's Laplacian, from 0.

    A component whose sources do not sum to 0 drifts towards its labels; one without labels stays 0.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric weights.
    source : ndarray of shape (n, K)
        Sources and sinks.
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
    """Return the number of steps until a random walk from the labels has mixed.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric weights.
    given : ndarray of shape (n,), bool
        Rows with a label.
    fewest, most : int
        Bounds of the result.
    """
    degree = degrees(graph)
    end = degree / degree.sum()
    walk = given / given.sum()
    for step in range(most):
        if step >= fewest and np.abs(walk - end).max() <= 1.0 / len(end):
            return step
        walk = graph @ (walk / degree)
    return most
