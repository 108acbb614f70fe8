"""Gradient descent with the forces of t-SNE: attraction along links, repulsion of all points."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from lapoleaf._layout.descent_kernels import take_step
from lapoleaf._layout.graph import LinkGraph
from lapoleaf._layout.repulsion import Repulsion
from lapoleaf._typing import FloatArray

# Early exaggeration of the attraction, which brings groups together.
_FIRST_EXAGGERATION = 12.0
# Points of a block; blocks depend only on the number of points, and so do sums over them.
_MIN_BLOCK, _MAX_BLOCKS = 2048, 64
# Minimum of the sum of repulsions per point, since coincident points do not repel.
_MIN_PUSH = 1e-3


def falling_exaggeration(n_iterations: int, exaggeration: float) -> FloatArray:
    """Return the exaggeration of every iteration: decreasing in the first half, then constant."""
    progress = np.arange(n_iterations) / max(1.0, n_iterations / 2)
    ratio = max(1.0, _FIRST_EXAGGERATION / exaggeration)
    schedule: FloatArray = exaggeration * ratio ** np.maximum(0.0, 1.0 - progress)
    return schedule


class Descent:
    """Gradient descent of all points; the result does not depend on the number of threads.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        Initial places, in walking order.
    graph : LinkGraph
        The links.
    threads : int
        Number of threads.
    pool : Executor
        Executor for blocks of points.

    Attributes
    ----------
    places : ndarray of shape (n, 2), float32
        The present places.
    """

    def __init__(self, places: FloatArray, graph: LinkGraph, threads: int, pool: Executor) -> None:
        n = self._n = graph.n
        self.places: FloatArray = np.array(places, dtype=np.float32, order="C")
        self._links = graph.start, graph.ends, graph.weight
        self._following, self._push, self._speed = np.zeros((3, n, 2), dtype=np.float32)
        self._gain = np.ones((n, 2), dtype=np.float32)
        self._blocks = list(gen_batches(n, max(_MIN_BLOCK, -(-n // _MAX_BLOCKS))))
        self._map: Any = map if threads == 1 or len(self._blocks) == 1 else pool.map
        self._repulsion = Repulsion(n, threads, self._blocks, self._map)

    def iterate(self, exaggeration: float) -> None:
        """Move all points by one step, with attraction multiplied by ``exaggeration``."""
        places, push = self.places, self._push
        total = self._repulsion.write(places, push)
        factors = (
            np.float32(self._n / max(total, _MIN_PUSH * self._n)),
            np.float32(exaggeration),
            np.float32(1.0 / max(exaggeration, 1.0)),
        )
        moving: Any = (places, push, *factors, self._speed, self._gain, self._following)

        def step(block: slice) -> None:
            take_step(block.start, block.stop, *self._links, *moving)

        for _ in self._map(step, self._blocks):
            pass
        self.places, self._following = self._following, places


def settle(
    places: FloatArray,
    graph: LinkGraph,
    exaggerations: FloatArray,
    threads: int = 1,
    watch: Callable[[FloatArray], None] | None = None,
) -> FloatArray:
    """Return the places of points after one iteration for every exaggeration.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        Initial places, in walking order.
    graph : LinkGraph
        The links.
    exaggerations : ndarray of shape (n_iterations,)
        Factor of the attraction in every iteration.
    threads : int
        Number of threads.
    watch : callable, default=None
        Called with the places after every iteration, which are overwritten later.
    """
    with ThreadPoolExecutor(threads) as pool:
        descent = Descent(places, graph, threads, pool)
        for exaggeration in exaggerations.tolist():
            descent.iterate(exaggeration)
            if watch is not None:
                watch(descent.places)
    return descent.places
