"""Label propagation on the optimal leading forest, for numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lapoleaf._forest import LeadingForest
from lapoleaf._forest.costs import Cost
from lapoleaf._numbers import is_real, is_whole
from lapoleaf._parallel import n_threads, one_blas_thread
from lapoleaf._points import check_sample_weight
from lapoleaf._propagation import Propagation
from lapoleaf._propagation.kernels import means_of_given
from lapoleaf._propagation.stages import three_stages
from lapoleaf._queries import CRITERIA, bounded_concern
from lapoleaf._queries import Target as ToLearn
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import BoolArray, FloatArray, IntArray, Metric
from lapoleaf.estimators.base import all_or_nothing
from lapoleaf.estimators.choosing import MANY_MU_OF_NUMBERS, Problem, clearly_less
from lapoleaf.estimators.doubting import SuspiciousLabels, number_doubts, ranked
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.intervals import half_widths
from lapoleaf.estimators.numbers import Target, forest_share
from lapoleaf.estimators.propagating import Answer
from lapoleaf.estimators.suggesting import SuggestingEstimator
from lapoleaf.estimators.targets import (
    checked_targets,
    score_on_targets,
    target_problems,
    target_scales,
)
from lapoleaf.estimators.trend import FEWEST, fit_trend
from lapoleaf.estimators.voting import Voters


class LaPOLeaFRegressor(RegressorMixin, SuggestingEstimator):
    """Give every row a number, from the few that have one.

    A trend is fitted to the given targets, and targets are propagated in many leading forests; both
    are mixed as far as leave-one-out on the given targets says that it helps. Everything is in
    closed form; what is ``"auto"`` is chosen from the given targets and from nothing else.

    Parameters
    ----------
    n_forests : int or "auto", default="auto"
        Number of forests. The first is the plain one by a Gaussian density, the others have
        randomised densities. ``"auto"``: 100 for up to 10,000 rows, fewer for more, at least 10.
    ridge : "auto" or None, default="auto"
        Kernel regression on the given targets, the trend under the forests; None for the forests
        alone.
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
    build : {"auto", "full", "approximate"}, default="auto"
        ``"full"`` looks at every distance between rows, ``"approximate"`` at those that matter
        most; ``"auto"`` does so with more than 10,000 to 25,000 rows, by their columns, where the
        metric allows it: see :func:`leading_tree`.
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
    weights : {"self-tuned", "inverse", "auto"}, default="self-tuned"
        Weight of the link between a node and its leader: see :func:`propagate`.
    coupling : float or "auto", default=1.0
        What remains of the links that the forest cuts: 1 is the uncut tree, 0 lets nothing pass
        upwards.
    random_state : int, RandomState instance or None, default=0
        Which random forests. The same number gives the same forests, also for rows in another
        order; None gives others every time.
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
        they are ``"auto"``, the weight of the forests against the trend (``"forest_share"``, from
        0 to 1), and ``"loss"``: the squared error of leave-one-out on the given targets, relative
        to always predicting their mean (None by the three stages). With several targets,
        ``weights``, ``coupling``, ``mu`` and ``forest_share`` are lists.
    tree_ : LeadingTree
        The leading tree.
    forest_ : LeadingForest
        The leading forest.
    forests_ : list of LeadingForest
        All forests; the first is ``forest_``.
    bandwidth_ : float
        The bandwidth of the density.
    build_report_ : BuildReport
        How the tree was built, and how good the approximation is if it is one.
    ids_ : ndarray of shape (n_rows,)
        Stable numbers of the rows, aligned with ``transduction_``.
    changed_ : ndarray of shape (m,)
        Ids of the rows whose number the last ``partial_fit``, ``forget`` or ``update_labels`` has
        changed by more than its standard deviation (by the three stages, by more than that of the
        given targets); not there after ``fit``.
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
    >>> LaPOLeaFRegressor().fit(X, y).predict([[0.0], [1.0]]).round(1)
    array([13.3, 16.7])
    """

    _models: list[Target]
    _node_values: FloatArray
    _node_std: FloatArray

    def __init__(
        self,
        *,
        n_forests: int | str = "auto",
        ridge: str | None = "auto",
        percent: float | str = 2.0,
        bandwidth: float | None = None,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        build: str = "auto",
        alpha: float | str = 0.5,
        cost: Cost = "linear",
        n_trees: int | None = None,
        solver: str = "exact",
        mu: float | str = "auto",
        weights: str = "self-tuned",
        coupling: float | str = 1.0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_forests = n_forests
        self.ridge = ridge
        self.percent = percent
        self.bandwidth = bandwidth
        self.metric = metric
        self.metric_params = metric_params
        self.build = build
        self.alpha = alpha
        self.cost = cost
        self.n_trees = n_trees
        self.solver = solver
        self.mu = mu
        self.weights = weights
        self.coupling = coupling
        self.random_state = random_state
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
        plain = {"n_forests": 1, "ridge": None, "mu": np.inf}
        return cls(percent=percent, alpha=alpha, cost=cost, solver="stages", **{**plain, **params})

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
        self._start_anew()
        self._weight = weight
        self._keep_labels(targets)
        self._fit_labels(rows, weight, self._problems_on)
        return self._answer_all()

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Let new rows join, with targets or without, and propagate again.

        The first call, and every call before there are 200 distinct rows, builds everything anew;
        from then on the bandwidth stays as it is, and a new row costs about as much as a
        prediction. Numbers and all other attributes are computed when they are asked for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The new rows.
        y : array-like of shape (m,) or (m, n_targets), default=None
            Their targets, NaN where missing; None if all are missing.
        sample_weight : array-like of shape (m,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : LaPOLeaFRegressor
            With the new rows; ``ids_`` ends with theirs, and ``changed_`` lists the others whose
            number has changed by more than its standard deviation.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFRegressor
        >>> model = LaPOLeaFRegressor.as_published(bandwidth=1.0)
        >>> model.partial_fit([[0.0], [1.0], [8.0]], [1.0, 2.0, 9.0]).predict([[7.0]])
        array([9.])
        >>> model.partial_fit([[7.1]], [7.0]).predict([[7.0]])
        array([7.])
        """
        return self._take_rows(X, sample_weight, lambda m: self._joined_targets(y, m))

    def _joined_targets(self, y: Any, m: int) -> FloatArray:
        """Give the targets of all rows and of ``m`` more."""
        so_far = vars(self).get("_targets")
        if y is None:
            shape = () if so_far is None else so_far.shape[1:]
            new = np.full((m, *shape), np.nan)
        else:
            new = checked_targets(y, allow_empty=True)
        if len(new) != m:
            raise ValueError(f"y has {len(new)} targets, but X has {m} rows.")
        if so_far is None or (np.isnan(so_far).all() and so_far.ndim == 1):
            before = 0 if so_far is None else len(so_far)
            return np.concatenate([np.full((before, *new.shape[1:]), np.nan), new])
        if new.shape[1:] != so_far.shape[1:]:
            raise ValueError(
                f"y must hold targets of shape {(m, *so_far.shape[1:])}, as before, got "
                f"{new.shape}."
            )
        return np.concatenate([so_far, new])

    def _keep_labels(self, targets: FloatArray) -> None:
        self._targets = targets
        self.given_ = ~np.isnan(targets)

    def _labels_without(self, rows: IntArray) -> FloatArray:
        return np.delete(self._targets, rows, axis=0)

    @property
    def _is_labelled(self) -> bool:
        given = self.given_.reshape(len(self._weight), -1)
        return bool((given & (self._weight > 0)[:, None]).any(axis=0).all())

    def _problems_on(self, tree: LeadingTree) -> list[Problem]:
        return target_problems(tree, self._targets, self._weight)

    def _answer_by_stages(self, forest: LeadingForest, node_of: IntArray) -> None:
        scales = target_scales(self._targets)
        columns = self._targets.reshape(len(self._targets), -1) / scales
        found = []
        for column in columns.T:
            means, count = means_of_given(
                node_of, self._weight, np.ascontiguousarray(column), forest.tree.n_nodes
            )
            found.append(three_stages(forest, means[:, None], count > 0).labels[:, 0])
        self._node_values = scales * np.stack(found, axis=1)

    def _moved(self, before: Any, rows: IntArray, earlier: IntArray) -> BoolArray:
        now, then = self.transduction_[rows], before.transduction_[earlier]
        if "transduction_std_" in vars(before):
            limit = before.transduction_std_[earlier]
        else:
            limit = np.nanstd(before._targets, axis=0)
        moved: BoolArray = (np.abs(now - then) > limit).reshape(len(rows), -1).any(axis=1)
        return moved

    def _answer_all(self) -> Self:
        """Answer for the training rows from the propagations."""
        self._join_parts()
        inside = self.tree_.node_of >= 0
        values, std = self._node_values[self._nodes], self._node_std[self._nodes]
        if not inside.all():
            values[~inside], std[~inside] = self._answer_new(*self._left_out_and_voters())
        self.transduction_ = self._in_shape(values)
        self.__dict__.pop("transduction_std_", None)
        if self._results[0].precision is not None:
            self.transduction_std_ = self._in_shape(np.where(self._kept(values), 0.0, std))
        return self

    def _join_parts(self) -> None:
        """Average the forests, add the trend, and answer for every node."""
        self._models = []
        for which, problem in enumerate(self._problems):
            result = self._best_in_all_forests(which)
            trend, share = None, 1.0
            given = np.flatnonzero(problem.count > 0)
            if self.ridge is not None and self.solver == "exact" and len(given) >= FEWEST:
                with one_blas_thread():
                    trend = fit_trend(
                        self._points, given, problem.labels[given, 0], problem.count[given]
                    )
                share = forest_share(problem, result, trend)
            self._models.append(Target(problem, result, trend, share))
        self._results = [model.result for model in self._models]
        self._note_choice()
        self._answer_nodes()

    def _answer_nodes(self) -> None:
        """Answer for every node from the parts."""
        threads = n_threads(self.n_jobs)
        answers = [
            model.at_nodes(self.tree_, self._points, threads, self.verbose)
            for model in self._models
        ]
        scales = target_scales(self._targets)
        self._node_values = scales * np.stack([values for values, _ in answers], axis=1)
        self._node_std = scales * np.stack([std for _, std in answers], axis=1)
        for which, problem in enumerate(self._problems):
            if self._keeps(self._models[which]):
                kept = problem.count > 0
                self._node_values[kept, which] = scales[which] * problem.labels[kept, 0]

    def _best_in_all_forests(self, which: int) -> Propagation:
        """Propagate a target in all forests, its weight chosen by leave-one-out."""
        if len(self.forests_) == 1:
            return self._results[which]
        problem = self._problems[which]
        candidates = MANY_MU_OF_NUMBERS if isinstance(self.mu, str) else (float(self.mu),)
        best = self._in_all_forests(which, candidates[0])
        for mu in () if problem.too_few else candidates[1:]:
            result = self._in_all_forests(which, mu)
            if clearly_less(problem.losses(result).sum(), problem.losses(best).sum()):
                best = result
        return best

    def _note_choice(self) -> None:
        """Say in ``chosen_`` what was chosen for the parts, and how well it does."""
        if self.solver != "exact" or (len(self.forests_) == 1 and self.ridge is None):
            return
        found = {
            "mu": [model.result.settings.mu for model in self._models],
            "forest_share": [model.forest_share for model in self._models],
        }
        losses = [model.problem.losses_of(model.without()).sum() for model in self._models]
        one = len(self._models) == 1
        self.chosen_ = {
            **self.chosen_,
            **{name: values[0] if one else values for name, values in found.items()},
            "loss": float(np.mean(losses)),
        }
        self._errors = [model.standard_errors() for model in self._models]

    def _keeps(self, model: Target) -> bool:
        """Whether the given numbers of a target are kept."""
        told = not isinstance(self.mu, str) and bool(np.isinf(self.mu))
        by_forests = bool(np.isinf(model.result.settings.mu)) and model.forest_share == 1.0
        return self.solver != "exact" or told or by_forests

    def _kept(self, values: FloatArray) -> BoolArray:
        """Targets that were given and are answered as they were given, for sure."""
        counted = (self.tree_.node_of >= 0)[:, None]
        sure = [np.isinf(np.asarray(result.precision)[self._nodes]) for result in self._results]
        given = self._targets.reshape(len(self._targets), -1)
        kept: BoolArray = np.stack(sure, axis=1) & counted & (values == given)
        return kept

    def _in_shape(self, columns: FloatArray) -> FloatArray:
        return columns[:, 0] if self._targets.ndim == 1 else columns

    def _answer_new(self, rows: Any, voters: Voters) -> tuple[FloatArray, FloatArray]:
        """Give values and standard deviations (m, n_targets) of new rows."""
        if self._is_quick:
            values = self._node_values[voters.nodes[:, 0]]
            return values, np.full(values.shape, np.nan)
        threads = n_threads(self.n_jobs)
        answers = [model.at_rows(self.tree_, rows, voters, threads) for model in self._models]
        scales = target_scales(self._targets)
        values = scales * np.stack([found for found, _ in answers], axis=1)
        std = scales * np.stack([found for _, found in answers], axis=1)
        known = voters.nearest == 0
        values[known] = self._node_values[voters.nodes[known, 0]]
        std[known] = self._node_std[voters.nodes[known, 0]]
        return values, std

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
        return self._relabelled(targets)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Give the number of every row.

        A new row is answered by the nodes that would lead it if it joined the forests, and by the
        trend; a row of the training data as in ``transduction_``.

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
        self._check_is_labelled()
        if return_std:
            self._refuse_stages("return_std=True")
        rows = self._checked_rows(X, reset=False)
        values, std = self._answer_new(rows, self._voters(rows))
        return (
            (self._in_shape(values), self._in_shape(std)) if return_std else self._in_shape(values)
        )

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
        half = [
            half_widths(column, errors, coverage)
            for column, errors in zip(columns, self._errors or [], strict=True)
        ]
        wide = self._in_shape(np.stack(half, axis=1))
        return center - wide, center + wide

    def _refuse_stages(self, what: str) -> None:
        if self._results[0].precision is None:
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
        return score_on_targets(self.predict(X), y, sample_weight)

    def suspicious_labels(self, target: int = 0) -> SuspiciousLabels:
        """Rank the given targets by how strongly all others contradict them.

        Each is compared with what the model would say without it, which is known in closed form.

        Parameters
        ----------
        target : int, default=0
            Which target, where there are several.

        Returns
        -------
        SuspiciousLabels
            All given targets, the most doubtful first; prints as a short table.

        Examples
        --------
        >>> import numpy as np
        >>> from lapoleaf import LaPOLeaFRegressor
        >>> X = np.linspace(0, 1, 20).reshape(-1, 1)
        >>> y = 3 * X[:, 0]
        >>> y[7] = 9.0
        >>> found = LaPOLeaFRegressor().fit(X, y).suspicious_labels()
        >>> int(found.ids[0]), float(found.given[0])
        (7, 9.0)
        """
        check_is_fitted(self)
        self._refuse_stages("suspicious_labels")
        column = self._column_of(target)
        model, scale = self._models[target], target_scales(self._targets)[target]
        rows = np.flatnonzero(~np.isnan(column) & (self.tree_.node_of >= 0))
        place = np.searchsorted(model.given, self.tree_.node_of[rows])
        instead, doubt = number_doubts(
            column[rows] / scale,
            self._weight[rows],
            place,
            model.without()[:, 0],
            model.std_without(),
            model.problem.disagreement,
        )
        return ranked(self.ids_[rows], column[rows], scale * instead, doubt)

    def _targets_to_learn(self) -> list[ToLearn]:
        if self.solver != "exact" or self._results[0].precision is None:
            return super()._targets_to_learn()
        population = self.tree_.population
        found = []
        for problem, result in zip(self._problems, self._results, strict=True):
            concern = bounded_concern(population, np.asarray(result.precision))
            criterion = CRITERIA["variance"].from_settings(result.settings)
            found.append(ToLearn(problem.count, concern, criterion))
        return found

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
        Row 1 gets 3.583.
           43% from row 0, given 1
           37% from row 2, given 4
           20% from row 4, given 20
          By themselves, the forests say 5.94283, the ridge says 3.583.
          path: 1 (root)
        """
        check_is_fitted(self)
        column = self._column_of(target)
        return self._explanation(
            row,
            target,
            np.where(np.isnan(column), 0.0, self._weight),
            lambda new, voters: self._answer_of(new, voters, target),
            lambda decider: float(column[decider]),
        )

    def _column_of(self, target: Any) -> FloatArray:
        """Give the given numbers of a target, or say which targets there are."""
        columns = self._targets.reshape(len(self._targets), -1)
        if not (is_whole(target) and 0 <= target < columns.shape[1]):
            raise ValueError(
                f"target={target!r} must be a number from 0 to {columns.shape[1] - 1}."
            )
        return columns[:, target]

    def _answer_of(self, new: Any, voters: Voters, target: int) -> Answer:
        node = int(voters.nodes[0, 0])
        at_node = new is None and voters.nearest[0] == 0
        model, scale = self._models[target], float(target_scales(self._targets)[target])
        if at_node:
            value = float(self._node_values[node, target])
        else:
            value = float(self._answer_new(new, voters)[0][0, target])
        kept = bool(at_node and model.problem.count[node] > 0) and self._keeps(model)
        if model.trend is None:
            return Answer(value, None, kept, {})
        forests = voters.mean(model.result.labels)[0, 0]
        trend = model.trend.at_one(self._points, node) if at_node else model.trend.at_rows(new)
        said_by = {"forests": scale * float(forests), "ridge": scale * float(trend[0][0])}
        return Answer(value, None, kept, said_by)
