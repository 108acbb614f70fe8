"""Learning with local and global consistency (Zhou et al., 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import eye_array
from scipy.sparse.csgraph import connected_components

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.baselines.base import ClassifyingBaseline
from lapoleaf.baselines.conjugate_gradients import solved
from lapoleaf.baselines.graphs import Graph, Surroundings, full_graph, neighbour_graph, normalised
from lapoleaf.baselines.parameters import check_count, check_positive_or_none

# A solution is accurate where it exceeds this share of its largest value.
_CERTAIN = 1e-6
# Smallest scale of scores, which keeps distant ones from underflowing; only their order counts.
_LEAST_UNIT = 1e-250


class LLGC(ClassifyingBaseline):
    """Learning with local and global consistency, solved directly.

    Labels are the solution of (I - alpha S) F = Y, where S is a graph of the rows, every weight
    divided by the root of the degrees of its ends, and Y the given labels. Zhou et al. (2004) find
    it by iteration, like :class:`sklearn.semi_supervised.LabelSpreading`.

    The method is transductive. ``predict`` returns the weighted mean of neighbours for new rows,
    which is not part of the publication.

    Parameters
    ----------
    alpha : float, default=0.99
        Weight of the neighbours of a row, between 0 and 1.
    n_neighbors : int or None, default=10
        Neighbours in the graph, which is then sparse and solved by conjugate gradients. None: all
        pairs, solved by a Cholesky factorisation in time n³ and memory n²; as published if
        ``sigma`` is set, and usually less accurate than with neighbours.
    sigma : float, default=None
        An edge of length d weighs exp(-d² / (2 sigma²)). None: weights are self-tuned,
        exp(-2 d² / (s_i s_j)), s the distance to the last neighbour, of all pairs to the 10th.
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_rows,)
        The class of every row of X. Given labels may be overruled.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        Shares of the classes for every row of X.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    given_ : ndarray of shape (n_rows,), bool
        Rows whose label was given.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf.baselines import LLGC
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.where(np.arange(150) % 10 == 0, truth, -1)
    >>> bool(np.mean(LLGC().fit(X, y).transduction_ == truth) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        alpha: float = 0.99,
        n_neighbors: int | None = 10,
        sigma: float | None = None,
        missing_label: Any = "auto",
    ) -> None:
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        if not is_real(self.alpha) or not 0 < self.alpha < 1:
            raise ValueError(f"alpha={shown(self.alpha)} must be a number between 0 and 1.")
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors)
        check_positive_or_none("sigma", self.sigma)

    def _scores_of_rows(self, rows: Any, given: BoolArray, labels: FloatArray) -> FloatArray:
        if self.n_neighbors is None:
            scores = full_scores(full_graph(rows, self.sigma), labels, self.alpha)
        else:
            graph = neighbour_graph(rows, self.n_neighbors, self.sigma)
            scores = sparse_scores(graph, labels, self.alpha)
        self._around = Surroundings(rows, self.n_neighbors or 10, self.sigma)
        return scores

    def _scores_of_new(self, rows: Any) -> FloatArray:
        return self._around.mean(self.label_distributions_, rows)


def sparse_scores(graph: Graph, labels: FloatArray, alpha: float = 0.99) -> FloatArray:
    """Solve (I - alpha S) F = Y by conjugate gradients, from the labels outwards.

    Scores decrease with the distance from the labels, soon below the rounding errors of a solution.
    So accurate scores are fixed, and a system is solved for the other rows, with the fixed ones on
    the right side, until all rows connected to a label have scores.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric weights; S is the graph normalised.
    labels : ndarray of shape (n, K)
        Given labels, 0 where there is none.
    alpha : float, default=0.99
        Weight of the neighbours of a row.

    Returns
    -------
    ndarray of shape (n, K)
        The scores; 0 where no label reaches. Below 1e-250 only their order is right.
    """
    part = connected_components(graph, directed=False)[1]
    left = np.flatnonzero(np.isin(part, part[labels.any(axis=1)]))
    taken = alpha * normalised(graph)[left][:, left]
    source = labels[left]
    scores, unit = np.zeros(labels.shape), 1.0
    while len(left) > 0 and source.any():
        unit *= source.max()
        source = source / source.max()
        system = eye_array(len(left)) - taken
        found = solved(system, source, 1e-13, "LLGC", "use a smaller alpha")
        certain = found.max(axis=1) > _CERTAIN * found.max()
        scores[left[certain]] = max(unit, _LEAST_UNIT) * np.maximum(found[certain], 0.0)
        further = taken[~certain]
        source = source[~certain] + further[:, certain] @ np.maximum(found[certain], 0.0)
        left, taken = left[~certain], further[:, ~certain]
    return scores


def full_scores(graph: FloatArray, labels: FloatArray, alpha: float = 0.99) -> FloatArray:
    """Solve (I - alpha S) F = Y by a Cholesky factorisation.

    Parameters
    ----------
    graph : ndarray of shape (n, n)
        Symmetric weights; S is the graph normalised.
    labels : ndarray of shape (n, K)
        Given labels, 0 where there is none.
    alpha : float, default=0.99
        Weight of the neighbours of a row.
    """
    system = normalised(graph)
    system *= -alpha
    system[np.diag_indices_from(system)] += 1.0
    return np.asarray(cho_solve(cho_factor(system, overwrite_a=True), labels))
