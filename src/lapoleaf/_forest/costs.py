"""What a forest of N trees costs: the increasing function H of the objective."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from lapoleaf._typing import FloatArray

Cost: TypeAlias = "str | Callable[[Any], Any]"

# Free of units: they act on delta divided by twice its root mean square.
UNIT_FREE: dict[str, Callable[[FloatArray], FloatArray]] = {
    "linear": lambda x: x,
    "log": np.log1p,
    "power": lambda x: x**1.5,
    "exponential": lambda x: x * 1.001**x,
}
# As published for two data sets: they act on delta as it is, in units of distance.
PUBLISHED: dict[str, Callable[[FloatArray], FloatArray]] = {
    "imagenet": lambda x: 80.0 * x * 1.001**x,
    "water": lambda x: 0.1 * x,
}


def tree_costs(cost: Cost, n: int) -> FloatArray:
    """Return the cost of 1, 2, ..., n trees.

    Parameters
    ----------
    cost : str or callable
        A name from this module, or any increasing function of the number of trees.
    n : int
        Largest number of trees.

    Examples
    --------
    >>> from lapoleaf._forest.costs import tree_costs
    >>> tree_costs("water", 3)
    array([0.1, 0.2, 0.3])
    """
    numbers = np.arange(1, n + 1, dtype=np.float64)
    if isinstance(cost, str):
        known = {**UNIT_FREE, **PUBLISHED}
        if cost not in known:
            raise ValueError(
                f"cost={cost!r} is not known: use one of {sorted(known)}, or an increasing "
                f"function of the number of trees."
            )
        # An exponential cost of very many trees is infinite, which is what it means.
        with np.errstate(over="ignore"):
            return known[cost](numbers)
    if not callable(cost):
        raise ValueError(f"cost={cost!r} must be a name or a function of the number of trees.")
    return _values_of(cost, numbers)


def _values_of(cost: Callable[[Any], Any], numbers: FloatArray) -> FloatArray:
    try:
        values = np.asarray(cost(numbers), dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != numbers.shape:
        # A function of one number, such as one from the math module.
        try:
            values = np.array([float(cost(number)) for number in numbers])
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"cost must give a number for every number of trees: {error}"
            ) from error
    if np.isnan(values).any():
        raise ValueError(f"cost gives NaN for {int(numbers[np.isnan(values)][0])} trees.")
    # Costs so high that they are infinite may come at the end.
    rises = (values[1:] > values[:-1]) | np.isposinf(values[:-1]) & np.isposinf(values[1:])
    if not rises.all():
        k = int(np.flatnonzero(~rises)[0])
        raise ValueError(
            f"cost must increase with the number of trees, but it is {values[k]:g} for "
            f"{k + 1} and {values[k + 1]:g} for {k + 2}."
        )
    if not np.isfinite(values[0]):
        raise ValueError(f"cost must be finite for one tree, but it is {values[0]}.")
    return values
