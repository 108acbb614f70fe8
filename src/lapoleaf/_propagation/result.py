"""The result of a propagation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lapoleaf._typing import FloatArray, IntArray


@dataclass(frozen=True)
class Settings:
    """Settings of a propagation: the parameters of :func:`lapoleaf.propagate`."""

    solver: str = "exact"
    mu: float = np.inf
    weights: str = "inverse"
    coupling: float = 1.0
    pull: float = 0.0


@dataclass(frozen=True, eq=False)
class Propagation:
    """Labels of all nodes of a forest.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes,) or (n_nodes, K)
        A number or a label vector for every node, in the shape they were given.
    settings : Settings
        The settings of the propagation.
    lender : ndarray of shape (n_trees,)
        For every tree: itself if it has labels of its own, else the tree from whose root it
        borrowed its label. Coupled trees do not borrow.
    leave_one_out : ndarray of the shape of labels, or None
        The label that every node with a given label would get without it; NaN for all others, and
        if no other label reaches it. Exact solver only.
    precision : ndarray of shape (n_nodes,), or None
        Inverse variance of every label in units of ``1 / sigma2``: infinite for given labels that
        are kept, 0 if no label reaches the node. Exact solver only.
    others : ndarray of shape (n_nodes,), or None
        The part of it that is not due to the node's own label; 0 if no other label reaches the
        node. Exact solver only.
    noise : float
        Variance of one given label around the truth in units of ``sigma2``.
    sigma2 : ndarray of shape () or (K,), or None
        The scale of the variance, estimated from the leave-one-out errors of the given labels;
        infinite if there is nothing to estimate it from, or if it overflows. Exact solver only.

    Examples
    --------
    >>> from lapoleaf import LeadingForest, LeadingTree, propagate
    >>> tree = LeadingTree(density=[3, 2, 1], delta=[2, 1, 1], parent=[-1, 0, 1])
    >>> found = propagate(LeadingForest(tree, roots=[0]), [1, 0, 5], [1, 0, 1], solver="exact")
    >>> found.labels, found.variance
    (array([1., 3., 5.]), array([0., 4., 0.]))
    """

    labels: FloatArray
    settings: Settings
    lender: IntArray
    leave_one_out: FloatArray | None = None
    precision: FloatArray | None = None
    others: FloatArray | None = None
    noise: float = 0.0
    sigma2: FloatArray | None = None

    @property
    def variance(self) -> FloatArray | None:
        """Variance of every label, in the shape of labels; None with the three stages."""
        if self.precision is None or self.sigma2 is None:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = 1.0 / self.precision.reshape(-1, *[1] * (self.labels.ndim - 1))
            variance = np.where(spread == 0.0, 0.0, spread * self.sigma2)
        # Without a scale, or if no label reaches a node, the variance is unknown.
        return np.where(np.isnan(variance), np.inf, variance)
