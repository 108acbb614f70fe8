"""The trees of a model in incremental form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._tree.incremental.approximate import ApproximateGrowingTree
from lapoleaf._tree.incremental.exact import GrowingTree
from lapoleaf._tree.incremental.random_trees import RandomTree, update_random_trees
from lapoleaf._tree.structure import LeadingTree
from lapoleaf._typing import AnyArray, FloatArray, IntArray

# Share of changed nodes after which approximately updated trees are rebuilt.
_MAX_SHARE_CHANGED = 0.1


@dataclass(frozen=True, eq=False)
class IncrementalTrees:
    """A plain tree and random trees of the same nodes, with insertion and removal of rows.

    Attributes
    ----------
    plain : GrowingTree or ApproximateGrowingTree
        The tree by the Gaussian density.
    random : list of RandomTree
        The others.
    left_out : ndarray or CSR matrix, or None
        Rows of weight 0, in order.
    n_built : int
        Number of nodes when the trees were built.
    n_changed : int
        Number of nodes inserted or removed since; not counted for a single exact tree.
    """

    plain: GrowingTree | ApproximateGrowingTree
    random: list[RandomTree]
    left_out: Any
    n_built: int
    n_changed: int = 0

    @classmethod
    def of(
        cls,
        trees: list[LeadingTree],
        weight: FloatArray,
        ids: IntArray,
        next_id: int | None,
        left_out: Any,
        n_built: int | None = None,
        n_changed: int = 0,
        levels: FloatArray | None = None,
    ) -> IncrementalTrees:
        """Return trees in incremental form.

        Parameters
        ----------
        trees : list of LeadingTree
            The plain tree first, then the random ones.
        weight : ndarray of shape (n_rows,)
            Weights of the rows.
        ids : ndarray of shape (n_rows,)
            Ids of the rows, ascending.
        next_id : int or None
            The id of the next row; one more than the last if None.
        left_out : ndarray or CSR matrix, or None
            Rows of weight 0, in order.
        n_built : int, default=None
            Number of nodes when the trees were built; the present number if None.
        n_changed : int, default=0
            How many nodes have come and gone since.
        levels : ndarray of shape (n_random,), default=None
            Levels of the random trees when they were built; the present ones if None.
        """
        plain, random = trees[0], trees[1:]
        known = [None] * len(random) if levels is None else levels.tolist()
        approximate = plain.report is not None and plain.report.build == "approximate"
        kind = ApproximateGrowingTree if approximate and plain.cells is not None else GrowingTree
        return cls(
            kind(plain, weight, ids, next_id),
            [RandomTree.of(tree, k, known[k]) for k, tree in enumerate(random)],
            left_out,
            plain.n_nodes if n_built is None else n_built,
            n_changed,
        )

    @property
    def exact(self) -> GrowingTree | None:
        """The plain tree if it is exact and the only one, else None."""
        return self.plain if isinstance(self.plain, GrowingTree) and not self.random else None

    @property
    def levels(self) -> FloatArray:
        """Levels of the random trees when they were built."""
        return np.array([tree.level for tree in self.random], dtype=np.float64)

    @property
    def is_worn(self) -> bool:
        """Whether approximately updated trees should be rebuilt."""
        return self.exact is None and self.n_changed > _MAX_SHARE_CHANGED * self.n_built

    def with_rows(self, rows: Any, weight: FloatArray) -> IncrementalTrees:
        """Return the trees with more rows.

        Parameters
        ----------
        rows : ndarray or CSR matrix of shape (m, n_columns)
            The rows, in the form the trees were built from.
        weight : ndarray of shape (m,)
            Their weights.
        """
        plain = self.plain.copy()
        plain.insert(rows, weight)
        outside = np.flatnonzero(weight == 0)
        left_out = self.left_out
        if len(outside):
            left_out = stacked(left_out, rows_at(rows, outside))
        return self._updated(plain, left_out)

    def without_rows(self, ids: IntArray) -> IncrementalTrees:
        """Return the trees without some rows.

        Parameters
        ----------
        ids : ndarray of shape (m,)
            Ids of the rows.
        """
        plain = self.plain.copy()
        plain.remove(ids)
        left_out = self.left_out
        if left_out is not None:
            outside = self.plain.node_of < 0
            kept = np.flatnonzero(~np.isin(self.plain.ids[outside], ids))
            left_out = rows_at(left_out, kept) if len(kept) else None
        return self._updated(plain, left_out)

    def _updated(
        self, plain: GrowingTree | ApproximateGrowingTree, left_out: Any
    ) -> IncrementalTrees:
        """Return the trees after the plain one has changed."""
        if self.exact is not None:
            return replace(self, plain=plain, left_out=left_out)
        new_number = self._new_numbers(plain)
        n_kept = int((new_number >= 0).sum())
        n_changed = plain.n_nodes - n_kept + len(new_number) - n_kept
        random = self.random
        if random:
            random = update_random_trees(random, new_number, self.plain, plain)
        return replace(
            self,
            plain=plain,
            random=random,
            left_out=left_out,
            n_changed=self.n_changed + n_changed,
        )

    def _new_numbers(self, plain: GrowingTree | ApproximateGrowingTree) -> IntArray:
        """Return the new number of every node, -1 for removed nodes."""
        new_number = np.full(self.plain.n_nodes, -1, dtype=np.int64)
        _, old, new = np.intersect1d(
            self.plain.ids, plain.ids, assume_unique=True, return_indices=True
        )
        before, after = self.plain.node_of[old], plain.node_of[new]
        new_number[before[before >= 0]] = after[before >= 0]
        return new_number

    def frozen(self) -> list[LeadingTree]:
        """Return the present trees, the plain one first."""
        plain = self.plain.freeze()
        return [plain, *(tree.freeze(plain) for tree in self.random)]


def rows_at(rows: Any, numbers: IntArray) -> Any:
    """Return some of the rows; sparse ones as a CSR matrix with 32-bit indices if possible."""
    part = rows[numbers]
    if isinstance(part, np.ndarray):
        return part
    return sp.csr_matrix((part.data, part.indices, part.indptr), shape=part.shape)


def stacked(first: Any, second: Any) -> Any:
    """Return the rows of both; the first may be None."""
    if first is None:
        return second
    if isinstance(first, sp.csr_matrix):
        return sp.csr_matrix(sp.vstack([first, second]))
    return np.concatenate([first, second])


def all_rows(points: Points, node_of: IntArray, left_out: Any) -> Any:
    """Return all rows of a model, in their order, from its nodes and the rows of weight 0.

    Parameters
    ----------
    points : Points
        The nodes.
    node_of : ndarray of shape (n_rows,)
        The node of every row, -1 for rows of weight 0.
    left_out : ndarray or CSR matrix, or None
        Rows of weight 0, in order.
    """
    rows: AnyArray | sp.csr_matrix
    if isinstance(points, DensePoints):
        rows = points.columns.T
    elif isinstance(points, SparsePoints):
        rows = points.matrix
    elif hasattr(points, "rows_of_X"):
        rows = points.rows_of_X.astype(np.float64)
    else:
        raise ValueError(
            "metric='precomputed' has no rows that others could join: fit again with all distances."
        )
    if left_out is None:
        return rows[node_of]
    place = np.where(node_of >= 0, node_of, rows.shape[0] + np.cumsum(node_of < 0) - 1)
    return stacked(rows if sp.issparse(rows) else np.asarray(rows), left_out)[place]
