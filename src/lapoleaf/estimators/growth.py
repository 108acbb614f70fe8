"""What grows in a model: its trees, kept in a form that takes new rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._tree import GrowingTree, LeadingTree
from lapoleaf._tree.incremental.approximate import RoughlyGrowingTree
from lapoleaf._tree.incremental.random_trees import RandomTree, carried, random_tree_of
from lapoleaf._typing import AnyArray, FloatArray, IntArray
from lapoleaf.estimators.base import rows_at


@dataclass(frozen=True, eq=False)
class Growth:
    """The trees of a model, as they grow.

    Attributes
    ----------
    plain : GrowingTree or RoughlyGrowingTree
        The tree by the Gaussian density.
    random : list of RandomTree
        The others.
    left_out : array or CSR matrix, or None
        Rows of weight 0, in order.
    percent, alpha : float
        What was chosen when the trees were built.
    n_built : int
        Number of nodes there were then.
    is_labelled : bool
        Whether any label was given to a row that counts.
    n_changed : int
        How many nodes have come and gone since.
    """

    plain: GrowingTree | RoughlyGrowingTree
    random: list[RandomTree]
    left_out: Any
    percent: Any
    alpha: Any
    n_built: int
    is_labelled: bool
    n_changed: int = 0

    @classmethod
    def of(
        cls,
        trees: list[LeadingTree],
        weight: FloatArray,
        ids: IntArray,
        next_id: int | None,
        left_out: Any,
        percent: Any,
        alpha: Any,
        is_labelled: bool,
    ) -> Growth:
        """Let trees grow: the plain one first, then the random ones."""
        plain = trees[0]
        approximate = plain.report is not None and plain.report.build == "approximate"
        kind = RoughlyGrowingTree if approximate and plain.cells is not None else GrowingTree
        random = [random_tree_of(tree, number) for number, tree in enumerate(trees[1:])]
        return cls(
            kind(plain, weight, ids, next_id),
            random,
            left_out,
            percent,
            alpha,
            plain.n_nodes,
            is_labelled,
        )

    @property
    def exact(self) -> GrowingTree | None:
        """The plain tree where it is alone and exact, else None."""
        alone = isinstance(self.plain, GrowingTree) and not self.random
        return self.plain if alone and isinstance(self.plain, GrowingTree) else None

    @property
    def is_worn(self) -> bool:
        """Whether trees that follow new rows only nearly should be built anew."""
        return self.exact is None and 10 * self.n_changed > self.n_built

    def with_rows(self, rows: Any, weight: FloatArray) -> Growth:
        """Give what has grown by some rows."""
        plain = self.plain.copy()
        plain.insert(rows, weight)
        outside = np.flatnonzero(weight == 0)
        left_out = self.left_out
        if len(outside):
            left_out = stacked(left_out, rows_at(rows, outside))
        return self._followed(plain, left_out)

    def without_rows(self, ids: IntArray) -> Growth:
        """Give what remains without some rows."""
        plain = self.plain.copy()
        plain.remove(ids)
        left_out = self.left_out
        if left_out is not None:
            outside = self.plain.node_of < 0
            kept = np.flatnonzero(~np.isin(self.plain.ids[outside], ids))
            left_out = rows_at(left_out, kept) if len(kept) else None
        return self._followed(plain, left_out)

    def _followed(self, plain: GrowingTree | RoughlyGrowingTree, left_out: Any) -> Growth:
        """Let the random trees follow the plain one."""
        if self.exact is not None:
            return replace(self, plain=plain, left_out=left_out)
        moves = self._moves(plain)
        n_new = plain.n_nodes - int((moves >= 0).sum())
        changed = n_new + int((moves < 0).sum())
        random = carried(self.random, moves, self.plain, plain) if self.random else []
        return replace(
            self,
            plain=plain,
            random=random,
            left_out=left_out,
            n_changed=self.n_changed + changed,
        )

    def _moves(self, plain: GrowingTree | RoughlyGrowingTree) -> IntArray:
        """Give the number that every node has now, -1 if it is gone."""
        moves = np.full(self.plain.n_nodes, -1, dtype=np.int64)
        _, old, new = np.intersect1d(
            self.plain.ids, plain.ids, assume_unique=True, return_indices=True
        )
        before, after = self.plain.node_of[old], plain.node_of[new]
        moves[before[before >= 0]] = after[before >= 0]
        return moves

    def frozen(self) -> list[LeadingTree]:
        """Give the trees as they are now, the plain one first."""
        plain = self.plain.freeze()
        return [plain, *(tree.freeze(plain) for tree in self.random)]


def stacked(first: Any, second: Any) -> Any:
    """Give the rows of both; the first may be None."""
    if first is None:
        return second
    if isinstance(first, sp.csr_matrix):
        return sp.csr_matrix(sp.vstack([first, second]))
    return np.concatenate([first, second])


def all_rows(points: Points, node_of: IntArray, left_out: Any) -> Any:
    """Give all rows of a model again, in their order: its nodes, and the rows of weight 0."""
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
