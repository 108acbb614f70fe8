"""Maps of the rows of a model, or of forests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lapoleaf._forest import LeadingForest
from lapoleaf._layout import checked_settings, trustworthiness
from lapoleaf._lazy import computed_once
from lapoleaf._messages import shown
from lapoleaf._numbers import as_floats
from lapoleaf._parallel import n_threads
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf.estimators.base import ForestEstimator
from lapoleaf.estimators.clustering import LoDOG
from lapoleaf.estimators.leading_forest_map import LeadingForestMap
from lapoleaf.estimators.mapping import Callback, Mapper, node_places
from lapoleaf.estimators.rows import Rows


@dataclass(frozen=True, eq=False)
class ForestMap:
    """Coordinates of rows in the plane, in which similar rows are near each other.

    Only neighbourhoods in the map have a meaning: if ``trustworthiness`` is near 1, rows that are
    near each other in the map are near each other in the data. Distances between groups, sizes of
    groups and the axes have none. :func:`layout` returns such maps.

    ``numpy.asarray(found)`` is ``found.places``.

    Attributes
    ----------
    places : ndarray of shape (n_rows, 2), float32
        The place of every row; equal rows have the same.
    tree : LeadingTree
        The first tree behind the map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from lapoleaf import LaPOLeaFClassifier, layout
    >>> X, y = load_iris(return_X_y=True)
    >>> found = layout(LaPOLeaFClassifier().fit(X, y))
    >>> found.places.shape
    (150, 2)
    >>> found.trustworthiness > 0.97
    True
    """

    places: FloatArray
    tree: LeadingTree = field(repr=False)

    @computed_once
    def trustworthiness(self) -> float:
        """Trustworthiness of neighbourhoods in the map: 1 at best, about 0.5 by chance.

        As in :func:`sklearn.manifold.trustworthiness`, for 15 neighbours: those in the map that are
        not neighbours in the data are penalised by their rank. Estimated from a sample; NaN for
        forests that were not built from data.
        """
        points = self.tree.points
        if points is None:
            return float("nan")
        nodes, _ = node_places(self.tree, self.places)
        return trustworthiness(points, nodes, n_threads(None))

    def __repr__(self) -> str:
        return f"ForestMap(n_rows={len(self.places)}, trustworthiness={self.trustworthiness:.3f})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.places, dtype=dtype, copy=copy)


def layout(
    model_or_forests: Any,
    rows: Any = None,
    *,
    start: Any = None,
    exaggeration: float | None = None,
    n_iterations: int | None = None,
    callback: Callback | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> ForestMap:
    """Return a map of the rows of a fitted model: two dimensions, in which neighbours are near.

    The links of the model's forests pull rows together, and all rows push each other apart, with
    the forces of t-SNE. No tree is built and no neighbour is searched, so that a map of a million
    rows takes seconds. Nothing is random, and labels have no influence. Of up to 2,000 distinct
    rows the 30 nearest of each pull, too, and fewer than 50 are placed by classical scaling of all
    their distances instead.

    A model keeps its map, also when saved: a second call returns the same places. Rows added by
    ``partial_fit`` are placed beside those they are linked to, and no other row moves, as long as
    at least half of the rows have a place already.

    Parameters
    ----------
    model_or_forests : estimator, LeadingForest, LeadingTree or list of them
        A fitted classifier, regressor, :class:`LoDOG` or :class:`LeadingForestMap`; or forests or
        trees of the same rows, of which the first is the plain one. A map of few forests
        is coarser than one of many, but for up to 2,000 distinct rows.
    rows : array-like or sparse matrix of shape (n_rows, n_columns), default=None
        The rows of trees that were made from arrays: the map begins at their principal components.
        Anything built from data has its rows.
    start : array-like of shape (n_rows, 2), default=None
        Initial places, such as those of an earlier model, with NaN for rows without one. The map is
        turned onto them. Replaces the map that a model keeps.
    exaggeration : float, default=None
        Strength of the attraction along links relative to t-SNE; larger values separate groups
        more. By default 1 for up to 1,000 rows, 0.25 more for every factor of 10, and at most 1.5.
    n_iterations : int, default=None
        Number of iterations; 100 to 200 by default, by the number of rows.
    callback : callable, default=None
        Called with the places (n_rows, 2) so far after every iteration; an exception that it
        raises ends the layout, and nothing changes.
    n_jobs : int, default=None
        Number of threads; None and -1 use all cores. The map does not depend on it.
    verbose : int, default=0
        Report progress on standard error if 1 or more.

    Returns
    -------
    ForestMap
        The places of all rows, and their trustworthiness.

    See Also
    --------
    LeadingForestMap : The same for rows without a model, as a transformer.
    ForestDisplay : Draw a forest over its map.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from lapoleaf import LaPOLeaFClassifier, layout
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LaPOLeaFClassifier().fit(X[:500], np.where(np.arange(500) < 50, y[:500], -1))
    >>> found = layout(model)
    >>> found.places.shape
    (500, 2)
    >>> model = model.partial_fit(X[500:510])
    >>> more = layout(model)
    >>> bool((more.places[:500] == found.places).all())
    True
    """
    mapper = Mapper(
        checked_settings(exaggeration, n_iterations), n_threads(n_jobs), verbose, callback
    )
    trees = _trees_in(model_or_forests)
    if trees is not None:
        return _of_trees(mapper, trees, rows, start)
    known = _rows_of_model(model_or_forests)
    if rows is not None:
        raise ValueError(
            "rows is for trees that were made from arrays; a fitted model has its rows: leave it "
            "out."
        )
    if start is None:
        return ForestMap(mapper.kept_or_new(known).places, known.tree)
    former = _checked_start(start, known.tree)
    return ForestMap(mapper.from_former(known, former).places, known.tree)


def _trees_in(value: Any) -> list[LeadingTree] | None:
    """Return the trees in a value that is or lists trees or forests, None for anything else."""
    several = list(value) if isinstance(value, Sequence) else [value]
    kinds = LeadingForest | LeadingTree
    if not several or not all(isinstance(one, kinds) for one in several):
        return None
    trees = [one.tree if isinstance(one, LeadingForest) else one for one in several]
    for tree in trees[1:]:
        if tree.n_nodes != trees[0].n_nodes:
            raise ValueError(
                f"model_or_forests lists trees of {trees[0].n_nodes} and {tree.n_nodes} nodes: "
                f"a map needs trees of the same nodes."
            )
    return trees


def _of_trees(mapper: Mapper, trees: list[LeadingTree], rows: Any, start: Any) -> ForestMap:
    tree = trees[0]
    if start is not None:
        places = mapper.again(trees, _checked_start(start, tree))
    else:
        places = mapper.of_trees(trees, None if rows is None else _rows_of_nodes(rows, tree))
    return ForestMap(tree.to_rows(places), tree)


def _rows_of_nodes(rows: Any, tree: LeadingTree) -> Any:
    """Return the rows of nodes, checked."""
    table = rows.tocsr() if hasattr(rows, "tocsr") else as_floats(rows, "rows")
    if table.ndim != 2 or table.shape[0] != tree.n_rows:
        raise ValueError(
            f"rows has shape {table.shape}, but the tree was built from {tree.n_rows} rows: it "
            f"must have one row for each."
        )
    return table[tree.first_rows]


def _checked_start(start: Any, tree: LeadingTree) -> FloatArray:
    places = as_floats(np.asarray(start), "start")
    if places.shape != (tree.n_rows, 2):
        raise ValueError(
            f"start has shape {places.shape}, but must have shape ({tree.n_rows}, 2): a place for "
            f"every row, NaN where there is none."
        )
    return places


def _rows_of_model(model: Any) -> Rows:
    if not isinstance(model, ForestEstimator | LoDOG | LeadingForestMap):
        raise TypeError(
            f"model_or_forests={shown(model)} has no forests: pass a fitted classifier, regressor, "
            f"LoDOG or LeadingForestMap of lapoleaf (of a pipeline its last step), or forests."
        )
    check_is_fitted(model)
    return model._fitted.rows if isinstance(model, ForestEstimator) else model._rows
