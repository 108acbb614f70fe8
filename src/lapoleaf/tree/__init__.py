"""The leading tree: every point but one is led by its nearest denser point."""

from lapoleaf.tree.build import Trees, leading_tree, tree_of_rows, trees_of_rows
from lapoleaf.tree.growing_tree import GrowingTree
from lapoleaf.tree.joining import join, nearest_nodes
from lapoleaf.tree.structure import BuildReport, LeadingTree

__all__ = [
    "BuildReport",
    "GrowingTree",
    "LeadingTree",
    "Trees",
    "join",
    "leading_tree",
    "nearest_nodes",
    "tree_of_rows",
    "trees_of_rows",
]
