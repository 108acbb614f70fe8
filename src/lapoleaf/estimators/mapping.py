"""Maps of the rows of a model: computed once, cached, and extended by new rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._layout import (
    LayoutSettings,
    lay_out,
    lay_out_again,
    places_of_joining,
    places_of_new,
)
from lapoleaf._layout.graph import LinkGraph
from lapoleaf._tree import LeadingTree, nearest_nodes
from lapoleaf._tree.incremental.ensemble import rows_at
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.estimators.row_places import RowPlaces
from lapoleaf.estimators.rows import Rows
from lapoleaf.estimators.voters import N_VOTERS

Callback = Callable[[FloatArray], object]
# From this number of rows on, rows of the fit are recognised by hashes before others are searched.
_MIN_ROWS_HASHED = 64


@dataclass(frozen=True)
class Mapper:
    """Parameters of the layout, captured at the call.

    Attributes
    ----------
    settings : LayoutSettings
        Settings of the layout.
    threads, verbose : int
        Number of threads; whether to report progress.
    callback : callable or None
        Called with the places (n_rows, 2) so far after every iteration.
    """

    settings: LayoutSettings
    threads: int = 1
    verbose: int = 0
    callback: Callback | None = None

    def kept_or_new(self, rows: Rows) -> RowPlaces:
        """Return the cached map, extended to all rows if necessary, or a new one.

        Rows that have a place keep it, as long as at least half of the rows have one.
        """
        kept = rows.kept_places
        if kept is None or kept.settings != self.settings:
            return self.new(rows)
        if np.array_equal(kept.ids, rows.ids):
            return kept
        before = kept.of_ids(rows.ids)
        has_place = np.isfinite(before[:, 0])
        if 2 * has_place.sum() < len(before):
            return self.from_former(rows, before)
        nodes, known = node_places(rows.tree, before)
        if known.any() and not known.all():
            graph = LinkGraph.of_trees(trees_of(rows))
            nodes = places_of_joining(rows.tree, graph, nodes, known)
        places = np.where(has_place[:, None], before, self._of_rows(rows, nodes))
        return self._kept(rows, places)

    def new(self, rows: Rows) -> RowPlaces:
        """Compute and cache a new map of all rows."""
        return self._kept(rows, self._of_rows(rows, self.of_trees(trees_of(rows))))

    def from_former(self, rows: Rows, before: FloatArray) -> RowPlaces:
        """Compute and cache a map that starts from former places of rows (NaN where unknown)."""
        nodes = self.again(trees_of(rows), before)
        return self._kept(rows, self._of_rows(rows, nodes))

    def of_trees(self, trees: Sequence[LeadingTree], rows: Any = None) -> FloatArray:
        """Return places of the nodes of trees; ``rows`` are coordinates if there are no points."""
        return lay_out(
            trees,
            self.settings,
            rows=rows,
            threads=self.threads,
            verbose=self.verbose,
            watch=self._watch(trees[0]),
        )

    def again(self, trees: Sequence[LeadingTree], before: FloatArray) -> FloatArray:
        """Return places of the nodes of trees from former places of their rows."""
        nodes, known = node_places(trees[0], before)
        return lay_out_again(
            trees,
            nodes,
            known,
            self.settings,
            threads=self.threads,
            verbose=self.verbose,
            watch=self._watch(trees[0]),
        )

    def _watch(self, tree: LeadingTree) -> Callable[[FloatArray], None] | None:
        callback = self.callback
        if callback is None:
            return None

        def watch(places: FloatArray) -> None:
            callback(tree.to_rows(places))

        return watch

    def _of_rows(self, rows: Rows, places: FloatArray) -> FloatArray:
        """Return the places of all rows; those of weight 0 are placed as new ones."""
        out: FloatArray = rows.tree.to_rows(places)
        if rows.left_out is not None:
            found = self.places_beside(rows.tree, places, rows.left_out)
            out[rows.node_of < 0] = found
        return out

    def _kept(self, rows: Rows, places: FloatArray) -> RowPlaces:
        found = RowPlaces.of(rows.ids, places.astype(np.float32, copy=False), self.settings)
        rows.keep_places(found)
        return found

    def places_beside(self, tree: LeadingTree, places: FloatArray, X: Any) -> FloatArray:
        """Return places of rows from those of nodes; a row that equals a node has its place."""
        nodes = equal_nodes(tree, X)
        out: FloatArray = places[nodes].astype(np.float32)
        new = np.flatnonzero(nodes < 0)
        if len(new):
            near = nearest_nodes(tree, rows_at(X, new), N_VOTERS, self.threads, self.verbose)
            out[new] = places_of_new(tree, places, *near)
        return out


def trees_of(rows: Rows) -> list[LeadingTree]:
    """Return all trees of rows, the plain one first."""
    return [forest.tree for forest in rows.forests]


def node_places(tree: LeadingTree, places: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return places of nodes from those of rows, and which nodes have one.

    A node has the place of the first of its rows that has one.
    """
    out = np.zeros((tree.n_nodes, 2), dtype=np.float32)
    known = np.zeros(tree.n_nodes, dtype=bool)
    rows = np.flatnonzero((tree.node_of >= 0) & np.isfinite(places).all(axis=1))[::-1]
    # If a node has several rows, the last assignment wins.
    out[tree.node_of[rows]] = places[rows]
    known[tree.node_of[rows]] = True
    return out, known


def equal_nodes(tree: LeadingTree, X: Any) -> Any:
    """Return the node that has the same coordinates as each row, -1 if there is none.

    Few rows are not compared, since finding their nearest nodes is as fast.
    """
    points, m = tree.points, X.shape[0]
    nodes = np.full(m, -1, dtype=np.int64)
    if points is None or m < _MIN_ROWS_HASHED:
        return nodes
    keys = points.identity(0)
    if keys is None:
        return nodes
    none = points.take(np.empty(0, dtype=np.int64))
    return matching(keys, none.joined(points.prepare(X)).identity(0))


def former_places(before: Rows, now: LeadingTree) -> FloatArray:
    """Return the places of rows in an earlier map, NaN for rows that are not in it."""
    places = np.full((now.n_rows, 2), np.nan, dtype=np.float32)
    kept, earlier, points = before.kept_places, before.points.identity(0), now.points
    keys = None if points is None else points.identity(0)
    if kept is None or earlier is None or keys is None:
        return places
    known = matching(earlier, keys)[now.node_of]
    found = (known >= 0) & (now.node_of >= 0)
    of_nodes, _ = node_places(before.tree, kept.of_ids(before.ids))
    places[found] = of_nodes[known[found]]
    return places


def matching(keys: Any, wanted: Any) -> Any:
    """Return the index of each wanted key among others, -1 if it is not there."""
    order = np.argsort(keys, kind="stable")
    place = np.minimum(np.searchsorted(keys[order], wanted), len(order) - 1)
    return np.where(keys[order[place]] == wanted, order[place], -1)
