"""Extremely randomised trees (Geurts, Ernst and Wehenkel 2006) as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._decision_trees.kernels import add_answers, grow_many
from lapoleaf._decision_trees.labels import Entries
from lapoleaf._lazy import Value
from lapoleaf._parallel import for_each_block, threads_worth
from lapoleaf._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RandomTrees(Value):
    """Random decision trees, stored in concatenated arrays.

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
            Number of columns tried at a node.
        kept : sequence of ndarray, default=None
            The rows that every tree is grown from; None for all of them.
        threads : int, default=1
            Number of threads; the trees are the same for every number.
        """
        everything = np.arange(columns.shape[1])
        rows = [everything] * len(seeds) if kept is None else kept
        work_of_all = 4.0 * n_tried * sum(len(some) * len(some).bit_length() for some in rows)
        threads = threads_worth(threads, work_of_all)
        blocks = list(gen_batches(len(seeds), max(1, len(seeds) // (4 * threads))))
        found = dict.fromkeys((block.start for block in blocks), _NOTHING)

        def work(block: slice) -> None:
            found[block.start] = _grown(columns, entries, seeds[block], n_tried, rows[block])

        for_each_block(work, blocks, threads)
        return cls._of(list(found.values()))

    @classmethod
    def _of(cls, found: list[_Grown]) -> Self:
        joined = _Grown(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))
        n_nodes, n_members = joined.n_nodes, joined.n_members
        roots, places = np.cumsum(n_nodes) - n_nodes, np.cumsum(n_members) - n_members
        shift = np.where(joined.feature >= 0, np.repeat(roots, n_nodes), np.repeat(places, n_nodes))
        first = joined.first + shift
        return cls(roots, joined.feature, joined.threshold, first, joined.size, joined.members)

    def answers(self, X: FloatArray, entries: Entries, trees: IntArray | None = None) -> FloatArray:
        """Return the mean label (n, K) of the leaves that rows fall into.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The rows.
        entries : Entries
            Labels of the rows that the trees were grown from.
        trees : ndarray, default=None
            The trees to use; None for all.
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


class _Grown(NamedTuple):
    """Some trees, each with nodes numbered from 0: numbers of nodes and members, and their arrays.

    The other arrays are those of :class:`RandomTrees`.
    """

    n_nodes: IntArray
    n_members: IntArray
    feature: IntArray
    threshold: FloatArray
    first: IntArray
    size: IntArray
    members: IntArray


_NONE = np.empty(0, dtype=np.int64)
_NOTHING = _Grown(_NONE, _NONE, _NONE, np.empty(0), _NONE, _NONE, _NONE)


def _grown(
    columns: FloatArray,
    entries: Entries,
    seeds: Sequence[int],
    n_tried: int,
    rows: Sequence[IntArray],
) -> _Grown:
    n_members = np.array([len(some) for some in rows], dtype=np.int64)
    members = np.concatenate(rows).astype(np.int32)
    # The maximum number of nodes, for a tree with one member per leaf.
    most = 2 * n_members - 1
    feature, first, size = (np.empty(most.sum(), dtype=np.int32) for _ in range(3))
    threshold, n_nodes = np.empty(most.sum()), np.empty(len(rows), dtype=np.int64)
    grow_many(
        columns,
        entries.start,
        entries.column,
        entries.amount,
        entries.count,
        entries.n_columns,
        np.asarray(seeds, dtype=np.int64),
        n_tried,
        np.append(0, np.cumsum(n_members)),
        members,
        feature,
        threshold,
        first,
        size,
        n_nodes,
    )
    place = np.arange(len(feature)) - np.repeat(np.cumsum(most) - most, most)
    is_node = place < np.repeat(n_nodes, most)
    kept = feature[is_node], threshold[is_node], first[is_node].astype(np.int64), size[is_node]
    return _Grown(n_nodes, n_members, *kept, members)
