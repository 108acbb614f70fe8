"""Extremely randomised trees (Geurts, Ernst and Wehenkel 2006) as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from lapoleaf._decision_trees.kernels import add_answers, grow
from lapoleaf._decision_trees.labels import Entries
from lapoleaf._lazy import Value
from lapoleaf._parallel import for_each_block
from lapoleaf._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RandomTrees(Value):
    """Random decision trees, one after the other.

    Attributes
    ----------
    roots : ndarray of shape (n_trees,)
        The first node of every tree.
    feature : ndarray of shape (n_nodes,)
        The column that splits a node; -1 at a leaf.
    threshold : ndarray of shape (n_nodes,)
        Rows with at most this go left.
    first : ndarray of shape (n_nodes,)
        The left child, whose sibling follows it; at a leaf the place of its first member.
    size : ndarray of shape (n_nodes,)
        Number of members of a leaf; 0 at a split.
    members : ndarray of shape (n_members,)
        The labelled rows in the leaves.
    """

    roots: IntArray
    feature: IntArray
    threshold: FloatArray
    first: IntArray
    size: IntArray
    members: IntArray

    @classmethod
    def grown(
        cls,
        columns: FloatArray,
        entries: Entries,
        seeds: Sequence[int],
        n_tried: int,
        kept: Sequence[IntArray] | None = None,
        threads: int = 1,
    ) -> Self:
        """Grow a tree for every seed.

        Parameters
        ----------
        columns : ndarray of shape (d, m)
            The labelled rows, column by column.
        entries : Entries
            Their labels.
        seeds : sequence of int
            One for every tree.
        n_tried : int
            Columns that are tried at a node.
        kept : sequence of ndarray, default=None
            The rows that every tree is grown from; None for all of them.
        threads : int, default=1
            Number of threads; the trees are the same for every number.
        """
        everything = np.arange(columns.shape[1])
        rows = [everything] * len(seeds) if kept is None else kept
        found: list[_Grown] = [_NOTHING] * len(seeds)

        def work(block: slice) -> None:
            for place in range(block.start, block.stop):
                found[place] = _grown(columns, entries, seeds[place], n_tried, rows[place])

        step = max(1, len(seeds) // (4 * threads))
        blocks = [slice(at, min(at + step, len(seeds))) for at in range(0, len(seeds), step)]
        for_each_block(work, blocks, threads)
        return cls._of(found)

    @classmethod
    def _of(cls, found: list[_Grown]) -> Self:
        n_nodes = np.array([len(tree.feature) for tree in found], dtype=np.int64)
        n_members = np.array([len(tree.members) for tree in found], dtype=np.int64)
        roots, places = np.cumsum(n_nodes) - n_nodes, np.cumsum(n_members) - n_members
        feature = np.concatenate([tree.feature for tree in found])
        shift = np.where(feature >= 0, np.repeat(roots, n_nodes), np.repeat(places, n_nodes))
        return cls(
            roots,
            feature,
            np.concatenate([tree.threshold for tree in found]),
            np.concatenate([tree.first for tree in found]) + shift,
            np.concatenate([tree.size for tree in found]),
            np.concatenate([tree.members for tree in found]),
        )

    def answers(self, X: FloatArray, entries: Entries, trees: IntArray | None = None) -> FloatArray:
        """Return the mean label (n, K) of the leaves that rows fall into.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The rows.
        entries : Entries
            Labels of the rows that the trees were grown from.
        trees : ndarray, default=None
            The trees that answer; None for all.
        """
        out = np.zeros((len(X), entries.n_columns))
        add_answers(
            np.ascontiguousarray(X, dtype=np.float64),
            self.roots if trees is None else self.roots[trees],
            self.feature,
            self.threshold,
            self.first,
            self.size,
            self.members,
            entries.start,
            entries.column,
            entries.amount,
            entries.count,
            out,
        )
        return out


@dataclass(frozen=True, eq=False)
class _Grown:
    """One tree, numbered from 0."""

    feature: IntArray
    threshold: FloatArray
    first: IntArray
    size: IntArray
    members: IntArray


_NONE = np.empty(0, dtype=np.int32)
_NOTHING = _Grown(_NONE, np.empty(0), _NONE, _NONE, _NONE)


def _grown(
    columns: FloatArray, entries: Entries, seed: int, n_tried: int, rows: IntArray
) -> _Grown:
    most = 2 * len(rows) - 1
    feature, first, size = (np.empty(most, dtype=np.int32) for _ in range(3))
    threshold, members = np.empty(most), rows.astype(np.int32)
    n = grow(
        columns,
        entries.start,
        entries.column,
        entries.amount,
        entries.count,
        entries.n_columns,
        seed,
        n_tried,
        members,
        feature,
        threshold,
        first,
        size,
    )
    return _Grown(feature[:n], threshold[:n], first[:n].astype(np.int64), size[:n], members)
