"""Clusters: the trees of the optimal leading forest."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from lapoleaf._forest import LeadingForest
from lapoleaf._forest.objective import Cost
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._points import check_sample_weight
from lapoleaf._tree import BuildReport, LeadingTree
from lapoleaf._typing import IntArray, Metric
from lapoleaf.estimators.rows import Cut, RowIds, Rows
from lapoleaf.estimators.rows_estimator import RowsEstimator


class LoDOG(ClusterMixin, RowsEstimator):
    """Find clusters: density-based, of any shape, and as many as the data have.

    Every row is led by its nearest denser row; the tree this makes is cut into the number of trees
    that balances compact clusters against few of them (local density based optimal granulation).

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; the optimal number if None.
    percent : float, default=2.0
        The bandwidth of the density is the distance that this percentage of the pairs of rows do
        not exceed. In (0, 100].
    bandwidth : float, default=None
        The bandwidth in units of distance; overrides ``percent``.
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or a function
        of two rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    build : {"auto", "full", "approximate"}, default="auto"
        ``"full"`` looks at every distance between rows, ``"approximate"`` at those that matter
        most; ``"auto"`` does so with more than 10,000 to 25,000 rows, by their columns, where the
        metric allows it: see :func:`leading_tree`.
    alpha : float, default=0.5
        Weight of the number of clusters against their compactness, in [0, 1).
    cost : str or callable, default="linear"
        What a number of clusters costs: see :func:`lodog`.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    labels_ : ndarray of shape (n_rows,)
        The cluster of every row of X, from 0 on.
    n_clusters_ : int
        Number of clusters.
    cluster_centers_indices_ : ndarray of shape (n_clusters_,)
        The row at the centre of every cluster: the root of its tree.
    tree_ : LeadingTree
        The leading tree.
    forest_ : LeadingForest
        The leading forest.
    bandwidth_ : float
        The bandwidth of the density.
    build_report_ : BuildReport
        How the tree was built, and how good the approximation is if it is one.
    ids_ : ndarray of shape (n_rows,)
        Stable numbers of the rows, aligned with ``labels_``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from lapoleaf import LoDOG
    >>> X, _ = make_blobs(500, centers=5, cluster_std=0.5, random_state=3)
    >>> model = LoDOG().fit(X)
    >>> model.n_clusters_
    5
    """

    _rows: Rows

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        percent: float = 2.0,
        bandwidth: float | None = None,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        build: str = "auto",
        alpha: float = 0.5,
        cost: Cost = "linear",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.percent: float = percent
        self.bandwidth = bandwidth
        self.metric = metric
        self.metric_params = metric_params
        self.build = build
        self.alpha: float = alpha
        self.cost = cost
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            The rows.
        y : ignored
            Present for scikit-learn's sake.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : LoDOG
            The fitted model.
        """
        if self.n_clusters is not None and not (is_whole(self.n_clusters) and self.n_clusters > 0):
            raise ValueError(
                f"n_clusters={self.n_clusters!r} must be a positive whole number, or None."
            )
        checked, columns = self._rows_to_fit(X)
        weight = check_sample_weight(sample_weight, checked.shape[0])
        tree = self._tree_settings().trees(checked, weight, [self.percent]).plain[0]
        if self.n_clusters is not None and self.n_clusters > tree.n_nodes:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {tree.n_nodes} distinct points of "
                f"X: use at most {tree.n_nodes}, or None for the optimal number."
            )
        cut = Cut(self.percent, self.alpha, self.cost, self.n_clusters)
        ids = RowIds.first(checked.shape[0])
        rows = Rows.of_forests(checked, weight, ids, cut, [cut.of(tree)])
        return self._keep({"_rows": rows}, columns)

    def __sklearn_is_fitted__(self) -> bool:
        return "_rows" in vars(self)

    @property
    def _clustered(self) -> Rows:
        check_is_fitted(self)
        return self._rows

    @property
    def labels_(self) -> IntArray:
        """The cluster of every row."""
        rows = self._clustered
        return rows.forest.tree_of[rows.answering]

    @property
    def n_clusters_(self) -> int:
        """Number of clusters."""
        return self.forest_.n_trees

    @property
    def cluster_centers_indices_(self) -> IntArray:
        """The row at the centre of every cluster."""
        return self.tree_.first_rows[self.forest_.roots]

    @property
    def tree_(self) -> LeadingTree:
        """The leading tree."""
        return self._clustered.tree

    @property
    def forest_(self) -> LeadingForest:
        """The leading forest."""
        return self._clustered.forest

    @property
    def bandwidth_(self) -> float | None:
        """The bandwidth of the density."""
        return self.tree_.bandwidth

    @property
    def build_report_(self) -> BuildReport | None:
        """How the tree was built."""
        return self.tree_.report

    @property
    def ids_(self) -> IntArray:
        """Stable numbers of the rows."""
        return self._clustered.ids

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of every row: that of the leader it would have.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Clusters; for rows of the training data as in ``labels_``.
        """
        rows = self._clustered
        leaders = rows.leaders(self._checked_rows(X), n_threads(self.n_jobs), self.verbose)
        return rows.forest.tree_of[leaders[0]]
