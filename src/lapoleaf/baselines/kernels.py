"""Kernels given by name or as a function, and validation of their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import kernel_metrics, pairwise_kernels

from lapoleaf._messages import shown
from lapoleaf._typing import FloatArray
from lapoleaf.baselines.parameters import check_positive

# Kernels of the differences between rows alone.
_OF_DIFFERENCES = ("rbf", "laplacian")
# Arguments of scikit-learn's functions that are not kernel parameters.
_NOT_PARAMETERS = ("X", "Y", "dense_output")


def check_kernel(kernel: Any, params: Any) -> None:
    """Raise unless ``kernel`` is known, or a function, and takes the parameters.

    Parameters
    ----------
    kernel : object
        A name or a function of two rows.
    params : object
        A dict of its parameters, or None.
    """
    if params is not None and not isinstance(params, Mapping):
        raise ValueError(
            f"kernel_params={shown(params)} must be a dict, as in {{'gamma': 3.0}}, or None."
        )
    if callable(kernel):
        return
    known = kernel_metrics()
    if not isinstance(kernel, str) or kernel not in known:
        names = ", ".join(repr(name) for name in sorted(known))
        raise ValueError(
            f"kernel={shown(kernel)} must be one of {names}, or a function of two rows."
        )
    arguments = inspect.signature(known[kernel]).parameters
    takes = [name for name in arguments if name not in _NOT_PARAMETERS]
    for name in params or {}:
        if name not in takes:
            own = ", ".join(repr(name) for name in takes) or "none"
            raise ValueError(
                f"kernel_params={shown(params)} has {shown(name)}, which kernel={shown(kernel)} "
                f"does not take: its parameters are {own}."
            )
    if params and params.get("gamma") is not None:
        check_positive("kernel_params['gamma']", params["gamma"])


def is_of_differences(kernel: Any) -> bool:
    """Whether a kernel is known to depend only on the differences between rows.

    Parameters
    ----------
    kernel : str or callable
        A name, or a function, for which the result is False.
    """
    return isinstance(kernel, str) and kernel in _OF_DIFFERENCES


def kernel_of(rows: Any, others: Any, kernel: Any, params: Any) -> FloatArray:
    """Return the kernel between all rows and all others.

    Parameters
    ----------
    rows : ndarray or csr_array of shape (n, d)
        Rows.
    others : ndarray or csr_array of shape (m, d), or None
        Other rows; None: the same.
    kernel, params
        As checked by :func:`check_kernel`.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(pairwise_kernels(rows, others, metric=kernel, **(params or {})))
    # NaN and infinity among all entries show in the minimum and the maximum.
    if not (np.isfinite(found.min()) and np.isfinite(found.max())):
        raise ValueError(
            f"kernel={shown(kernel)} gives numbers on these rows that are too large or not "
            f"defined: scale the columns of X first, or use another kernel."
        )
    return found
