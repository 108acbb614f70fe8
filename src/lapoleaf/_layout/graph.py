"""The graph of attracting links: those of all trees, in the order of a walk through the first.

If there are few nodes, their nearest nodes attract them, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lapoleaf._layout import link_kernels as kernels
from lapoleaf._layout.nearest import NearestNodes
from lapoleaf._propagation.exact import link_weights
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.structure import ranks
from lapoleaf._tree.walk_kernels import depth_first
from lapoleaf._typing import FloatArray, IntArray

# Minimum strength of a link relative to the strongest, so that every node is attached.
_MIN_STRENGTH = 1e-12


@dataclass(frozen=True, eq=False)
class LinkGraph:
    """Links of nodes in walking order, in which neighbours are near each other in memory.

    Attributes
    ----------
    walk : ndarray of shape (n,)
        The nodes in the order of a depth-first walk through the first tree.
    start : ndarray of shape (n + 1,)
        Where the links of every node begin.
    ends : ndarray of shape (n_links,)
        The other end of every link, as a position in the walk; links are listed from both ends.
    weight : ndarray of shape (n_links,)
        Attraction of every link; symmetric, with an average sum of 1 over the links of a node.
    """

    walk: IntArray
    start: IntArray
    ends: IntArray
    weight: FloatArray

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.walk)

    @classmethod
    def of_trees(
        cls, trees: Sequence[LeadingTree], nearest: NearestNodes | None = None
    ) -> LinkGraph:
        """Return the links of all trees of the same nodes, and those to the nearest nodes."""
        first = trees[0]
        position = depth_first(_in_density_order(first))[first.rank]
        walk = ranks(position)
        n_nearest = 0 if nearest is None else len(nearest.nodes)
        ends = np.empty((len(trees) + n_nearest, first.n_nodes), dtype=np.int32)
        strengths = np.empty(ends.shape, dtype=np.float32)
        for tree, row, strength in zip(trees, ends, strengths, strict=False):
            row[:] = np.where(tree.parent < 0, -1, position[tree.parent])[walk]
            strength[:] = link_strengths_of(tree)[walk]
        if nearest is not None:
            ends[len(trees) :] = np.where(nearest.nodes < 0, -1, position[nearest.nodes])[:, walk]
            strengths[len(trees) :] = _relative(nearest.strengths)[:, walk]
        return cls(walk, *merged_links(ends, strengths))

    def to_nodes(self, places: FloatArray) -> FloatArray:
        """Return values in walking order in the order of nodes."""
        out = np.empty_like(places)
        out[self.walk] = places
        return out


def merged_links(parents: IntArray, strengths: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return where the links of every node begin, their ends and weights, each pair once.

    The strength w of a pair that is linked several times is the maximum. Weights are normalised
    from both ends, ``w (1 / S_i + 1 / S_j) / 2`` with S the sum of a node's strengths, so that
    those of a node sum to 1 on average.

    Parameters
    ----------
    parents : ndarray of shape (n_lists, n), int32
        A node that every node is linked to, as its leader in a tree; -1 for none.
    strengths : ndarray of shape (n_lists, n), float32
        Strengths of the links to them.
    """
    n = parents.shape[1]
    counts = np.bincount(parents[parents >= 0], minlength=n) + (parents >= 0).sum(axis=0)
    start = np.append(0, np.cumsum(counts))
    other, ends = np.empty((2, start[-1]), dtype=np.int32)
    other_weight, weight = np.empty((2, start[-1]), dtype=np.float32)
    kernels.list_from_both_ends(parents, strengths, start[:-1].copy(), other, other_weight)
    kernels.list_in_order(start, other, other_weight, start[:-1].copy(), ends, weight)
    begin, total = np.zeros(n + 1, dtype=np.int64), np.empty(n)
    kernels.merge_pairs(start, ends, weight, begin, total)
    ends, weight = ends[: begin[-1]].copy(), weight[: begin[-1]]
    inverse = 0.5 / total
    normal = np.repeat(inverse, np.diff(begin)) + inverse[ends]
    return begin, ends, np.asarray(weight * normal, dtype=np.float32)


def link_strengths_of(tree: LeadingTree) -> FloatArray:
    """Return the strength of the link of every node to its leader, as in the propagation of labels.

    The population of nodes is ignored.
    """
    weights = link_weights(tree, "inverse" if tree.scale is None else "self-tuned")
    return _relative(weights / tree.population)


def _relative(strengths: FloatArray) -> FloatArray:
    """Return strengths relative to the greatest, none too small to count."""
    relative: FloatArray = np.maximum(strengths / strengths.max(), _MIN_STRENGTH)
    return relative


def _in_density_order(tree: LeadingTree) -> IntArray:
    """Return the rank of the leader of every node, the densest node first; -1 for the root."""
    leaders = tree.parent[tree.order]
    return np.where(leaders < 0, -1, tree.rank[leaders])
