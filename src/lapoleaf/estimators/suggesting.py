"""How sure a model is of its rows, for choosing those to label next."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._numbers import is_whole
from lapoleaf._typing import FloatArray
from lapoleaf.propagation.suggesting import Aim

# Variance of a label, in units of one over the mean degree, for covering the data: a single label
# says little of those around it, so that the middle of many is better than what is far from all.
_COVER_NOISE = 7.0
# With labels nothing is infinitely unsure: this only keeps trees without any from dividing by 0.
_LEAST_PULL = 1e-9
# Nobody is without any doubt.
_LEAST_DOUBT = 1e-3
# A point that is far from all others is asked for as if it were so many times as unsure as others.
_MOST_UNSURE = 20.0


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
    return Aim(False, weights, coupling, pull=_LEAST_PULL, mu=mu)


def bounded_concern(population: FloatArray, precision: FloatArray) -> FloatArray:
    """Give how much the number of every node matters: its population, less if it is an outlier.

    Without a bound the variance of a few points that nothing bears on would be all that counts.

    Parameters
    ----------
    population, precision : ndarray of shape (n,)
        Weight and inverse variance of every node.
    """
    unsure = np.isfinite(precision)
    if not unsure.any():
        return population
    with np.errstate(divide="ignore"):
        excess = np.median(1.0 / precision[unsure]) * precision * _MOST_UNSURE
    concern: FloatArray = population * np.where(unsure, np.minimum(excess, 1.0), 1.0)
    return concern


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
        shown = repr(n) if np.ndim(n) == 0 else f"an array of shape {np.shape(n)}"
        raise ValueError(
            f"n={shown} must be a whole number of rows to suggest, at least 1; the rows to choose "
            f"from are given by X=..."
        )
    return int(n)
