"""The accuracy of labels, estimated by a random check."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import AnyArray, BoolArray, IntArray

# Of 95 % of such intervals it is true that they hold the accuracy.
_N_STANDARD_ERRORS = 1.959963984540054


def wilson_interval(right: int, n: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share (Wilson).

    Parameters
    ----------
    right, n : int
        How many of how many are right.

    Examples
    --------
    >>> from lapoleaf.studio.checks import wilson_interval
    >>> low, high = wilson_interval(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.596, 0.982)
    """
    if n == 0:
        return 0.0, 1.0
    z, share = _N_STANDARD_ERRORS, right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == n else min(1.0, centre + half)
    return low, high


def order_of_draws(digests: AnyArray, seed: int) -> IntArray:
    """Return all rows in a random order, which is determined by a seed.

    Parameters
    ----------
    digests : ndarray of shape (n_rows,), uint64
        What rows are recognised by.
    seed : int
        Of the project.
    """
    # Equal rows are distinguished by their numbers.
    numbers = np.arange(len(digests), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return np.argsort(_lots(digests + numbers, seed), kind="stable")


def drawn(order: IntArray, allowed: BoolArray, n: int) -> IntArray:
    """Draw rows uniformly among those allowed: always the same ones until they are answered.

    Parameters
    ----------
    order : ndarray of shape (n_rows,)
        All rows in an order by chance.
    allowed : ndarray of shape (n_rows,), bool
        Rows that may be drawn.
    n : int
        How many.
    """
    found: IntArray = order[allowed[order]][:n]
    return found


def _lots(bits: AnyArray, seed: int) -> AnyArray:
    """Return mixed bits: the finaliser of splitmix64."""
    bits = bits ^ np.uint64(seed)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: AnyArray = bits ^ (bits >> np.uint64(31))
    return found
