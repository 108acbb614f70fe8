"""Labels of anchors from labels of rows: the linear system of AGR and HAGR."""

from __future__ import annotations

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import BoolArray, FloatArray
from lapoleaf.baselines.anchors import Shares
from lapoleaf.baselines.systems import solved

# Regularisation for anchors that no label determines.
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
        Shares of the anchors in every row: Z.
    finest : csr_array of shape (n, m1)
        Shares of the anchors of the finest layer: F. The same as ``shares`` if there is one layer.
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
    """Return the sums of the scores of every class; 1 for all if one of them is not positive.

    Scores and their sums may be negative, in which case scores cannot be divided by them, and all
    classes must be treated alike.

    Parameters
    ----------
    scores : ndarray of shape (n, K)
        Scores of all rows.
    """
    mass = scores.sum(axis=0)
    if (mass > 1e-12 * np.abs(scores).max(initial=0.0)).all():
        return np.asarray(mass)
    return np.ones_like(mass)
