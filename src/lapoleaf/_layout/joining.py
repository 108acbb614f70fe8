"""Places of points added to a map; no other point moves."""

from __future__ import annotations

import numpy as np

from lapoleaf._layout.graph import LinkGraph
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.link_kernels import link_strengths
from lapoleaf._typing import BoolArray, FloatArray, IntArray

_MIN_STRENGTH = 1e-12
_N_STEPS = 10


def unit_of(tree: LeadingTree, places: FloatArray) -> float:
    """Return the length unit of a map: the median length of the links of a tree in it."""
    led = np.flatnonzero(tree.parent >= 0)
    length = np.hypot(*(places[led] - places[tree.parent[led]]).T.astype(np.float64))
    length = length[np.isfinite(length)]
    return float(np.median(length)) if len(length) else 0.0


def places_among(
    places: FloatArray, nodes: IntArray, strengths: FloatArray, unit: float
) -> FloatArray:
    """Return places (m, 2) of points that are attracted by some nodes each.

    The minimum of the attraction of t-SNE, starting at the strongest neighbour. Its tails are
    heavy, so that a point between two groups is placed in one of them rather than in between.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        Places of the nodes.
    nodes, strengths : ndarray of shape (m, k)
        The nodes that attract each point, and the strengths; 0 for none.
    unit : float
        The length unit of the map.
    """
    near = places[nodes].astype(np.float64)
    near[strengths == 0] = 0.0
    at = near[np.arange(len(near)), strengths.argmax(axis=1)]
    scale = unit if unit > 0 else 1.0
    for _ in range(_N_STEPS):
        away = ((near - at[:, None]) / scale) ** 2
        pull = strengths / (1.0 + away[:, :, 0] + away[:, :, 1])
        at = (pull[:, :, None] * near).sum(axis=1) / pull.sum(axis=1)[:, None]
    return np.asarray(at, dtype=np.float32)


def places_of_new(
    tree: LeadingTree, places: FloatArray, nodes: IntArray, lengths: FloatArray
) -> FloatArray:
    """Return places of new rows from their nearest nodes; a row that equals a node has its place.

    Parameters
    ----------
    tree : LeadingTree
        The first tree, built from data.
    places : ndarray of shape (n_nodes, 2)
        Places of the nodes.
    nodes, lengths : ndarray of shape (m, k)
        The nearest nodes of every row and their distances, nearest first.
    """
    # The scale of a row is its distance to the last of these, as for nodes.
    own = np.repeat(np.maximum(lengths[:, -1], np.finfo(np.float64).tiny), lengths.shape[1])
    theirs = np.ones(nodes.size) if tree.scale is None else tree.scale[nodes.ravel()]
    strengths = link_strengths(lengths.ravel(), own, theirs).reshape(lengths.shape)
    found = places_among(places, nodes, np.maximum(strengths, _MIN_STRENGTH), unit_of(tree, places))
    at_node = lengths[:, 0] == 0
    found[at_node] = places[nodes[at_node, 0]]
    return found


def places_of_joining(
    tree: LeadingTree, graph: LinkGraph, places: FloatArray, known: BoolArray
) -> FloatArray:
    """Return places of all nodes, of which those without one are placed beside their links.

    Parameters
    ----------
    tree : LeadingTree
        The first tree.
    graph : LinkGraph
        The links of all trees.
    places : ndarray of shape (n_nodes, 2)
        Places of the nodes that have one.
    known : ndarray of shape (n_nodes,), bool
        Mask of the nodes that have one, at least one node.
    """
    unit = unit_of(tree, np.where(known[:, None], places, np.nan))
    out, there = places[graph.walk].astype(np.float32), known[graph.walk]
    while not there.all():
        # First those linked to a node in the map; the others follow in later rounds.
        rows = np.flatnonzero(~there)
        counts = graph.start[rows + 1] - graph.start[rows]
        owner = np.repeat(np.arange(len(rows)), counts)
        first = np.repeat(graph.start[rows] - np.append(0, np.cumsum(counts)[:-1]), counts)
        link = first + np.arange(len(owner))
        held = there[graph.ends[link]]
        owner, link = owner[held], link[held]
        linked, owner, counts = np.unique(owner, return_inverse=True, return_counts=True)
        slot = np.arange(len(owner)) - np.repeat(np.append(0, np.cumsum(counts)[:-1]), counts)
        nodes = np.zeros((len(linked), counts.max()), dtype=np.int64)
        strengths = np.zeros(nodes.shape)
        nodes[owner, slot], strengths[owner, slot] = graph.ends[link], graph.weight[link]
        out[rows[linked]] = places_among(out, nodes, strengths, unit)
        there[rows[linked]] = True
    return graph.to_nodes(out)
