"""Two-dimensional maps of rows that preserve neighbourhoods."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lapoleaf._callbacks import learn_with_callbacks
from lapoleaf._forest import LeadingForest
from lapoleaf._layout import checked_settings, trustworthiness
from lapoleaf._messages import shown
from lapoleaf._numbers import is_whole
from lapoleaf._parallel import n_threads
from lapoleaf._points import check_sample_weight
from lapoleaf._progress import stage
from lapoleaf._tree import BuildReport, LeadingTree
from lapoleaf._typing import FloatArray, IntArray, Metric
from lapoleaf.estimators.ensemble import drawn_seed, usual_number
from lapoleaf.estimators.mapping import Callback, Mapper, former_places, node_places, trees_of
from lapoleaf.estimators.row_places import RowPlaces
from lapoleaf.estimators.rows import Cut, RowIds, Rows
from lapoleaf.estimators.rows_estimator import RowsEstimator


class LeadingForestMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RowsEstimator):
    """Two-dimensional map of rows that preserves neighbourhoods.

    Every row is led by a nearby row of higher density, in many random trees. The links of all trees
    attract rows to each other, and all rows repel each other, with the forces of t-SNE. A map of
    70,000 rows takes about 1 processor second after the trees, one of a million about 12. Nothing
    in the layout is random, and the map is the same for every number of threads. With up to 2,000
    distinct rows, the 30 nearest rows of each attract it, too; fewer than 50 are placed by
    classical scaling of all their distances instead.

    Only neighbourhoods in the map have a meaning: if ``trustworthiness_`` is near 1, rows that are
    near each other in the map are near each other in the data. Distances between groups, sizes of
    groups and the axes have none.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`, ``"precomputed"``, or a function
        of two rows.
    metric_params : dict, default=None
        Further arguments of the metric.
    build : {"auto", "full", "approximate"}, default="auto"
        How the trees are built: see :func:`leading_tree`.
    n_forests : int or "auto", default="auto"
        Number of trees; ``"auto"``: 100 for up to 10,000 rows, fewer for more, at least 10.
    exaggeration : float, default=None
        Strength of the attraction along links relative to t-SNE; larger values separate groups
        more. By default 1 for up to 1,000 rows, 0.25 more for every factor of 10, and at most 1.5.
    n_iterations : int, default=None
        Number of iterations; 100 to 200 by default, by the number of rows.
    warm_start : bool, default=True
        Whether a second ``fit`` starts from the places of the first for rows that are in both, and
        aligns the map with them, so that rows stay about where they were. If rows and trees are
        unchanged, so is the map.
    random_state : int, RandomState instance or None, default=0
        Seed of the random trees.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_rows, 2), float32
        The place of every row of X; equal rows have the same.
    trustworthiness_ : float
        Trustworthiness of neighbourhoods in the map, 1 at best: of the 15 nearest rows in the map,
        those that are not neighbours in the data are penalised by their rank. Estimated from a
        sample whenever it is read, which takes a second for many rows.
    tree_ : LeadingTree
        The first tree.
    forest_ : LeadingForest
        The first tree, cut into a forest.
    forests_ : list of LeadingForest
        All forests.
    build_report_ : BuildReport
        How the trees were built, and how good the approximation is if they are one.
    ids_ : ndarray of shape (n_rows,)
        Ids of the rows.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has names that are strings.

    See Also
    --------
    layout : Map of a fitted model, from its own forests.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from lapoleaf import LeadingForestMap
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LeadingForestMap().fit(X[:1000])
    >>> model.embedding_.shape
    (1000, 2)
    >>> model.trustworthiness_ > 0.97
    True
    >>> model.transform(X[1000:1003]).shape
    (3, 2)
    """

    bandwidth = None
    _rows: Rows

    def __init__(
        self,
        *,
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        build: str = "auto",
        n_forests: int | str = "auto",
        exaggeration: float | None = None,
        n_iterations: int | None = None,
        warm_start: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.metric_params = metric_params
        self.build = build
        self.n_forests: int | str = n_forests
        self.exaggeration = exaggeration
        self.n_iterations = n_iterations
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Places are float32 for rows of any type.
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, callback: Callback | None = None
    ) -> Self:
        """Lay out the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            The rows.
        y : ignored
            Not used: a map that depends on labels would hide wrong ones.
        sample_weight : array-like of shape (n_rows,), default=None
            Weight 2 is the same as the row twice; rows of weight 0 are placed as new ones.
        callback : callable, default=None
            Called with the places (n_rows, 2) so far after every iteration.

        Returns
        -------
        self : LeadingForestMap
            The fitted map.
        """
        mapper = self._mapper(callback)
        n_forests = self._checked_forests()
        learnt = learn_with_callbacks(
            self, lambda: self._learnt(mapper, n_forests, X, sample_weight), n_stages=2, X=X,
            sample_weight=sample_weight,
        )  # fmt: skip
        return self._keep(learnt)

    def _learnt(
        self, mapper: Mapper, n_forests: int | None, X: Any, sample_weight: Any
    ) -> dict[str, Any]:
        """Return the attributes learnt from X."""
        checked, columns = self._rows_to_fit(X)
        weight = check_sample_weight(sample_weight, checked.shape[0])
        with stage("trees"):
            rows = self._build(checked, weight, n_forests)
        with stage("map"):
            self._lay_out(mapper, rows)
        return {"_rows": rows, **columns}

    def _build(self, X: Any, weight: FloatArray, n_forests: int | None) -> Rows:
        """Build the plain tree and the random trees of all rows."""
        cut, n = Cut(), X.shape[0]
        n_random = (usual_number(n) if n_forests is None else n_forests) - 1
        seed = drawn_seed(self.random_state) if n_random else 0
        trees = self._tree_settings().trees(X, weight, [cut.percent], n_random, seed)
        random = [LeadingForest(tree, np.array([tree.root])) for tree in trees.random]
        forests = [cut.of(trees.plain[0]), *random]
        return Rows.of_forests(X, weight, RowIds.first(n), cut, forests)

    def _lay_out(self, mapper: Mapper, rows: Rows) -> None:
        """Lay out all rows, and keep their places with them."""
        before: Rows | None = vars(self).get("_rows") if self.warm_start else None
        kept = None if before is None else before.kept_places
        if before is None or kept is None:
            mapper.new(rows)
        elif kept.settings == mapper.settings and _same_trees(before, rows):
            rows.keep_places(kept)
        else:
            mapper.from_former(rows, former_places(before, rows.tree))

    def _mapper(self, callback: Callback | None = None) -> Mapper:
        settings = checked_settings(self.exaggeration, self.n_iterations)
        return Mapper(settings, n_threads(self.n_jobs), self.verbose, callback)

    def _checked_forests(self) -> int | None:
        """Return the number of forests, None if it depends on the number of rows."""
        n_forests: Any = self.n_forests
        if isinstance(n_forests, str) and n_forests == "auto":
            return None
        if not is_whole(n_forests) or n_forests < 1:
            raise ValueError(
                f"n_forests={shown(n_forests)} must be a whole number of at least 1, or 'auto'."
            )
        return int(n_forests)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> FloatArray:
        """Lay out the rows of X, and return their places.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_columns)
            The rows.
        y : ignored
            Not used.
        **fit_params : dict
            Passed to :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_rows, 2), float32
            The places: ``embedding_``.
        """
        return self.fit(X, y, **fit_params).embedding_

    def transform(self, X: Any) -> FloatArray:
        """Return the place of every row in the map; no other row moves.

        A row of the fit has its own place. A new row is placed by its nearest rows of the fit,
        independently of other new rows: among those that attract it most, not between groups.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (m, 2), float32
            The places.
        """
        rows = self._mapped
        tree, places = rows.tree, node_places(rows.tree, self.embedding_)[0]
        return self._mapper().places_beside(tree, places, self._checked_rows(X))

    def __sklearn_is_fitted__(self) -> bool:
        return "_rows" in vars(self)

    @property
    def _n_features_out(self) -> int:
        return 2

    @property
    def _mapped(self) -> Rows:
        check_is_fitted(self)
        return self._rows

    @property
    def embedding_(self) -> FloatArray:
        """The place of every row."""
        rows = self._mapped
        kept: RowPlaces = rows.kept_places  # type: ignore[assignment]
        return kept.places

    @property
    def trustworthiness_(self) -> float:
        """Trustworthiness of neighbourhoods in the map, 1 at best."""
        rows = self._mapped
        nodes = node_places(rows.tree, self.embedding_)[0]
        return trustworthiness(rows.points, nodes, n_threads(self.n_jobs))

    @property
    def tree_(self) -> LeadingTree:
        """The first tree."""
        return self._mapped.tree

    @property
    def forest_(self) -> LeadingForest:
        """The first tree, cut into a forest."""
        return self._mapped.forest

    @property
    def forests_(self) -> list[LeadingForest]:
        """All forests; the first is ``forest_``."""
        return list(self._mapped.forests)

    @property
    def build_report_(self) -> BuildReport | None:
        """How the trees were built."""
        return self.tree_.report

    @property
    def ids_(self) -> IntArray:
        """Ids of the rows."""
        return self._mapped.ids


def _same_trees(before: Rows, now: Rows) -> bool:
    """Whether the trees of two fits are the same, link by link."""
    earlier, later = trees_of(before), trees_of(now)
    return (
        len(earlier) == len(later)
        and np.array_equal(earlier[0].node_of, later[0].node_of)
        and before.left_out is None
        and now.left_out is None
        and all(
            np.array_equal(a.parent, b.parent) and np.array_equal(a.delta, b.delta)
            for a, b in zip(earlier, later, strict=True)
        )
    )
