"""Updates of random trees after changes of the plain tree.

New nodes are attached to their neighbours: below the one of least resistance that is ahead of them,
and above those behind them whose present link is weaker. No other node changes, so that a tree only
approximates the one that would be built from all rows.
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
from lapoleaf._tree.structure import LeadingTree, density_order, ranks, trusted_tree
from lapoleaf._typing import AnyArray, FloatArray, IntArray


class PlainTree(Protocol):
    """Interface of the plain tree used by random trees."""

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
    order, rank : ndarray of shape (n,)
        The nodes, densest first, and the rank of each.
    level : float
        The usual product of density and distance to the 10th neighbour when the tree was built.
    salt : int
        Seed of the noise of new nodes.
    """

    density: FloatArray
    delta: FloatArray
    parent: IntArray
    order: IntArray
    rank: IntArray
    level: float
    salt: int

    @classmethod
    def of(cls, tree: LeadingTree, salt: int, level: float | None = None) -> RandomTree:
        """Return a random tree in incremental form.

        Parameters
        ----------
        tree : LeadingTree
            The tree.
        salt : int
            Must differ between the trees of a model.
        level : float, default=None
            The level when the tree was built; the present one if None.
        """
        if level is None:
            level = float(np.median(tree.density * np.asarray(tree.scale)))
        return cls(tree.density, tree.delta, tree.parent, tree.order, tree.rank, level, salt)

    def freeze(self, plain: LeadingTree) -> LeadingTree:
        """Return the present tree, over the nodes of a plain one; arrays are shared."""
        return trusted_tree(
            self.order,
            self.rank,
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
    """Return random trees after insertions and removals in their plain tree.

    Parameters
    ----------
    trees : list of RandomTree
        The trees.
    new_number : ndarray of shape (n_before,)
        The new number of every node, -1 for removed nodes.
    before, plain : GrowingTree or the like
        The plain tree before and after.
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
    same_numbers = np.array_equal(new_number, np.arange(len(new_number)))
    # Noise depends on the distances to neighbours, not on numbers of nodes or units, which the
    # fixed bandwidth sets.
    keys = keys_of_lengths(near[1], exponent)
    found = []
    for tree in trees:
        if gone.any():
            tree = _without_nodes(tree, gone, old_scale)
        tree = (
            _with_room(tree, len(new)) if same_numbers else _renumbered(tree, new_number, kept, n)
        )
        if len(new):
            tree = _with_nodes(tree, new, near, scale, links, keys)
        found.append(tree)
    return found


def _without_nodes(tree: RandomTree, gone: AnyArray, scale: FloatArray) -> RandomTree:
    parent, resistance = attachment_kernels.reattach_orphans(
        tree.parent, tree.delta, scale, tree.rank, gone
    )
    delta = tree.delta.copy()
    far = np.flatnonzero(resistance > 0)
    delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    return tree._replace(parent=parent, delta=delta)


def _with_room(tree: RandomTree, m: int) -> RandomTree:
    """Return a tree with ``m`` more unattached nodes; others keep their numbers.

    The order is that of the nodes before.
    """
    return tree._replace(
        density=np.append(tree.density, np.zeros(m)),
        delta=np.append(tree.delta, np.ones(m)),
        parent=np.append(tree.parent, np.full(m, -1)),
    )


def order_with_last(order: IntArray, density: FloatArray) -> IntArray:
    """Return the nodes, densest first, from the order without the last ones.

    Parameters
    ----------
    order : ndarray of shape (n - m,)
        All but the last m nodes, densest first.
    density : ndarray of shape (n,)
        Densities of all.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._tree.incremental.random_trees import order_with_last
    >>> order_with_last(np.array([1, 0, 2]), np.array([2.0, 3.0, 1.0, 2.0, 9.0]))
    array([4, 1, 0, 3, 2])
    """
    n = len(order)
    last = n + density_order(density[n:])
    # Ties are broken by number, and the last nodes have the highest.
    places = np.searchsorted(-density[order], -density[last], side="right")
    return np.insert(order, places, last)


def _renumbered(tree: RandomTree, new_number: IntArray, kept: IntArray, n: int) -> RandomTree:
    density, delta = np.zeros(n), np.ones(n)
    parent = np.full(n, -1, dtype=np.int64)
    to = new_number[kept]
    density[to], delta[to] = tree.density[kept], tree.delta[kept]
    leader = tree.parent[kept]
    parent[to] = np.where(leader < 0, -1, new_number[leader])
    order = density_order(density)
    return tree._replace(
        density=density, delta=delta, parent=parent, order=order, rank=ranks(order)
    )


def _with_nodes(
    tree: RandomTree,
    new: IntArray,
    near: tuple[IntArray, FloatArray],
    scale: FloatArray,
    links: tuple[IntArray, FloatArray],
    keys: IntArray,
) -> RandomTree:
    """Return a tree with new nodes attached, which its arrays already contain."""
    neighbours, lengths = near
    noise = np.exp(LOG_DENSITY_NOISE * standard_normal(keys, mixed(np.array([tree.salt + 1]))[0]))
    # The arrays are not shared and can be modified.
    density, delta, parent = tree.density, tree.delta, tree.parent
    # The root does not change.
    most = float(density.max()) * (1.0 - 1e-9)
    density[new] = np.minimum(tree.level / scale[new] * noise, most)
    if len(tree.order) + len(new) == len(density):
        order = order_with_last(tree.order, density)
    else:
        order = density_order(density)
    rank, root = ranks(order), int(order[0])
    delta[new] = np.nan
    attachment_kernels.attach_by_resistance(new, neighbours, lengths, rank, scale, parent, delta)
    lost = new[parent[new] < 0]
    if len(lost):
        resistance = np.zeros(len(density))
        graph_kernels.leaders_up_tree(lost, rank, *links, scale, root, parent, delta, resistance)
        far = lost[np.isnan(delta[lost])]
        delta[far] = lengths_of_resistances(resistance[far], scale[far], scale[parent[far]])
    return tree._replace(density=density, delta=delta, parent=parent, order=order, rank=rank)
