"""Which build: every distance, or those that matter most."""

from __future__ import annotations

from typing import Any

from lapoleaf._density import Effort
from lapoleaf._points import Points
from lapoleaf._points.cell_search import is_searchable
from lapoleaf._points.metrics import searchable_metrics
from lapoleaf._points.sparse import SparsePoints
from lapoleaf._tree.structure import BuildReport
from lapoleaf._typing import Metric

# What a pair costs besides its columns, in columns; and with more work than this, which is about
# 4 seconds of one core, ``"auto"`` does not look at every distance any more.
_A_PAIR, _MOST_WORK = 150.0, 1e11
# An approximate build that misses much is done again in full up to so many times as much work.
_BEARABLE = 30.0
# What is too little of neighbours and leaders, and too far from the true densities.
_FEWEST_FOUND, _LARGEST_ERROR = 0.7, 0.3
USUAL_EFFORT = Effort()
_BUILDS = ("auto", "full", "approximate")


def chosen_build(build: Any, points: Points, metric: Metric) -> str:
    """Give ``"full"`` or ``"approximate"``, or say why it cannot be what was asked for.

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
        return "approximate" if possible and _work(points) > _MOST_WORK else "full"
    return build


def is_poor(report: BuildReport | None) -> bool:
    """Say whether an approximate build has missed too much."""
    if report is None or report.n_checked is None:
        return False
    found = min(float(report.neighbours_found or 0.0), float(report.leaders_found or 0.0))
    return found < _FEWEST_FOUND or float(report.density_error or 0.0) > _LARGEST_ERROR


def full_is_bearable(points: Points) -> bool:
    """Say whether a full build takes a minute or two at most."""
    return _work(points) <= _BEARABLE * _MOST_WORK


def _work(points: Points) -> float:
    return float(points.n) ** 2 * (points.work + _A_PAIR)


def _kind(points: Points) -> str:
    return "sparse ones" if isinstance(points, SparsePoints) else "rows"
