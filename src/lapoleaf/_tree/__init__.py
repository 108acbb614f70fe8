"""The leading tree: every point but one is led by its nearest denser point."""

from lapoleaf._tree.build import Trees, leading_tree, tree_of_rows, trees_of_rows
from lapoleaf._tree.incremental.exact import GrowingTree
from lapoleaf._tree.new_rows import leaders_of_rows, nearest_nodes, nearest_other_nodes
from lapoleaf._tree.report import BuildReport
from lapoleaf._tree.structure import LeadingTree

__all__ = [
    "BuildReport",
    "GrowingTree",
    "LeadingTree",
    "Trees",
    "leaders_of_rows",
    "leading_tree",
    "nearest_nodes",
    "nearest_other_nodes",
    "tree_of_rows",
    "trees_of_rows",
]
