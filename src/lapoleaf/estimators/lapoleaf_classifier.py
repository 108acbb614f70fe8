"""Classes by many leading forests, mixed with experts: the default for users."""

from __future__ import annotations

from copy import copy
from typing import Any

from lapoleaf._forest.objective import Cost
from lapoleaf._typing import Metric
from lapoleaf.estimators.class_ensemble import EnsembleOfClasses
from lapoleaf.estimators.class_labels import ClassLabels
from lapoleaf.estimators.classification import ForestClassifier, check_min_confidence
from lapoleaf.estimators.ensemble import check_ensemble, checked_experts
from lapoleaf.estimators.experts import CLASS_EXPERTS
from lapoleaf.estimators.leading_forest_classifier import LeadingForestClassifier
from lapoleaf.estimators.mixture import checked_prior


class LaPOLeaFClassifier(ForestClassifier):
    """Semi-supervised classifier: many leading forests, mixed with experts.

    Labels are propagated in many leading forests and averaged; the result is corrected for class
    mass and mixed with experts that learn from the given labels alone. Parameters that are
    ``"auto"`` are chosen by leave-one-out on the given labels, and from nothing else.

    Parameters
    ----------
    n_forests : int or "auto", default="auto"
        Number of forests. The first is built from a Gaussian density, the others from randomised
        densities. ``"auto"``: 100 for up to 10,000 rows, fewer for more, at least 10.
    class_prior : "auto", None or array-like of shape (n_classes,), default="auto"
        Expected shares of the classes, in the order of ``classes_``, which probabilities are
        corrected to. ``"auto"`` estimates them from the given labels or, if every class has the
        same number of labels, from all rows; None corrects nothing.
    experts : "auto", list or None, default="auto"
        Methods that are mixed with the forests, with weights chosen by leave-one-out: a kernel
        ridge on the given labels (``"ridge"``), extra trees (``"trees"``) and shrunken linear
        discriminants (``"discriminants"``). ``"auto"`` uses all that can be fitted; a list selects
        some by name, or adds objects of your own with the methods of
        ``lapoleaf.estimators.experts.protocol.Expert``; None uses the forests alone.
    mu : float or "auto", default="auto"
        Weight of a given label relative to the links: the smaller, the more its neighbourhood
        counts. With infinity and ``"auto"`` labelled rows keep their labels; with any other value
        the neighbourhood may overrule them.
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
    missing_label : object, default="auto"
        What marks a row without a label in y. ``"auto"``: None, NaN or NA where y has them, else
        -1.
    min_confidence : float, default=None
        Rows whose class is less probable than this get the missing label.
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
        improves leave-one-out on the given labels. Sparse and encoded rows, tables of more than 100
        columns, rows under metrics that do not compare column by column, and rows for which
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
    transduction_ : ndarray of shape (n_rows,)
        The class of every row of X.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        Probabilities of the classes for every row of X.
    confidence_ : ndarray of shape (n_rows,)
        Probability of the class in ``transduction_``.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    given_ : ndarray of shape (n_rows,), bool
        Rows whose label was given.
    chosen_ : dict
        The weight of given labels (``"mu"``), what is added to the score of every class
        (``"class_constants"``), the weight of every expert against the forests
        (``"expert_shares"``), one over the temperature (``"sharpness"``), the squared error of
        leave-one-out on the given labels, relative to always predicting their mean (``"loss"``),
        and the scaling of columns (``"scaling"``).
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
        Ids of the rows whose class the last ``partial_fit``, ``forget`` or ``update_labels`` has
        changed; not defined after ``fit``.
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
    LaPOLeaFRegressor : Regression with many forests.
    LeadingForestClassifier : One forest, as in the paper.
    LabelledKFold : Cross-validation that keeps unlabelled rows in training.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf import LaPOLeaFClassifier
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.full(len(X), -1)
    >>> y[::50] = truth[::50]
    >>> model = LaPOLeaFClassifier().fit(X, y)
    >>> float(np.mean(model.transduction_ == truth))
    0.9066666666666666
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    def __init__(
        self,
        *,
        n_forests: int | str = "auto",
        class_prior: Any = "auto",
        experts: Any = "auto",
        mu: float | str = "auto",
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        build: str = "auto",
        bandwidth: float | None = None,
        missing_label: Any = "auto",
        min_confidence: float | None = None,
        encoder: Any = "auto",
        scaling: str | None = "auto",
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_forests = n_forests
        self.class_prior = class_prior
        self.experts = experts
        self.mu = mu
        self.metric = metric
        self.metric_params = metric_params
        self.build = build
        self.bandwidth = bandwidth
        self.missing_label = missing_label
        self.min_confidence = min_confidence
        self.encoder = encoder
        self.scaling = scaling
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def as_published(
        cls, percent: float = 2.0, alpha: float = 0.5, cost: Cost = "linear", **params: Any
    ) -> LeadingForestClassifier:
        """Return the classifier exactly as published.

        One leading tree from a Gaussian density, LoDOG's cut, and the three stages of the paper.

        Parameters
        ----------
        percent, alpha, cost
            The paper's parameters: 3, 0.4 and ``"imagenet"`` for its images.
        **params : dict
            Other parameters of :class:`LeadingForestClassifier`.

        Returns
        -------
        LeadingForestClassifier
            The unfitted classifier.
        """
        return LeadingForestClassifier(
            percent=percent, alpha=alpha, cost=cost, **{"solver": "stages", **params}
        )

    def _method(self) -> EnsembleOfClasses:
        check_min_confidence(self.min_confidence)
        check_ensemble(self.n_forests, self.mu)
        if self._has_own_prior:
            checked_prior(self.class_prior)
        return EnsembleOfClasses(
            self._parameters(),
            self._tree_settings(),
            self.n_forests,
            self.random_state,
            self.mu,
            checked_experts(self.experts, CLASS_EXPERTS),
            self.min_confidence,
            copy(self.class_prior),
        )

    @property
    def _has_own_prior(self) -> bool:
        """Whether the user has set the shares of the classes."""
        automatic = isinstance(self.class_prior, str) and self.class_prior == "auto"
        return self.class_prior is not None and not automatic

    def _joined_labels(
        self, so_far: ClassLabels | None, y: Any, m: int, **options: Any
    ) -> ClassLabels:
        labels = super()._joined_labels(so_far, y, m, **options)
        if self._has_own_prior and labels.k:
            checked_prior(self.class_prior, labels.k)
        return labels
