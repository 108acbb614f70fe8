"""Numbers by one leading forest."""

from __future__ import annotations

from typing import Any

from lapoleaf._forest.objective import Cost
from lapoleaf._typing import Metric
from lapoleaf.estimators.one_forest import OneForestOfNumbers
from lapoleaf.estimators.regression import ForestRegressor
from lapoleaf.estimators.settings_search import candidates_of


class LeadingForestRegressor(ForestRegressor):
    """Semi-supervised regressor with one leading forest, as in the paper.

    The leading tree of a Gaussian density is cut by LoDOG. ``solver="stages"`` propagates numbers
    as in the paper, ``"exact"`` finds the minimum of the paper's objective, with standard
    deviations. Parameters that are ``"auto"`` are chosen by leave-one-out on the given targets, and
    from nothing else.

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
    build : {"auto", "full", "approximate"}, default="auto"
        ``"full"`` computes all distances between rows, ``"approximate"`` those that matter most;
        ``"auto"`` is approximate with more than 10,000 to 25,000 rows, by their columns, where the
        metric allows it: see :func:`leading_tree`.
    alpha : float or "auto", default=0.5
        Weight of the number of trees against their compactness, in [0, 1).
    cost : str or callable, default="linear"
        Cost of a number of trees: see :func:`lodog`.
    n_trees : int, default=None
        Number of trees; the optimal number if None.
    solver : {"exact", "stages"}, default="exact"
        ``"exact"``: the minimum of the paper's objective; ``"stages"``: the paper's three stages.
    mu : float or "auto", default="auto"
        Weight of a given number relative to the links: the smaller, the more its neighbourhood
        counts. With infinity given numbers are kept; ``"auto"`` chooses it for every target. Exact
        solver only, like the next two.
    weights : {"self-tuned", "inverse", "auto"}, default="self-tuned"
        Weight of the link between a node and its leader: see :func:`propagate`.
    coupling : float or "auto", default=1.0
        Factor of the weights of the links that the forest cuts: 1 is the uncut tree; with 0 no
        number passes from a tree to the tree above it.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_rows,) or (n_rows, n_targets)
        The number of every row of X.
    transduction_std_ : ndarray of the same shape
        Standard deviation of every number, 0 where it was given and is kept. Exact solver
        only.
    given_ : ndarray of shape (n_rows,) or (n_rows, n_targets), bool
        Targets that were given.
    chosen_ : dict
        The values of ``percent``, ``weights``, ``alpha``, ``coupling`` and ``mu``, chosen where
        they are ``"auto"``, the last three as lists where there are several targets; and
        ``"loss"``: the squared error of leave-one-out on the given targets, relative to always
        predicting their mean (None by the three stages).
    tree_ : LeadingTree
        The leading tree.
    forest_ : LeadingForest
        The leading forest.
    forests_ : list of LeadingForest
        A list that holds ``forest_``, as for the ensembles.
    bandwidth_ : float
        The bandwidth of the density.
    build_report_ : BuildReport
        How the tree was built, and how good the approximation is if it is one.
    ids_ : ndarray of shape (n_rows,)
        Stable ids of the rows, aligned with ``transduction_``.
    changed_ : ndarray of shape (m,)
        Ids of the rows whose number the last ``partial_fit``, ``forget`` or ``update_labels`` has
        changed by more than its standard deviation; not defined after ``fit``.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    See Also
    --------
    LaPOLeaFRegressor : Many forests, mixed with a trend: more accurate.
    LeadingForestClassifier : Classification with one forest.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf import LeadingForestRegressor
    >>> X = np.linspace(0, 4, 41).reshape(-1, 1)
    >>> y = np.where(np.arange(41) % 8 == 0, X[:, 0] ** 2, np.nan)
    >>> model = LeadingForestRegressor(mu=np.inf).fit(X, y)
    >>> model.transduction_[[0, 4, 8]].round(2)
    array([0.  , 0.31, 0.64])
    """

    def __init__(
        self,
        *,
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
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
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
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _method(self) -> OneForestOfNumbers:
        parameters = self._parameters()
        return OneForestOfNumbers(
            parameters,
            self._tree_settings(),
            self.solver,
            candidates_of(self.solver, parameters),
            self.cost,
            self.n_trees,
        )
