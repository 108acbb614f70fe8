"""Anchor graph regularisation (Liu, He and Chang, 2010)."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.baselines.anchor_graph import anchor_labels, class_masses
from lapoleaf.baselines.anchors import Anchors, check_anchoring, find_anchors
from lapoleaf.baselines.base import ClassifyingBaseline
from lapoleaf.baselines.parameters import check_count_or_auto, check_random_state

_FEWEST, _MOST = 10, 1000


class AGR(ClassifyingBaseline):
    """Anchor graph regularisation (AGR).

    Anchors are centres found by k-means; every row is a convex combination of its nearest anchors,
    and its label is that of theirs (Liu, He and Chang, ICML 2010). Time and memory grow with the
    number of rows, not with its square. New rows are expressed by the same anchors.

    Parameters
    ----------
    n_anchors : int or "auto", default="auto"
        Number of anchors. ``"auto"``: a fifth of the rows, at least 10 and at most 1,000. Never
        more than distinct rows.
    n_nearest : int, default=3
        Number of nearest anchors that represent a row.
    weights : {"lae", "gaussian", "exponential"}, default="lae"
        Shares of the anchors. ``"lae"``: the best convex combination (local anchor embedding) of
        rows and anchors that are first scaled to length 1, as in the authors' code, so that it
        depends on where the origin of the data is; ``"gaussian"``: proportional to
        exp(-d² / sigma²); ``"exponential"``: to exp(-d / sigma).
    sigma : float, default=None
        Width of the kernel; None: the mean distance to the last anchor. Not used by ``"lae"``.
    gamma : float, default=0.01
        Weight of the graph relative to the given labels.
    class_mass : bool, default=True
        Whether the scores of a class are divided by their sum over all rows, unless one of the sums
        is not positive.
    random_state : int, RandomState instance or None, default=0
        Seed of k-means.
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.

    Attributes
    ----------
    anchors_ : ndarray of shape (n_anchors, n_columns)
        The anchors.
    anchor_labels_ : ndarray of shape (n_anchors, n_classes)
        Their labels.
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

    See Also
    --------
    HAGR : The same with layers of anchors.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from lapoleaf.baselines import AGR
    >>> X, truth = load_digits(return_X_y=True)
    >>> y = np.where(np.arange(len(X)) < 100, truth, -1)
    >>> model = AGR(n_anchors=200).fit(X, y)
    >>> bool(np.mean(model.transduction_[100:] == truth[100:]) > 0.85)
    True
    """

    _keeps_labels = True

    def __init__(
        self,
        *,
        n_anchors: int | str = "auto",
        n_nearest: int = 3,
        weights: str = "lae",
        sigma: float | None = None,
        gamma: float = 0.01,
        class_mass: bool = True,
        random_state: Any = 0,
        missing_label: Any = "auto",
    ) -> None:
        self.n_anchors = n_anchors
        self.n_nearest = n_nearest
        self.weights = weights
        self.sigma = sigma
        self.gamma = gamma
        self.class_mass = class_mass
        self.random_state = random_state
        self.missing_label = missing_label

    def _check_parameters(self) -> None:
        check_count_or_auto("n_anchors", self.n_anchors)
        check_anchoring(self.n_nearest, self.weights, self.sigma, self.gamma)
        check_random_state(self.random_state)
        if not isinstance(self.class_mass, (bool, np.bool_)):
            raise ValueError(f"class_mass={shown(self.class_mass)} must be True or False.")

    def _scores_of_rows(self, rows: Any, given: BoolArray, labels: FloatArray) -> FloatArray:
        n_anchors = self.n_anchors
        if isinstance(n_anchors, str):
            n_anchors = int(np.clip(rows.shape[0] // 5, _FEWEST, _MOST))
        self.anchors_ = find_anchors(rows, n_anchors, self.random_state)
        self._anchors = Anchors.around(
            rows, self.anchors_, self.n_nearest, self.weights, self.sigma
        )
        shares = self._anchors.shares(rows)
        self.anchor_labels_ = anchor_labels(shares, shares, given, labels, self.gamma)
        scores = shares @ self.anchor_labels_
        self._masses = class_masses(scores) if self.class_mass else np.ones(scores.shape[1])
        return np.asarray(scores / self._masses)

    def _scores_of_new(self, rows: Any) -> FloatArray:
        return np.asarray(self._anchors.shares(rows) @ self.anchor_labels_ / self._masses)
