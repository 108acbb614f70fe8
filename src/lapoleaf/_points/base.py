"""What every kind of points can do: be measured against each other, row by row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, Self

import numpy as np

from lapoleaf._points.products import Products
from lapoleaf._typing import AnyArray, FloatArray, IntArray


class Points(ABC):
    """Points with a distance between them; distances are computed on demand, never kept.

    Rows and distances that go in and out are in users' units.

    Attributes
    ----------
    n : int
        Number of points.
    work : float
        Operations that one distance costs, roughly.
    zero : float or None
        Distances up to this count as 0. None where different rows are never at distance 0.
    missing : float
        Distances from this on are not known.
    """

    n: int
    work: float
    zero: float | None
    missing: float = np.inf

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is computed when it is first asked for."""
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
        """Return the points at ``nodes`` in the form that :meth:`measure` takes."""

    @abstractmethod
    def prepare(self, X: Any) -> Any:
        """Return new rows in the form that :meth:`measure` takes."""

    @abstractmethod
    def measure(self, queries: Any) -> FloatArray:
        """Return the distances (m, n) of m queries to all points."""

    def joined(self, queries: Any) -> Self:
        """Return these points with those that :meth:`prepare` gave after them."""
        raise NotImplementedError("points without rows cannot be joined by others")

    @abstractmethod
    def identical(self) -> IntArray:
        """Return, for every point, the first point whose row is the same."""

    def identity(self, exponent: int | None = None) -> AnyArray | None:
        """Return 64 bits that identify every point, or None where it has no coordinates.

        They are the same in other units, as far as these differ by a power of two; in units of
        ``2.0**exponent``, they are those of the same row among any others.
        """
        return None

    def canonical_order(self) -> IntArray | None:
        """Return the points in an order that belongs to them, or None without coordinates.

        It is the same, whatever their numbers are.
        """
        keys = self.identity()
        return None if keys is None else np.argsort(keys, kind="stable")

    def products(self) -> Products | None:
        """Return what measures all pairs at the speed of a matrix product, where the metric can."""
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
