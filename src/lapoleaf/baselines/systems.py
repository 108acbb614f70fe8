"""Linear systems, with a one-sentence error if they cannot be solved."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, LinAlgWarning, solve

from lapoleaf._typing import FloatArray


def solved(system: FloatArray, right: FloatArray, advice: str, **how: Any) -> FloatArray:
    """Solve a system; raise ValueError with ``advice`` if it is singular to working precision.

    Parameters
    ----------
    system : ndarray of shape (n, n)
        The system; it may be overwritten.
    right : ndarray of shape (n, K)
        Right-hand sides.
    advice : str
        The cause of a failure, and the way out.
    **how
        Passed on to :func:`scipy.linalg.solve`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", LinAlgWarning)
        try:
            found: FloatArray = np.asarray(solve(system, right, overwrite_a=True, **how))
        except (LinAlgError, LinAlgWarning) as error:
            raise ValueError(advice) from error
    return found
