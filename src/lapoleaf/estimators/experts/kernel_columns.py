"""Kernels between landmarks and all points, cached while labels change."""

from __future__ import annotations

import threading

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._parallel import for_each_block, one_blas_thread
from lapoleaf._points import Points
from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.estimators.experts.kernel_matrices import exponents_of

# Maximum size of the cache in bytes; kernels of further landmarks are computed when needed.
MAX_BYTES = 2**28
# Points whose products are computed at a time, landmarks that a thread computes at a time, and
# landmarks that are in memory at once without being cached.
_POINTS_AT_A_TIME, _LANDMARKS_AT_A_TIME, _LANDMARKS_AT_ONCE = 8192, 8, 64


class KernelColumns:
    """Kernels of one width between landmarks and all points, each computed once.

    Landmarks come and go with labels, and the kernel of one does not depend on the others. Several
    models may share an instance.

    Parameters
    ----------
    points : Points
        All points.
    width : float
        Width of the kernel.
    """

    def __init__(self, points: Points, width: float) -> None:
        self.points = points
        self.width = width
        self._kept = np.empty((0, points.n))
        self._place: dict[int, int] = {}
        self._lock = threading.Lock()

    @property
    def n_kept(self) -> int:
        """Number of landmarks whose kernels are cached."""
        return len(self._place)

    def product(self, nodes: IntArray, coefficients: FloatArray, threads: int = 1) -> FloatArray:
        """Return the kernels times coefficients, for all points, (n_nodes, K).

        Parameters
        ----------
        nodes : ndarray of shape (m,)
            The landmarks.
        coefficients : ndarray of shape (m, K)
            Coefficients of the landmarks.
        threads : int, default=1
            Number of threads; the result does not depend on it.
        """
        with self._lock, one_blas_thread():
            self._keep(nodes, threads)
            places = np.array([self._place.get(node, -1) for node in nodes.tolist()], dtype=int)
            of_kept = np.zeros((self.n_kept, coefficients.shape[1]))
            of_kept[places[places >= 0]] = coefficients[places >= 0]
            found = np.empty((self.points.n, coefficients.shape[1]))
            _add_product(self._kept[: self.n_kept], of_kept, found, threads, first=True)
            others = np.flatnonzero(places < 0)
            for begin in range(0, len(others), _LANDMARKS_AT_ONCE):
                some = others[begin : begin + _LANDMARKS_AT_ONCE]
                rows = np.empty((len(some), self.points.n))
                self._measure(nodes[some], rows, threads)
                _add_product(rows, coefficients[some], found, threads)
        return found

    def _keep(self, nodes: IntArray, threads: int) -> None:
        """Compute and cache the kernels of new landmarks, within the limit."""
        most = MAX_BYTES // (8 * self.points.n)
        new = [node for node in nodes.tolist() if node not in self._place]
        new = new[: max(most - self.n_kept, 0)]
        if not new:
            return
        wanted = self.n_kept + len(new)
        if wanted > len(self._kept):
            grown = np.empty((min(max(wanted, 5 * len(self._kept) // 4), most), self.points.n))
            grown[: self.n_kept] = self._kept[: self.n_kept]
            self._kept = grown
        self._measure(np.array(new), self._kept[self.n_kept : wanted], threads)
        self._place.update(zip(new, range(self.n_kept, wanted), strict=True))

    def _measure(self, nodes: IntArray, rows: FloatArray, threads: int) -> None:
        """Write the kernels of landmarks to rows of the cache."""

        def fill(some: slice) -> None:
            exponents = exponents_of(self.points, self.points.at(nodes[some]), self.width)
            np.exp(-exponents, out=rows[some])

        for_each_block(fill, list(gen_batches(len(nodes), _LANDMARKS_AT_A_TIME)), threads)


def _add_product(
    rows: FloatArray, coefficients: FloatArray, out: FloatArray, threads: int, first: bool = False
) -> None:
    """Add kernels (m, n) times coefficients (m, K) to ``out`` (n, K), or write them there."""

    def add(some: slice) -> None:
        product = rows[:, some].T @ coefficients
        if first:
            out[some] = product
        else:
            out[some] += product

    for_each_block(add, list(gen_batches(len(out), _POINTS_AT_A_TIME)), threads)
