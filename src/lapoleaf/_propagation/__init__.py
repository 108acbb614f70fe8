"""Labels of all nodes of a forest from the given ones: the exact solver and the three stages."""

from lapoleaf._propagation.attribution import label_shares
from lapoleaf._propagation.result import Propagation, Settings
from lapoleaf._propagation.solve import propagate
from lapoleaf._propagation.stages import (
    children_to_parent,
    parent_to_children,
    root_to_root,
    three_stages,
)

__all__ = [
    "Propagation",
    "Settings",
    "children_to_parent",
    "label_shares",
    "parent_to_children",
    "propagate",
    "root_to_root",
    "three_stages",
]
