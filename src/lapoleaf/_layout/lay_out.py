"""Places of all nodes in the plane, from the links of their trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._layout.alignment import turned_onto
from lapoleaf._layout.descent import falling_exaggeration, settle
from lapoleaf._layout.few_nodes import MIN_NODES_FOR_FORCES, scaled_distances
from lapoleaf._layout.graph import LinkGraph
from lapoleaf._layout.joining import places_of_joining
from lapoleaf._layout.nearest import few_nearest_nodes
from lapoleaf._layout.start import apart, first_places
from lapoleaf._messages import shown
from lapoleaf._numbers import is_real, is_whole
from lapoleaf._progress import Progress
from lapoleaf._tree import LeadingTree
from lapoleaf._typing import BoolArray, FloatArray

# Exaggeration by number of nodes: 1 up to 1,000, 1.5 from 100,000 on.
_NODES_WITHOUT_EXAGGERATION, _EXAGGERATION_PER_DECADE, _MAX_EXAGGERATION = 1_000, 0.25, 1.5
# Maximum of iterations times nodes, and bounds of iterations, which reach the upper one up to a
# million nodes.
_MAX_STEPS, _MIN_ITERATIONS, _MAX_ITERATIONS = 200_000_000, 100, 200
# Share of the iterations for a map that starts from former places.
_SHARE_OF_AGAIN = 0.5

Watch = Callable[[FloatArray], None]


@dataclass(frozen=True)
class LayoutSettings:
    """Settings of a layout.

    Attributes
    ----------
    exaggeration : float or None
        Strength of the attraction relative to t-SNE; None to depend on the number of nodes.
    n_iterations : int or None
        Number of iterations; None to depend on the number of nodes.
    """

    exaggeration: float | None = None
    n_iterations: int | None = None

    def exaggeration_of(self, n: int) -> float:
        """Return the exaggeration for a number of nodes."""
        if self.exaggeration is not None:
            return float(self.exaggeration)
        decades = np.log10(max(n, 1) / _NODES_WITHOUT_EXAGGERATION)
        usual = 1.0 + _EXAGGERATION_PER_DECADE * max(0.0, decades)
        return float(min(usual, _MAX_EXAGGERATION))

    def iterations_of(self, n: int) -> int:
        """Return the number of iterations for a number of nodes."""
        if self.n_iterations is not None:
            return int(self.n_iterations)
        return int(np.clip(_MAX_STEPS // max(n, 1), _MIN_ITERATIONS, _MAX_ITERATIONS))


def checked_settings(exaggeration: Any, n_iterations: Any) -> LayoutSettings:
    """Return the settings of a layout; raise for invalid parameters."""
    if exaggeration is not None and not (is_real(exaggeration) and 0 < exaggeration < np.inf):
        raise ValueError(
            f"exaggeration={shown(exaggeration)} must be a positive number, or None to let the "
            f"number of rows decide."
        )
    if n_iterations is not None and not (is_whole(n_iterations) and n_iterations > 0):
        raise ValueError(
            f"n_iterations={shown(n_iterations)} must be a positive whole number, or None to let "
            f"the number of rows decide."
        )
    return LayoutSettings(
        None if exaggeration is None else float(exaggeration),
        None if n_iterations is None else int(n_iterations),
    )


def lay_out(
    trees: Sequence[LeadingTree],
    settings: LayoutSettings | None = None,
    *,
    rows: Any = None,
    threads: int = 1,
    verbose: int = 0,
    watch: Watch | None = None,
) -> FloatArray:
    """Return places (n_nodes, 2) of all nodes in float32; the layout is deterministic.

    Small sets of nodes are placed by classical scaling if they have distances.

    Parameters
    ----------
    trees : sequence of LeadingTree
        Trees of the same nodes.
    settings : LayoutSettings, default=None
        Settings; the defaults if None.
    rows : array or sparse matrix of shape (n_nodes, d), default=None
        Coordinates of the nodes of trees without points.
    threads, verbose : int
        Number of threads; whether to report progress.
    watch : callable, default=None
        Called with a copy of the places so far after every iteration.
    """
    settings = settings or LayoutSettings()
    n = trees[0].n_nodes
    if n < MIN_NODES_FOR_FORCES:
        found = scaled_distances(trees[0], rows)
        if found is not None:
            if watch is not None:
                watch(found.copy())
            return found
    if n < 3:
        return np.linspace([0.0, 0.0], [n - 1.0, 0.0], n).astype(np.float32)
    graph = LinkGraph.of_trees(trees, few_nearest_nodes(trees[0], threads))
    start = first_places(trees[0], graph, rows)
    exaggeration = falling_exaggeration(settings.iterations_of(n), settings.exaggeration_of(n))
    return _settled(graph, start, exaggeration, threads, verbose, watch)


def lay_out_again(
    trees: Sequence[LeadingTree],
    before: FloatArray,
    known: BoolArray,
    settings: LayoutSettings | None = None,
    *,
    threads: int = 1,
    verbose: int = 0,
    watch: Watch | None = None,
) -> FloatArray:
    """Return places of all nodes, starting from and aligned with former places of some.

    If few have a former place, the map does not start there, but is still aligned with them.

    Parameters
    ----------
    trees : sequence of LeadingTree
        Trees of the same nodes.
    before : ndarray of shape (n_nodes, 2)
        Former places.
    known : ndarray of shape (n_nodes,), bool
        Mask of the nodes that have one.
    settings, threads, verbose, watch
        See :func:`lay_out`.
    """
    settings = settings or LayoutSettings()
    n = trees[0].n_nodes
    if n < MIN_NODES_FOR_FORCES or 2 * known.sum() < n:
        found = lay_out(trees, settings, threads=threads, verbose=verbose, watch=watch)
    else:
        graph = LinkGraph.of_trees(trees, few_nearest_nodes(trees[0], threads))
        start = places_of_joining(trees[0], graph, before, known)[graph.walk]
        size = float(np.ptp(start, axis=0).max()) or 1.0
        iterations = max(1, int(_SHARE_OF_AGAIN * settings.iterations_of(n)))
        exaggeration = np.full(iterations, settings.exaggeration_of(n))
        start = apart(start, 1e-4 * size)
        found = _settled(graph, start, exaggeration, threads, verbose, watch)
    return turned_onto(found, before, known)


def _settled(
    graph: LinkGraph,
    start: FloatArray,
    exaggeration: FloatArray,
    threads: int,
    verbose: int,
    watch: Watch | None,
) -> FloatArray:
    """Return the places of nodes after all iterations, centred at 0; report progress."""
    progress = Progress("map", len(exaggeration), verbose)

    def after_iteration(places: FloatArray) -> None:
        progress.advance()
        if watch is not None:
            watch(graph.to_nodes(places))

    found = graph.to_nodes(settle(start, graph, exaggeration, threads, after_iteration))
    centred: FloatArray = found - 0.5 * (found.min(axis=0) + found.max(axis=0))
    return centred
