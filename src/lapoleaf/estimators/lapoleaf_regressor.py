"""Numbers by many leading forests, mixed with experts: the default for users."""

from __future__ import annotations

from typing import Any

from lapoleaf._forest.objective import Cost
from lapoleaf._typing import Metric
from lapoleaf.estimators.ensemble import check_ensemble, checked_experts
from lapoleaf.estimators.experts import NUMBER_EXPERTS
from lapoleaf.estimators.leading_forest_regressor import LeadingForestRegressor
from lapoleaf.estimators.number_ensemble import EnsembleOfNumbers
from lapoleaf.estimators.regression import ForestRegressor


class LaPOLeaFRegressor(ForestRegressor):
    """Semi-supervised regressor: many leading forests, mixed with experts.

    A trend and extra trees are fitted to the given targets, and targets are propagated in many
    leading forests; they are mixed with weights that reduce leave-one-out errors on the given
    targets. Parameters that are ``"auto"`` are chosen from the given targets and from nothing else.

    Parameters
    ----------
    n_forests : int or "auto", default="auto"
        Number of forests. The first is built from a Gaussian density, the others from randomised
        densities. ``"auto"``: 100 for up to 10,000 rows, fewer for more, at least 10.
    experts : "auto", list or None, default="auto"
        Methods that are mixed with the forests: ``"auto"`` uses a kernel regression on the given
        targets (``"trend"``) and extremely randomised trees (``"trees"``). A list selects some by
        name, or adds objects of your own with the methods of
        ``lapoleaf.estimators.experts.protocol.Expert``; None uses the forests alone.
    mu : float or "auto", default="auto"
        Weight of a given number relative to the links: the smaller, the more its neighbourhood
        counts. With infinity given numbers are kept; ``"auto"`` chooses it for every target.
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or a function
        of two rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    build : {"auto", "full", "approximate"}, default="auto"
        ``"full"`` computes all distances between rows, ``"approximate"`` those that matter most;
        ``"auto"`` is approximate with more than 10,000 to 25,000 rows, by their columns, where the
        metric allows it: see :func:`leading_tree`.
    bandwidth : float, default=None
        The bandwidth of the density in units of distance; None for the distance that 2 percent of
        the pairs of rows do not exceed.
    encoder : "auto", None or TableEncoder, default="auto"
        How a frame is converted to numbers. ``"auto"``: a frame with non-numeric columns or missing
        values is encoded by a :class:`TableEncoder`; a frame of numbers is used as it is, and so is
        every array. None: nothing is encoded. A :class:`TableEncoder` of your own encodes every
        frame.
    scaling : {"auto", "standard", "ranks"} or None, default="auto"
        How columns are scaled. ``"standard"`` centres them and divides them by their standard
        deviations, ``"ranks"`` takes their ranks, None leaves them as they are. ``"auto"`` leaves
        columns of similar range as they are; columns of different units are standardised, or
        replaced by their ranks if most have long tails, or scaled otherwise if that clearly
        improves leave-one-out on the given targets. Sparse and encoded rows, tables of more than
        100 columns, rows under metrics that do not compare column by column, and rows for which
        ``bandwidth`` is set are left as they are, too.
    random_state : int, RandomState instance or None, default=0
        Seed of the random forests. A number makes them reproducible, also for rows in another
        order; None draws new ones in every fit.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    transduction_ : ndarray of shape (n_rows,) or (n_rows, n_targets)
        The number of every row of X.
    transduction_std_ : ndarray of the same shape
        Standard deviation of every number, 0 where it was given and is kept.
    given_ : ndarray of shape (n_rows,) or (n_rows, n_targets), bool
        Targets that were given.
    chosen_ : dict
        The weight of given numbers (``"mu"``), the weights of the forests (``"forest_share"``) and
        of every expert (``"expert_shares"``, a dict), which sum to 1, all three lists where there
        are several targets; ``"loss"``: the squared error of leave-one-out on the given targets,
        relative to always predicting their mean; and ``"scaling"``: the name of the scaling, or
        None.
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
        Stable ids of the rows, aligned with ``transduction_``.
    changed_ : ndarray of shape (m,)
        Ids of the rows whose number the last ``partial_fit``, ``forget`` or ``update_labels`` has
        changed by more than its standard deviation; not defined after ``fit``.
    encoder_ : TableEncoder or None
        How frames are encoded; None where rows are used as they are.
    scaling_ : StandardScaling, RankScaling or None
        How columns are scaled, fixed until the next ``fit``: ``name`` is ``"standard"`` or
        ``"ranks"``, ``apply(X)`` scales rows. None where columns are used as they are.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    See Also
    --------
    LaPOLeaFClassifier : Classification with many forests.
    LeadingForestRegressor : One forest, as in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf import LaPOLeaFRegressor
    >>> X = np.linspace(0, 4, 41).reshape(-1, 1)
    >>> y = np.where(np.arange(41) % 8 == 0, X[:, 0] ** 2, np.nan)
    >>> model = LaPOLeaFRegressor().fit(X, y)
    >>> model.predict([[2.0]]).round(2)
    array([3.99])
    """

    def __init__(
        self,
        *,
        n_forests: int | str = "auto",
        experts: Any = "auto",
        mu: float | str = "auto",
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        build: str = "auto",
        bandwidth: float | None = None,
        encoder: Any = "auto",
        scaling: str | None = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_forests = n_forests
        self.experts = experts
        self.mu = mu
        self.metric = metric
        self.metric_params = metric_params
        self.build = build
        self.bandwidth = bandwidth
        self.encoder = encoder
        self.scaling = scaling
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def as_published(
        cls, percent: float = 2.0, alpha: float = 0.5, cost: Cost = "linear", **params: Any
    ) -> LeadingForestRegressor:
        """Return the regressor exactly as published.

        One leading tree from a Gaussian density, LoDOG's cut, and the three stages of the paper.

        Parameters
        ----------
        percent, alpha, cost
            The paper's parameters: 5, 0.5 and ``"water"`` for its water series.
        **params : dict
            Other parameters of :class:`LeadingForestRegressor`.

        Returns
        -------
        LeadingForestRegressor
            The unfitted regressor.
        """
        return LeadingForestRegressor(
            percent=percent, alpha=alpha, cost=cost, **{"solver": "stages", **params}
        )

    def _method(self) -> EnsembleOfNumbers:
        check_ensemble(self.n_forests, self.mu)
        return EnsembleOfNumbers(
            self._parameters(),
            self._tree_settings(),
            self.n_forests,
            self.random_state,
            self.mu,
            checked_experts(self.experts, NUMBER_EXPERTS),
        )
