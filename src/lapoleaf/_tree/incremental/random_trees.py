"""Random trees that follow a growing plain tree.

New nodes join where their neighbours are: below the neighbour of least resistance that is ahead of
them, above those behind them that are linked less well so far. Nobody else moves, so that a tree is
only nearly the one that would be grown anew.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from lapoleaf._points.kernels import mixed
from lapoleaf._tree import kernels
from lapoleaf._tree.incremental import attachment_kernels
from lapoleaf._tree.leaders import density_order, ranks
from lapoleaf._tree.link_kernels import lengths_of_resistances
from lapoleaf._tree.neighbour_graph import N_JOINED
from lapoleaf._tree.random_trees import NOISE, normal_of
from lapoleaf._tree.structure import LeadingTree
from lapoleaf._typing import AnyArray, FloatArray, IntArray


class PlainTree(Protocol):
    """What random trees ask of the plain tree that they follow."""

    @property
    def n_nodes(self) -> int: ...

    def scales(self) -> FloatArray: ...

    def links(self) -> tuple[IntArray, FloatArray]: ...

    def neighbours(self, nodes: IntArray, k: int) -> tuple[IntArray, FloatArray]: ...


class RandomTree(NamedTuple):
    """A random tree, as it grows.

    Attributes
    ----------
    density, delta, parent
        As in :class:`LeadingTree`.
    level : float
        The usual product of density and distance to the 10th neighbour.
    salt : int
        What the noise of new nodes is drawn with.
    """

    density: FloatArray
    delta: FloatArray
    parent: IntArray
    level: float
    salt: int

    def freeze(self, plain: LeadingTree) -> LeadingTree:
        """Give the tree as it is now, over the nodes of a plain one."""
        return LeadingTree(
            density=self.density,
            delta=self.delta,
            parent=self.parent,
            population=plain.population,
            bandwidth=plain.bandwidth,
            node_of=plain.node_of,
            scale=plain.scale,
            points=plain.points,
            report=plain.report,
        )


def random_tree_of(tree: LeadingTree, number: int) -> RandomTree:
    """Let a random tree grow; ``number`` tells it from others."""
    level = float(np.median(tree.density * np.asarray(tree.scale)))
    return RandomTree(tree.density, tree.delta, tree.parent, level, number)


def carried(
    trees: list[RandomTree], moves: IntArray, before: PlainTree, plain: PlainTree
) -> list[RandomTree]:
    """Give random trees that have followed their plain tree.

    Parameters
    ----------
    trees : list of RandomTree
        The trees.
    moves : ndarray of shape (n_before,)
        The number that every node has now, -1 where it is gone.
    before, plain : GrowingTree or the like
        The plain tree as it was, and as it is.
    """
    gone = moves < 0
    kept, n = np.flatnonzero(~gone), plain.n_nodes
    is_new = np.ones(n, dtype=bool)
    is_new[moves[kept]] = False
    new = np.flatnonzero(is_new)
    old_scale = before.scales() if gone.any() else np.empty(0)
    scale = plain.scales()
    links = plain.links()
    near = plain.neighbours(new, N_JOINED)
    found = []
    for tree in trees:
        if gone.any():
            tree = _without(tree, gone, old_scale)
        tree = _renumbered(tree, moves, kept, n)
        if len(new):
            tree = _with(tree, new, near, scale, links)
        found.append(tree)
    return found


def _without(tree: RandomTree, gone: AnyArray, scale: FloatArray) -> RandomTree:
    rank = ranks(density_order(tree.density))
    parent, resistance = attachment_kernels.bridged(tree.parent, tree.delta, scale, rank, gone)
    delta = tree.delta.copy()
    far = np.flatnonzero(resistance > 0)
    delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    return tree._replace(parent=parent, delta=delta)


def _renumbered(tree: RandomTree, moves: IntArray, kept: IntArray, n: int) -> RandomTree:
    density, delta = np.zeros(n), np.ones(n)
    parent = np.full(n, -1, dtype=np.int64)
    to = moves[kept]
    density[to], delta[to] = tree.density[kept], tree.delta[kept]
    leader = tree.parent[kept]
    parent[to] = np.where(leader < 0, -1, moves[leader])
    return tree._replace(density=density, delta=delta, parent=parent)


def _with(
    tree: RandomTree,
    new: IntArray,
    near: tuple[IntArray, FloatArray],
    scale: FloatArray,
    links: tuple[IntArray, FloatArray],
) -> RandomTree:
    neighbours, lengths = near
    # Known by the distances to their neighbours, whatever their number.
    odd = np.arange(1, 2 * lengths.shape[1], 2, dtype=np.uint64)
    keys = mixed(lengths.view(np.uint64) * odd).sum(axis=1, dtype=np.uint64)
    noise = np.exp(NOISE * normal_of(keys, mixed(np.array([tree.salt + 1]))[0]))
    density, delta, parent = tree.density.copy(), tree.delta.copy(), tree.parent.copy()
    # The root remains the root.
    most = float(density.max()) * (1.0 - 1e-9)
    density[new] = np.minimum(tree.level / scale[new] * noise, most)
    order = density_order(density)
    rank, root = ranks(order), int(order[0])
    delta[new] = np.nan
    attachment_kernels.attach(new, neighbours, lengths, rank, scale, parent, delta)
    lost = new[parent[new] < 0]
    resistance = np.zeros(len(density))
    kernels.leaders_up(lost, rank, *links, scale, root, parent, delta, resistance)
    far = lost[np.isnan(delta[lost])]
    delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    return tree._replace(density=density, delta=delta, parent=parent)
