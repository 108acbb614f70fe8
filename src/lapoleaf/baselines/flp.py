"""Joint learning of labels and features, after FLP (Ni, Yan and Kassim, 2012)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf._progress import Progress
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf._warnings import warn_user
from lapoleaf.baselines.base import ClassifyingBaseline
from lapoleaf.baselines.parameters import check_count, check_count_or_auto, check_positive
from lapoleaf.baselines.rows import in_blocks, middle_of, moved

_HALVINGS = 12
# Squared distances are clipped here: exp(-230) is 1e-100.
_FARTHEST = 230.0
# Length of the first step relative to the projection.
_FIRST_STEP = 0.1
# Rows whose pairs estimate the median distance.
_SAMPLE = 1000


class FLP(ClassifyingBaseline):
    """Joint learning of labels and of features for their graph, in the style of FLP.

    A reconstruction, "FLP-style": the openly accessible part of Ni, Yan and Kassim (TKDE 2012) says
    that labels and projected features form a harmonic system. This class minimises ``|F - P F|²``
    alternately over labels F of the unlabelled rows and a projection B, where P is the graph
    ``exp(-|B'(x_i - x_j)|²)`` with rows divided by their sums. Its results are not those of the
    authors. Time and memory grow with the square of the number of rows; sparse rows are made dense.

    The first projection has a median squared distance of 10 rather than 1, for which every row
    would be joined to all others with about the same weight: of 400 handwritten digits, with 5
    labels per class, 1 labelled 55 % correctly and 10 labelled 97 %. The iteration stops when a
    round changes the objective by less than 1 % of its initial value, not by a fixed 1e-4: as a sum
    over rows the objective keeps decreasing for a hundred rounds in which labels do not improve,
    and on breast cancer get much worse.

    The method labels the rows it was fitted on. ``predict`` takes one more step of propagation,
    from these to the new row, which is not part of the publication.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of learned features. ``"auto"``: the number of classes. At most the numbers of
        columns and rows.
    spread : float, default=10.0
        Median squared distance between rows in the first projection, by principal components: the
        larger, the more local the graph.
    label_steps : int, default=10
        Propagation steps per round.
    feature_steps : int, default=1
        Gradient steps of the projection per round.
    max_rounds : int, default=20
        Maximum number of rounds; a warning is issued if it is reached.
    tol : float, default=0.01
        Stop when a round changes the objective by at most this share of its initial value.
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    projection_ : ndarray of shape (n_columns, n_components)
        The learned projection.
    objective_ : ndarray of shape (n_rounds + 1,)
        The objective before the first round and after every round.
    n_iter_ : int
        Number of rounds.
    transduction_ : ndarray of shape (n_rows,)
        The class of every row of X; given labels are kept.
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
    >>> from lapoleaf.baselines import FLP
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.where(np.arange(150) % 10 == 0, truth, -1)
    >>> bool(np.mean(FLP().fit(X, y).transduction_ == truth) > 0.85)
    True
    """

    _keeps_labels = True

    def __init__(
        self,
        *,
        n_components: int | str = "auto",
        spread: float = 10.0,
        label_steps: int = 10,
        feature_steps: int = 1,
        max_rounds: int = 20,
        tol: float = 0.01,
        missing_label: Any = "auto",
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.spread = spread
        self.label_steps = label_steps
        self.feature_steps = feature_steps
        self.max_rounds = max_rounds
        self.tol = tol
        self.missing_label = missing_label
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_count_or_auto("n_components", self.n_components)
        check_positive("spread", self.spread)
        for name in ("label_steps", "feature_steps", "max_rounds"):
            check_count(name, getattr(self, name))
        if not is_real(self.tol) or not 0 <= self.tol < np.inf:
            raise ValueError(f"tol={shown(self.tol)} must be a number of at least 0.")

    def _scores_of_rows(self, rows: Any, given: BoolArray, labels: FloatArray) -> FloatArray:
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        self._middle = middle_of(dense)
        X = moved(dense, self._middle)
        wanted = labels.shape[1] if isinstance(self.n_components, str) else self.n_components
        projection = first_projection(X, wanted, self.spread)
        walk = walk_on(X @ projection)
        found = np.where(given[:, None], labels, labels[given].mean(axis=0))
        found = _propagated(walk, found, given, self.label_steps)
        objective = [harmony(walk, found)]
        length = _FIRST_STEP
        progress = Progress("FLP", self.max_rounds, self.verbose)
        for _ in range(self.max_rounds):
            for _ in range(self.feature_steps):
                projection, walk, length = _descended(X, projection, walk, found, length)
            found = _propagated(walk, found, given, self.label_steps)
            objective.append(harmony(walk, found))
            progress.advance()
            if abs(objective[-1] - objective[-2]) <= self.tol * objective[0]:
                progress.finish()
                break
        else:
            warn_user(
                f"FLP stopped after max_rounds={self.max_rounds} while the objective still "
                f"changed: allow more rounds, or a larger tol than {shown(self.tol)}.",
                ConvergenceWarning,
            )
        self.projection_ = projection
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective) - 1
        self._features = X @ projection
        return found

    def _scores_of_new(self, rows: Any) -> FloatArray:
        return in_blocks(self._step_to, rows)

    def _step_to(self, rows: Any) -> FloatArray:
        """Return labels propagated by one step from the training rows to new rows."""
        features = moved(rows, self._middle) @ self.projection_
        squares = euclidean_distances(features, self._features, squared=True)
        nearest = squares.min(axis=1, keepdims=True)
        weights = np.exp(nearest - squares)
        # A training row has its own label; its computed distance may differ from 0 by rounding.
        own = nearest <= 1e-12
        weights = np.where(own, squares <= 1e-12, weights)
        sums = weights @ self.label_distributions_
        return np.asarray(sums / weights.sum(axis=1, keepdims=True))


class Walk(NamedTuple):
    """Propagation on the graph of some features.

    Attributes
    ----------
    weights : ndarray of shape (n, n)
        exp(-d²), 0 on the diagonal.
    degrees : ndarray of shape (n,)
        Their sums.
    """

    weights: FloatArray
    degrees: FloatArray

    def step(self, labels: FloatArray) -> FloatArray:
        """Propagate labels by one step: every row gets the weighted mean of the others."""
        return np.asarray(self.weights @ labels / self.degrees[:, None])


def walk_on(features: FloatArray) -> Walk:
    """Return the propagation on the graph of some features.

    Parameters
    ----------
    features : ndarray of shape (n, q)
        Projected rows.
    """
    weights: FloatArray = euclidean_distances(features, squared=True)
    # Subnormal weights would make products many times slower.
    np.minimum(weights, _FARTHEST, out=weights)
    np.negative(weights, out=weights)
    np.exp(weights, out=weights)
    np.fill_diagonal(weights, 0.0)
    return Walk(weights, np.maximum(weights.sum(axis=1), np.exp(-_FARTHEST)))


def harmony(walk: Walk, labels: FloatArray) -> float:
    """Return the objective: the squared change of labels by a propagation step.

    Parameters
    ----------
    walk : Walk
        The propagation.
    labels : ndarray of shape (n, K)
        Labels of all rows.
    """
    return float(np.sum((labels - walk.step(labels)) ** 2))


def harmony_gradient(
    X: FloatArray, projection: FloatArray, walk: Walk, labels: FloatArray
) -> FloatArray:
    """Return the gradient of the objective with respect to the projection.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    projection : ndarray of shape (d, q)
        The projection.
    walk : Walk
        The propagation on the projected rows.
    labels : ndarray of shape (n, K)
        Labels of all rows.
    """
    propagated = walk.step(labels)
    residual = labels - propagated
    # Derivatives by the weights: of weights / degrees, then of exp(-d²).
    by_weights = residual @ labels.T
    by_weights -= (residual * propagated).sum(axis=1)[:, None]
    by_weights *= -2.0 / walk.degrees[:, None]
    by_weights *= walk.weights
    features = X @ projection
    total = by_weights.sum(axis=0) + by_weights.sum(axis=1)
    pulled = total[:, None] * features - by_weights @ features - by_weights.T @ features
    return np.asarray(-2.0 * (X.T @ pulled))


def first_projection(X: FloatArray, n_components: int, spread: float) -> FloatArray:
    """Return principal components, scaled to a median squared distance of ``spread``.

    With more than 1,000 rows, the median is estimated from a fixed sample of 1,000.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The rows.
    n_components : int
        Maximum number of components.
    spread : float
        The median squared distance.
    """
    wanted = min(n_components, *X.shape)
    if len(X) < 2:
        return np.eye(X.shape[1], wanted)
    with np.errstate(invalid="ignore"):
        # If all rows are equal, there is no variance to explain.
        components = PCA(wanted, random_state=0).fit(X).components_.T
    features = X @ components
    if len(X) > _SAMPLE:
        features = features[np.random.default_rng(0).choice(len(X), _SAMPLE, replace=False)]
    median = float(np.median(pdist(features, "sqeuclidean")))
    return np.asarray(components * np.sqrt(spread / median) if median > 0.0 else components)


def _propagated(walk: Walk, labels: FloatArray, given: BoolArray, n_steps: int) -> FloatArray:
    """Return labels after some propagation steps, with given labels kept."""
    found = labels
    for _ in range(n_steps):
        found = np.where(given[:, None], labels, walk.step(found))
    return found


def _descended(
    X: FloatArray, projection: FloatArray, walk: Walk, labels: FloatArray, length: float
) -> tuple[FloatArray, Walk, float]:
    """Return the projection after a gradient step with backtracking.

    ``length`` is the step relative to the projection; the returned length is twice that of the step
    taken.
    """
    slope = harmony_gradient(X, projection, walk, labels)
    steepness = np.linalg.norm(slope)
    if steepness == 0.0:
        return projection, walk, length
    now = harmony(walk, labels)
    direction = slope * (np.linalg.norm(projection) / steepness)
    for _ in range(_HALVINGS):
        tried = projection - length * direction
        there = walk_on(X @ tried)
        if harmony(there, labels) < now:
            return tried, there, 2.0 * length
        length /= 2.0
    return projection, walk, length
