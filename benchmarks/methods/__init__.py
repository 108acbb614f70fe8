"""One registry of everything that benchmarks measure: ours, and the baselines.

A benchmark selects methods by kind and tag (:func:`select`), or one by kind and name
(:func:`find`), and calls them all in the same manner: ``method.make(**params)`` returns a new
object, whose methods follow from the kind.

- ``"classes"``, ``"numbers"``: ``fit(X, y)`` with all rows, ``y`` being -1 or NaN where there is no
  label, and then ``transduction_``, the labels of all rows (None of a method that has none).
- ``"forecasts"``: ``fit(X, y)`` with windows and the readings that followed, ``predict(window)``,
  and ``update(window, reading)`` with what was read.
- ``"queries"``: ``first(X, n)``, the rows to label before there is any label, and
  ``next(model, n)``, those to label then; ``make`` takes a seed.
- ``"label errors"``: ``doubts(case, labels)``, how doubtful given labels are; ``make`` takes a
  seed.
- ``"clusters"``: ``fit(X)``, and then ``labels_``, the clusters of all rows.
- ``"maps"``: ``prepare(X)``, which returns what does not depend on the map, and ``draw(X,
  prepared)``, which returns the places of all rows; ``is_installed``, whether its package is there.
"""

from __future__ import annotations

from benchmarks.methods import (
    classifiers,
    clusterers,
    forecasters,
    graphs,
    label_errors,
    maps,
    online,
    ours,
    queries,
    regressors,
)
from benchmarks.methods.method import Method

METHODS: tuple[Method, ...] = (
    *ours.METHODS,
    *graphs.METHODS,
    *classifiers.METHODS,
    *regressors.METHODS,
    *forecasters.METHODS,
    *online.METHODS,
    *queries.METHODS,
    *label_errors.METHODS,
    *clusterers.METHODS,
    *maps.METHODS,
)
_BY_NAME = {(method.kind, method.name): method for method in METHODS}


def find(kind: str, name: str) -> Method:
    """Return the method of a kind that has a name.

    Parameters
    ----------
    kind : str
        What it answers.
    name : str
        Its name.

    Examples
    --------
    >>> from benchmarks.methods import find
    >>> find("classes", "kernel-ridge").tags
    ('clean', 'images')
    """
    return _BY_NAME[kind, name]


def select(kind: str, tag: str) -> dict[str, Method]:
    """Return the methods of a kind that have a tag, by their names, ours first.

    Parameters
    ----------
    kind : str
        What they answer.
    tag : str
        The benchmark or its part.

    Examples
    --------
    >>> from benchmarks.methods import select
    >>> list(select("queries", "start"))
    ['suggest', 'k-means', 'random']
    """
    return {method.name: method for method in METHODS if method.kind == kind and tag in method.tags}
