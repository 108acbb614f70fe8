"""Canonical numbering of nodes, so that ties are broken by the points and not by row order.

Ties of distances and densities are broken by number. If trees are built in the canonical order of
the points, and nodes get their numbers back afterwards, the trees do not depend on the order of
rows.
"""

from __future__ import annotations

import numpy as np

from lapoleaf._points import FatNodes
from lapoleaf._tree.structure import LeadingTree, density_order, ranks, trusted_tree
from lapoleaf._typing import FloatArray, IntArray


def renumbered_nodes(nodes: FatNodes, numbering: IntArray) -> FatNodes:
    """Return the nodes renumbered: node ``numbering[k]`` gets number k."""
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
        The nodes before renumbering.
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
    """Return distinct densities in the same order: of equal ones all but the last are increased.

    Each by as many units in the last place as there are later equal ones.
    """
    ascending = tree.order[::-1]
    # Nonnegative numbers have the same order as their bits.
    bits = (tree.density[ascending] + 0.0).view(np.int64)
    steps = np.arange(len(bits))
    density = np.empty(len(bits))
    density[ascending] = (np.maximum.accumulate(bits - steps) + steps).view(np.float64)
    return density
