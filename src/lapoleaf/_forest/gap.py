"""The number of centres from the largest gap of gamma."""

from __future__ import annotations

import numpy as np

from lapoleaf._forest.structure import centre_order
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import FloatArray

_TINY, _LARGEST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)


def most_clusters(n_nodes: int) -> int:
    """Return the maximum number of clusters: the square root of the number of nodes.

    Examples
    --------
    >>> from lapoleaf._forest.gap import most_clusters
    >>> [most_clusters(n) for n in (1, 2, 3, 150)]
    [1, 1, 2, 12]
    """
    return min(max(2, int(np.sqrt(n_nodes))), max(1, n_nodes - 1))


def largest_gap(gamma: FloatArray, most: int) -> int:
    r"""Return the number of values before the largest gap, from 2 to ``most``.

    For a sample with a power-law tail, the gap between the k-th and the next value on a logarithmic
    scale is exponential with a mean proportional to 1 / k (Rényi, 1953), so gaps are multiplied by
    k.

    Parameters
    ----------
    gamma : ndarray of shape (n,)
        Values in descending order.
    most : int
        The largest number, below n. 1 if it is 1.

    Examples
    --------
    The gaps after 2, 3, 4 and 5 values are 1, 2, 0 and 1 powers of two, times 2, 3, 4 and 5.

    >>> import numpy as np
    >>> from lapoleaf._forest.gap import largest_gap
    >>> largest_gap(np.array([64.0, 32.0, 16.0, 4.0, 4.0, 2.0]), most=5)
    3
    """
    if most < 2:
        return 1
    logs = np.log(np.clip(gamma[: most + 1], _TINY, _LARGEST))
    gaps = np.arange(1, most + 1) * (logs[:-1] - logs[1:])
    # The delta of the root is not a distance to a leader, so the gap after it is ignored.
    return 2 + int(np.argmax(gaps[1:]))


def gap_number(tree: LeadingTree) -> int:
    """Return the number of centres before the largest gap of gamma of a tree."""
    return largest_gap(tree.gamma[centre_order(tree)], most_clusters(tree.n_nodes))
