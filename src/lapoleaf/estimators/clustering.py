"""Clusters: the trees of a leading forest."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import ClusterMixin
from sklearn.utils.validation import check_is_fitted

from lapoleaf._callbacks import learn_with_callbacks
from lapoleaf._forest import LeadingForest
from lapoleaf._forest.objective import Cost
from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._points import check_sample_weight
from lapoleaf._progress import stage
from lapoleaf._tree import BuildReport, LeadingTree, Trees
from lapoleaf._typing import FloatArray, IntArray, Metric
from lapoleaf.estimators.cluster_cuts import CLUSTER_CUTS, ClusterCut
from lapoleaf.estimators.ensemble import drawn_seed, usual_number
from lapoleaf.estimators.rows import Cut, RowIds, Rows
from lapoleaf.estimators.rows_estimator import RowsEstimator


class LoDOG(ClusterMixin, RowsEstimator):
    """Density-based clusters of any shape, whose number is found from the data.

    Every row is led by a nearby row of higher density, which makes a tree; the tree is cut into
    clusters, and every row belongs to one of them.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; if None, ``cut`` finds it.
    cut : {"prominence", "objective", "gap", "stability"}, default="prominence"
        Where the tree is cut.

        - ``"prominence"``: a cluster is a peak of the density that rises above the pass to the next
          denser peak by more than the error of the density explains.
        - ``"objective"``: the paper's rule (local density based optimal granulation), a trade-off
          between compact clusters and few clusters: see :func:`lodog`.
        - ``"gap"``: centres are the rows before the largest gap of density times distance to the
          leader, compared with the gaps expected under a power law. At least two, if there are
          three distinct rows.
        - ``"stability"``: the links that most random trees cut are cut, and the number of clusters
          is the one that persists longest while the random trees are cut into 2, 3, ... trees.

        ``"objective"`` and ``"gap"`` cut the leading tree of the Gaussian density. The other two
        cut a tree whose density is that of the 20 nearest neighbours and whose leaders are searched
        along the graph of neighbours. Numbers of clusters are at most the root of the number of
        rows for ``"gap"``, and so are the numbers of trees for ``"stability"``.
    percent : float, default=2.0
        The bandwidth of the Gaussian density is the distance that this percentage of the pairs of
        rows do not exceed. In (0, 100].
    bandwidth : float, default=None
        The bandwidth in units of distance; overrides ``percent``.
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or a function
        of two rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    build : {"auto", "full", "approximate"}, default="auto"
        ``"full"`` looks at every distance between rows, ``"approximate"`` at those that matter
        most; ``"auto"`` is approximate with more than 10,000 to 25,000 rows, by their columns,
        where the metric allows it: see :func:`leading_tree`.
    alpha : float, default=0.5
        Weight of the number of clusters against their compactness, in [0, 1); for
        ``cut="objective"`` only.
    cost : str or callable, default="linear"
        Cost of a number of clusters: see :func:`lodog`; for ``cut="objective"`` only.
    random_state : int, RandomState instance or None, default=0
        Seed of the random trees; for ``cut="stability"`` only.
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
        The tree that was cut.
    forest_ : LeadingForest
        The leading forest; with an objective for ``cut="objective"`` and ``cut="gap"``.
    bandwidth_ : float
        The bandwidth of the Gaussian density.
    build_report_ : BuildReport
        How the tree was built, and how good the approximation is if it is one.
    ids_ : ndarray of shape (n_rows,)
        Stable ids of the rows, aligned with ``labels_``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs, make_moons
    >>> from lapoleaf import LoDOG
    >>> X, _ = make_blobs(500, centers=5, cluster_std=0.5, random_state=3)
    >>> model = LoDOG().fit(X)
    >>> model.n_clusters_
    5
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> LoDOG().fit(X).n_clusters_, LoDOG(cut="objective").fit(X).n_clusters_
    (2, 8)
    """

    _rows: Rows

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        cut: str = "prominence",
        percent: float = 2.0,
        bandwidth: float | None = None,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        build: str = "auto",
        alpha: float = 0.5,
        cost: Cost = "linear",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.cut: str = cut
        self.percent: float = percent
        self.bandwidth = bandwidth
        self.metric = metric
        self.metric_params = metric_params
        self.build = build
        self.alpha: float = alpha
        self.cost = cost
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            The rows.
        y : ignored
            Not used, present for API consistency by convention.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : LoDOG
            The fitted model.
        """
        rule = self._checked_rule()
        learnt = learn_with_callbacks(
            self, lambda: self._learnt(rule, X, sample_weight), n_stages=1, X=X,
            sample_weight=sample_weight,
        )  # fmt: skip
        return self._keep(learnt)

    def _learnt(self, rule: ClusterCut, X: Any, sample_weight: Any) -> dict[str, Any]:
        """Return the attributes learnt from X."""
        checked, columns = self._rows_to_fit(X)
        weight = check_sample_weight(sample_weight, checked.shape[0])
        with stage("trees"):
            trees = self._trees(rule, checked, weight)
        self._check_number(trees.plain[0].n_nodes)
        cut = Cut(self.percent, self.alpha, self.cost, self.n_clusters, self.cut)
        ids = RowIds.first(checked.shape[0])
        rows = Rows.of_forests(checked, weight, ids, cut, [rule.forest(trees, cut)])
        return {"_rows": rows, **columns}

    def _checked_rule(self) -> ClusterCut:
        """Return the rule that ``cut`` names; raise for parameters that do not fit it."""
        if self.n_clusters is not None and not (is_whole(self.n_clusters) and self.n_clusters > 0):
            raise ValueError(
                f"n_clusters={shown(self.n_clusters)} must be a positive whole number, or None."
            )
        if not isinstance(self.cut, str) or self.cut not in CLUSTER_CUTS:
            raise ValueError(
                f"cut={shown(self.cut)} is not known: use one of {tuple(CLUSTER_CUTS)}."
            )
        if self.cut == "objective":
            return CLUSTER_CUTS[self.cut]
        for name, usual in (("alpha", 0.5), ("cost", "linear")):
            value = getattr(self, name)
            if not (type(value) is type(usual) and value == usual):
                raise ValueError(
                    f"{name}={shown(value)} is for cut='objective', not for cut={shown(self.cut)}: "
                    f"leave it out, or use cut='objective'."
                )
        return CLUSTER_CUTS[self.cut]

    def _trees(self, rule: ClusterCut, X: Any, weight: FloatArray) -> Trees:
        """Build what the rule needs."""
        random = rule.needs_random_trees
        n_random = usual_number(X.shape[0]) if random else 0
        seed = drawn_seed(self.random_state) if random else 0
        return self._tree_settings().trees(
            X, weight, [self.percent], n_random, seed, peaks=rule.needs_peaks
        )

    def _check_number(self, n_nodes: int) -> None:
        if self.n_clusters is not None and self.n_clusters > n_nodes:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {n_nodes} distinct points of "
                f"X: use at most {n_nodes}, or None to let cut={shown(self.cut)} find the number."
            )

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
        """The tree that was cut."""
        return self._clustered.tree

    @property
    def forest_(self) -> LeadingForest:
        """The leading forest."""
        return self._clustered.forest

    @property
    def bandwidth_(self) -> float | None:
        """The bandwidth of the Gaussian density."""
        return self.tree_.bandwidth

    @property
    def build_report_(self) -> BuildReport | None:
        """How the tree was built."""
        return self.tree_.report

    @property
    def ids_(self) -> IntArray:
        """Stable ids of the rows."""
        return self._clustered.ids

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of every row.

        It is that of the leader that the row would have; of its nearest row for the cuts
        ``"prominence"`` and ``"stability"``.

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
