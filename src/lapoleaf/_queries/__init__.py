"""Selection of the nodes to label next: one class per criterion, and a greedy loop."""

from lapoleaf._queries.concern import bounded_concern, unsureness
from lapoleaf._queries.criteria import CRITERIA, Coverage, Criterion, VarianceReduction
from lapoleaf._queries.field import Field, LabelModel
from lapoleaf._queries.greedy import Target, check_n, suggest_nodes

__all__ = [
    "CRITERIA",
    "Coverage",
    "Criterion",
    "Field",
    "LabelModel",
    "Target",
    "VarianceReduction",
    "bounded_concern",
    "check_n",
    "suggest_nodes",
    "unsureness",
]
