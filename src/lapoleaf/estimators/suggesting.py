"""How sure a model is of its rows, for choosing those to label next."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._numbers import is_whole
from lapoleaf._typing import FloatArray
from lapoleaf.propagation.suggesting import Aim

# Variance of a label, in links of weight 1, for covering the data: a single label says little of
# those around it, so that a node in the middle of many is better than one that is far from all.
_COVER_NOISE = 10.0
# With labels nothing is infinitely unsure: this only keeps trees without any from dividing by 0.
_LEAST_PULL = 1e-9
# Nobody is without any doubt.
_LEAST_DOUBT = 1e-3


def covering(weights: str) -> Aim:
    """Give the aim of labels that cover the data."""
    return Aim(cover=True, weights=weights, noise=_COVER_NOISE)


def surer_numbers(weights: str, coupling: float, mu: float) -> Aim:
    """Give the aim of labels that make all numbers surer, as the exact solver has them.

    Parameters
    ----------
    weights, coupling, mu
        The settings that the numbers were propagated with.
    """
    noise = 0.0 if np.isinf(mu) else 0.5 / mu
    return Aim(False, weights, coupling, pull=_LEAST_PULL, mu=mu, noise=noise)


def unsureness(distributions: FloatArray) -> FloatArray:
    """Give how near the two most probable classes of every node are: 1 if level.

    Parameters
    ----------
    distributions : ndarray of shape (n, K)
        Probabilities of the classes. With one class there is nothing to tell it from: 1.
    """
    if distributions.shape[1] < 2:
        return np.ones(len(distributions))
    second, first = np.sort(distributions, axis=1)[:, -2:].T
    unsure: FloatArray = np.maximum(1.0 - (first - second), _LEAST_DOUBT)
    return unsure


def check_n(n: Any) -> int:
    """Give ``n`` as a number of rows, or say what is wrong with it."""
    if not is_whole(n) or n < 1:
        raise ValueError(f"n={n!r} must be a number of rows to suggest, at least 1.")
    return int(n)
