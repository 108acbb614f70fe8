"""Many forests and what is mixed with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._points import Points
from lapoleaf._points.precomputed import GraphPoints
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._tree import BuildReport
from lapoleaf._typing import IntArray
from lapoleaf.estimators.mixing import Mixture
from lapoleaf.io.entry import Entry
from lapoleaf.io.fields import Fields
from lapoleaf.io.known_points import n_bytes, n_columns
from lapoleaf.io.stored_parts import OtherForests, RidgeParts, SparseRows, TrendParts

# Bounds that no model reaches, so that a small file keeps a reader neither busy nor full: forests,
# kernels of a trend, and bytes of landmarks where targets do not share them.
_MOST_FORESTS = 100_000
_MOST_KERNELS = 1000
_MOST_BYTES = 2**30


def _other_forests(fields: Fields) -> OtherForests:
    shape = fields.floats("density", None, None).shape
    fields.floats("delta", *shape)
    fields.array("parent", "i8", *shape)
    if not 0 < shape[0] <= _MOST_FORESTS or shape[1] < 2:
        fields.refuse("density", f"1 to {_MOST_FORESTS} trees of several nodes")
    fields.number("bandwidth")
    fields.instance("report", BuildReport)
    return OtherForests(**fields.values)


def _sparse_rows(fields: Fields) -> SparseRows:
    width = fields.whole("n_columns", 1)
    start = fields.array("indptr", "i4 i8", None)
    columns = fields.array("indices", "i4 i8", None)
    fields.array("data", "f4 f8", len(columns))
    if len(start) < 2 or start[0] != 0 or start[-1] != len(columns) or (np.diff(start) < 0).any():
        fields.refuse("indptr", "the beginnings of rows")
    if len(columns) and (columns.min() < 0 or columns.max() >= width):
        fields.refuse("indices", f"from 0 to {width - 1}")
    return SparseRows(**fields.values)


def _mixture(fields: Fields) -> Mixture:
    fields.amounts("mass", None)
    for name in ("power", "ridge_share", "sharpness"):
        fields.number(name)
    fields.real("loss")
    return Mixture(**fields.values)


def _ridge(fields: Fields) -> RidgeParts:
    nodes = _landmarks(fields)
    offset = fields.floats("offset", None)
    fields.floats("coefficients", len(nodes), len(offset))
    fields.floats("leave_one_out", None, len(offset))
    for name in ("width", "ridge"):
        fields.real(name)
    return RidgeParts(**fields.values)


def _trend(fields: Fields) -> TrendParts:
    nodes = _landmarks(fields)
    kernels = fields.floats("kernels", None, 3)
    if len(kernels) > _MOST_KERNELS:
        fields.refuse("kernels", f"at most {_MOST_KERNELS}")
    fields.floats("coefficients", len(nodes), len(kernels))
    fields.floats("inverse", len(nodes), len(nodes))
    without = fields.floats("leave_one_out", None)
    fields.floats("variance_without", len(without))
    for name in ("unit", "center", "spread", "noise", "scale"):
        fields.real(name)
    if fields.number("forest_share") > 1:
        fields.refuse("forest_share", "from 0 to 1")
    return TrendParts(**fields.values)


def _landmarks(fields: Fields) -> IntArray:
    """Give the nodes that are landmarks: each once, so that they are no more than all points."""
    nodes = fields.array("nodes", "i8", None)
    if not len(nodes) or nodes[0] < 0 or not (np.diff(nodes) > 0).all():
        fields.refuse("nodes", "nodes in ascending order")
    return nodes


def check_forests(fields: Fields, forest: LeadingForest) -> None:
    """Check the other forests of an estimator, if there are any."""
    if fields.values["forests_"] is None:
        return
    others = fields.instance("forests_", OtherForests)
    if others.density.shape[1] != forest.tree.n_nodes:
        fields.refuse("forests_", f"trees of {forest.tree.n_nodes} nodes")


def check_left_out(fields: Fields, forest: LeadingForest) -> None:
    """Check the rows of weight 0: as many as are in no node; a file of version 1 had none."""
    if fields.values["_left_out"] is None:
        return
    points: Any = forest.tree.points
    shape = int((forest.tree.node_of < 0).sum()), n_columns(points)
    if shape[0] == 0:
        fields.refuse("_left_out", "None, because all rows are in a node")
    if not isinstance(points, SparsePoints | GraphPoints):
        fields.array("_left_out", "f4 f8", *shape)
        return
    rows = fields.instance("_left_out", SparseRows)
    if (len(rows.indptr) - 1, rows.n_columns) != shape:
        fields.refuse("_left_out", f"of shape {shape}")


def refuse_parts_without_rows(fields: Fields, forest: LeadingForest) -> None:
    """Raise if rows of weight 0 are not there, and there are parts that need them."""
    if fields.values["_left_out"] is None and (forest.tree.node_of < 0).any():
        fields.refuse("_left_out", "the rows of weight 0")


class Landmarks:
    """Gives points at nodes, the same ones for the same nodes.

    Parameters
    ----------
    points : Points
        All points.
    """

    def __init__(self, points: Points) -> None:
        self._points = points
        self._found: dict[bytes, Points] = {}
        self._bytes_left = max(_MOST_BYTES, n_bytes(points))

    def at(self, fields: Fields, name: str, nodes: IntArray) -> Points:
        """Give the points at ``nodes``, which a field names."""
        if nodes[-1] >= self._points.n:
            fields.refuse(name, f"with landmarks below {self._points.n}")
        key = nodes.tobytes()
        if key not in self._found:
            if self._bytes_left < 0:
                fields.refuse(name, f"with landmarks of at most {_MOST_BYTES} bytes")
            self._found[key] = self._points.take(nodes)
            self._bytes_left -= n_bytes(self._found[key])
        return self._found[key]


ENTRIES = (
    Entry(OtherForests, ("density", "delta", "parent", "bandwidth", "report"), _other_forests),
    Entry(SparseRows, ("n_columns", "indptr", "indices", "data"), _sparse_rows),
    Entry(Mixture, ("mass", "power", "ridge_share", "sharpness", "loss"), _mixture),
    Entry(
        RidgeParts,
        ("nodes", "width", "ridge", "coefficients", "offset", "leave_one_out"),
        _ridge,
    ),
    Entry(
        TrendParts,
        (
            "nodes",
            "kernels",
            "forest_share",
            "coefficients",
            "inverse",
            "unit",
            "center",
            "spread",
            "noise",
            "scale",
            "leave_one_out",
            "variance_without",
        ),
        _trend,
    ),
)
