"""Exact removal of a row: its node loses weight, changes its number, or is removed."""

from __future__ import annotations

import numpy as np

from lapoleaf._tree.incremental import repair_kernels as repair
from lapoleaf._tree.incremental.nodes import (
    Nodes,
    measure,
    with_added_weight,
    with_node,
    without_node,
)
from lapoleaf._tree.incremental.rows import Rows
from lapoleaf._typing import IntArray


def without_row(nodes: Nodes, rows: Rows, place: int) -> tuple[Nodes, Rows]:
    """Return nodes and rows without the row at a place.

    Parameters
    ----------
    nodes : Nodes
        The nodes of the tree.
    rows : Rows
        Its rows.
    place : int
        The row.
    """
    node, weight = int(rows.node_of[place]), float(rows.weight[place])
    left = rows.without(place)
    if node < 0:
        return nodes, left
    others = np.flatnonzero(left.node_of == node)
    if len(others) == 0:
        node_of = repair.renumbered(left.node_of, node, -1)
        return without_node(nodes, node, left.unit), left._replace(node_of=node_of)
    nodes, node_of = _with_fewer_rows(nodes, left, node, weight, int(others[0]))
    return nodes, left._replace(node_of=node_of)


def _with_fewer_rows(
    nodes: Nodes, left: Rows, node: int, weight: float, first: int
) -> tuple[Nodes, IntArray]:
    """Subtract the weight of a row from a node with other rows, the first of which is ``first``.

    Nodes are numbered by first appearance: if the first row of a node is removed, its number may
    increase, which changes ties.
    """
    before = left.node_of[:first]
    number = len(np.unique(before[before >= 0]))
    if number == node or nodes.points.n == 1:
        return with_added_weight(nodes, node, -weight, left.unit), left.node_of
    point, rest = nodes.points.at(node), float(left.weight[left.node_of == node].sum())
    is_here = left.node_of == node
    nodes = without_node(nodes, node, left.unit)
    nodes = with_node(measure(nodes, point), rest, left.unit, number)
    node_of = repair.renumbered(left.node_of, node + 1, -1)
    node_of = repair.renumbered(node_of, number, 1)
    node_of[is_here] = number
    return nodes, node_of
