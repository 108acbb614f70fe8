"""Base class of all kinds of points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Self

import numpy as np

from lapoleaf._points.products import Products
from lapoleaf._typing import AnyArray, FloatArray, IntArray


class Points(ABC):
    """Points under a metric; distances are computed on demand and never stored.

    Arguments and results are in users' units.

    Attributes
    ----------
    n : int
        Number of points.
    work : float
        Approximate number of operations per distance.
    zero : float or None
        Distances up to this count as 0. None if different rows are never at distance 0.
    missing : float
        Distances from this on are unknown.
    """

    n: int
    work: float
    zero: float | None
    missing: float = np.inf

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without cached values."""
        kind = type(self)
        return {
            name: value
            for name, value in vars(self).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    @abstractmethod
    def take(self, nodes: AnyArray) -> Self:
        """Return the points at ``nodes``, in that order."""

    @abstractmethod
    def at(self, nodes: AnyArray) -> Any:
        """Return the points at ``nodes`` in the format of :meth:`measure`."""

    @abstractmethod
    def prepare(self, X: Any) -> Any:
        """Return new rows in the format of :meth:`measure`."""

    @abstractmethod
    def measure(self, queries: Any) -> FloatArray:
        """Return the distances (m, n) of m queries to all points."""

    def joined(self, queries: Any) -> Self:
        """Return these points with prepared rows appended."""
        raise NotImplementedError("points without rows cannot be joined by others")

    @abstractmethod
    def identical(self) -> IntArray:
        """Return, for every point, the first point with the same row."""

    def identity(self, exponent: int | None = None) -> AnyArray | None:
        """Return 64 bits that identify every point, or None where it has no coordinates.

        They do not change if units change by a power of two; in units of ``2.0**exponent``, they
        depend on the row alone.
        """
        return None

    def canonical_order(self) -> IntArray | None:
        """Return an order that does not depend on numbers of points; None without coordinates."""
        keys = self.identity()
        return None if keys is None else np.argsort(keys, kind="stable")

    def products(self) -> Products | None:
        """Return the matrix-product form of the points, if the metric has one."""
        return None

    def rows(self, nodes: AnyArray) -> FloatArray:
        """Return the distances (m, n) of m of the points to all points."""
        return self.measure(self.at(nodes))

    def pairs(self, first: AnyArray, second: AnyArray) -> FloatArray:
        """Return the distance of ``first[k]`` to ``second[k]`` for every k."""
        out = np.empty(len(first))
        for node in np.unique(first):
            here = np.flatnonzero(first == node)
            out[here] = self.take(second[here]).measure(self.at(np.array([node])))[0]
        return out


def first_of_each(groups: AnyArray) -> IntArray:
    """Return, for every element, the index of the first element of its group.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf._points.base import first_of_each
    >>> first_of_each(np.array([7, 3, 7, 3]))
    array([0, 1, 0, 1])
    """
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    return first[inverse]
