"""Robust graph-based learning by maximum correntropy, after RGSSL-MCC (Du et al.)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._progress import Progress
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf._warnings import warn_user
from lapoleaf.baselines.base import ClassifyingBaseline
from lapoleaf.baselines.graphs import Surroundings, neighbour_graph, normalised
from lapoleaf.baselines.parameters import check_count, check_positive, check_positive_or_none
from lapoleaf.baselines.rows import in_blocks, middle_of, moved
from lapoleaf.baselines.systems import solved

_RIDGE, _LEAST_WIDTH = 1e-8, 1e-6


class RGSSLMCC(ClassifyingBaseline):
    """Robust labels on a graph by maximum correntropy, in the style of RGSSL-MCC.

    A reconstruction, "RGSSL-MCC-style": the openly accessible part of Du et al. (IEEE Transactions
    on Cybernetics, 2019) says that given labels are used in the graph, and that correntropy is
    maximised by half-quadratic optimisation. This class maximises
    ``sum over given of 2 s² exp(-|f - y|² / (2 s²)) - lam * trace(F' L F)``, where L is the
    normalised Laplacian of a graph of near rows in which given rows of one class are joined by an
    edge of weight 1, and those of different classes by none. Its results are not those of the
    authors.

    Parameters
    ----------
    lam : float, default=0.1
        Weight of the graph relative to the given labels.
    mu : float, default=None
        Weight of smoothness in space: labels are then a function of the rows, by the kernel
        exp(-d² / v), v the sum of the variances of the columns, and new rows get its values. None:
        the method is transductive, and ``predict`` returns the weighted mean of neighbours for new
        rows.
    width : float or "auto", default="auto"
        s in the objective: given labels with a larger error than this have less weight. ``"auto"``:
        from the mean error, updated in every step. A value so small that no label has weight raises
        an error.
    n_neighbors : int, default=10
        Neighbours in the graph.
    sigma : float, default=None
        An edge of length d weighs exp(-d² / (2 sigma²)). None: weights are self-tuned,
        exp(-2 d² / (s_i s_j)), s the distance to the last neighbour.
    max_iter : int, default=50
        Maximum number of steps; each solves a system of n equations, in time n³ and memory n². A
        warning is issued if it is reached.
    tol : float, default=1e-4
        Relative change of the labels at which the iteration stops.
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    objective_ : ndarray of shape (n_steps,)
        The objective after every step; with a fixed ``width`` it never decreases.
    n_iter_ : int
        Number of steps.
    trust_ : ndarray of shape (n_rows,)
        Weight of every given label in the last step, from 0 to 1; 0 for unlabelled rows.
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
    >>> from lapoleaf.baselines import RGSSLMCC
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.where(np.arange(150) % 10 == 0, truth, -1)
    >>> bool(np.mean(RGSSLMCC().fit(X, y).transduction_ == truth) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        lam: float = 0.1,
        mu: float | None = None,
        width: float | str = "auto",
        n_neighbors: int = 10,
        sigma: float | None = None,
        max_iter: int = 50,
        tol: float = 1e-4,
        missing_label: Any = "auto",
        verbose: int = 0,
    ) -> None:
        self.lam = lam
        self.mu = mu
        self.width = width
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.max_iter = max_iter
        self.tol = tol
        self.missing_label = missing_label
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_positive("lam", self.lam)
        for name in ("mu", "sigma"):
            check_positive_or_none(name, getattr(self, name))
        if isinstance(self.width, str) and self.width != "auto":
            raise ValueError(f"width={shown(self.width)} must be a number above 0, or 'auto'.")
        if not isinstance(self.width, str):
            check_positive("width", self.width)
        check_count("n_neighbors", self.n_neighbors)
        check_count("max_iter", self.max_iter)
        if not is_real(self.tol) or not 0 <= self.tol < np.inf:
            raise ValueError(f"tol={shown(self.tol)} must be a number of at least 0.")

    def _scores_of_rows(self, rows: Any, given: BoolArray, labels: FloatArray) -> FloatArray:
        graph = neighbour_graph(rows, self.n_neighbors, self.sigma).toarray()
        laplacian = supervised_laplacian(graph, given, labels)
        if self.mu is None:
            self._around = Surroundings(rows, self.n_neighbors, self.sigma)
            return self._climb(given, labels, laplacian, self._by_rows(laplacian, labels))
        self._middle = middle_of(rows)
        self._rows = moved(rows, self._middle)
        spread = total_variance(self._rows)
        self._gamma = 1.0 / spread if spread > 0 else 1.0
        kernel = rbf_kernel(self._rows, gamma=self._gamma)
        step = self._by_kernel(kernel, laplacian, labels, self.mu)
        return self._climb(given, labels, laplacian, step)

    def _by_rows(
        self, laplacian: FloatArray, labels: FloatArray
    ) -> Callable[[FloatArray], FloatArray]:
        """Return a function that solves for the labels of the rows, given weights of the labels."""

        def step(trust: FloatArray) -> FloatArray:
            system = self.lam * laplacian
            system[np.diag_indices_from(system)] += trust + _RIDGE
            advice = (
                f"lam={shown(self.lam)} is so large that the given labels no longer count: use a "
                f"smaller one."
            )
            return solved(system, trust[:, None] * labels, advice, assume_a="pos")

        return step

    def _by_kernel(
        self, kernel: FloatArray, laplacian: FloatArray, labels: FloatArray, mu: float
    ) -> Callable[[FloatArray], FloatArray]:
        """Return a function that solves for labels as a function of the rows."""
        smooth = self.lam * (laplacian @ kernel)
        smooth[np.diag_indices_from(smooth)] += mu

        def step(trust: FloatArray) -> FloatArray:
            system = trust[:, None] * kernel + smooth
            advice = (
                f"mu={shown(mu)} is too small for lam={shown(self.lam)} and these rows, no digit "
                f"of the labels would be right: use a larger mu or a smaller lam."
            )
            self._weights = solved(system, trust[:, None] * labels, advice)
            return np.asarray(kernel @ self._weights)

        return step

    def _climb(
        self,
        given: BoolArray,
        labels: FloatArray,
        laplacian: FloatArray,
        step: Callable[[FloatArray], FloatArray],
    ) -> FloatArray:
        """Alternate between solving and reweighting the given labels."""
        trust = given.astype(np.float64)
        found = np.zeros_like(labels)
        objective = []
        progress = Progress("RGSSL-MCC", self.max_iter, self.verbose)
        for _ in range(self.max_iter):
            # Labels of smaller weight are negligible relative to the regularisation of the system.
            if trust.max() <= _RIDGE:
                raise ValueError(
                    f"width={shown(self.width)} is so small that no given label counts: take a "
                    f"larger one or 'auto', or a smaller lam than {shown(self.lam)}."
                )
            self.trust_ = trust
            before, found = found, step(trust)
            progress.advance()
            errors = ((found - labels)[given] ** 2).sum(axis=1)
            square = self._squared_width(errors)
            trust = np.zeros(len(given))
            trust[given] = np.exp(-errors / (2.0 * square))
            roughness = np.sum(found * (laplacian @ found))
            norm = _RIDGE * np.sum(found**2) if self.mu is None else 0.0
            objective.append(2.0 * square * trust.sum() - self.lam * roughness - norm)
            if self.mu is not None:
                objective[-1] -= self.mu * np.sum(self._weights * found)
            if np.linalg.norm(found - before) <= self.tol * np.linalg.norm(found):
                progress.finish()
                break
        else:
            warn_user(
                f"RGSSLMCC stopped after max_iter={self.max_iter} steps while labels still "
                f"changed: allow more, or a larger tol than {shown(self.tol)}.",
                ConvergenceWarning,
            )
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        return found

    def _squared_width(self, errors: FloatArray) -> float:
        if isinstance(self.width, str):
            return max(float(errors.mean()) / 2.0, _LEAST_WIDTH)
        return float(self.width) ** 2

    def _scores_of_new(self, rows: Any) -> FloatArray:
        if self.mu is None:
            return self._around.mean(self._scores, rows)
        return in_blocks(self._values_of, rows)

    def _values_of(self, rows: Any) -> FloatArray:
        kernel = rbf_kernel(moved(rows, self._middle), self._rows, gamma=self._gamma)
        return np.asarray(kernel @ self._weights)


def total_variance(X: Any) -> float:
    """Return the sum of the variances of the columns, without densifying sparse rows.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    """
    if isinstance(X, np.ndarray):
        return float(X.var(axis=0).sum())
    squares = X.multiply(X).sum() / X.shape[0]
    return float(squares - np.sum(np.square(X.mean(axis=0))))


def supervised_laplacian(graph: FloatArray, given: BoolArray, labels: FloatArray) -> FloatArray:
    """Return the normalised Laplacian of a graph with edges from the given labels.

    Parameters
    ----------
    graph : ndarray of shape (n, n)
        Symmetric weights.
    given : ndarray of shape (n,), bool
        Rows with a label.
    labels : ndarray of shape (n, K)
        Their labels, as rows of 0 and 1.
    """
    known = np.flatnonzero(given)
    supervised = graph.copy()
    supervised[np.ix_(known, known)] = labels[known] @ labels[known].T
    np.fill_diagonal(supervised, 0.0)
    laplacian: FloatArray = -normalised(supervised)
    laplacian[np.diag_indices_from(laplacian)] += 1.0
    return laplacian
