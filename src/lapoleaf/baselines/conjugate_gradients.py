"""Sparse systems solved by conjugate gradients, and a word where that does not succeed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse.linalg import cg
from sklearn.exceptions import ConvergenceWarning

from lapoleaf._typing import FloatArray

# Steps that pay; with more, a system of a million rows would keep one waiting for days.
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
        What may be left of the right side, relative to its length.
    method, way_out : str
        Who solves, and what to do if it does not succeed, for a warning.
    like : LinearOperator, default=None
        About the inverse of the system.
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
