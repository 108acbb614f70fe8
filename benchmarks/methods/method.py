"""The methods of the paper's tables: how each is made, and the grid it chooses from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from lapoleaf.baselines import AGR, FLP, HAGR, LLGC, RGSSLMCC, PoissonLearning
from lapoleaf.estimators import LaPOLeaFClassifier, LeadingForestClassifier

OURS, PUBLISHED, TUNED = "LaPOLeaF", "LaPOLeaF as published", "LaPOLeaF as published, tuned"
MCC = "RGSSL-MCC-style"


class Method(NamedTuple):
    """A method of the tables.

    Attributes
    ----------
    make : callable
        Makes the estimator from parameters.
    grid : tuple of dict
        The parameters it chooses from by cross-validation; one: there is nothing to choose.
    slow : bool
        Whether its time grows with the square or the cube of the rows, many times over: fewer
        splits.
    """

    make: Callable[..., Any]
    grid: tuple[dict[str, Any], ...]
    slow: bool = False


def _grid(**values: tuple[Any, ...]) -> tuple[dict[str, Any], ...]:
    return tuple(dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))


def _ours(**params: Any) -> LaPOLeaFClassifier:
    return LaPOLeaFClassifier(n_jobs=1, missing_label=-1, **params)


def _published(**params: Any) -> LeadingForestClassifier:
    return LaPOLeaFClassifier.as_published(n_jobs=1, missing_label=-1, **params)


def _baseline(kind: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **params: kind(missing_label=-1, **params)


METHODS: Mapping[str, Method] = {
    OURS: Method(_ours, ({},)),
    PUBLISHED: Method(_published, ({"percent": 3.0, "alpha": 0.4, "cost": "imagenet"},)),
    TUNED: Method(_published, _grid(percent=(1.0, 2.0, 5.0, 10.0))),
    "LLGC": Method(_baseline(LLGC), _grid(n_neighbors=(6, 15), alpha=(0.9, 0.99))),
    "FLP-style": Method(
        _baseline(FLP),
        _grid(n_components=("auto", 20), spread=(10.0, 100.0)),
        slow=True,
    ),
    "AGR": Method(_baseline(AGR), _grid(weights=("lae", "gaussian"), gamma=(0.01, 0.1))),
    "HAGR": Method(_baseline(HAGR), _grid(weights=("exponential", "gaussian"), gamma=(0.01, 0.1))),
    MCC: Method(_baseline(RGSSLMCC), _grid(lam=(0.001, 0.01, 0.1, 1.0)), slow=True),
    "Poisson learning": Method(_baseline(PoissonLearning), _grid(n_neighbors=(6, 10, 15, 25))),
}


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
