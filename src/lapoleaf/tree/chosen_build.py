"""Which build: every distance, or those that matter most."""

from __future__ import annotations

from typing import Any

from lapoleaf._typing import Metric
from lapoleaf.density import Effort
from lapoleaf.points import Points
from lapoleaf.points.difference import SparsePoints
from lapoleaf.points.search import SEARCHABLE, is_searchable

# What a pair costs besides its columns, in columns; and with more work than this, which is about
# 4 seconds of one core, ``"auto"`` does not look at every distance any more.
_A_PAIR, _MOST_WORK = 150.0, 1e11
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
            f"build='approximate' is for dense rows under one of the metrics {SEARCHABLE}, not for "
            f"{_kind(points)} under metric={metric!r}: use build='full'."
        )
    if build == "auto":
        work = float(points.n) ** 2 * (points.work + _A_PAIR)
        return "approximate" if possible and work > _MOST_WORK else "full"
    return build


def _kind(points: Points) -> str:
    return "sparse ones" if isinstance(points, SparsePoints) else "X"
