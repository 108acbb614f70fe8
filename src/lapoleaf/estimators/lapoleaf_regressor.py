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
    """Label every row with a number, from the few that have one.

    A trend and extra trees are fitted to the given targets, and targets are propagated in many
    leading forests; all are mixed as far as it reduces leave-one-out errors on the given targets.
    What is ``"auto"`` is chosen from the given targets and from nothing else.

    Parameters
    ----------
    n_forests : int or "auto", default="auto"
        Number of forests. The first is the plain one by a Gaussian density, the others have
        randomised densities. ``"auto"``: 100 for up to 10,000 rows, fewer for more, at least 10.
    experts : "auto", list or None, default="auto"
        What is mixed with the forests: ``"auto"`` is a kernel regression on the given targets, the
        trend under the forests (``"trend"``), and extremely randomised trees (``"trees"``). A list
        has names of these, or objects of your own with the methods of an expert; None for the
        forests alone.
    mu : float or "auto", default="auto"
        Weight of a given number against the links: the smaller, the more its surroundings count.
        With infinity given numbers are kept; ``"auto"`` chooses for every target.
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or a function
        of two rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    build : {"auto", "full", "approximate"}, default="auto"
        ``"full"`` looks at every distance between rows, ``"approximate"`` at those that matter
        most; ``"auto"`` is approximate with more than 10,000 to 25,000 rows, by their columns,
        where the metric allows it: see :func:`leading_tree`.
    bandwidth : float, default=None
        The bandwidth of the density in units of distance; None for the distance that 2 percent of
        the pairs of rows do not exceed.
    encoder : "auto", None or TableEncoder, default="auto"
        How a frame becomes numbers. ``"auto"``: a frame with other columns than numbers, or with
        holes, is encoded by a :class:`TableEncoder`; a frame of numbers is used as it is, and so is
        every array. None: nothing is encoded. A :class:`TableEncoder` of your own encodes every
        frame.
    scaling : {"auto", "standard", "ranks"} or None, default="auto"
        How columns are scaled. ``"standard"`` centres them and divides them by their standard
        deviations, ``"ranks"`` takes their ranks, None leaves them as they are. ``"auto"`` leaves
        columns of similar range as they are; columns of different units are standardised, or
        taken by their ranks where most have long tails, or as given labels find each other clearly
        better. It also leaves as they are: sparse
        and encoded rows, more than 100 columns, metrics that do not compare column by column, and
        rows for which you have set ``bandwidth``.
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
        The number of every row of X.
    transduction_std_ : ndarray of the same shape
        Standard deviation of every number, 0 where it was given and is kept.
    given_ : ndarray of shape (n_rows,) or (n_rows, n_targets), bool
        Targets that were given.
    chosen_ : dict
        The weight of given numbers (``"mu"``), the weights of the forests (``"forest_share"``) and
        of every expert (``"expert_shares"``, a dict), which are 1 together, all three lists where
        there are several targets; ``"loss"``: the squared error of leave-one-out on the given
        targets, relative to always predicting their mean; and ``"scaling"``: the name of the
        scaling, or None.
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
        changed by more than its
        standard deviation; not there after ``fit``.
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
    LaPOLeaFClassifier : The same for classes.
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
        """Return the regressor of the paper and nothing else.

        One leading tree by a Gaussian density, LoDOG's cut, and the three stages.

        Parameters
        ----------
        percent, alpha, cost
            The paper's parameters: 5, 0.5 and ``"water"`` for its water series.
        **params : dict
            Other parameters of :class:`LeadingForestRegressor`.

        Returns
        -------
        LeadingForestRegressor
            Not fitted yet.
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
