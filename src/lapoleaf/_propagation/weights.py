"""How strongly every node is tied to its leader."""

from __future__ import annotations

import numpy as np

from lapoleaf._tree import LeadingTree
from lapoleaf._tree.link_kernels import link_strengths
from lapoleaf._typing import FloatArray

WEIGHTS = ("inverse", "self-tuned")
# Lengths of links relative to the longest are never smaller, so that weights stay finite.
_MIN_RELATIVE_LENGTH = 1e-200


def link_weights(tree: LeadingTree, weights: str) -> FloatArray:
    """Return the weight of the link from every node to its leader; free of units.

    Parameters
    ----------
    tree : LeadingTree
        The tree.
    weights : {"inverse", "self-tuned"}
        ``"inverse"``: population times the mean delta over delta. ``"self-tuned"``: population
        times ``exp(-2 delta**2 / (s t))``, with s and t the distances of the node and its leader to
        their 10th neighbours.
    """
    if weights not in WEIGHTS:
        raise ValueError(f"weights={weights!r} is not known: use one of {WEIGHTS}.")
    if tree.n_nodes == 1:
        return np.ones(1)
    if weights == "inverse":
        return tree.population * _inverse(tree)
    if tree.scale is None:
        raise ValueError(
            "weights='self-tuned' needs a tree built from data, or one with scale=...; use "
            "weights='inverse'."
        )
    return tree.population * link_strengths(tree.delta, tree.scale, tree.scale[tree.parent])


def _inverse(tree: LeadingTree) -> FloatArray:
    """Mean delta over delta; the root's delta is no distance to a leader and does not count."""
    largest = float(tree.delta.max())
    delta = np.maximum(tree.delta / largest, _MIN_RELATIVE_LENGTH)
    linked = np.delete(delta, tree.root)
    inverse: FloatArray = linked.mean() / delta
    return inverse
