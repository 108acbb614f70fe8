"""Progress of the work: figures stored after every action."""

from __future__ import annotations

from typing import Any

from lapoleaf.studio.checks import wilson_interval
from lapoleaf.studio.session import Session

_MOST_POINTS = 500


def history(session: Session) -> dict[str, Any]:
    """Return points of the curves of progress, thinned where there are many.

    Parameters
    ----------
    session : Session
        The open project.
    """
    rows = session.project.progress()
    step = max(1, -(-len(rows) // _MOST_POINTS))
    kept = rows[::-1][::step][::-1]
    return {"points": [_point(*row) for row in kept]}


def _point(
    revision: int, n_given: int, share: float | None, loo: float | None, n: int, right: int
) -> dict[str, Any]:
    low, high = wilson_interval(right, n)
    check = {"n": n, "right": right, "low": low, "high": high} if n else None
    return {
        "n_actions": revision,
        "n_given": n_given,
        "share_confident": share,
        "loo_accuracy": loo,
        "check": check,
    }
