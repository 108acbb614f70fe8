"""Label propagation on the optimal leading forest, for classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from lapoleaf._forest import LeadingForest
from lapoleaf._forest.costs import Cost
from lapoleaf._numbers import is_real
from lapoleaf._parallel import n_threads, one_blas_thread
from lapoleaf._points import check_sample_weight
from lapoleaf._propagation.stages import three_stages
from lapoleaf._queries import unsureness
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import AnyArray, BoolArray, FloatArray, IntArray, Metric
from lapoleaf.estimators.base import all_or_nothing, reach
from lapoleaf.estimators.choosing import MU_PRICE, Problem
from lapoleaf.estimators.doubting import (
    SuspiciousLabels,
    class_doubts,
    ranked,
    with_equal_rows,
    witnesses,
)
from lapoleaf.estimators.explanation import Explanation
from lapoleaf.estimators.labels import (
    ClassLabels,
    accuracy_on_labels,
    decode_classes,
    no_labels,
    with_missing,
)
from lapoleaf.estimators.mixing import POWERS, GivenLabels, Mixture, checked_prior, class_mass, mix
from lapoleaf.estimators.propagating import Answer
from lapoleaf.estimators.ridge import Ridge, fit_ridge
from lapoleaf.estimators.suggesting import SuggestingEstimator
from lapoleaf.estimators.voting import Voters

# Far from all data the leader still decides, by a hair: the largest probability names the class.
_LEAST_TRUST = 1e-6


class LaPOLeaFClassifier(ClassifierMixin, SuggestingEstimator):
    """Give every row a class, from the few that have one.

    Labels are propagated in many leading forests and averaged; the classes they give are corrected
    for class mass and mixed with a kernel ridge on the given labels. What is ``"auto"`` is chosen
    by leave-one-out on the given labels, and from nothing else.

    Parameters
    ----------
    n_forests : int or "auto", default="auto"
        Number of forests. The first is the plain one by a Gaussian density, the others have
        randomised densities. ``"auto"``: 100 for up to 10,000 rows, fewer for more, at least 10.
    class_prior : "auto", None or array-like of shape (n_classes,), default="auto"
        Expected shares of the classes, in the order of ``classes_``: the forests' class masses are
        moved there. ``"auto"`` estimates them from the given labels and moves as far as
        leave-one-out agrees; None leaves masses as they are.
    ridge : "auto" or None, default="auto"
        Kernel ridge on the given labels, mixed in as far as leave-one-out says it helps; None for
        the forests alone.
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
        Weight of a given label against the links: the smaller, the more its surroundings count.
        With infinity and ``"auto"`` the given rows keep their labels whatever others say; with any
        other number they may be overruled. Exact solver only, like the next two.
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
    random_state : int, RandomState instance or None, default=0
        Which random forests. The same number gives the same forests, also for rows in another
        order; None gives others every time.
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
        they are ``"auto"``; how far classes were moved to their prior (``"class_mass"``, from 0
        to 1), the weight of the ridge against the forests (``"ridge_share"``) and one over the
        temperature (``"sharpness"``), where there are such parts; and ``"loss"``: the squared error
        of leave-one-out on the given labels, relative to always predicting their mean (None by the
        three stages).
    given_ : ndarray of shape (n_rows,), bool
        Rows whose label was given.
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
        Ids of the rows whose class the last ``partial_fit``, ``forget`` or ``update_labels`` has
        changed; not there after ``fit``.
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
    0.9533333333333334
    >>> model.predict([[5.0, 3.4, 1.5, 0.2]])
    array([0])
    """

    _mixture: Mixture | None
    _ridge: Ridge | None
    _answers: FloatArray

    def __init__(
        self,
        *,
        n_forests: int | str = "auto",
        class_prior: Any = "auto",
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
        missing_label: Any = "auto",
        min_confidence: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_forests = n_forests
        self.class_prior = class_prior
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
        self.missing_label = missing_label
        self.min_confidence = min_confidence
        self.random_state = random_state
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
        plain = {"n_forests": 1, "class_prior": None, "ridge": None, "mu": np.inf}
        return cls(percent=percent, alpha=alpha, cost=cost, solver="stages", **{**plain, **params})

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
        self._check_class_prior()
        rows = self._checked_rows(X, reset=True)
        labels = decode_classes(y, self.missing_label)
        check_consistent_length(rows, labels.codes)
        weight = check_sample_weight(sample_weight, rows.shape[0])
        self._start_anew()
        self._weight = weight
        self._keep_labels(labels)
        self._fit_labels(rows, weight, self._problems_on)
        return self._answer_all()

    @all_or_nothing
    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Let new rows join, labelled or not, and propagate again.

        The first call, and every call before there are 200 distinct rows, builds everything anew;
        from then on the bandwidth stays as it is, and a new row costs about as much as a
        prediction. Labels and all other attributes are computed when they are asked for.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The new rows.
        y : array-like of shape (m,), default=None
            Their classes, missing ones marked; None if all are missing. New classes may appear.
        classes : array-like, default=None
            All classes that may occur, if you want other labels to be refused.
        sample_weight : array-like of shape (m,), default=None
            Weight 2 is the same as the row twice; weight 0 leaves a row out of the forest.

        Returns
        -------
        self : LaPOLeaFClassifier
            With the new rows; ``ids_`` ends with theirs, and ``changed_`` lists the others whose
            class has changed.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> model = LaPOLeaFClassifier().fit([[0.0], [1.0], [8.0]], ["low", None, "high"])
        >>> model.partial_fit([[7.0], [0.5]]).transduction_.tolist()
        ['low', 'low', 'high', 'high', 'low']
        >>> model.partial_fit([[1.2]], ["middle"]).changed_
        array([1])
        """
        _check_min_confidence(self.min_confidence)
        self._check_class_prior()

        def label(m: int) -> ClassLabels:
            so_far = vars(self).get("_labels") or no_labels(self.missing_label)
            labels = so_far.joined(y, m, self.missing_label, classes)
            if self._has_own_prior and len(labels.classes):
                checked_prior(self.class_prior, len(labels.classes))
            return labels

        return self._take_rows(X, sample_weight, label)

    def _keep_labels(self, labels: ClassLabels) -> None:
        self._labels = labels
        self.given_ = labels.given
        self.classes_ = labels.classes

    def _labels_without(self, rows: IntArray) -> ClassLabels:
        return self._labels.without(rows)

    @property
    def _is_labelled(self) -> bool:
        return bool(self._weight[self._labels.given].any())

    def _problems_on(self, tree: LeadingTree) -> list[Problem]:
        problem = self._problem_of(tree.n_nodes, tree.node_of)
        if not problem.count.any():
            raise ValueError("sample_weight is 0 for every row that has a label in y.")
        return [problem]

    def _problem_of(self, n_nodes: int, node_of: IntArray) -> Problem:
        labels = self._labels
        rows = np.flatnonzero(labels.given & (node_of >= 0))
        nodes, weight, k = node_of[rows], self._weight[rows], len(labels.classes)
        count = np.bincount(nodes, weight, n_nodes).astype(np.float64)
        sums = np.bincount(k * nodes + labels.codes[rows], weight, k * n_nodes)
        shares = sums.reshape(n_nodes, k) / np.where(count > 0, count, 1.0)[:, None]
        return Problem(shares, count)

    def _answer_by_stages(self, forest: LeadingForest, node_of: IntArray) -> None:
        problem = self._problem_of(forest.tree.n_nodes, node_of)
        result = three_stages(forest, problem.labels, problem.count > 0)
        self._mixture, self._ridge, self._reach = None, None, reach(forest)
        self._answers = _shares(result.labels, problem)

    def _moved(self, before: Any, rows: IntArray, earlier: IntArray) -> BoolArray:
        now, is_sure = self._best_of(rows)
        then, was_sure = before._best_of(earlier)
        moved: BoolArray = (is_sure != was_sure) | (is_sure & (now != then))
        return moved

    def _best_of(self, rows: IntArray) -> tuple[AnyArray, BoolArray]:
        """Give the most probable classes of rows, and whether they are probable enough."""
        best = self.classes_[self.label_distributions_[rows].argmax(axis=1)]
        return best, self.confidence_[rows] >= (self.min_confidence or 0.0)

    def _answer_all(self) -> Self:
        """Answer for the training rows from the propagation."""
        self._reach = reach(self.forest_)
        self._mix_parts()
        self.label_distributions_ = self._answers[self._nodes]
        outside = self.tree_.node_of < 0
        if outside.any():
            self.label_distributions_[outside] = self._answer_new(*self._left_out_and_voters())
        self.confidence_ = self.label_distributions_.max(axis=1)
        self.transduction_ = self._classes_of(self.label_distributions_)
        return self

    def _mix_parts(self) -> None:
        """Average the forests, add class mass and ridge, and answer for every node."""
        problem = self._problems[0]
        given = np.flatnonzero(problem.count > 0)
        labels = GivenLabels(problem.labels[given], problem.count[given])
        prior = self._prior(labels)
        self._mixture, self._ridge = None, None
        with_ridge = self.ridge is not None and self.solver == "exact"
        if len(self.forests_) == 1 and prior is None and not with_ridge:
            vectors = self._results[0].labels
            if self._keeps_labels:
                self._answers = _shares(vectors, problem)
            else:
                self._answers = vectors / vectors.sum(axis=1, keepdims=True)
            return
        powers = POWERS if isinstance(self.class_prior, str) else (1.0,)
        least = np.inf
        if len(self.forests_) > 1:
            # What the first forest says by itself is not needed any more, but its settings are.
            empty = self._results[0].labels[:0].copy()
            self._results = [replace(self._results[0], labels=empty, leave_one_out=None)]
        for place, mu in enumerate(self._candidates_of_mu()):
            trial = self._in_all_forests(0, mu)
            moved = None
            if prior is not None:
                moved = class_mass(trial.labels, self.tree_.population, prior)
            unseen = np.asarray(trial.leave_one_out)[given]
            loss = mix(labels, unseen, moved, powers, None).loss + place * MU_PRICE
            if loss < least:
                least, result, quotient, without = loss, trial, moved, unseen
            # Not kept while the next one is made: labels of all nodes are large.
            del trial
        if with_ridge:
            even = np.full(len(self.classes_), 1.0 / len(self.classes_))
            with one_blas_thread():
                self._ridge = fit_ridge(
                    self._points, given, labels.labels, labels.count, labels.compared, even
                )
        said = None if self._ridge is None else self._ridge.leave_one_out
        self._results = [result]
        mixture = mix(labels, without, quotient, powers, said)
        self._mixture = mixture
        self._answer_nodes(mixture, problem, given)
        found_without = mixture.probabilities(np.nan_to_num(without), said)
        errors = problem.losses_of(found_without)
        self.chosen_ = {
            **self.chosen_,
            "mu": result.settings.mu,
            "class_mass": mixture.power,
            "ridge_share": mixture.ridge_share,
            "sharpness": mixture.sharpness,
            "loss": float(errors.sum()),
        }

    def _answer_nodes(self, mixture: Mixture, problem: Problem, given: IntArray) -> None:
        """Answer for every node; given labels are kept, unless the user gave them a weight."""
        ridge = None
        if self._ridge is not None:
            threads = n_threads(self.n_jobs)
            ridge = self._ridge.at_nodes(self._points, threads, self.verbose)
        self._answers = mixture.probabilities(self._results[0].labels, ridge)
        if self._keeps_labels:
            self._answers[given] = problem.labels[given]

    @property
    def _keeps_labels(self) -> bool:
        """Whether rows keep the labels they were given."""
        return self.solver != "exact" or isinstance(self.mu, str) or bool(np.isinf(self.mu))

    @property
    def _has_own_prior(self) -> bool:
        """Whether the user knows the shares of the classes."""
        automatic = isinstance(self.class_prior, str) and self.class_prior == "auto"
        return self.class_prior is not None and not automatic

    def _check_class_prior(self) -> None:
        if not self._has_own_prior:
            return
        if self.solver != "exact":
            raise ValueError("class_prior needs solver='exact': the three stages know no masses.")
        checked_prior(self.class_prior)

    def _prior(self, labels: GivenLabels) -> FloatArray | None:
        """Give the expected shares of the classes, or None."""
        if self.class_prior is None or self.solver != "exact":
            return None
        if isinstance(self.class_prior, str) and self.class_prior == "auto":
            return labels.estimated_prior()
        return checked_prior(self.class_prior, len(self.classes_))

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
        _check_min_confidence(self.min_confidence)
        self._check_class_prior()
        labels = self._labels.changed(rows, [y] if np.ndim(ids) == 0 else y)
        return self._relabelled(labels)

    def _distributions(self, rows: Any) -> FloatArray:
        """Give the probabilities of new rows, faded by the distances to those who answer."""
        return self._answer_new(rows, self._voters(rows))

    def _answer_new(self, rows: Any, voters: Voters) -> FloatArray:
        if self._mixture is None:
            vectors = voters.mean(self._answers)
        else:
            ridge = (
                None if self._ridge is None else self._ridge.at_rows(rows, n_threads(self.n_jobs))
            )
            vectors = self._mixture.probabilities(voters.mean(self._results[0].labels), ridge)
        known = voters.nearest == 0
        vectors[known] = self._answers[voters.nodes[known, 0]]
        beyond = self._reach / np.maximum(voters.nearest, self._reach)
        trust = np.maximum(beyond, _LEAST_TRUST)[:, None]
        faded: FloatArray = trust * vectors + (1.0 - trust) / len(self.classes_)
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

        A new row is answered by the nodes that would lead it if it joined the forests, and by the
        ridge; a row of the training data as in ``transduction_``.

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

        For a row further from all others than any training row is from its leader, they fade
        towards equal probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Rows sum to 1; columns in the order of ``classes_``.
        """
        self._check_is_labelled()
        return self._distributions(self._checked_rows(X, reset=False))

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
        return accuracy_on_labels(self.predict(X), y, self.missing_label, sample_weight)

    def suspicious_labels(self) -> SuspiciousLabels:
        """Rank the given labels by how strongly all others contradict them.

        Each is compared with what the model would say without it, which is known in closed form.

        Returns
        -------
        SuspiciousLabels
            All given labels, the most doubtful first; prints as a short table.

        Examples
        --------
        >>> from lapoleaf import LaPOLeaFClassifier
        >>> X = [[0.0], [0.5], [1.0], [1.5], [7.0], [7.5], [8.0], [8.5]]
        >>> y = ["low", "low", "high", "low", "high", "high", None, "high"]
        >>> found = LaPOLeaFClassifier().fit(X, y).suspicious_labels()
        >>> int(found.ids[0]), str(found.given[0]), str(found.instead[0])
        (2, 'high', 'low')
        """
        check_is_fitted(self)
        if self._results[0].leave_one_out is None:
            raise ValueError(
                "suspicious_labels needs solver='exact': the three stages know no leave-one-out."
            )
        rows = np.flatnonzero(self.given_ & (self.tree_.node_of >= 0))
        codes, weight = self._labels.codes[rows], self._weight[rows]
        given = np.flatnonzero(self._problems[0].count > 0)
        place = np.searchsorted(given, self.tree_.node_of[rows])
        seen = with_equal_rows(self._without_own(), place, codes, weight)
        return ranked(
            self.ids_[rows],
            self.classes_[codes],
            self.classes_[seen.argmax(axis=1)],
            class_doubts(seen, codes),
        )

    def _without_own(self) -> FloatArray:
        """Give the probabilities of the classes of labelled nodes without their labels."""
        given = self._problems[0].count > 0
        without = np.nan_to_num(np.asarray(self._results[0].leave_one_out)[given])
        if self._mixture is None:
            total = without.sum(axis=1, keepdims=True)
            even = np.full(without.shape, 1.0 / without.shape[1])
            shares: FloatArray = np.divide(without, total, out=even, where=total > 0)
            return shares
        ridge = None if self._ridge is None else self._ridge.leave_one_out
        return witnesses(self._mixture.probabilities(without, ridge), ridge)

    def _concern(self) -> FloatArray:
        return self.tree_.population * unsureness(self._answers)

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
        Row 2 gets 'low' (confidence 59%).
           54% from row 0, given 'low'
           46% from row 4, given 'high'
          By themselves, the forests say 'low', the ridge says 'low'.
          path: 2 -(0.9)-> 1 (root)
        """
        check_is_fitted(self)
        given_weight = np.where(self.given_, self._weight, 0.0)
        return self._explanation(row, 0, given_weight, self._answer_of, self._given_class)

    def _answer_of(self, new: Any, voters: Voters) -> Answer:
        node = int(voters.nodes[0, 0])
        at_node = new is None and voters.nearest[0] == 0
        distribution = self._answers[[node]] if at_node else self._answer_new(new, voters)
        label, confidence = self._classes_of(distribution).tolist()[0], float(distribution.max())
        kept = at_node and self._problems[0].count[node] > 0 and self._keeps_labels
        if self._ridge is None or self._mixture is None:
            return Answer(label, confidence, kept, {})
        scores = {
            "forests": self._mixture.forest_part(voters.mean(self._results[0].labels)),
            "ridge": self._ridge.at_rows(new)
            if not at_node
            else self._ridge.at_one(self._points, node),
        }
        said_by = {name: self.classes_[part.argmax()].tolist() for name, part in scores.items()}
        return Answer(label, confidence, kept, said_by)

    def _given_class(self, row: int) -> Any:
        return self._labels.classes.tolist()[self._labels.codes[row]]


def _shares(vectors: FloatArray, problem: Problem) -> FloatArray:
    """Give label vectors as shares of 1; given labels are kept."""
    total = vectors.sum(axis=1, keepdims=True)
    shares: FloatArray = vectors / total
    given = problem.count > 0
    shares[given] = problem.labels[given]
    return shares


def _check_min_confidence(min_confidence: Any) -> None:
    if min_confidence is not None and not (is_real(min_confidence) and 0 <= min_confidence <= 1):
        raise ValueError(
            f"min_confidence={min_confidence!r} must be a probability from 0 to 1, or None."
        )
