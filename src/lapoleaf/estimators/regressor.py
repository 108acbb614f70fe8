"""Label propagation on the optimal leading forest, for numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lapoleaf._numbers import is_real, is_whole
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray, Metric
from lapoleaf.estimators.base import all_or_nothing
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.intervals import half_widths, new_link_weights, target_std
from lapoleaf.estimators.propagating import PropagatingEstimator
from lapoleaf.estimators.targets import checked_targets, target_problems, target_scales
from lapoleaf.forest.costs import Cost
from lapoleaf.points import check_sample_weight


class LaPOLeaFRegressor(RegressorMixin, PropagatingEstimator):
    """Give every row a number, from the few that have one.

    Parameters set to ``"auto"`` are chosen by leave-one-out on the given targets.

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
    mu : float or "auto", default="auto"
        Weight of a given target against the links: infinite, and given targets are kept; smaller
        values smooth. Exact solver only, like the next two.
    weights : {"self-tuned", "inverse", "auto"}, default="inverse"
        Weight of the link between a node and its leader: see :func:`propagate`.
    coupling : float or "auto", default=1.0
        What remains of the links that the forest cuts: 1 is the uncut tree, 0 lets nothing pass
        upwards.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_rows,) or (n_rows, n_targets)
        The number, or numbers, of every row of X.
    transduction_std_ : ndarray of the shape of transduction_
        Standard deviation of a target at every row of X; 0 where it was given and kept. Equal rows
        with different targets show how much targets vary. Exact solver only.
    given_ : ndarray of the shape of y, bool
        Targets that were given.
    chosen_ : dict
        The values of ``percent``, ``weights``, ``alpha``, ``coupling`` and ``mu``, chosen where
        they are ``"auto"``, and ``"loss"``: the squared error of leave-one-out on the given
        targets, relative to always predicting their mean (None by the three stages). With several
        targets, ``weights``, ``coupling`` and ``mu`` are lists.
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
    LaPOLeaFClassifier : The same for classes.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf import LaPOLeaFRegressor
    >>> X = np.linspace(0, 1, 11).reshape(-1, 1)
    >>> y = np.full(11, np.nan)
    >>> y[[1, 9]] = [10.0, 20.0]
    >>> LaPOLeaFRegressor(n_trees=1).fit(X, y).predict([[0.0], [1.0]])
    array([10., 20.])
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
        mu: float | str = "auto",
        weights: str = "inverse",
        coupling: float | str = 1.0,
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
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @classmethod
    def as_published(
        cls, percent: float = 2.0, alpha: float = 0.5, cost: Cost = "linear", **params: Any
    ) -> Self:
        """Give the regressor of the paper and nothing else.

        One leading tree by a Gaussian density, LoDOG's cut, and the three stages.

        Parameters
        ----------
        percent, alpha, cost
            The paper's parameters: 5, 0.5 and ``"water"`` for its water series.
        **params : dict
            Other parameters of the class.

        Returns
        -------
        LaPOLeaFRegressor
            Not fitted yet.
        """
        params = {"mu": np.inf, **params}
        return cls(percent=percent, alpha=alpha, cost=cost, solver="stages", **params)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Build the forest of all rows and propagate the targets that are there.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            All rows, with a target or without.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            Targets, NaN where missing. With several targets, a row may have some of them.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : LaPOLeaFRegressor
            The fitted regressor.
        """
        rows = self._checked_rows(X, reset=True)
        targets = checked_targets(y)
        check_consistent_length(rows, targets)
        weight = check_sample_weight(sample_weight, rows.shape[0])
        self._fit_labels(rows, weight, lambda tree: target_problems(tree, targets, weight))
        self._weight = weight
        return self._answer_rows(targets)

    def _answer_rows(self, targets: FloatArray) -> Self:
        """Answer for the training rows from the propagations."""
        self._targets = targets
        self.given_ = ~np.isnan(targets)
        self.transduction_ = self._values_at(self._nodes)
        if self.solver == "exact":
            std = self._std_at(self._nodes, self._distances)
            self.transduction_std_ = np.where(self._kept(), 0.0, std)
        return self

    def _kept(self) -> BoolArray:
        """Targets that were given and are answered as they were given."""
        counted = self.tree_.node_of >= 0
        columns = [np.isinf(np.asarray(r.precision)[self._nodes]) & counted for r in self._results]
        kept: BoolArray = self._in_shape(columns) & (self.transduction_ == self._targets)
        return kept

    def _in_shape(self, columns: list[AnyArray]) -> AnyArray:
        return columns[0] if self._targets.ndim == 1 else np.stack(columns, axis=1)

    def _values_at(self, nodes: IntArray) -> FloatArray:
        scales = target_scales(self._targets)
        pairs = zip(self._results, scales, strict=True)
        return self._in_shape([scale * result.labels[nodes, 0] for result, scale in pairs])

    def _std_at(self, nodes: IntArray, distances: FloatArray) -> FloatArray:
        columns = []
        scales = target_scales(self._targets)
        for problem, result, scale in zip(self._problems, self._results, scales, strict=True):
            links = new_link_weights(self.tree_, result.settings.weights, nodes, distances)
            columns.append(scale * target_std(problem, result, nodes, links))
        return self._in_shape(columns)

    @all_or_nothing
    def update_labels(self, ids: Any, y: Any) -> Self:
        """Give, change or take back targets of training rows, and propagate again.

        The forest stays as it is, so this is much faster than a new fit.

        Parameters
        ----------
        ids : int or array-like of shape (m,)
            Which rows: see ``ids_``.
        y : float or array-like of shape (m,) or (m, n_targets)
            Their targets; NaN takes a target back.

        Returns
        -------
        self : LaPOLeaFRegressor
            With the new targets.
        """
        rows = self._rows_of_ids(ids)
        targets = self._targets.copy()
        try:
            new = np.asarray(y, dtype=np.float64).reshape(len(rows), *targets.shape[1:])
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"y must hold targets of shape {(len(rows), *targets.shape[1:])}: {error}"
            ) from error
        targets[rows] = new
        targets = checked_targets(targets)
        self._propagate_again(target_problems(self.tree_, targets, self._weight))
        return self._answer_rows(targets)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Give the number of every row.

        A new row is answered by the leader it would have if it joined the tree; a row of the
        training data as in ``transduction_``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        return_std : bool, default=False
            Whether to give the standard deviation of the target too.

        Returns
        -------
        y : ndarray of shape (m,) or (m, n_targets)
            The numbers.
        std : ndarray of the same shape
            Their standard deviations; only if ``return_std``.
        """
        nodes, distances = self._leaders(X)
        if not return_std:
            return self._values_at(nodes)
        self._refuse_stages("return_std=True")
        return self._values_at(nodes), self._std_at(nodes, distances)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """Give an interval for every row that holds its target with the given probability.

        Widths follow the standard deviations; how many of them are needed is taken from how far
        given targets are from what would be predicted, and chosen, without them. Where nothing
        known bears on a row its interval is infinite.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        coverage : float, default=0.9
            The probability, between 0 and 1.

        Returns
        -------
        lower, upper : ndarray of shape (m,) or (m, n_targets)
            The ends of the intervals.
        """
        if not is_real(coverage) or not 0 < coverage < 1:
            raise ValueError(f"coverage={coverage!r} must be a probability between 0 and 1.")
        center, std = self.predict(X, return_std=True)
        columns = std.reshape(len(std), -1).T
        half = self._in_shape(
            [
                half_widths(column, errors, coverage)
                for column, errors in zip(columns, self._errors or [], strict=True)
            ]
        )
        return center - half, center + half

    def _refuse_stages(self, what: str) -> None:
        if self.solver != "exact":
            raise ValueError(f"{what} needs solver='exact': the three stages give no variance.")

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Give the coefficient of determination R^2 on the rows that have all targets in y.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.
        y : array-like of shape (m,) or (m, n_targets)
            True targets; rows with NaN do not count.
        sample_weight : array-like of shape (m,), default=None
            Weights of the rows.

        Returns
        -------
        float
            R^2, the mean over the targets.
        """
        found = self.predict(X)
        truth = checked_targets(y)
        check_consistent_length(found, truth)
        known = ~np.isnan(truth.reshape(len(truth), -1)).any(axis=1)
        weight = check_sample_weight(sample_weight, len(found))
        if not weight[known].any():
            raise ValueError("y has no row with all targets: there is nothing to compare with.")
        return float(r2_score(truth[known], found[known], sample_weight=weight[known]))

    def explain(self, row: Any, target: int = 0) -> Explanation:
        """Say why a row has its number.

        Parameters
        ----------
        row : int or array-like of shape (n_columns,)
            The number of a training row, or a new row.
        target : int, default=0
            Which target to explain, where there are several.

        Returns
        -------
        Explanation
            Prints as a few lines; the same facts are its attributes.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFRegressor
        >>> X = [[0.0], [1.0], [1.9], [7.0], [8.0]]
        >>> y = [1.0, float("nan"), 4.0, float("nan"), 20.0]
        >>> LaPOLeaFRegressor(bandwidth=1.0, n_trees=2).fit(X, y).explain(1)
        Row 1 gets 2.57895.
           53% from row 2, given 4
           47% from row 0, given 1
          path: 1 (root)
        """
        check_is_fitted(self)
        columns = self._targets.reshape(len(self._targets), -1)
        if not (is_whole(target) and 0 <= target < columns.shape[1]):
            raise ValueError(
                f"target={target!r} must be a number from 0 to {columns.shape[1] - 1}."
            )
        scale = target_scales(self._targets)[target]
        return self._explanation(
            row,
            target,
            np.where(np.isnan(columns[:, target]), 0.0, self._weight),
            lambda node, _: (float(scale * self._results[target].labels[node, 0]), None),
            lambda decider: float(columns[decider, target]),
        )
