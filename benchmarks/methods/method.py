"""A method of the registry: its name, how it is made, and the parameters it is tuned over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Any

CLASSES, NUMBERS, FORECASTS = "classes", "numbers", "forecasts"
QUERIES, LABEL_ERRORS, CLUSTERS, MAPS = "queries", "label errors", "clusters", "maps"
KINDS = (CLASSES, NUMBERS, FORECASTS, QUERIES, LABEL_ERRORS, CLUSTERS, MAPS)
# Rows times columns of a data set on which slow methods end within seconds.
IN_TIME = 150_000


@dataclass(frozen=True)
class Method:
    """A method in the registry: ours, or a baseline.

    Attributes
    ----------
    name : str
        Its name: in arguments, tables and stored results. Names of a kind are unique.
    kind : {"classes", "numbers", "forecasts", "queries", "label errors", "clusters", "maps"}
        Kind of its results, which determines the interface: see :mod:`benchmarks.methods`.
    make : callable
        ``make(**params)`` returns a new object that has seen no data.
    grid : tuple of dict
        The parameters it is tuned over by cross-validation where a benchmark tunes; a single one:
        there is nothing to choose.
    tags : tuple of str
        Which benchmarks, or parts of them, select it (``"clean"``, ``"paper"``), and what else is
        true of it (``"slow"``, ``"cubic"``, ``"seeded"``).
    label : str
        Its name in the paper's tables, where it is another one.
    most_numbers : float
        Rows times columns up to which it ends in reasonable time; larger data sets are left out.
    """

    name: str
    kind: str
    make: Callable[..., Any]
    grid: tuple[dict[str, Any], ...] = ({},)
    tags: tuple[str, ...] = ()
    label: str = ""
    most_numbers: float = inf

    @property
    def title(self) -> str:
        """Name in the paper's tables."""
        return self.label or self.name


def grid_of(**values: tuple[Any, ...]) -> tuple[dict[str, Any], ...]:
    """Return all combinations of some parameters' values.

    Examples
    --------
    >>> from benchmarks.methods.method import grid_of
    >>> grid_of(alpha=(0.9, 0.99), k=(6,))
    ({'alpha': 0.9, 'k': 6}, {'alpha': 0.99, 'k': 6})
    """
    return tuple(dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))


def params_text(params: Mapping[str, Any]) -> str:
    """Return parameters as text.

    Examples
    --------
    >>> from benchmarks.methods.method import params_text
    >>> params_text({"weights": "lae", "gamma": 0.1})
    'weights=lae, gamma=0.1'
    """
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in params.items()
    )


def grid_text(grid: Sequence[Mapping[str, Any]]) -> str:
    """Return the values of every parameter in a grid as text.

    Examples
    --------
    >>> from benchmarks.methods.method import grid_text
    >>> grid_text([{"weights": "lae", "gamma": 0.1}, {"weights": "lae", "gamma": 1.0}])
    'weights: lae; gamma: 0.1, 1'
    """
    values: dict[str, list[str]] = {}
    for params in grid:
        for name, value in params.items():
            text = f"{value:g}" if isinstance(value, float) else str(value)
            if text not in values.setdefault(name, []):
                values[name].append(text)
    return "; ".join(f"{name}: {', '.join(texts)}" for name, texts in values.items())
