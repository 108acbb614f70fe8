"""The nodes of a growing tree, and what one more, or one less, does to all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lapoleaf._points.incremental import GrowingPoints
from lapoleaf._tree import kernels
from lapoleaf._tree.growing import SCALE_NEIGHBOUR
from lapoleaf._tree.incremental import repair_kernels as repair
from lapoleaf._tree.leaders import ranks
from lapoleaf._typing import BoolArray, FloatArray, IntArray

# Overtakings that are noted, for each node and altogether; nodes overtaken by more look again.
_NOTED, _NOTED_AT_LEAST = 1, 1024
# Distances that are held at a time.
_HELD = 2**18


class Nodes(NamedTuple):
    """The nodes of a growing tree; none of the arrays is ever written into.

    Attributes
    ----------
    points : GrowingPoints
        Where they are.
    density, low : ndarray of shape (n,)
        Their densities, and what these have lost by rounding.
    delta, parent, population
        As in :class:`LeadingTree`.
    order, rank : ndarray of shape (n,)
        The nodes from the densest on, and the place of each in this order.
    scale : ndarray of shape (n,)
        Distance to the 10th neighbour, or a bound that it does not exceed.
    is_known : ndarray of shape (n,), bool
        Whether it is the distance itself.
    unit : float
        Smallest weight of a row.
    bandwidth : float
        Width of the kernel behind the densities.
    centres : ndarray of shape (n,)
        The nodes in the order in which they became centres when that was last asked for, those
        that came later at the end.
    n_searches, n_overtakings : int
        How many nodes had to look through all others so far, and how many overtakings were
        measured.
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


class Met(NamedTuple):
    """A point, measured against all nodes.

    Attributes
    ----------
    nodes : Nodes
        The nodes.
    point : object
        The point.
    distances, terms : ndarray of shape (n,)
        Its distances to them, and their kernels.
    density, low : float
        The density they give it, and what this has lost by rounding.
    """

    nodes: Nodes
    point: Any
    distances: FloatArray
    terms: FloatArray
    density: float
    low: float


def measured(nodes: Nodes, point: Any) -> Met:
    """Measure a point against all nodes."""
    distances = nodes.points.distances(point)
    return Met(nodes, point, distances, *repair.met(distances, nodes.population, nodes.bandwidth))


def reweighed(nodes: Nodes, node: int, weight: float, unit: float) -> Nodes:
    """Give the nodes after one of them has gained, or lost, weight."""
    distances = nodes.points.distances(nodes.points.at(node))
    distances[node] = 0.0
    terms, _, _ = repair.met(distances, nodes.population, nodes.bandwidth)
    shift = nodes.unit - unit
    density, low = repair.shifted(terms, weight, shift, nodes.density, nodes.low)
    population = nodes.population.copy()
    population[node] += weight
    nodes = nodes._replace(density=density, low=low, population=population, unit=unit)
    parent, delta = nodes.parent.copy(), nodes.delta.copy()
    order, lost, measured = _overtaken(nodes, distances, parent, delta)
    nodes = nodes._replace(order=order, rank=ranks(order), parent=parent, delta=delta)
    return _settled(nodes, lost, measured)


def with_node(met: Met, weight: float, unit: float, number: int) -> Nodes:
    """Give the nodes with one more, which gets the number given."""
    nodes, distances = met.nodes, met.distances
    shift = nodes.unit - unit
    density, low = repair.shifted(met.terms, weight, shift, nodes.density, nodes.low)
    own, own_low = repair.shifted(
        np.ones(1), weight - unit, 0.0, np.array([met.density]), np.array([met.low])
    )
    nodes = nodes._replace(density=density, low=low, unit=unit)
    parent, delta = nodes.parent.copy(), nodes.delta.copy()
    order, lost, measured = _overtaken(nodes, distances, parent, delta)
    if number < nodes.points.n:
        order = repair.renumbered(order, number, 1)
        parent = repair.renumbered(parent, number, 1)
        nodes = nodes._replace(centres=repair.renumbered(nodes.centres, number, 1))
    density, low = _with(density, number, own[0]), _with(low, number, own_low[0])
    order = _with(order, repair.place_of(order, density, own[0], number), number)
    rank, distances = ranks(order), _with(distances, number, np.inf)
    parent, delta = _with(parent, number, -1), _with(delta, number, np.inf)
    root = int(order[0])
    if root == number:
        # The root there was is behind the new one, and led by it.
        delta[order[1]] = np.inf
    elif parent[root] < 0:
        delta[root] = max(delta[root], distances[root])
    repair.hang(number, distances, rank, parent, delta)
    few = nodes.points.n <= SCALE_NEIGHBOUR
    known = nodes.is_known & (_without(distances, number) >= nodes.scale) & (not few)
    nodes = nodes._replace(
        points=nodes.points.with_point(met.point, number),
        density=density,
        low=low,
        delta=delta,
        parent=parent,
        population=_with(nodes.population, number, weight),
        order=order,
        rank=rank,
        scale=_with(nodes.scale, number, np.inf),
        is_known=_with(known, number, False),
        centres=_with(nodes.centres, len(nodes.centres), number),
    )
    return _settled(nodes, _with(lost, number, False), measured)


def without_node(nodes: Nodes, number: int, unit: float) -> Nodes:
    """Give the nodes without one of them."""
    weight = float(nodes.population[number])
    distances = _without(nodes.points.distances(nodes.points.at(number)), number)
    terms, _, _ = repair.met(distances, _without(nodes.population, number), nodes.bandwidth)
    density, low = repair.shifted(
        terms,
        -weight,
        nodes.unit - unit,
        _without(nodes.density, number),
        _without(nodes.low, number),
    )
    parent = nodes.parent.copy()
    parent[parent == number] = repair.GONE
    parent = _without(repair.renumbered(parent, number, -1), number)
    delta = _without(nodes.delta, number)
    order = _without(nodes.order, int(nodes.rank[number]))
    near = distances <= _without(nodes.scale, number)
    few = len(parent) <= SCALE_NEIGHBOUR
    nodes = nodes._replace(
        points=nodes.points.without(number),
        density=density,
        low=low,
        delta=delta,
        parent=parent,
        population=_without(nodes.population, number),
        order=repair.renumbered(order, number, -1),
        rank=nodes.rank,
        scale=np.where(near | few, np.inf, _without(nodes.scale, number)),
        is_known=_without(nodes.is_known, number) & ~near & (not few),
        unit=unit,
        centres=repair.renumbered(nodes.centres[nodes.centres != number], number, -1),
    )
    top = int(nodes.order[0])
    farthest = parent[top] == -1 and distances[top] >= delta[top]
    order, lost, measured = _overtaken(nodes, distances, parent, delta)
    # Where the farthest node has gone, the root must look who is the farthest now.
    lost[top] |= farthest
    nodes = nodes._replace(order=order, rank=ranks(order))
    return _settled(nodes, lost, measured)


def with_scales(nodes: Nodes) -> Nodes:
    """Give the nodes with the distances to their 10th neighbours, all known."""
    unknown = np.flatnonzero(~nodes.is_known)
    if nodes.points.n == 1 or not len(unknown):
        return nodes
    scale = nodes.scale.copy()
    place = min(SCALE_NEIGHBOUR, nodes.points.n - 1)
    for some in _some_at_a_time(unknown, nodes.points.n):
        distances = nodes.points.rows(some)
        distances[np.arange(len(some)), some] = -1.0
        scale[some] = np.partition(distances, place, axis=1)[:, place]
    return nodes._replace(scale=scale, is_known=np.ones(len(scale), dtype=bool))


def _overtaken(
    nodes: Nodes, distances: FloatArray, parent: IntArray, delta: FloatArray
) -> tuple[IntArray, BoolArray, int]:
    """Put the order right; who overtook somebody nearby leads it. Writes into both last.

    Gives the order, nodes that must look again, and how many overtakings were measured.
    """
    order, led, leader, lost = repair.repaired_order(
        nodes.order,
        nodes.density,
        parent,
        delta,
        distances,
        nodes.points.triangle,
        max(_NOTED * len(parent), _NOTED_AT_LEAST),
    )
    top = int(nodes.order[0])
    if parent[top] == -1 and order[0] != top:
        # A deposed root: any leader is nearer than none.
        delta[top] = np.inf
    if len(led):
        lengths = nodes.points.pairs(led, leader)
        repair.take_leaders(led, leader, lengths, parent, delta)
    return order, lost, len(led)


def _settled(nodes: Nodes, lost: BoolArray, measured: int) -> Nodes:
    """Let all nodes without a leader ahead of them look for one; writes into the newest."""
    root = int(nodes.order[0])
    if nodes.parent[root] != -1:
        lost[root] = True
    alone = repair.orphans(nodes.parent, nodes.rank, lost)
    for found in _some_at_a_time(alone, nodes.points.n):
        distances = nodes.points.rows(found)
        kernels.nearest_denser(distances, found, nodes.rank, nodes.parent, nodes.delta)
    return nodes._replace(
        n_searches=nodes.n_searches + len(alone), n_overtakings=nodes.n_overtakings + measured
    )


def _some_at_a_time(nodes: IntArray, n: int) -> Iterator[IntArray]:
    """Cut a list of nodes into parts whose distances to all n nodes take little memory."""
    together = max(1, _HELD // n)
    for start in range(0, len(nodes), together):
        yield nodes[start : start + together]


def _with(values: Any, place: int, value: Any) -> Any:
    """Give an array with one value more."""
    out = np.empty(len(values) + 1, dtype=values.dtype)
    out[:place], out[place], out[place + 1 :] = values[:place], value, values[place:]
    return out


def _without(values: Any, place: int) -> Any:
    """Give an array with one value less."""
    out = np.empty(len(values) - 1, dtype=values.dtype)
    out[:place], out[place:] = values[:place], values[place + 1 :]
    return out
