"""Label propagation on the optimal leading forest, for classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lapoleaf._numbers import is_real
from lapoleaf._typing import AnyArray, FloatArray, IntArray, Metric
from lapoleaf.estimators.base import all_or_nothing, reach
from lapoleaf.estimators.choosing import Problem
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.labels import (
    ClassLabels,
    decode_classes,
    is_null,
    labels_and_missing,
    with_missing,
)
from lapoleaf.estimators.propagating import PropagatingEstimator
from lapoleaf.forest.costs import Cost
from lapoleaf.points import check_sample_weight
from lapoleaf.tree import LeadingTree

# Far from all data the leader still decides, by a hair: the largest probability names the class.
_LEAST_TRUST = 1e-6


class LaPOLeaFClassifier(ClassifierMixin, PropagatingEstimator):
    """Give every row a class, from the few that have one.

    Parameters set to ``"auto"`` are chosen by leave-one-out on the given labels.

    Parameters
    ----------
    percent : float or "auto", default=2.0
        The bandwidth of the density is the distance that this percentage of the pairs of rows do
        not exceed. In (0, 100].
    bandwidth : float, default=None
        The bandwidth in units of distance; overrides ``percent``.
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or a function
        of two rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    alpha : float or "auto", default=0.5
        Weight of the number of trees against their compactness, in [0, 1).
    cost : str or callable, default="linear"
        What a number of trees costs: see :func:`lodog`.
    n_trees : int, default=None
        Number of trees; the optimal number if None.
    solver : {"exact", "stages"}, default="exact"
        ``"exact"``: the minimum of the paper's objective; ``"stages"``: the paper's three stages.
    mu : float or "auto", default=inf
        Weight of a given label against the links: infinite, and given labels are kept. Exact
        solver only, like the next two.
    weights : {"self-tuned", "inverse", "auto"}, default="self-tuned"
        Weight of the link between a node and its leader: see :func:`propagate`.
    coupling : float or "auto", default=1.0
        What remains of the links that the forest cuts: 1 is the uncut tree, 0 lets nothing pass
        upwards.
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.
    min_confidence : float, default=None
        Rows whose class is less probable than this come back as missing.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_rows,)
        The class of every row of X.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        Probabilities of the classes for every row of X.
    confidence_ : ndarray of shape (n_rows,)
        Probability of the class in ``transduction_``.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    chosen_ : dict
        The values of ``percent``, ``weights``, ``alpha``, ``coupling`` and ``mu``, chosen where
        they are ``"auto"``, and ``"loss"``: the squared error of leave-one-out on the given labels,
        relative to always predicting their mean (None by the three stages).
    given_ : ndarray of shape (n_rows,), bool
        Rows whose label was given.
    tree_ : LeadingTree
        The leading tree.
    forest_ : LeadingForest
        The leading forest.
    bandwidth_ : float
        The bandwidth of the density.
    ids_ : ndarray of shape (n_rows,)
        Stable numbers of the rows, aligned with ``transduction_``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    See Also
    --------
    LaPOLeaFRegressor : The same for numbers.
    LabelledKFold : Cross-validation that keeps unlabelled rows in training.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf import LaPOLeaFClassifier
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(len(X), -1)
    >>> y[[10, 60, 110]] = truth[[10, 60, 110]]
    >>> model = LaPOLeaFClassifier().fit(X, y)
    >>> float(np.mean(model.transduction_ == truth))
    0.9066666666666666
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    def __init__(
        self,
        *,
        percent: float | str = 2.0,
        bandwidth: float | None = None,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        alpha: float | str = 0.5,
        cost: Cost = "linear",
        n_trees: int | None = None,
        solver: str = "exact",
        mu: float | str = np.inf,
        weights: str = "self-tuned",
        coupling: float | str = 1.0,
        missing_label: Any = "auto",
        min_confidence: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.percent = percent
        self.bandwidth = bandwidth
        self.metric = metric
        self.metric_params = metric_params
        self.alpha = alpha
        self.cost = cost
        self.n_trees = n_trees
        self.solver = solver
        self.mu = mu
        self.weights = weights
        self.coupling = coupling
        self.missing_label = missing_label
        self.min_confidence = min_confidence
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def as_published(
        cls, percent: float = 2.0, alpha: float = 0.5, cost: Cost = "linear", **params: Any
    ) -> Self:
        """Give the classifier of the paper and nothing else.

        One leading tree by a Gaussian density, LoDOG's cut, and the three stages.

        Parameters
        ----------
        percent, alpha, cost
            The paper's parameters: 3, 0.4 and ``"imagenet"`` for its images.
        **params : dict
            Other parameters of the class.

        Returns
        -------
        LaPOLeaFClassifier
            Not fitted yet.
        """
        return cls(percent=percent, alpha=alpha, cost=cost, solver="stages", **params)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the forest of all rows and propagate the labels that are there.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            All rows, labelled or not.
        y : array-like of shape (n_rows,)
            Classes, with missing ones marked: see ``missing_label``.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : LaPOLeaFClassifier
            The fitted classifier.
        """
        _check_min_confidence(self.min_confidence)
        rows = self._checked_rows(X, reset=True)
        labels = decode_classes(y, self.missing_label)
        check_consistent_length(rows, labels.codes)
        weight = check_sample_weight(sample_weight, rows.shape[0])
        self._fit_labels(rows, weight, lambda tree: [self._problem(tree, labels, weight)])
        self._weight = weight
        return self._answer_rows(labels)

    @staticmethod
    def _problem(tree: LeadingTree, labels: ClassLabels, weight: FloatArray) -> Problem:
        one_hot = np.eye(len(labels.classes))[labels.codes]
        problem = Problem(*tree.to_nodes(one_hot, labels.given, weight))
        if not problem.count.any():
            raise ValueError("sample_weight is 0 for every row that has a label in y.")
        return problem

    def _answer_rows(self, labels: ClassLabels) -> Self:
        """Answer for the training rows from the propagation."""
        self._labels = labels
        self._reach = reach(self.forest_)
        self.given_ = labels.given
        self.classes_ = labels.classes
        self.label_distributions_ = self._distributions(self._nodes, self._distances)
        self.confidence_ = self.label_distributions_.max(axis=1)
        self.transduction_ = self._classes_of(self.label_distributions_)
        return self

    @all_or_nothing
    def update_labels(self, ids: Any, y: Any) -> Self:
        """Give, change or take back labels of training rows, and propagate again.

        The forest stays as it is, so this is much faster than a new fit.

        Parameters
        ----------
        ids : int or array-like of shape (m,)
            Which rows: see ``ids_``.
        y : object or array-like of shape (m,)
            Their labels; the missing label takes a label back. New classes may appear.

        Returns
        -------
        self : LaPOLeaFClassifier
            With the new labels.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> model = LaPOLeaFClassifier().fit(X, ["low", None, None, None, "high"])
        >>> model.update_labels([2, 4], ["middle", None]).transduction_.tolist()
        ['low', 'low', 'middle', 'middle', 'middle']
        """
        rows = self._rows_of_ids(ids)
        labels = self._labels.changed(rows, [y] if np.ndim(ids) == 0 else y)
        self._propagate_again([self._problem(self.tree_, labels, self._weight)])
        return self._answer_rows(labels)

    def _distributions(self, nodes: IntArray, distances: FloatArray) -> FloatArray:
        """Give the probabilities at ``nodes``, faded by the distances to them."""
        beyond = self._reach / np.maximum(distances, self._reach)
        trust = np.maximum(beyond, _LEAST_TRUST)[:, None]
        even = 1.0 / len(self.classes_)
        vectors = self._results[0].labels[nodes]
        vectors = vectors / vectors.sum(axis=1, keepdims=True)
        faded: FloatArray = trust * vectors + (1.0 - trust) * even
        return faded

    def _classes_of(self, distributions: FloatArray) -> AnyArray:
        best = distributions.argmax(axis=1)
        found: AnyArray = self.classes_[best]
        if self.min_confidence is None:
            return found
        unsure = distributions[np.arange(len(best)), best] < self.min_confidence
        return with_missing(found, unsure, self._labels.missing)

    def predict(self, X: Any) -> AnyArray:
        """Give the class of every row.

        A new row is answered by the leader it would have if it joined the tree; a row of the
        training data as in ``transduction_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Classes; the missing label where ``min_confidence`` is not reached.
        """
        return self._classes_of(self.predict_proba(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Give the probabilities of the classes for every row.

        They are those of the row's leader. For a row further from its leader than any training row
        is from its own, they fade towards equal probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Rows sum to 1; columns in the order of ``classes_``.
        """
        return self._distributions(*self._leaders(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the accuracy on the rows that have a label in y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        y : array-like of shape (m,)
            True classes; rows marked as missing do not count.
        sample_weight : array-like of shape (m,), default=None
            Weights of the rows.

        Returns
        -------
        float
            Share of the labelled rows whose class is right.
        """
        found = self.predict(X)
        values, absent = labels_and_missing(y, self.missing_label)
        check_consistent_length(found, values)
        weight = check_sample_weight(sample_weight, len(found))
        if not weight[~absent].any():
            raise ValueError("y has no label that counts: there is nothing to compare with.")
        pairs = zip(found[~absent].tolist(), values[~absent].tolist(), strict=True)
        right = [not is_null(label) and label == truth for label, truth in pairs]
        return float(np.average(right, weights=weight[~absent]))

    def explain(self, row: Any) -> Explanation:
        """Say why a row has its class.

        Parameters
        ----------
        row : int or array-like of shape (n_columns,)
            The number of a training row, or a new row.

        Returns
        -------
        Explanation
            Prints as a few lines; the same facts are its attributes.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> model = LaPOLeaFClassifier(bandwidth=1.0, n_trees=2)
        >>> model.fit(X, ["low", None, None, None, "high"]).explain(2)
        Row 2 gets 'low' (confidence 68%).
           68% from row 0, given 'low'
           32% from row 4, given 'high'
          path: 2 -(0.9)-> 1 (root)
        """
        check_is_fitted(self)
        given_weight = np.where(self.given_, self._weight, 0.0)
        return self._explanation(row, 0, given_weight, self._class_at, self._given_class)

    def _class_at(self, node: int, distance: float) -> tuple[Any, float | None]:
        distribution = self._distributions(np.array([node]), np.array([distance]))
        return self._classes_of(distribution).tolist()[0], float(distribution.max())

    def _given_class(self, row: int) -> Any:
        return self._labels.classes.tolist()[self._labels.codes[row]]


def _check_min_confidence(min_confidence: Any) -> None:
    if min_confidence is not None and not (is_real(min_confidence) and 0 <= min_confidence <= 1):
        raise ValueError(
            f"min_confidence={min_confidence!r} must be a probability from 0 to 1, or None."
        )
