"""Base of experts that use the columns of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, TypeGuard

import numpy as np

from lapoleaf._lazy import Value, computed_once
from lapoleaf._parallel import for_each_block, row_blocks
from lapoleaf._points import Points
from lapoleaf._points.dense import DensePoints
from lapoleaf._progress import Progress
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts.kernel_matrices import subset_of

# Number of rows whose scores are computed at a time.
_ROWS_AT_A_TIME = 4096


def has_columns(points: Points, most: int) -> TypeGuard[DensePoints]:
    """Whether points have at most ``most`` columns and no missing values.

    Parameters
    ----------
    points : Points
        All points.
    most : int
        Maximum number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._points.dense import DensePoints
    >>> from lapoleaf.estimators.experts.columns import has_columns
    >>> rows, with_hole = np.eye(3), np.array([[1.0, np.nan]])
    >>> has_columns(DensePoints(rows, "euclidean"), 3), has_columns(DensePoints(rows, "cosine"), 2)
    (True, False)
    >>> has_columns(DensePoints(with_hole, "nan_euclidean"), 3)
    False
    """
    if not isinstance(points, DensePoints) or len(points.columns) > most:
        return False
    return not points.kind.allows_nan or bool(np.isfinite(points.columns).all())


def learnt_from(points: Points, nodes: IntArray, most: int) -> IntArray:
    """Return the indices of the given nodes that an expert is fitted to.

    At most ``most``, in an order that depends on the points, not on the order of rows.

    Parameters
    ----------
    points : Points
        All points.
    nodes : ndarray of shape (n_given,)
        The given nodes.
    most : int
        Maximum number of labels.
    """
    used = subset_of(points.take(nodes), most)
    order = points.take(nodes[used]).canonical_order()
    return used if order is None else used[order]


class ScoresByColumns(Value):
    """A fitted expert whose scores of a row are a function of its columns.

    Attributes
    ----------
    stage : str
        Name of the computation of scores in progress bars.
    points : Points
        All points: new rows are prepared as they were.
    n_classes : int
        Number of classes.
    """

    stage: ClassVar[str]
    points: Points

    @property
    @abstractmethod
    def n_classes(self) -> int: ...

    @property
    @abstractmethod
    def _work(self) -> float:
        """Approximate number of operations per score of a class."""

    @abstractmethod
    def _scores_of(self, rows: FloatArray) -> FloatArray:
        """Return the scores (m, K) of rows (m, d)."""

    @computed_once
    def _one_point(self) -> Points:
        return self.points.take(np.zeros(1, dtype=np.int64))

    def at_nodes(
        self, points: Points, nodes: IntArray | None = None, threads: int = 1, verbose: int = 0
    ) -> FloatArray:
        """Return the scores (n, K) of some of the points, all if ``nodes`` is None."""
        wanted = np.arange(points.n) if nodes is None else nodes
        return self._blockwise(
            len(wanted), lambda block: points.at(wanted[block]), threads, verbose
        )

    def at_rows(self, X: Any, threads: int = 1, verbose: int = 0) -> FloatArray:
        """Return the scores (m, K) of new rows, in the form the points were made from."""
        return self._blockwise(
            X.shape[0], lambda block: self._one_point.prepare(X[block]), threads, verbose
        )

    def _blockwise(
        self, n: int, rows: Callable[[slice], FloatArray], threads: int, verbose: int
    ) -> FloatArray:
        out = np.empty((n, self.n_classes))

        def work(block: slice) -> None:
            out[block] = self._scores_of(rows(block))

        n_numbers = int(self._one_point.work) + self.n_classes
        blocks = row_blocks(n, n_numbers, self._work, threads, _ROWS_AT_A_TIME)
        for_each_block(work, blocks, threads, Progress(self.stage, n, verbose))
        return out
