"""Labels of anchors from labels of rows: what AGR and HAGR solve, and how they decide."""

from __future__ import annotations

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.baselines.anchors import Shares
from lapoleaf.baselines.systems import solved

# Anchors that no label pins down need something to stand on.
_RIDGE = 1e-6


def anchor_labels(
    shares: Shares, finest: Shares, given: BoolArray, labels: FloatArray, gamma: float
) -> FloatArray:
    """Solve (Zl'Zl + gamma Z'LZ) A = Zl'Yl, L the Laplacian of the finest anchors' graph.

    The graph has the weights W = F diag(1'F)^-1 F' between rows, F the shares of the finest
    anchors, so that every row has degree 1 and nothing of size n² is needed.

    Parameters
    ----------
    shares : csr_array of shape (n, m)
        What every row is made of: Z.
    finest : csr_array of shape (n, m1)
        What it is made of in the finest layer: F. The same as ``shares`` if there is one layer.
    given : ndarray of shape (n,), bool
        Rows with a label.
    labels : ndarray of shape (n, K)
        Their labels, as rows of 0 and 1.
    gamma : float
        Weight of the graph against the labels.

    Returns
    -------
    ndarray of shape (m, K)
        Labels of the anchors: A.
    """
    mass: FloatArray = np.asarray(finest.sum(axis=0)).ravel()
    across = (shares.T @ finest).toarray()[:, mass > 0.0]
    smoothness = (shares.T @ shares).toarray() - (across / mass[mass > 0.0]) @ across.T
    known = shares[given]
    system = (known.T @ known).toarray() + gamma * smoothness
    system[np.diag_indices_from(system)] += _RIDGE
    advice = (
        f"gamma={shown(gamma)} is so large that the given labels no longer count: use a smaller "
        f"one."
    )
    return solved(system, known.T @ labels[given], advice, assume_a="pos")


def class_masses(scores: FloatArray) -> FloatArray:
    """Return the sums of the scores of every class; 1 for all, if one of them has no mass.

    Scores may be negative, and so may their sum, by which nothing can be divided. Classes that
    are divided by their mass could not be compared with one that is not.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Scores of all rows.
    """
    mass = scores.sum(axis=0)
    if (mass > 1e-12 * np.abs(scores).max(initial=0.0)).all():
        return np.asarray(mass)
    return np.ones_like(mass)
