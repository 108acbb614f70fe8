"""The leading tree: every point but one is led by its nearest denser point."""

from lapoleaf.tree.build import leading_tree, tree_of_rows, trees_of_rows
from lapoleaf.tree.joining import join
from lapoleaf.tree.structure import BuildReport, LeadingTree

__all__ = ["BuildReport", "LeadingTree", "join", "leading_tree", "tree_of_rows", "trees_of_rows"]
