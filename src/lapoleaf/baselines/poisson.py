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
from lapoleaf.baselines.parameters import check_choice, check_count, check_positive

_FEWEST_STEPS, _MOST_STEPS = 50, 1000
# Of every probability so much goes by the row alone: potentials far from all labels may be so small
# that classes would be alike otherwise.
_BY_ROW = 0.01
# Between a row's highest and lowest score there is no more than this, in units of the usual.
_HIGHEST = 10.0
# Edges that weigh less, relative to the roots of the degrees of their ends, join no parts.
_FAINTEST = 1e-12


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
        A softmax of these quotients, in units of what usually lies between a row's highest and
        lowest, at most 10; a hundredth is in units of the row's own. An order, no honest
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
    reach in 1,000 steps, or in as many as it takes for classes without a label in the part to be
    below 0 all over it: so the labels of the part decide.

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
        return in_usual_heights(scores)

    def _scores_of_new(self, rows: Any) -> FloatArray:
        return self._around.mean(self._scores, rows)

    def _probabilities(self, scores: FloatArray) -> FloatArray:
        below = scores - scores.max(axis=1, keepdims=True)
        own = -below.min(axis=1, keepdims=True)
        by_row = _exponential_shares(below / np.where(own > 0.0, own, 1.0))
        return (1.0 - _BY_ROW) * _exponential_shares(below) + _BY_ROW * by_row


def _exponential_shares(heights: FloatArray) -> FloatArray:
    """Return the exponentials of heights below 0, divided by their sum."""
    shares = np.exp(heights)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def in_usual_heights(scores: FloatArray) -> FloatArray:
    """Divide scores by what usually lies between a row's highest and lowest; large ones by more.

    The order of a row stays. At labels, and where labels have hardly a neighbour, potentials are
    so high that new rows would depend on nothing else.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Scores of the classes.
    """
    heights = np.ptp(scores, axis=1, keepdims=True)
    usual = float(np.median(heights[heights > 0.0])) if heights.any() else 1.0
    return np.asarray(_HIGHEST * (scores / np.maximum(heights, _HIGHEST * usual)))


def sources(given: BoolArray, labels: FloatArray) -> FloatArray:
    """Return labels less their mean, 0 where there is none.

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
    graph = _without_faint_edges(graph)
    degree = degrees(graph)
    weights = degree[:, None]
    n_parts, part = connected_components(graph, directed=False)
    left_over = np.zeros((1, source.shape[1]))
    if n_parts > 1:
        left_over = _totals(source, part, n_parts) / _totals(weights, part, n_parts)
    balanced = source - weights * left_over[part]
    # Divided by degrees, rows of very different weights are alike.
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
    """Leave out edges that rounding would hide beside others of both their ends."""
    clear: Graph = graph.multiply(normalised(graph) >= _FAINTEST).tocsr()
    return clear


def _steps_to_decide(
    found: FloatArray, source: FloatArray, left_over: FloatArray, part: IntArray
) -> FloatArray:
    """Count the steps after which, in every part, classes without a label there are below 0."""
    highest = np.zeros(left_over.shape)
    np.maximum.at(highest, part, found)
    here = np.zeros(left_over.shape, dtype=bool)
    np.logical_or.at(here, part, source > 0.0)
    needed = np.zeros(left_over.shape)
    np.divide(highest, -left_over, out=needed, where=~here & (left_over < 0.0))
    return np.asarray(np.maximum(2.0 * needed.max(axis=1, keepdims=True), float(_MOST_STEPS)))


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
