"""Labels for all nodes of a forest from the few that were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.forest import LeadingForest
from lapoleaf.propagation.result import Propagation
from lapoleaf.propagation.stages import three_stages


def propagate(
    forest: LeadingForest, labels: Any, given: Any, *, solver: str = "stages"
) -> Propagation:
    """Let given labels flow to all nodes of a forest: O(n), no iteration.

    Parameters
    ----------
    forest : LeadingForest
        The forest.
    labels : array-like of shape (n_nodes,) or (n_nodes, K)
        Numbers, or label vectors such as one-hot classes. Ignored where not given.
    given : array-like of shape (n_nodes,)
        Which nodes have a given label: a mask, or how many labels each was given, as
        ``tree.to_nodes`` counts them.
    solver : {"stages"}, default="stages"
        ``"stages"``: children to parent, root to root, parent to children, as in the paper.

    Returns
    -------
    Propagation
        Labels in the shape they came in.

    See Also
    --------
    LeadingTree.to_nodes : Merge labels of rows into labels of nodes.
    LeadingTree.to_rows : Go back from nodes to rows.

    Examples
    --------
    >>> from lapoleaf import leading_tree, lodog, propagate
    >>> tree = leading_tree([[0.0], [1.0], [1.9], [7.0], [8.0]], bandwidth=1.0)
    >>> forest = lodog(tree, n_trees=2)
    >>> propagate(forest, [0, 10, 0, 0, 20], [False, True, False, False, True]).labels
    array([10., 10., 10., 20., 20.])
    """
    if not isinstance(forest, LeadingForest):
        raise TypeError(f"forest must be a LeadingForest, got {type(forest).__name__}.")
    if solver != "stages":
        raise ValueError(f"solver={solver!r} is not known; use solver='stages'.")
    mask = _check_given(given, forest.tree.n_nodes)
    vectors = _check_labels(labels, mask)
    flat = np.where(mask[:, None], vectors.reshape(len(vectors), -1), 0.0)
    found = three_stages(forest, flat, mask)
    return Propagation(found.labels.reshape(vectors.shape), found.lender)


def _check_given(given: Any, n: int) -> BoolArray:
    values = np.asarray(given)
    if values.shape != (n,):
        raise ValueError(
            f"given has shape {values.shape}, but the forest has {n} nodes (distinct points): "
            f"tree.to_nodes turns rows into nodes."
        )
    if values.dtype.kind not in "biuf" or not (values >= 0).all():
        raise ValueError("given must be a mask, or how many labels each node was given.")
    mask: BoolArray = values > 0
    if not mask.any():
        raise ValueError("given marks no node: at least one label must be given.")
    return mask


def _check_labels(labels: Any, mask: BoolArray) -> FloatArray:
    try:
        vectors = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"labels must hold numbers or label vectors: {error}") from error
    if vectors.ndim not in (1, 2) or len(vectors) != len(mask):
        raise ValueError(
            f"labels has shape {vectors.shape}, but the forest has {len(mask)} nodes (distinct "
            f"points): give one number or one vector for each."
        )
    bad = ~np.isfinite(vectors[mask]).all(axis=tuple(range(1, vectors.ndim)))
    if bad.any():
        node = int(np.flatnonzero(mask)[bad][0])
        raise ValueError(f"labels must be finite where given, but node {node} has {labels[node]}.")
    return vectors
