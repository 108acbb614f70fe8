"""LoDOG: the number of trees that balances compact granules against few of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._forest import kernels
from lapoleaf._forest.costs import UNIT_FREE, Cost, tree_costs
from lapoleaf._forest.structure import LeadingForest, centre_order, trusted_forest
from lapoleaf._numbers import is_real, is_whole
from lapoleaf._tree import GrowingTree, LeadingTree
from lapoleaf._typing import FloatArray, IntArray

# Steps that sorting nearly sorted centres may take, for each node.
_MAX_STEPS_PER_NODE = 16
# Values of the objective closer than this, relative to the minimum, are equal.
_RELATIVE_TIE = 1e-9


def lodog(
    tree: LeadingTree, *, alpha: float = 0.5, cost: Cost = "linear", n_trees: int | None = None
) -> LeadingForest:
    r"""Cut a leading tree into the optimal number of trees.

    Centres are taken in the order of gamma, the root of the whole tree first, and N is chosen to
    minimise

    .. math:: Q(N) = \alpha H(N) + (1 - \alpha) \sum \delta

    where the sum runs over all nodes that are not among the first N centres. The whole curve is
    computed, in one sort and one sum.

    Parameters
    ----------
    tree : LeadingTree
        The tree to cut.
    alpha : float, default=0.5
        Weight of the number of trees against their compactness, in [0, 1): larger values give
        fewer trees.
    cost : str or callable, default="linear"
        The increasing function H. ``"linear"``, ``"log"``, ``"power"`` and ``"exponential"`` are
        ``x``, ``log(1 + x)``, ``x ** 1.5`` and ``x * 1.001 ** x``; delta is divided by twice its
        root mean square for them, so that they fit data of any scale. ``"imagenet"``
        (``80 * x * 1.001 ** x``) and ``"water"`` (``0.1 * x``) are those of the paper; they and a
        function of your own act on delta as it is, in units of distance.
    n_trees : int, default=None
        Number of trees, if you know it; the optimal number otherwise.

    Returns
    -------
    LeadingForest
        With the objective for every number of trees in ``forest.objective``.

    See Also
    --------
    leading_tree : Build the tree.
    propagate : Let labels flow in the forest.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from lapoleaf import leading_tree, lodog
    >>> X, _ = make_blobs(500, centers=5, cluster_std=0.5, random_state=3)
    >>> forest = lodog(leading_tree(X))
    >>> forest.n_trees
    5
    """
    if not isinstance(tree, LeadingTree):
        raise TypeError(f"tree must be a LeadingTree, got {type(tree).__name__}.")
    if not is_real(alpha) or not 0 <= alpha < 1:
        raise ValueError(
            f"alpha={alpha!r} must be a number in [0, 1): larger values give fewer trees."
        )
    centres = centre_order(tree)
    curve = objective_curve(tree, centres, float(alpha), cost)
    chosen = _optimal_number(curve) if n_trees is None else _check_n_trees(n_trees, tree)
    distance = None if tree.points is None else tree.points.pairs
    return trusted_forest(tree, centres[:chosen].copy(), distance, curve)


def update_lodog(
    growing: GrowingTree, *, alpha: float, cost: Cost, n_trees: int | None
) -> LeadingForest:
    """Return what :func:`lodog` returns, for a growing tree, in a time that grows with the changes.

    The centres of the last call are sorted again. The forest has no rows, and is valid until the
    tree changes.

    Parameters
    ----------
    growing : GrowingTree
        The tree, which keeps the order of the centres.
    alpha, cost, n_trees
        As there.
    """
    tree = growing.view()
    gamma = tree.gamma.copy()
    gamma[tree.root] = np.inf
    centres, is_sorted = kernels.sort_nearly_sorted(
        growing.centres, gamma, tree.rank, _MAX_STEPS_PER_NODE * tree.n_nodes
    )
    if not is_sorted:
        centres = centre_order(tree)
    growing.centres = centres
    curve = objective_curve(tree, centres, alpha, cost)
    chosen = _optimal_number(curve) if n_trees is None else _check_n_trees(n_trees, tree)
    return trusted_forest(tree, centres[:chosen].copy(), growing.points.pairs, curve)


def objective_curve(tree: LeadingTree, centres: IntArray, alpha: float, cost: Cost) -> FloatArray:
    """Return Q(1), ..., Q(n) for centres taken in the order given, the root first."""
    costs = tree_costs(cost, tree.n_nodes)
    # The root comes first; its delta is no distance to a leader and counts on neither side.
    delta = tree.delta[centres]
    if isinstance(cost, str) and cost in UNIT_FREE and tree.n_nodes > 1:
        delta /= 2.0 * _root_mean_square(delta[1:])
    return kernels.objective_values(costs, delta, alpha)


def _root_mean_square(values: FloatArray) -> float:
    largest = float(values.max())
    return largest * float(np.sqrt(np.mean((values / largest) ** 2)))


def _optimal_number(curve: FloatArray) -> int:
    """Return the smallest number of trees at the minimum of the whole, not unimodal, curve."""
    lowest = float(curve.min())
    return int(np.flatnonzero(curve <= lowest + _RELATIVE_TIE * abs(lowest))[0]) + 1


def _check_n_trees(n_trees: Any, tree: LeadingTree) -> int:
    if not is_whole(n_trees) or n_trees < 1:
        raise ValueError(f"n_trees={n_trees!r} must be a positive whole number, or None.")
    if n_trees > tree.n_nodes:
        raise ValueError(
            f"n_trees={n_trees} is more than the {tree.n_nodes} nodes of the tree (distinct "
            f"points): use at most {tree.n_nodes}, or None for the optimal number."
        )
    return int(n_trees)
