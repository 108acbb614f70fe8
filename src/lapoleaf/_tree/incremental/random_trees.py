"""Random trees that follow the changes of a plain tree.

New nodes are attached to their neighbours: below the one of least resistance that is ahead of them,
above those behind them whose link is weaker so far. No other node changes, so that a tree is only
nearly the one that would be built from all rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np

from lapoleaf._points.kernels import mixed
from lapoleaf._tree import graph_kernels
from lapoleaf._tree.incremental import attachment_kernels
from lapoleaf._tree.link_kernels import lengths_of_resistances
from lapoleaf._tree.neighbour_graph import N_GRAPH_NEIGHBOURS
from lapoleaf._tree.random_trees import LOG_DENSITY_NOISE, keys_of_lengths, standard_normal
from lapoleaf._tree.structure import LeadingTree, density_order, ranks
from lapoleaf._typing import AnyArray, FloatArray, IntArray


class PlainTree(Protocol):
    """What random trees need of the plain tree that they follow."""

    @property
    def n_nodes(self) -> int: ...

    @property
    def bandwidth(self) -> float: ...

    def scales(self) -> FloatArray: ...

    def links(self) -> tuple[IntArray, FloatArray]: ...

    def neighbours(self, nodes: IntArray, k: int) -> tuple[IntArray, FloatArray]: ...


class RandomTree(NamedTuple):
    """A random tree that nodes can be inserted into and removed from.

    Attributes
    ----------
    density, delta, parent
        As in :class:`LeadingTree`.
    level : float
        The usual product of density and distance to the 10th neighbour when the tree was built.
    salt : int
        What the noise of new nodes is drawn with.
    """

    density: FloatArray
    delta: FloatArray
    parent: IntArray
    level: float
    salt: int

    @classmethod
    def of(cls, tree: LeadingTree, salt: int, level: float | None = None) -> RandomTree:
        """Return a random tree in this form.

        Parameters
        ----------
        tree : LeadingTree
            The tree.
        salt : int
            Must differ between the trees of a model.
        level : float, default=None
            The level when the tree was built; that of the tree as it is if None.
        """
        if level is None:
            level = float(np.median(tree.density * np.asarray(tree.scale)))
        return cls(tree.density, tree.delta, tree.parent, level, salt)

    def freeze(self, plain: LeadingTree) -> LeadingTree:
        """Return the tree as it is now, over the nodes of a plain one."""
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


def update_random_trees(
    trees: list[RandomTree], new_number: IntArray, before: PlainTree, plain: PlainTree
) -> list[RandomTree]:
    """Return random trees after nodes of their plain tree have come and gone.

    Parameters
    ----------
    trees : list of RandomTree
        The trees.
    new_number : ndarray of shape (n_before,)
        The number that every node has now, -1 for removed nodes.
    before, plain : GrowingTree or the like
        The plain tree as it was, and as it is.
    """
    gone = new_number < 0
    kept, n = np.flatnonzero(~gone), plain.n_nodes
    is_new = np.ones(n, dtype=bool)
    is_new[new_number[kept]] = False
    new = np.flatnonzero(is_new)
    old_scale = before.scales() if gone.any() else np.empty(0)
    scale = plain.scales()
    links = plain.links()
    near = plain.neighbours(new, N_GRAPH_NEIGHBOURS)
    exponent = math.frexp(plain.bandwidth)[1]
    found = []
    for tree in trees:
        if gone.any():
            tree = _without_nodes(tree, gone, old_scale)
        tree = _renumbered(tree, new_number, kept, n)
        if len(new):
            tree = _with_nodes(tree, new, near, scale, links, exponent)
        found.append(tree)
    return found


def _without_nodes(tree: RandomTree, gone: AnyArray, scale: FloatArray) -> RandomTree:
    rank = ranks(density_order(tree.density))
    parent, resistance = attachment_kernels.reattach_orphans(
        tree.parent, tree.delta, scale, rank, gone
    )
    delta = tree.delta.copy()
    far = np.flatnonzero(resistance > 0)
    delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    return tree._replace(parent=parent, delta=delta)


def _renumbered(tree: RandomTree, new_number: IntArray, kept: IntArray, n: int) -> RandomTree:
    density, delta = np.zeros(n), np.ones(n)
    parent = np.full(n, -1, dtype=np.int64)
    to = new_number[kept]
    density[to], delta[to] = tree.density[kept], tree.delta[kept]
    leader = tree.parent[kept]
    parent[to] = np.where(leader < 0, -1, new_number[leader])
    return tree._replace(density=density, delta=delta, parent=parent)


def _with_nodes(
    tree: RandomTree,
    new: IntArray,
    near: tuple[IntArray, FloatArray],
    scale: FloatArray,
    links: tuple[IntArray, FloatArray],
    exponent: int,
) -> RandomTree:
    neighbours, lengths = near
    # Noise depends on the distances to neighbours, not on the numbers of nodes or on units: the
    # bandwidth stays that of the build.
    keys = keys_of_lengths(lengths, exponent)
    noise = np.exp(LOG_DENSITY_NOISE * standard_normal(keys, mixed(np.array([tree.salt + 1]))[0]))
    density, delta, parent = tree.density.copy(), tree.delta.copy(), tree.parent.copy()
    # The root remains the root.
    most = float(density.max()) * (1.0 - 1e-9)
    density[new] = np.minimum(tree.level / scale[new] * noise, most)
    order = density_order(density)
    rank, root = ranks(order), int(order[0])
    delta[new] = np.nan
    attachment_kernels.attach_by_resistance(new, neighbours, lengths, rank, scale, parent, delta)
    lost = new[parent[new] < 0]
    resistance = np.zeros(len(density))
    graph_kernels.leaders_up_tree(lost, rank, *links, scale, root, parent, delta, resistance)
    far = lost[np.isnan(delta[lost])]
    delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    return tree._replace(density=density, delta=delta, parent=parent)
