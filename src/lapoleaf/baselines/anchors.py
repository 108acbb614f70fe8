"""Anchors, and the representation of rows by them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.baselines.embedding import local_anchor_embedding
from lapoleaf.baselines.parameters import (
    check_choice,
    check_count,
    check_positive,
    check_positive_or_none,
)
from lapoleaf.baselines.rows import middle_of, moved

Shares: TypeAlias = "csr_array[np.float64]"

WEIGHTS = ("lae", "gaussian", "exponential")
# Steps of k-means (AGR: "about 10 suffice"), and rows whose distances to anchors are held at once.
_STEPS, _BLOCK = 10, 4096


def check_anchoring(n_nearest: Any, weights: Any, sigma: Any, gamma: Any) -> None:
    """Raise for invalid parameters of an anchor method."""
    check_count("n_nearest", n_nearest)
    check_choice("weights", weights, WEIGHTS)
    check_positive_or_none("sigma", sigma)
    check_positive("gamma", gamma)


def find_anchors(X: Any, n_anchors: int, random_state: Any) -> FloatArray:
    """Return centres of the rows by k-means, fewer where there are fewer distinct rows.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, d)
        The rows.
    n_anchors : int
        Number of centres.
    random_state : int, RandomState instance or None
        Seed of k-means.
    """
    means = KMeans(min(n_anchors, X.shape[0]), n_init=1, max_iter=_STEPS, random_state=random_state)
    with warnings.catch_warnings():
        # Ten steps need not converge, and rows may be equal, so warnings are silenced.
        warnings.simplefilter("ignore", ConvergenceWarning)
        centres: FloatArray = means.fit(X).cluster_centers_
    return np.unique(centres, axis=0)


@dataclass(frozen=True, eq=False)
class Anchors:
    """Anchors, and how rows are represented by the nearest ones.

    Attributes
    ----------
    centres : ndarray of shape (m, d)
        The anchors.
    n_nearest : int
        Number of nearest anchors that represent a row.
    weights : {"lae", "gaussian", "exponential"}
        ``"lae"``: the best convex combination; the others: exp(-d² / sigma²) and exp(-d / sigma),
        divided by their sum.
    sigma : float
        Width of the kernel; not used by ``"lae"``.
    """

    centres: FloatArray
    n_nearest: int
    weights: str
    sigma: float

    @classmethod
    def around(
        cls, X: Any, centres: FloatArray, n_nearest: int, weights: str, sigma: float | None
    ) -> Anchors:
        """Make anchors for some rows; without ``sigma``, their mean distance to the last anchor."""
        k = min(n_nearest, len(centres))
        if sigma is None and weights != "lae":
            found = float(_nearest(X, centres, k)[0][:, -1].mean())
            sigma = found if found > 0.0 else 1.0
        return cls(centres, k, weights, 1.0 if sigma is None else sigma)

    def shares(self, X: Any) -> Shares:
        """Return the shares (n, m) of the anchors in every row, which sum to 1."""
        distances, nearest = _nearest(X, self.centres, self.n_nearest)
        if self.weights == "lae":
            found = local_anchor_embedding(X, self.centres, nearest)
        else:
            found = self._kernel(distances)
            found /= found.sum(axis=1, keepdims=True)
        n, k = nearest.shape
        starts = np.arange(0, n * k + 1, k)
        shape = n, len(self.centres)
        return csr_array((found.ravel(), nearest.ravel(), starts), shape=shape)

    def _kernel(self, distances: FloatArray) -> FloatArray:
        """Return weights relative to the nearest anchor, so that they do not all underflow."""
        nearest = distances[:, :1]
        # A tiny sigma may make this infinite, and the weight 0.
        with np.errstate(over="ignore"):
            ratio = (distances - nearest) / self.sigma
            if self.weights == "gaussian":
                ratio = (distances - nearest) * (distances + nearest) / self.sigma / self.sigma
            return np.asarray(np.exp(-ratio))


def _nearest(X: Any, centres: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
    """Return distances to the nearest centres and their numbers, nearest first."""
    middle = middle_of(centres) if isinstance(X, np.ndarray) else None
    there = moved(centres, middle)
    distances, nearest = [], []
    for start in range(0, X.shape[0], _BLOCK):
        block = pairwise_distances(moved(X[start : start + _BLOCK], middle), there)
        order = np.argsort(block, axis=1, kind="stable")[:, :k]
        nearest.append(order)
        distances.append(np.take_along_axis(block, order, axis=1))
    return np.concatenate(distances), np.concatenate(nearest)
