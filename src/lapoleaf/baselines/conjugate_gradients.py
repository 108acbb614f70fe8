"""Conjugate gradients for sparse systems, with a warning if they do not converge."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse.linalg import cg
from sklearn.exceptions import ConvergenceWarning

from lapoleaf._typing import FloatArray

# Maximum number of steps, since a system of a million rows could take days.
_MOST_STEPS = 10_000


def solved(
    system: Any, right: FloatArray, rtol: float, method: str, way_out: str, like: Any = None
) -> FloatArray:
    """Solve a system for every column of the right side.

    Parameters
    ----------
    system : sparse matrix or LinearOperator of shape (n, n)
        Symmetric and positive semidefinite.
    right : ndarray of shape (n, K)
        The right side.
    rtol : float
        Maximum norm of the residual, relative to that of the right side.
    method, way_out : str
        Name of the method and advice, for the warning.
    like : LinearOperator, default=None
        Preconditioner: an approximate inverse of the system.
    """
    steps = min(10 * right.shape[0], _MOST_STEPS)
    answers = [cg(system, column, rtol=rtol, maxiter=steps, M=like) for column in right.T]
    failed = sum(info != 0 for _, info in answers)
    if failed:
        warnings.warn(
            f"{method} did not converge for {failed} of {len(answers)} classes, so that their "
            f"scores are inexact: {way_out}.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return np.column_stack([found for found, _ in answers])
