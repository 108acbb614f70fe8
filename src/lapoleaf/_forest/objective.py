"""LoDOG: the number of trees as a trade-off between compact granules and few granules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from lapoleaf._forest import kernels
from lapoleaf._forest.structure import LeadingForest, centre_order, trusted_forest
from lapoleaf._messages import reason_of, shown
from lapoleaf._numbers import is_real, is_whole
from lapoleaf._tree import GrowingTree, LeadingTree
from lapoleaf._typing import FloatArray, IntArray

Cost: TypeAlias = "str | Callable[[Any], Any]"

# Dimensionless: they act on delta divided by twice its root mean square.
UNIT_FREE: dict[str, Callable[[FloatArray], FloatArray]] = {
    "linear": lambda x: x,
    "log": np.log1p,
    "power": lambda x: x**1.5,
    "exponential": lambda x: x * 1.001**x,
}
# As published for two data sets: they act on delta as it is, in units of distance.
PUBLISHED: dict[str, Callable[[FloatArray], FloatArray]] = {
    "imagenet": lambda x: 80.0 * x * 1.001**x,
    "water": lambda x: 0.1 * x,
}


def tree_costs(cost: Cost, n: int) -> FloatArray:
    """Return the cost of 1, 2, ..., n trees.

    Parameters
    ----------
    cost : str or callable
        A name from this module, or any increasing function of the number of trees.
    n : int
        Largest number of trees.

    Examples
    --------
    >>> from lapoleaf._forest.objective import tree_costs
    >>> tree_costs("water", 3)
    array([0.1, 0.2, 0.3])
    """
    numbers = np.arange(1, n + 1, dtype=np.float64)
    if isinstance(cost, str):
        known = {**UNIT_FREE, **PUBLISHED}
        if cost not in known:
            raise ValueError(
                f"cost={shown(cost)} is not known: use one of {sorted(known)}, or an increasing "
                f"function of the number of trees."
            )
        # An exponential cost of very many trees may overflow to infinity, which is valid.
        with np.errstate(over="ignore"):
            return known[cost](numbers)
    if not callable(cost):
        raise ValueError(f"cost={shown(cost)} must be a name or a function of the number of trees.")
    return _values_of(cost, numbers)


def _values_of(cost: Callable[[Any], Any], numbers: FloatArray) -> FloatArray:
    try:
        values = np.asarray(cost(numbers), dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != numbers.shape:
        # A function of one number, such as one from the math module.
        try:
            values = np.array([float(cost(number)) for number in numbers])
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"cost must give a number for every number of trees: {reason_of(error)}."
            ) from error
    if np.isnan(values).any():
        raise ValueError(f"cost gives NaN for {int(numbers[np.isnan(values)][0])} trees.")
    # Infinite costs are allowed at the end.
    rises = (values[1:] > values[:-1]) | np.isposinf(values[:-1]) & np.isposinf(values[1:])
    if not rises.all():
        k = int(np.flatnonzero(~rises)[0])
        raise ValueError(
            f"cost must increase with the number of trees, but it is {values[k]:g} for "
            f"{k + 1} and {values[k + 1]:g} for {k + 2}."
        )
    if not np.isfinite(values[0]):
        raise ValueError(f"cost must be finite for one tree, but it is {values[0]}.")
    return values


# Maximum number of steps per node for sorting nearly sorted centres.
_MAX_STEPS_PER_NODE = 16
# Values of the objective closer to the minimum than this, relatively, count as equal.
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
        Weight of the number of trees relative to their compactness, in [0, 1): larger values give
        fewer trees.
    cost : str or callable, default="linear"
        The increasing function H. ``"linear"``, ``"log"``, ``"power"`` and ``"exponential"`` are
        ``x``, ``log(1 + x)``, ``x ** 1.5`` and ``x * 1.001 ** x``; delta is divided by twice its
        root mean square for them, so that they fit data of any scale. ``"imagenet"``
        (``80 * x * 1.001 ** x``) and ``"water"`` (``0.1 * x``) are those of the paper; they and a
        function of your own act on delta as it is, in units of distance.
    n_trees : int, default=None
        Number of trees; the optimal number if None.

    Returns
    -------
    LeadingForest
        The forest, with the objective for every number of trees in ``forest.objective``.

    See Also
    --------
    leading_tree : Build the tree.
    propagate : Propagate labels in the forest.

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
            f"alpha={shown(alpha)} must be a number in [0, 1): larger values give fewer trees."
        )
    centres = centre_order(tree)
    curve = objective_curve(tree, centres, float(alpha), cost)
    chosen = _optimal_number(curve) if n_trees is None else _check_n_trees(n_trees, tree)
    distance = None if tree.points is None else tree.points.pairs
    return trusted_forest(tree, centres[:chosen].copy(), distance, curve)


def update_lodog(
    growing: GrowingTree, *, alpha: float, cost: Cost, n_trees: int | None
) -> LeadingForest:
    """Return the result of :func:`lodog` for a growing tree, in time proportional to the changes.

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
    # The root comes first; its delta is not a distance to a leader and is ignored.
    delta = tree.delta[centres]
    if isinstance(cost, str) and cost in UNIT_FREE and tree.n_nodes > 1:
        delta /= 2.0 * _root_mean_square(delta[1:])
    return kernels.objective_values(costs, delta, alpha)


def _root_mean_square(values: FloatArray) -> float:
    largest = float(values.max())
    return largest * float(np.sqrt(np.mean((values / largest) ** 2)))


def _optimal_number(curve: FloatArray) -> int:
    """Return the smallest number of trees at the global minimum of the curve."""
    lowest = float(curve.min())
    return int(np.flatnonzero(curve <= lowest + _RELATIVE_TIE * abs(lowest))[0]) + 1


def _check_n_trees(n_trees: Any, tree: LeadingTree) -> int:
    if not is_whole(n_trees) or n_trees < 1:
        raise ValueError(f"n_trees={shown(n_trees)} must be a positive whole number, or None.")
    if n_trees > tree.n_nodes:
        raise ValueError(
            f"n_trees={n_trees} is more than the {tree.n_nodes} nodes of the tree (distinct "
            f"points): use at most {tree.n_nodes}, or None for the optimal number."
        )
    return int(n_trees)
