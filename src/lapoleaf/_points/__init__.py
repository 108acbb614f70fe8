"""Rows and a metric become points: distances in blocks, duplicates merged."""

from lapoleaf._points.base import Points
from lapoleaf._points.checks import as_counts, check_rows, check_sample_weight, make_points
from lapoleaf._points.dense import DensePoints
from lapoleaf._points.fat_nodes import FatNodes, merge_duplicates
from lapoleaf._points.sparse import SparsePoints

__all__ = [
    "DensePoints",
    "FatNodes",
    "Points",
    "SparsePoints",
    "as_counts",
    "check_rows",
    "check_sample_weight",
    "make_points",
    "merge_duplicates",
]
