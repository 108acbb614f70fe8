"""Rows: everything that follows from X and the parameters of the trees alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from lapoleaf._forest import LeadingForest, lodog
from lapoleaf._forest.objective import Cost, update_lodog
from lapoleaf._lazy import Value, computed_once, is_computed
from lapoleaf._parallel import n_threads
from lapoleaf._points import Points
from lapoleaf._propagation import Settings
from lapoleaf._propagation.forest_stack import ForestStack
from lapoleaf._tree import LeadingTree, Trees, leaders_of_rows, nearest_nodes, trees_of_rows
from lapoleaf._tree.incremental.ensemble import IncrementalTrees, all_rows, rows_at
from lapoleaf._typing import FloatArray, IntArray, Metric
from lapoleaf.estimators.row_index import RowIndex
from lapoleaf.estimators.row_places import RowPlaces

# With fewer distinct points than this the bandwidth is not reliable, and trees are rebuilt.
WARM_UP = 200
# Weighting of links in all forests of an ensemble.
ENSEMBLE_LINKS = "self-tuned"
# Rules that cut a tree along the neighbour graph. A new row has no density there, so its nearest
# node leads it.
ALONG_GRAPH = frozenset({"prominence", "stability"})


@dataclass(frozen=True)
class TreeSettings:
    """Parameters of the trees, captured at the call.

    Attributes
    ----------
    metric, metric_params, build, bandwidth
        See :func:`lapoleaf.leading_tree`.
    n_jobs : int or None
        Number of threads; cores are counted on use, possibly on another machine.
    verbose : int
        Whether to report progress.
    """

    metric: Metric
    metric_params: dict[str, Any] | None
    build: str
    bandwidth: float | None
    n_jobs: int | None
    verbose: int

    @property
    def threads(self) -> int:
        """Number of threads."""
        return n_threads(self.n_jobs)

    def trees(
        self,
        X: Any,
        weight: FloatArray,
        percents: Sequence[float],
        n_random: int = 0,
        seed: int = 0,
        bandwidth: float | None = None,
        peaks: bool = False,
    ) -> Trees:
        """Build a tree for every percentage, or for one bandwidth, with random trees and peaks."""
        return trees_of_rows(
            X,
            percents=percents,
            bandwidth=self.bandwidth if bandwidth is None else bandwidth,
            metric=self.metric,
            metric_params=self.metric_params,
            sample_weight=weight,
            build=self.build,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            n_random=n_random,
            seed=seed,
            peaks=peaks,
        )


@dataclass(frozen=True)
class Cut(Value):
    """Parameters of the cut of the plain tree, fixed until the next fit.

    Attributes
    ----------
    percent : float
        The percentage that the bandwidth was computed from.
    alpha, cost, n_trees
        See :func:`lapoleaf.lodog`.
    rule : str
        Name of the rule in :mod:`~lapoleaf.estimators.cluster_cuts`.
    """

    percent: Any = 2.0
    alpha: Any = 0.5
    cost: Cost = "linear"
    n_trees: int | None = None
    rule: str = "objective"

    def of(self, tree: LeadingTree) -> LeadingForest:
        """Return the forest of a tree."""
        return lodog(tree, alpha=self.alpha, cost=self.cost, n_trees=self.n_trees)


class RowIds(NamedTuple):
    """Stable ids of rows.

    Attributes
    ----------
    ids : ndarray of shape (n_rows,)
        Ids in ascending order; a row keeps its id until it is removed.
    next_id : int
        The id of the next row; ids are never reused.
    frame_index : RowIndex or None
        Names of the rows in their frames; None if no row came in a frame.
    """

    ids: IntArray
    next_id: int
    frame_index: RowIndex | None = None

    @classmethod
    def first(cls, n: int, index: RowIndex | None = None) -> RowIds:
        """Return the ids of the rows of a fit."""
        return cls(np.arange(n), n, index)


class RowNodes(Protocol):
    """What is needed to convert labels of rows to labels of nodes."""

    @property
    def weight(self) -> FloatArray: ...

    @property
    def node_of(self) -> IntArray: ...

    @property
    def n_nodes(self) -> int: ...


class Nodes(NamedTuple):
    """The nodes of weighted rows, before there is a forest."""

    weight: FloatArray
    node_of: IntArray
    n_nodes: int


@dataclass(frozen=True, eq=False)
class Rows(Value):
    """Rows, their trees and their forests.

    Trees have two forms: an incremental one, for adding and removing rows, and a frozen one with
    all attributes. Either is made from the other when it is first needed.

    Attributes
    ----------
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    ids, next_id, frame_index
        See :class:`RowIds`.
    left_out : ndarray or CSR matrix, or None
        Rows of weight 0, which are in no node.
    cut : Cut
        How the plain tree is cut.
    frozen : tuple of LeadingForest, or None
        The forests, the plain one first; None if only ``incremental`` exists so far.
    incremental : IncrementalTrees, or None
        The trees in incremental form; never part of a pickle.
    n_built, n_changed : int
        Number of nodes when the trees were built, and number of nodes added or removed since.
    levels : ndarray of shape (n_random,), or None
        Levels of the random trees when they were built; None if they have not changed since.
    places : RowPlaces or None
        An earlier map, perhaps of some rows only; None if no map was computed.
    """

    weight: FloatArray
    ids: IntArray
    next_id: int
    frame_index: RowIndex | None
    left_out: Any
    cut: Cut
    frozen: tuple[LeadingForest, ...] | None
    n_built: int
    n_changed: int = 0
    levels: FloatArray | None = None
    incremental: IncrementalTrees | None = field(default=None, repr=False)
    places: RowPlaces | None = None

    @classmethod
    def of_forests(
        cls, X: Any, weight: FloatArray, ids: RowIds, cut: Cut, forests: Sequence[LeadingForest]
    ) -> Rows:
        """Return the rows of forests that were just built from X."""
        tree = forests[0].tree
        return cls(weight, *ids, rows_outside(X, tree), cut, tuple(forests), tree.n_nodes)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        kept = {"incremental": None, "places": self.kept_places}
        return {**state, "frozen": self.forests, **kept}

    @computed_once
    def forests(self) -> tuple[LeadingForest, ...]:
        """All forests, the plain one first."""
        if self.frozen is not None:
            return self.frozen
        trees = cast(IncrementalTrees, self.incremental).frozen()
        others = [LeadingForest(tree, np.array([tree.root])) for tree in trees[1:]]
        return (self.cut.of(trees[0]), *others)

    @computed_once
    def growing(self) -> IncrementalTrees:
        """The trees in incremental form."""
        if self.incremental is not None:
            return self.incremental
        return IncrementalTrees.of(
            [forest.tree for forest in self.forests],
            self.weight,
            self.ids,
            self.next_id,
            self.left_out,
            self.n_built,
            self.n_changed,
            self.levels,
        )

    @computed_once
    def stack(self) -> ForestStack:
        """The stacked forests of an ensemble, cached for changes of labels."""
        return ForestStack.of(self.forests, Settings(weights=ENSEMBLE_LINKS))

    @computed_once
    def kept_places(self) -> RowPlaces | None:
        """The latest map, perhaps of some rows only; None if no map was computed."""
        return self.places

    def keep_places(self, places: RowPlaces | None) -> None:
        """Cache a map of rows; it is part of pickles and files."""
        self.__dict__["kept_places"] = places

    @property
    def is_frozen(self) -> bool:
        """Whether the frozen form exists already."""
        return self.frozen is not None or is_computed(self, "forests")

    @property
    def forest(self) -> LeadingForest:
        """The plain forest."""
        return self.forests[0]

    @property
    def tree(self) -> LeadingTree:
        """The plain tree."""
        return self.forest.tree

    @property
    def points(self) -> Points:
        """The distinct points, which the tree of an estimator always has."""
        return cast(Points, self.tree.points)

    @computed_once
    def bare_forest(self) -> LeadingForest:
        """The plain forest, perhaps without rows and points, which is cheap after an insertion."""
        exact = None if self.is_frozen else self.growing.exact
        if exact is None:
            return self.forest
        cut = self.cut
        return update_lodog(exact, alpha=cut.alpha, cost=cut.cost, n_trees=cut.n_trees)

    @property
    def node_of(self) -> IntArray:
        """The node of every row, -1 for rows of weight 0."""
        return self.tree.node_of if self.is_frozen else self.growing.plain.node_of

    @property
    def n_nodes(self) -> int:
        """Number of distinct points."""
        return self.tree.n_nodes if self.is_frozen else self.growing.plain.n_nodes

    @computed_once
    def answering(self) -> IntArray:
        """The node that labels every row: its own, or its leader if it has weight 0."""
        nodes = self.node_of.copy()
        if self.left_out is not None:
            nodes[nodes < 0] = self.leaders(self.left_out, n_threads(None), 0)[0]
        return nodes

    def leaders(self, X: Any, threads: int, verbose: int) -> tuple[IntArray, FloatArray]:
        """Return the node that would lead every new row, and the distance to it."""
        exact = None if self.is_frozen else self.growing.exact
        if exact is not None:
            return exact.leaders(X)
        if self.cut.rule in ALONG_GRAPH:
            nodes, lengths = nearest_nodes(self.tree, X, 1, threads, verbose)
            return nodes[:, 0], lengths[:, 0]
        return leaders_of_rows(self.tree, X, threads, verbose)

    def needs_rebuild(self, bandwidth: float | None) -> bool:
        """Whether there are too few points for a reliable bandwidth."""
        few = bandwidth is None and self.n_nodes < WARM_UP
        return few or self.n_nodes == 1

    def all_rows(self) -> Any:
        """Return X, restored from the distinct points and the rows of weight 0."""
        return all_rows(self.points, self.node_of, self.left_out)

    def with_rows(self, X: Any, weight: FloatArray, cut: Cut, index: RowIndex | None) -> Rows:
        """Return the rows with more rows appended.

        The plain tree is cut by ``cut``; ``index`` is that of all rows.
        """
        growing = self.growing.with_rows(X, weight)
        weights = np.append(self.weight, weight)
        return self._of_trees(growing, weights, index, cut, self.kept_places)

    def without_rows(self, places: IntArray, cut: Cut) -> Rows:
        """Return the rows without some of them; the plain tree is cut by ``cut``."""
        growing = self.growing.without_rows(self.ids[places])
        index = None if self.frame_index is None else self.frame_index.without(places)
        weights = np.delete(self.weight, places)
        return self._of_trees(growing, weights, index, cut, self.kept_places)

    @staticmethod
    def _of_trees(
        growing: IncrementalTrees,
        weight: FloatArray,
        index: RowIndex | None,
        cut: Cut,
        places: RowPlaces | None,
    ) -> Rows:
        n_trees, n_nodes = cut.n_trees, growing.plain.n_nodes
        if n_trees is not None and n_trees > n_nodes:
            raise ValueError(
                f"n_trees={n_trees} is more than the {n_nodes} distinct points that would remain."
            )
        return Rows(
            weight,
            growing.plain.ids,
            growing.plain.next_id,
            index,
            growing.left_out,
            cut,
            None,
            growing.n_built,
            growing.n_changed,
            growing.levels,
            growing,
            places,
        )

    @property
    def is_worn(self) -> bool:
        """Whether approximately updated trees should be rebuilt."""
        return self.growing.is_worn


def rows_outside(rows: Any, tree: LeadingTree) -> Any:
    """Return the rows that are in no node of the tree, None if there are none."""
    outside = np.flatnonzero(tree.node_of < 0)
    return rows_at(rows, outside) if len(outside) else None
