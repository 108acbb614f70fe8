"""The class ``LeadingForest``."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from lapoleaf._forest import kernels
from lapoleaf._messages import shown
from lapoleaf._tree import LeadingTree
from lapoleaf._tree.structure import protected
from lapoleaf._typing import BoolArray, FloatArray, IntArray, PairDistance


@dataclass(frozen=True, eq=False)
class LeadingForest:
    """Leading forest: a leading tree cut above some of its nodes, the roots of its trees.

    :func:`lodog` finds the optimal cut; this class also takes roots of your own and checks them.

    Parameters
    ----------
    tree : LeadingTree
        The uncut tree.
    roots : array-like of shape (n_trees,)
        The roots, in any order; the root of the whole tree must be among them. Kept in order of
        gamma, the whole tree's root first.
    distance : callable, default=None
        ``distance(i, j)`` gives the distances between nodes ``i[k]`` and ``j[k]``. If None, that of
        the data the tree was built from.
    objective : array-like of shape (n_nodes,), default=None
        Value of the objective for 1, 2, ... trees.

    Examples
    --------
    >>> from lapoleaf import LeadingForest, LeadingTree
    >>> tree = LeadingTree(density=[4, 3, 2, 1], delta=[5, 1, 4, 1], parent=[-1, 0, 0, 2])
    >>> forest = LeadingForest(tree, roots=[0, 2])
    >>> forest.tree_of
    array([0, 0, 1, 1])
    >>> forest.path(3)
    array([3, 2])
    """

    tree: LeadingTree
    roots: IntArray
    distance: PairDistance | None = field(default=None, repr=False)
    objective: FloatArray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.tree, LeadingTree):
            raise TypeError(f"tree must be a LeadingTree, got {type(self.tree).__name__}.")
        roots = _checked_roots(self.tree, self.roots)
        roots.flags.writeable = False
        object.__setattr__(self, "roots", roots)
        if self.distance is not None and not callable(self.distance):
            raise TypeError(
                f"distance must be a function of two arrays of nodes, got {shown(self.distance)}."
            )
        if self.distance is None and self.tree.points is not None:
            object.__setattr__(self, "distance", self.tree.points.pairs)
        if self.objective is not None:
            objective = np.array(self.objective, dtype=np.float64)
            if objective.shape != (self.tree.n_nodes,):
                raise ValueError(
                    f"objective has shape {objective.shape}, but the tree has "
                    f"{self.tree.n_nodes} nodes."
                )
            objective.flags.writeable = False
            object.__setattr__(self, "objective", objective)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without derived values, such as the distance of the points."""
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        points = self.tree.points
        if points is not None and self.distance == points.pairs:
            del state["distance"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        points = state["tree"].points
        distance = None if points is None else points.pairs
        self.__dict__.update(protected({"distance": distance, **state}, "roots", "objective"))

    def __repr__(self) -> str:
        return f"LeadingForest(n_trees={self.n_trees}, n_nodes={self.tree.n_nodes})"

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.roots)

    @cached_property
    def is_root(self) -> BoolArray:
        """Whether a node is the root of a tree of the forest."""
        mask = np.zeros(self.tree.n_nodes, dtype=bool)
        mask[self.roots] = True
        return mask

    @cached_property
    def _trees_and_layers(self) -> tuple[IntArray, IntArray]:
        numbers = np.full(self.tree.n_nodes, -1, dtype=np.int64)
        numbers[self.roots] = np.arange(self.n_trees)
        return kernels.trees_and_layers(self.tree.order, self.tree.parent, numbers)

    @property
    def tree_of(self) -> IntArray:
        """The tree of every node: k where its root is ``roots[k]``."""
        return self._trees_and_layers[0]

    @property
    def layer(self) -> IntArray:
        """Number of steps from every node to the root of its tree (root 0)."""
        return self._trees_and_layers[1]

    @cached_property
    def subtree_size(self) -> IntArray:
        """Number of nodes below and including every node, within its tree."""
        ones = np.ones(self.tree.n_nodes)
        tree = self.tree
        sizes = kernels.subtree_sums(tree.order, tree.parent, self.is_root, ones)
        return sizes.astype(np.int64)

    @cached_property
    def _children(self) -> tuple[IntArray, IntArray]:
        led = self.tree.order[~self.is_root[self.tree.order]]
        leaders = self.tree.parent[led]
        start = np.zeros(self.tree.n_nodes + 1, dtype=np.int64)
        np.cumsum(np.bincount(leaders, minlength=self.tree.n_nodes), out=start[1:])
        return start, led[np.argsort(leaders, kind="stable")]

    def children(self, node: int) -> IntArray:
        """Return the nodes that ``node`` leads within its tree, the densest first.

        Parameters
        ----------
        node : int
            A node of the tree.
        """
        _check_node(self.tree, node)
        start, nodes = self._children
        return nodes[start[node] : start[node + 1]]

    def path(self, node: int) -> IntArray:
        """Return the nodes from ``node`` up to the root of its tree, both included.

        Parameters
        ----------
        node : int
            A node of the tree.
        """
        _check_node(self.tree, node)
        path = [int(node)]
        while not self.is_root[path[-1]]:
            path.append(int(self.tree.parent[path[-1]]))
        return np.array(path)

    @cached_property
    def depth(self) -> FloatArray:
        """Depth of every node, core (0) to halo (1): its layer over the deepest of its tree."""
        deepest = np.zeros(self.n_trees, dtype=np.int64)
        np.maximum.at(deepest, self.tree_of, self.layer)
        return self.layer / np.maximum(deepest, 1)[self.tree_of]

    @property
    def core(self) -> BoolArray:
        """Nodes in the upper half of the layers of their tree, which are typical of it."""
        return self.depth <= 0.5

    @property
    def halo(self) -> BoolArray:
        """Nodes in the lower half of the layers of their tree, which are on its border."""
        return ~self.core


def trusted_forest(
    tree: LeadingTree, roots: IntArray, distance: PairDistance | None, objective: FloatArray
) -> LeadingForest:
    """Return a forest of validated and sorted roots."""
    forest = object.__new__(LeadingForest)
    state = {"tree": tree, "roots": roots, "distance": distance, "objective": objective}
    forest.__dict__.update(protected(state, "roots", "objective"))
    return forest


def _check_node(tree: LeadingTree, node: int) -> None:
    if not 0 <= node < tree.n_nodes:
        raise ValueError(f"node={node} must be a node from 0 to {tree.n_nodes - 1}.")


def centre_order(tree: LeadingTree) -> IntArray:
    """Return the nodes in the order in which they become centres: gamma descending, root first."""
    gamma = tree.gamma.copy()
    gamma[tree.root] = np.inf
    # A stable sort from the densest on, so that ties in gamma are broken by density.
    return tree.order[np.argsort(-gamma[tree.order], kind="stable")]


def _checked_roots(tree: LeadingTree, given: IntArray) -> IntArray:
    roots = np.unique(np.asarray(given))
    if roots.dtype.kind not in "iu" or roots.size != np.size(given):
        raise ValueError("roots must be node numbers, each once.")
    if roots.size and not (roots[0] >= 0 and roots[-1] < tree.n_nodes):
        raise ValueError(f"roots must be nodes from 0 to {tree.n_nodes - 1}, got {given}.")
    if tree.root not in roots:
        raise ValueError(f"roots must include node {tree.root}, the root of the whole tree.")
    if roots.size == 1:
        return roots
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[roots] = True
    order = centre_order(tree)
    return order[mask[order]]
