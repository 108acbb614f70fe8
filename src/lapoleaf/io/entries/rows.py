"""Rows with their trees and forests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from lapoleaf._forest import LeadingForest
from lapoleaf._forest.objective import PUBLISHED, UNIT_FREE
from lapoleaf._numbers import is_real, is_whole
from lapoleaf._points.precomputed import GraphPoints
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._tree import LeadingTree
from lapoleaf.estimators.cluster_cuts import CLUSTER_CUTS
from lapoleaf.estimators.row_index import RowIndex
from lapoleaf.estimators.row_places import RowPlaces
from lapoleaf.estimators.rows import Cut, Rows
from lapoleaf.io.checks import (
    Field,
    amounts,
    array,
    ascending,
    floats,
    instance,
    nullable,
    one_of,
    plain,
    refuse,
    whole,
)
from lapoleaf.io.entries.points import SparseRows, n_columns
from lapoleaf.io.entry import Entry

# A large bound, so that a small file cannot take long to read.
_MOST_FORESTS = 100_000


def _parts(rows: Rows) -> Mapping[str, Any]:
    """Return the stored fields; random forests share most arrays with the plain one."""
    trees = [forest.tree for forest in rows.forests[1:]]
    left_out = rows.left_out
    return {
        "forest": rows.forest,
        "density": _stacked([tree.density for tree in trees], rows.tree.density),
        "delta": _stacked([tree.delta for tree in trees], rows.tree.delta),
        "parent": _stacked([tree.parent for tree in trees], rows.tree.parent),
        "weight": rows.weight,
        "ids": rows.ids,
        "next_id": rows.next_id,
        "frame_index": rows.frame_index,
        "left_out": SparseRows.of(left_out) if isinstance(left_out, sp.csr_matrix) else left_out,
        "cut": rows.cut,
        "n_built": rows.n_built,
        "n_changed": rows.n_changed,
        "levels": rows.levels,
        "places": rows.kept_places,
    }


def _stacked(arrays: list[Any], like: Any) -> Any:
    return np.stack(arrays) if arrays else np.empty((0, len(like)), dtype=like.dtype)


def _built(parts: Mapping[str, Any]) -> Rows:
    forest = parts["forest"]
    _check_rows(parts, forest.tree)
    _check_left_out(parts["left_out"], forest.tree)
    _check_random_trees(parts, forest.tree)
    left_out = parts["left_out"]
    return Rows(
        weight=parts["weight"],
        ids=parts["ids"],
        next_id=parts["next_id"],
        frame_index=parts["frame_index"],
        left_out=left_out.matrix() if isinstance(left_out, SparseRows) else left_out,
        cut=parts["cut"],
        frozen=(forest, *_random_forests(parts, forest.tree)),
        n_built=parts["n_built"],
        n_changed=parts["n_changed"],
        levels=parts["levels"],
        places=parts["places"],
    )


def _check_rows(parts: Mapping[str, Any], tree: LeadingTree) -> None:
    """Check that the tree was built from data, and that weights of rows match their nodes."""
    if tree.points is None or tree.bandwidth is None:
        refuse("Rows.forest", "built from data")
    weight, ids, inside = parts["weight"], parts["ids"], tree.node_of >= 0
    if len(weight) != tree.n_rows:
        refuse("Rows.weight", f"those of {tree.n_rows} rows")
    if not np.bincount(tree.node_of[inside], minlength=tree.n_nodes).all():
        refuse("Rows.forest", "of nodes that have rows")
    if not np.array_equal(weight > 0, inside):
        refuse("Rows.weight", "0 where a row is in no node, and only there")
    # Removed rows subtract their weight from nodes.
    total = np.bincount(tree.node_of[inside], weight[inside], tree.n_nodes)
    if not np.allclose(total, tree.population, rtol=1e-6, atol=0.0):
        refuse("Rows.weight", "the weights that nodes are the sum of")
    if parts["next_id"] <= ids[-1]:
        refuse("Rows.next_id", "above all ids")
    index = parts["frame_index"]
    if index is not None and index.parts and len(index) != tree.n_rows:
        refuse("Rows.frame_index", f"that of {tree.n_rows} rows")
    if index is not None and index.cells is not None and len(index.cells) != tree.n_rows:
        refuse("RowIndex.cells", f"those of {tree.n_rows} rows")


def _check_left_out(left_out: Any, tree: LeadingTree) -> None:
    """Check the rows of weight 0: those that are in no node."""
    points: Any = tree.points
    shape = int((tree.node_of < 0).sum()), n_columns(points)
    if (left_out is None) != (shape[0] == 0):
        refuse("Rows.left_out", "there if rows are in no node, and only then")
    if left_out is None:
        return
    sparse = isinstance(points, SparsePoints | GraphPoints)
    check = instance(SparseRows) if sparse else array("f4 f8", None, None)
    check(Field("Rows.left_out", left_out, {}))
    if left_out.shape != shape:
        refuse("Rows.left_out", f"of shape {shape}")


def _check_random_trees(parts: Mapping[str, Any], tree: LeadingTree) -> None:
    k, n = parts["density"].shape
    if n != tree.n_nodes or k > _MOST_FORESTS:
        refuse("Rows.density", f"those of at most {_MOST_FORESTS} trees of {tree.n_nodes} nodes")
    if k and tree.scale is None:
        refuse("Rows.forest", "of a tree with scales, which random trees share")


def _random_forests(parts: Mapping[str, Any], plain_tree: LeadingTree) -> list[LeadingForest]:
    found = []
    for density, delta, parent in zip(
        parts["density"], parts["delta"], parts["parent"], strict=True
    ):
        tree = LeadingTree(
            density=density,
            delta=delta,
            parent=parent,
            population=plain_tree.population,
            bandwidth=plain_tree.bandwidth,
            node_of=plain_tree.node_of,
            scale=plain_tree.scale,
            points=plain_tree.points,
            report=plain_tree.report,
        )
        found.append(LeadingForest(tree, np.array([tree.root])))
    return found


def _anything(field: Field) -> None:
    """Accept anything, since the tree checks it later."""


def _alpha(field: Field) -> None:
    if not is_real(field.value) or not 0 <= field.value < 1:
        field.refuse("a number in [0, 1)")


def _number_of_trees(field: Field) -> None:
    if not is_whole(field.value) or not 0 < field.value < 2**62:
        field.refuse("a positive whole number")


ENTRIES = (
    Entry(
        Cut,
        {
            "percent": plain,
            "alpha": _alpha,
            "cost": one_of(*UNIT_FREE, *PUBLISHED),
            "n_trees": nullable(_number_of_trees),
            "rule": one_of(*CLUSTER_CUTS),
        },
        shared=True,
    ),
    Entry(
        Rows,
        {
            "forest": instance(LeadingForest),
            "density": floats("random", "nodes"),
            "delta": floats("random", "nodes"),
            "parent": array("i8", "random", "nodes"),
            "weight": amounts("rows"),
            "ids": ascending("rows"),
            "next_id": whole(1),
            "frame_index": nullable(instance(RowIndex)),
            "left_out": _anything,
            "cut": instance(Cut),
            "n_built": whole(1),
            "n_changed": whole(0),
            "levels": nullable(amounts("random")),
            "places": nullable(instance(RowPlaces)),
        },
        build=_built,
        read=_parts,
        grows=True,
    ),
)
