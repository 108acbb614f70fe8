"""Nodes in an order of their own, so that ties are decided by the points and not by their numbers.

Equal distances and equal densities are decided by number. Where trees are built in the canonical
order of the points, and nodes get their own numbers back afterwards, rows in another order have the
same trees.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._points import FatNodes
from lapoleaf._tree.structure import LeadingTree, density_order, ranks, trusted_tree
from lapoleaf._typing import FloatArray, IntArray


def renumbered_nodes(nodes: FatNodes, numbering: IntArray) -> FatNodes:
    """Return the same nodes, of which node ``numbering[k]`` has number k."""
    place = ranks(numbering)
    node_of = np.where(nodes.node_of < 0, -1, place[nodes.node_of])
    return FatNodes(nodes.points.take(numbering), node_of, nodes.population[numbering])


def in_numbering(tree: LeadingTree, nodes: FatNodes, numbering: IntArray) -> LeadingTree:
    """Return a tree of :func:`renumbered_nodes` over the nodes with their own numbers.

    Parameters
    ----------
    tree : LeadingTree
        The tree.
    nodes : FatNodes
        The nodes as they were before.
    numbering : ndarray of shape (n_nodes,)
        Their former numbers.
    """
    place = ranks(numbering)
    leader = tree.parent[place]
    parent = np.where(leader < 0, -1, numbering[leader])
    density = tree.density[place]
    led = np.flatnonzero(parent >= 0)
    if ((density[led] == density[parent[led]]) & (parent[led] > led)).any():
        density = _without_ties(tree)[place]
    order = numbering[tree.order]
    falling = density[order]
    if (falling[1:] == falling[:-1]).any():
        order = density_order(density)
    return trusted_tree(
        order,
        ranks(order),
        density=density,
        delta=tree.delta[place],
        parent=parent,
        population=nodes.population,
        bandwidth=tree.bandwidth,
        node_of=nodes.node_of,
        scale=None if tree.scale is None else tree.scale[place],
        points=nodes.points,
        report=tree.report,
    )


def _without_ties(tree: LeadingTree) -> FloatArray:
    """Return densities that differ, in the same order: of equal ones all but the last grow.

    Each by as many units in the last place as there are equal ones behind it.
    """
    ascending = tree.order[::-1]
    # Numbers that are not negative are ordered as their bits are.
    bits = (tree.density[ascending] + 0.0).view(np.int64)
    steps = np.arange(len(bits))
    density = np.empty(len(bits))
    density[ascending] = (np.maximum.accumulate(bits - steps) + steps).view(np.float64)
    return density
