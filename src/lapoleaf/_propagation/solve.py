"""Propagation of given labels to all nodes of a forest."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from lapoleaf._forest import LeadingForest
from lapoleaf._messages import shown
from lapoleaf._numbers import as_floats, is_real, units_of
from lapoleaf._propagation.exact import WEIGHTS
from lapoleaf._propagation.exact_labels import exact_labels
from lapoleaf._propagation.result import Propagation, Settings
from lapoleaf._propagation.stages import three_stages
from lapoleaf._typing import BoolArray, FloatArray

# Labels up to 2 to this power, or its inverse, are not rescaled: squares and products with weights
# stay within the range of floats.
_USUAL = 200.0


def propagate(
    forest: LeadingForest,
    labels: Any,
    given: Any,
    *,
    solver: str = "exact",
    mu: float = np.inf,
    weights: str = "inverse",
    coupling: float = 1.0,
    pull: float = 0.0,
) -> Propagation:
    """Propagate given labels to all nodes of a forest in O(n), without iteration.

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    labels : array-like of shape (n_nodes,) or (n_nodes, K)
        Numbers, or label vectors such as one-hot classes. Ignored where not given.
    given : array-like of shape (n_nodes,)
        Which nodes have a given label: a mask, or how many labels each was given, as
        ``tree.to_nodes`` counts them.
    solver : {"exact", "stages"}, default="exact"
        ``"exact"``: the minimum of the paper's objective, with variances and leave-one-out.
        ``"stages"``: children to parent, root to root, parent to children, as in the paper; the
        parameters below have no effect.
    mu : float, default=inf
        Weight of a given label relative to the links: if infinite, given labels are kept; if
        finite, they may be overruled by their neighbourhood.
    weights : {"inverse", "self-tuned"}, default="inverse"
        Weight of a link: one over its length, or a Gaussian of it with the distances to the 10th
        neighbours as widths.
    coupling : float, default=1.0
        Factor of the weights of the links that the forest cuts: 1 is the uncut tree; with 0 no
        label passes from a tree to the tree above it.
    pull : float, default=0.0
        Weight of a pull of all labels to zero, relative to the links of each node.

    Returns
    -------
    Propagation
        Labels in the shape of the input.

    See Also
    --------
    LeadingTree.to_nodes : Merge labels of rows into labels of nodes.
    LeadingTree.to_rows : Go back from nodes to rows.

    Examples
    --------
    >>> from lapoleaf import leading_tree, lodog, propagate
    >>> tree = leading_tree([[0.0], [1.0], [1.9], [7.0], [8.0]], bandwidth=1.0)
    >>> forest = lodog(tree, n_trees=2)
    >>> given = [False, True, False, False, True]
    >>> propagate(forest, [0, 10, 0, 0, 20], given, solver="stages").labels
    array([10., 10., 10., 20., 20.])
    >>> propagate(forest, [0, 10, 0, 0, 20], given).labels.round(2)
    array([10.  , 10.  , 11.29, 18.57, 20.  ])
    """
    if not isinstance(forest, LeadingForest):
        raise TypeError(f"forest must be a LeadingForest, got {type(forest).__name__}.")
    settings = Settings(solver, mu, weights, coupling, pull)
    check_settings(settings)
    count = _check_given(given, forest.tree.n_nodes)
    vectors = _check_labels(labels, count > 0)
    flat = np.where((count > 0)[:, None], vectors.reshape(len(vectors), -1), 0.0)
    units = units_of(flat)
    if (np.abs(np.log2(units)) <= _USUAL).all():
        found = propagate_checked(forest, flat, count, settings)
    else:
        found = _times(propagate_checked(forest, flat / units, count, settings), units)
    return in_shape(found, vectors.shape)


def _times(found: Propagation, units: FloatArray) -> Propagation:
    """Return the labels in other units; variances that overflow are infinite."""
    without, sigma2 = found.leave_one_out, found.sigma2
    with np.errstate(over="ignore"):
        return dataclasses.replace(
            found,
            labels=found.labels * units,
            leave_one_out=None if without is None else without * units,
            sigma2=None if sigma2 is None else sigma2 * units * units,
        )


def propagate_checked(
    forest: LeadingForest, labels: FloatArray, count: FloatArray, settings: Settings
) -> Propagation:
    """Propagate validated label vectors (n_nodes, K); see :func:`propagate`."""
    if settings.solver == "stages":
        return three_stages(forest, labels, count > 0)
    return exact_labels(forest, labels, count, settings)


def in_shape(found: Propagation, shape: tuple[int, ...]) -> Propagation:
    """Return a propagation of (n_nodes, K) in the shape of the input."""
    if len(shape) == 2:
        return found
    without, sigma2 = found.leave_one_out, found.sigma2
    return dataclasses.replace(
        found,
        labels=found.labels[:, 0],
        leave_one_out=None if without is None else without[:, 0],
        sigma2=None if sigma2 is None else sigma2[0],
    )


def check_settings(settings: Settings) -> None:
    """Raise for invalid parameters."""
    if settings.solver not in ("exact", "stages"):
        raise ValueError(f"solver={shown(settings.solver)} is not known: use 'exact' or 'stages'.")
    if not is_real(settings.mu) or not settings.mu > 0:
        raise ValueError(
            f"mu={shown(settings.mu)} must be a positive number: infinite keeps given labels as "
            f"they are, smaller values trust them less."
        )
    if settings.weights not in WEIGHTS:
        raise ValueError(f"weights={shown(settings.weights)} is not known: use one of {WEIGHTS}.")
    if not is_real(settings.coupling) or not 0 <= settings.coupling <= 1:
        raise ValueError(
            f"coupling={shown(settings.coupling)} must be a number from 0 (trees are apart) to 1 "
            f"(the uncut tree)."
        )
    if not is_real(settings.pull) or not 0 <= settings.pull < np.inf:
        raise ValueError(f"pull={shown(settings.pull)} must be a number of at least 0.")


def _check_given(given: Any, n: int) -> FloatArray:
    values = np.asarray(given)
    if values.shape != (n,):
        raise ValueError(
            f"given has shape {values.shape}, but the forest has {n} nodes (distinct points): "
            f"tree.to_nodes turns rows into nodes."
        )
    if values.dtype.kind not in "biuf" or not (values >= 0).all():
        raise ValueError("given must be a mask, or how many labels each node was given.")
    if not values.any():
        raise ValueError("given marks no node: at least one label must be given.")
    return values.astype(np.float64)


def _check_labels(labels: Any, mask: BoolArray) -> FloatArray:
    vectors = as_floats(labels, "labels", "numbers or label vectors")
    if vectors.ndim not in (1, 2) or len(vectors) != len(mask):
        raise ValueError(
            f"labels has shape {vectors.shape}, but the forest has {len(mask)} nodes (distinct "
            f"points): give one number or one vector for each."
        )
    bad = ~np.isfinite(vectors[mask]).all(axis=tuple(range(1, vectors.ndim)))
    if bad.any():
        node = int(np.flatnonzero(mask)[bad][0])
        raise ValueError(f"labels must be finite where given, but node {node} has {vectors[node]}.")
    return vectors
