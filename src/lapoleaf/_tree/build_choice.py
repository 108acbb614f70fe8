"""The choice of the build: exact or approximate."""

from __future__ import annotations

from typing import Any

from lapoleaf._density import Effort
from lapoleaf._points import Points
from lapoleaf._points.cell_search import is_searchable
from lapoleaf._points.metrics import searchable_metrics
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._tree.report import BuildReport
from lapoleaf._typing import Metric

# What a pair costs besides its columns, in columns; and the largest work, about 4 seconds of one
# core, for which ``"auto"`` computes every distance.
_PAIR_OVERHEAD, _MAX_AUTO_WORK = 150.0, 1e11
# An approximate build that misses much is done again in full up to so many times as much work.
_MAX_RETRY_FACTOR = 30.0
# The least shares of neighbours and leaders found, and the largest error of densities, accepted.
_MIN_SHARE_FOUND, _MAX_DENSITY_ERROR = 0.7, 0.3
DEFAULT_EFFORT = Effort()
_BUILDS = ("auto", "full", "approximate")


def choose_build(build: Any, points: Points, metric: Metric) -> str:
    """Return ``"full"`` or ``"approximate"``; raise for a build that is not possible.

    Parameters
    ----------
    build : str
        What the user asked for.
    points : Points
        The rows.
    metric : str or callable
        The metric, as the user named it.
    """
    if not isinstance(build, str) or build not in _BUILDS:
        raise ValueError(f"build={build!r} is not known: use one of {_BUILDS}.")
    possible = is_searchable(points)
    if build == "approximate" and not possible:
        raise ValueError(
            f"build='approximate' is for dense rows under one of the metrics "
            f"{searchable_metrics()}, not for {_kind(points)} under metric={metric!r}: use "
            f"build='full'."
        )
    if build == "auto":
        return "approximate" if possible and _work(points) > _MAX_AUTO_WORK else "full"
    return build


def is_poor(report: BuildReport | None) -> bool:
    """Return whether an approximate build has missed too much."""
    if report is None or report.n_checked is None:
        return False
    found = min(float(report.neighbours_found or 0.0), float(report.leaders_found or 0.0))
    return found < _MIN_SHARE_FOUND or float(report.density_error or 0.0) > _MAX_DENSITY_ERROR


def full_is_affordable(points: Points) -> bool:
    """Return whether a full build takes a minute or two at most."""
    return _work(points) <= _MAX_RETRY_FACTOR * _MAX_AUTO_WORK


def _work(points: Points) -> float:
    return float(points.n) ** 2 * (points.work + _PAIR_OVERHEAD)


def _kind(points: Points) -> str:
    return "sparse ones" if isinstance(points, SparsePoints) else "rows"
