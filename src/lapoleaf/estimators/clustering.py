"""Clusters: the trees of the optimal leading forest."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClusterMixin

from lapoleaf._forest import LeadingForest, lodog
from lapoleaf._forest.costs import Cost
from lapoleaf._numbers import is_whole
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import IntArray, Metric
from lapoleaf.estimators.base import ForestEstimator, all_or_nothing, rows_outside


class LoDOG(ClusterMixin, ForestEstimator):
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

    @all_or_nothing
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
        rows = self._checked_rows(X, reset=True)
        tree = self._grow(rows, sample_weight, [self.percent]).plain[0]
        self._keep_forest(self._cut(tree), rows_outside(rows, tree))
        self.labels_ = self.forest_.tree_of[self._nodes]
        self.n_clusters_ = self.forest_.n_trees
        self.cluster_centers_indices_ = self._first_rows()[self.forest_.roots]
        return self

    def _cut(self, tree: LeadingTree) -> LeadingForest:
        if self.n_clusters is not None and self.n_clusters > tree.n_nodes:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {tree.n_nodes} distinct points of "
                f"X: use at most {tree.n_nodes}, or None for the optimal number."
            )
        return lodog(tree, alpha=self.alpha, cost=self.cost, n_trees=self.n_clusters)

    def predict(self, X: Any) -> IntArray:
        """Give the cluster of every row: that of the leader it would have.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m,)
            Clusters; for rows of the training data as in ``labels_``.
        """
        nodes, _ = self._leaders(X)
        return self.forest_.tree_of[nodes]
