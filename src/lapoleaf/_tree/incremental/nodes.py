"""The nodes of a growing tree, with insertion and removal of a single node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lapoleaf._points.incremental import GrowingPoints
from lapoleaf._tree import kernels
from lapoleaf._tree.exact import SCALE_NEIGHBOUR
from lapoleaf._tree.incremental import repair_kernels as repair
from lapoleaf._tree.structure import ranks
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# Maximum number of recorded overtakings, per node and at least; beyond it leaders are searched.
_OVERTAKINGS_PER_NODE, _MIN_OVERTAKINGS = 1, 1024
# Distances that are held at a time.
_MAX_DISTANCES_HELD = 2**18


class Nodes(NamedTuple):
    """The nodes of a growing tree; arrays are immutable.

    Attributes
    ----------
    points : GrowingPoints
        Their coordinates.
    density, low : ndarray of shape (n,)
        Their densities, and the rounding errors of these (compensated sums).
    delta, parent, population
        As in :class:`LeadingTree`.
    order, rank : ndarray of shape (n,)
        The nodes from the densest on, and the rank of each.
    scale : ndarray of shape (n,)
        Distance to the 10th neighbour, or an upper bound.
    is_known : ndarray of shape (n,), bool
        Whether it is the distance itself.
    unit : float
        Smallest weight of a row.
    bandwidth : float
        Width of the kernel behind the densities.
    centres : ndarray of shape (n,)
        The nodes in the last computed order of centres, with later ones at the end.
    n_searches, n_overtakings : int
        Numbers of nodes compared with all others, and of measured overtakings, so far.
    """

    points: GrowingPoints
    density: FloatArray
    low: FloatArray
    delta: FloatArray
    parent: IntArray
    population: FloatArray
    order: IntArray
    rank: IntArray
    scale: FloatArray
    is_known: BoolArray
    unit: float
    bandwidth: float
    centres: IntArray
    n_searches: int = 0
    n_overtakings: int = 0


class Measured(NamedTuple):
    """A point with its distances to all nodes.

    Attributes
    ----------
    nodes : Nodes
        The nodes.
    point : object
        The point.
    distances, terms : ndarray of shape (n,)
        Its distances to them, and their kernels.
    density, low : float
        Its density, and the rounding error of that.
    """

    nodes: Nodes
    point: Any
    distances: FloatArray
    terms: FloatArray
    density: float
    low: float

    def is_of(self, nodes: Nodes, point: Any) -> bool:
        """Whether this is the same point, measured with the same densities."""
        is_same = nodes.density is self.nodes.density and not sp.issparse(point)
        return is_same and np.array_equal(self.point, point)


def measure(nodes: Nodes, point: Any) -> Measured:
    """Return a point with its distances to all nodes."""
    distances = nodes.points.distances(point)
    terms, density, low = repair.kernel_terms(distances, nodes.population, nodes.bandwidth)
    return Measured(nodes, point, distances, terms, density, low)


def with_added_weight(nodes: Nodes, node: int, weight: float, unit: float) -> Nodes:
    """Return the nodes after a change of the weight of one of them."""
    distances = nodes.points.distances(nodes.points.at(node))
    distances[node] = 0.0
    terms, _, _ = repair.kernel_terms(distances, nodes.population, nodes.bandwidth)
    shift = nodes.unit - unit
    density, low = repair.updated_densities(terms, weight, shift, nodes.density, nodes.low)
    population = nodes.population.copy()
    population[node] += weight
    nodes = nodes._replace(density=density, low=low, population=population, unit=unit)
    parent, delta = nodes.parent.copy(), nodes.delta.copy()
    order, lost, n_measured = _repair_order(nodes, distances, parent, delta)
    nodes = nodes._replace(order=order, rank=ranks(order), parent=parent, delta=delta)
    return _repair_leaders(nodes, lost, n_measured)


def with_node(new: Measured, weight: float, unit: float, number: int) -> Nodes:
    """Return the nodes with a new one of a given number."""
    nodes, distances = new.nodes, new.distances
    shift = nodes.unit - unit
    density, low = repair.updated_densities(new.terms, weight, shift, nodes.density, nodes.low)
    own, own_low = repair.updated_densities(
        np.ones(1), weight - unit, 0.0, np.array([new.density]), np.array([new.low])
    )
    nodes = nodes._replace(density=density, low=low, unit=unit)
    parent, delta = nodes.parent.copy(), nodes.delta.copy()
    order, lost, n_measured = _repair_order(nodes, distances, parent, delta)
    if number < nodes.points.n:
        order = repair.renumbered(order, number, 1)
        parent = repair.renumbered(parent, number, 1)
        nodes = nodes._replace(centres=repair.renumbered(nodes.centres, number, 1))
    density, low = _inserted(density, number, own[0]), _inserted(low, number, own_low[0])
    order = _inserted(order, repair.place_in_order(order, density, own[0], number), number)
    rank, distances = ranks(order), _inserted(distances, number, np.inf)
    parent, delta = _inserted(parent, number, -1), _inserted(delta, number, np.inf)
    root = int(order[0])
    if root == number:
        # The old root is behind the new one, and led by it.
        delta[order[1]] = np.inf
    elif parent[root] < 0:
        delta[root] = max(delta[root], distances[root])
    repair.link_node(number, distances, rank, parent, delta)
    few = nodes.points.n <= SCALE_NEIGHBOUR
    known = nodes.is_known & (_deleted(distances, number) >= nodes.scale) & (not few)
    nodes = nodes._replace(
        points=nodes.points.with_point(new.point, number),
        density=density,
        low=low,
        delta=delta,
        parent=parent,
        population=_inserted(nodes.population, number, weight),
        order=order,
        rank=rank,
        scale=_inserted(nodes.scale, number, np.inf),
        is_known=_inserted(known, number, False),
        centres=_inserted(nodes.centres, len(nodes.centres), number),
    )
    return _repair_leaders(nodes, _inserted(lost, number, False), n_measured)


def without_node(nodes: Nodes, number: int, unit: float) -> Nodes:
    """Return the nodes without one of them."""
    weight = float(nodes.population[number])
    distances = _deleted(nodes.points.distances(nodes.points.at(number)), number)
    terms, _, _ = repair.kernel_terms(
        distances, _deleted(nodes.population, number), nodes.bandwidth
    )
    density, low = repair.updated_densities(
        terms,
        -weight,
        nodes.unit - unit,
        _deleted(nodes.density, number),
        _deleted(nodes.low, number),
    )
    parent = nodes.parent.copy()
    parent[parent == number] = repair.REMOVED
    parent = _deleted(repair.renumbered(parent, number, -1), number)
    delta = _deleted(nodes.delta, number)
    order = _deleted(nodes.order, int(nodes.rank[number]))
    near = distances <= _deleted(nodes.scale, number)
    few = len(parent) <= SCALE_NEIGHBOUR
    nodes = nodes._replace(
        points=nodes.points.without(number),
        density=density,
        low=low,
        delta=delta,
        parent=parent,
        population=_deleted(nodes.population, number),
        order=repair.renumbered(order, number, -1),
        rank=nodes.rank,
        scale=np.where(near | few, np.inf, _deleted(nodes.scale, number)),
        is_known=_deleted(nodes.is_known, number) & ~near & (not few),
        unit=unit,
        centres=repair.renumbered(nodes.centres[nodes.centres != number], number, -1),
    )
    top = int(nodes.order[0])
    farthest = parent[top] == -1 and distances[top] >= delta[top]
    order, lost, n_measured = _repair_order(nodes, distances, parent, delta)
    # If the farthest node was removed, the largest distance of the root is recomputed.
    lost[top] |= farthest
    nodes = nodes._replace(order=order, rank=ranks(order))
    return _repair_leaders(nodes, lost, n_measured)


def with_scales(nodes: Nodes) -> Nodes:
    """Return the nodes with the distances to their 10th neighbours, all known."""
    unknown = np.flatnonzero(~nodes.is_known)
    if nodes.points.n == 1 or not len(unknown):
        return nodes
    scale = nodes.scale.copy()
    place = min(SCALE_NEIGHBOUR, nodes.points.n - 1)
    for some in _blocks(unknown, nodes.points.n):
        distances = nodes.points.rows(some)
        distances[np.arange(len(some)), some] = -1.0
        scale[some] = np.partition(distances, place, axis=1)[:, place]
    return nodes._replace(scale=scale, is_known=np.ones(len(scale), dtype=bool))


def _repair_order(
    nodes: Nodes, distances: FloatArray, parent: IntArray, delta: FloatArray
) -> tuple[IntArray, BoolArray, int]:
    """Repair the order; a node is led by one that overtook it, if that is nearer.

    Writes into ``parent`` and ``delta``. Returns the order, the nodes whose leader must be
    searched, and the number of measured overtakings.
    """
    order, led, leader, lost = repair.repaired_order(
        nodes.order,
        nodes.density,
        parent,
        delta,
        distances,
        nodes.points.triangle,
        max(_OVERTAKINGS_PER_NODE * len(parent), _MIN_OVERTAKINGS),
    )
    top = int(nodes.order[0])
    if parent[top] == -1 and order[0] != top:
        # A former root: any leader is nearer than none.
        delta[top] = np.inf
    if len(led):
        lengths = nodes.points.pairs(led, leader)
        repair.update_leaders(led, leader, lengths, parent, delta)
    return order, lost, len(led)


def _repair_leaders(nodes: Nodes, lost: BoolArray, n_measured: int) -> Nodes:
    """Search for the leaders of nodes that have none ahead; writes into the newest arrays."""
    root = int(nodes.order[0])
    if nodes.parent[root] != -1:
        lost[root] = True
    alone = repair.orphans(nodes.parent, nodes.rank, lost)
    for found in _blocks(alone, nodes.points.n):
        distances = nodes.points.rows(found)
        kernels.nearest_denser(distances, found, nodes.rank, nodes.parent, nodes.delta)
    return nodes._replace(
        n_searches=nodes.n_searches + len(alone), n_overtakings=nodes.n_overtakings + n_measured
    )


def _blocks(nodes: IntArray, n: int) -> Iterator[IntArray]:
    """Yield parts of a list of nodes whose distances to all n nodes take little memory."""
    together = max(1, _MAX_DISTANCES_HELD // n)
    for start in range(0, len(nodes), together):
        yield nodes[start : start + together]


def _inserted(values: Any, place: int, value: Any) -> Any:
    """Return an array with one value more."""
    out = np.empty(len(values) + 1, dtype=values.dtype)
    out[:place], out[place], out[place + 1 :] = values[:place], value, values[place:]
    return out


def _deleted(values: Any, place: int) -> Any:
    """Return an array with one value less."""
    out = np.empty(len(values) - 1, dtype=values.dtype)
    out[:place], out[place:] = values[:place], values[place + 1 :]
    return out
