"""Methods that find clusters: our cuts, HDBSCAN and the usual cut of the decision graph."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.cluster import HDBSCAN

from benchmarks.methods.method import CLUSTERS, Method
from lapoleaf import LoDOG, leading_tree, lodog
from lapoleaf._typing import FloatArray, IntArray


def elbow(values: FloatArray) -> int:
    """Return the number of values before the elbow of a descending curve.

    The elbow is the point farthest below the line from the first value to the last.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.methods.clusterers import elbow
    >>> elbow(np.array([10.0, 9.0, 8.0, 1.0, 0.5, 0.2, 0.1, 0.0]))
    3
    """
    if len(values) < 3 or values[0] == values[-1]:
        return 1
    places = np.linspace(0.0, 1.0, len(values))
    heights = (values - values[-1]) / (values[0] - values[-1])
    return max(1, int(np.argmax(1.0 - places - heights)))


class DecisionGraph:
    """Density peaks (Rodriguez and Laio, 2014): centres before the elbow of sorted gamma."""

    labels_: IntArray

    def fit(self, X: FloatArray) -> Self:
        """Find the clusters of X."""
        tree = leading_tree(X)
        forest = lodog(tree, n_trees=elbow(np.sort(tree.gamma)[::-1]))
        self.labels_ = np.asarray(tree.to_rows(forest.tree_of))
        return self


def _hdbscan(**params: Any) -> HDBSCAN:
    return HDBSCAN(copy=True, **params)


METHODS = (
    *(
        Method(name, CLUSTERS, partial(LoDOG, cut=name), tags=("agreement", "time"))
        for name in ("prominence", "stability", "gap", "objective")
    ),
    Method("decision graph", CLUSTERS, DecisionGraph, tags=("agreement",)),
    Method("HDBSCAN", CLUSTERS, _hdbscan, tags=("agreement",)),
)
