"""Kernels that search leaders along a graph of neighbours: the nearest node ahead."""

from __future__ import annotations

import numpy as np

from lapoleaf._compilation import kernel
from lapoleaf._tree.link_kernels import MAX_RESISTANCE, resistance
from lapoleaf._typing import FloatArray, IntArray


@kernel(no_cpython_wrapper=True)
def _sink(ways, waiting, size):  # type: ignore[no-untyped-def]
    """Replace the first entry of a heap by the last; ``size`` entries are left."""
    way, node, place = ways[size], waiting[size], 0
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and (
            ways[below + 1] < ways[below]
            or (ways[below + 1] == ways[below] and waiting[below + 1] < waiting[below])
        ):
            below += 1
        if ways[below] > way or (ways[below] == way and waiting[below] >= node):
            break
        ways[place], waiting[place] = ways[below], waiting[below]
        place = below
    ways[place], waiting[place] = way, node


@kernel(no_cpython_wrapper=True)
def _rise(ways, waiting, size, way, node):  # type: ignore[no-untyped-def]
    """Insert an entry into a heap of ``size``, ordered by path length, then by number."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if ways[above] < way or (ways[above] == way and waiting[above] <= node):
            break
        ways[place], waiting[place] = ways[above], waiting[above]
        place = above
    ways[place], waiting[place] = way, node


@kernel
def leaders_along_graph(
    most: int,
    rank: IntArray,
    start: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    resistances: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the leader of every node: the nearest node ahead of it along a connected graph.

    The edges of a node are sorted by resistance. Distance along the graph is the sum of the
    resistances of a path. A search ends after ``most`` nodes, with the best result so far.

    Returns
    -------
    parent : ndarray of shape (n,)
        The leaders, -1 for the first node in the order, and if a search found none.
    delta : ndarray of shape (n,)
        Length of the edge to the leader; NaN if the path has several edges.
    resistance : ndarray of shape (n,)
        Resistance of the path.
    """
    n = rank.size
    parent, delta = np.full(n, -1), np.full(n, np.nan)
    resistance = np.zeros(n)
    nearest = np.full(n, np.inf)
    seen = np.empty(n, dtype=np.int64)
    ways, waiting = np.empty(1024), np.empty(1024, dtype=np.int64)
    for i in range(n):
        if rank[i] == 0:
            continue
        leader, least, length = np.int64(-1), np.inf, np.nan
        for edge in range(start[i], start[i + 1]):
            other = np.int64(neighbours[edge])
            if rank[other] < rank[i]:
                leader, least, length = other, resistances[edge], lengths[edge]
                break
        # Every resistance is at least 1: nodes that are not nearer by that much cannot lead to a
        # nearer one.
        ways[0], waiting[0], n_waiting = 0.0, i, 1
        nearest[i], seen[0], n_seen = 0.0, i, 1
        visited = 0
        while n_waiting > 0:
            way, node = ways[0], waiting[0]
            if way + 1.0 > least or visited >= most:
                break
            n_waiting -= 1
            _sink(ways, waiting, n_waiting)
            if way > nearest[node]:
                continue
            visited += 1
            for edge in range(start[node], start[node + 1]):
                other, longer = np.int64(neighbours[edge]), way + resistances[edge]
                if longer > least:
                    break
                if rank[other] < rank[i]:
                    if longer < least or (longer == least and other < leader):
                        leader, least, length = other, longer, np.nan
                elif longer + 1.0 <= least and longer < nearest[other]:
                    if nearest[other] == np.inf:
                        seen[n_seen] = other
                        n_seen += 1
                    nearest[other] = longer
                    if n_waiting == ways.size:
                        ways = np.concatenate((ways, np.empty_like(ways)))
                        waiting = np.concatenate((waiting, np.empty_like(waiting)))
                    _rise(ways, waiting, n_waiting, longer, other)
                    n_waiting += 1
        for place in range(n_seen):
            nearest[seen[place]] = np.inf
        parent[i], resistance[i], delta[i] = leader, least, length
    return parent, delta, resistance


@kernel
def leaders_in_many_orders(
    few: int,
    most: int,
    first: int,
    last: int,
    ranks: IntArray,
    start: IntArray,
    neighbours: IntArray,
    lengths: FloatArray,
    resistances: FloatArray,
    parent: IntArray,
    delta: FloatArray,
    resistance: FloatArray,
) -> None:
    """Write the leaders of the nodes from ``first`` to ``last`` in many orders at once.

    The order in which a search visits nodes does not depend on the density, so one search of a node
    serves all orders: column t of ``ranks`` is one of them. The first ``few`` nodes are accepted
    when visited; later nodes are candidates as soon as they are reached, which bounds the search.
    Columns of ``parent``, ``delta`` and ``resistance`` are the results of
    :func:`leaders_along_graph`.
    """
    n, few = ranks.shape[0], few if few < most else most
    nearest, length = np.empty(n), np.empty(n)
    for i in range(n):
        nearest[i] = np.inf
    seen, searching = np.empty(n, dtype=np.int64), np.empty(ranks.shape[1], dtype=np.int64)
    ways, waiting = np.empty(1024), np.empty(1024, dtype=np.int64)
    for i in range(first, last):
        n_searching = _begin_search(i, ranks, searching, parent, delta, resistance)
        led = (ranks, parent, delta, resistance)
        ways[0], waiting[0], n_waiting = 0.0, i, 1
        nearest[i], seen[0], n_seen, visited = 0.0, i, 1, 0
        while n_waiting > 0:
            way, node = ways[0], waiting[0]
            n_waiting -= 1
            _sink(ways, waiting, n_waiting)
            if way > nearest[node]:
                continue
            if visited < few:
                _take_nearer(i, node, way, length[node], searching[:n_searching], led)
                n_searching, bound = _still_searching(i, searching, n_searching, resistance, np.inf)
            else:
                for other in seen[: n_seen if visited == few else 0]:
                    near = nearest[other]
                    _take_nearer(i, other, near, length[other], searching[:n_searching], led)
                # Every resistance is at least 1, so no nearer node can be found beyond.
                n_searching, bound = _still_searching(
                    i, searching, n_searching, resistance, way + 1.0
                )
            if n_searching == 0 or visited >= most:
                break
            visited += 1
            if n_waiting + start[node + 1] - start[node] > ways.size:
                # Loops: concatenating would have to be compiled.
                size = 2 * ways.size + start[node + 1] - start[node]
                old_ways, ways = ways, np.empty(size)
                old_waiting, waiting = waiting, np.empty(size, dtype=np.int64)
                for place in range(n_waiting):
                    ways[place], waiting[place] = old_ways[place], old_waiting[place]
            for edge in range(start[node], start[node + 1]):
                other, longer = np.int64(neighbours[edge]), way + resistances[edge]
                if longer > bound:
                    break
                if longer < nearest[other]:
                    if nearest[other] == np.inf:
                        seen[n_seen] = other
                        n_seen += 1
                    nearest[other] = longer
                    length[other] = lengths[edge] if node == i else np.nan
                    if visited > few:
                        _take_nearer(i, other, longer, np.nan, searching[:n_searching], led)
                    if longer + 1.0 <= bound:
                        _rise(ways, waiting, n_waiting, longer, other)
                        n_waiting += 1
        for place in range(n_seen):
            nearest[seen[place]] = np.inf


@kernel(no_cpython_wrapper=True)
def _begin_search(i, ranks, searching, parent, delta, resistance):  # type: ignore[no-untyped-def]
    """List the orders in which node i needs a leader; return their number."""
    n_searching = 0
    for t in range(ranks.shape[1]):
        parent[i, t], delta[i, t] = -1, np.nan
        resistance[i, t] = np.inf if ranks[i, t] > 0 else 0.0
        searching[n_searching] = t
        n_searching += ranks[i, t] > 0
    return n_searching


@kernel(no_cpython_wrapper=True)
def _take_nearer(i, other, way, length, searching, led):  # type: ignore[no-untyped-def]
    """Make ``other`` lead node i in the orders in which it is ahead and nearer."""
    ranks, parent, delta, resistance = led
    for t in searching:
        if ranks[other, t] < ranks[i, t] and (
            way < resistance[i, t] or (way == resistance[i, t] and other < parent[i, t])
        ):
            parent[i, t], delta[i, t], resistance[i, t] = other, length, way


@kernel(no_cpython_wrapper=True)
def _still_searching(i, searching, n_searching, resistance, least):  # type: ignore[no-untyped-def]
    """Keep the orders in which node i may have a leader at a distance of at least ``least``.

    Returns their number, and the longest path to one of their leaders so far.
    """
    still, bound = 0, 0.0
    for place in range(n_searching):
        t = searching[place]
        searching[still] = t
        if resistance[i, t] >= least:
            still += 1
            bound = resistance[i, t] if resistance[i, t] > bound else bound
    return still, bound


@kernel
def leaders_up_tree(
    lost: IntArray,
    rank: IntArray,
    plain_parent: IntArray,
    plain_delta: FloatArray,
    scale: FloatArray,
    root: int,
    parent: IntArray,
    delta: FloatArray,
    ways: FloatArray,
) -> None:
    """Write the first node ahead on the path up the plain tree as leader of nodes without one.

    ``ways`` gets the resistance of the path, the sum over its links. If no node on the path is
    ahead, the node ``root`` leads.
    """
    for i in lost:
        node, way, steps = i, 0.0, 0
        while plain_parent[node] >= 0 and rank[node] >= rank[i]:
            above = plain_parent[node]
            way += resistance(plain_delta[node], scale[node], scale[above])
            node, steps = above, steps + 1
        if rank[node] >= rank[i]:
            parent[i], ways[i] = root, max(way, MAX_RESISTANCE)
            continue
        parent[i], ways[i] = node, way
        if steps == 1:
            delta[i] = plain_delta[i]
