"""Queues of rows to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._typing import IntArray
from lapoleaf.studio.checks import drawn
from lapoleaf.studio.session import Session

MOST_ITEMS = 1000
_NO_PROPAGATION = "Nothing is propagated yet: give labels of at least two classes."
_DONE = "Every row has a label."
_DONE_WITH_ALL = f"{_DONE} Doubtful lists those that the others contradict; Export saves them all."
NO_MODEL = "There are no labels by the model, for it could not be fitted."
RANDOM_WITHOUT_MODEL = "Random rows, as the model could not be fitted."


def queue(session: Session, kind: str, n: int) -> dict[str, Any]:
    """Return rows to look at, and a sentence about them.

    Parameters
    ----------
    session : Session
        The open project.
    kind : {"next", "doubtful", "unsure", "changed", "check"}
        Which rows.
    n : int
        How many at most.
    """
    make = _KINDS.get(kind)
    if make is None:
        raise ValueError(f"kind={shown(kind)} must be one of {', '.join(_KINDS)}.")
    if not 1 <= n <= MOST_ITEMS:
        raise ValueError(f"n={n} must be a number from 1 to {MOST_ITEMS}.")
    items, message = make(session, n)
    return {"kind": kind, "items": items, "message": message}


def _next(session: Session, n: int) -> tuple[list[Any], str]:
    """Return the rows that are worth labelling first, or next."""
    state, result = session.state, session.result
    unlabelled = ~state.is_given
    if not unlabelled.any():
        return [], _DONE_WITH_ALL
    model = session.rows_model if result is None else result.model
    if model is None:
        rows = drawn(session.ledger.other_draws, unlabelled, n)
        return rows.tolist(), (
            RANDOM_WITHOUT_MODEL
            if session.is_failed
            else "Random rows, until the model has read all of them."
        )
    # Labels of one class are not propagated, but their rows need no other.
    more = min(state.n_given, MOST_ITEMS) if result is None else 0
    rows = session.suggester.rows(model, n, more, unlabelled)
    if not len(rows):
        rows = drawn(session.ledger.other_draws, unlabelled, n)
    return rows.tolist(), "" if result is not None else "Rows that cover the data."


def _doubtful(session: Session, n: int) -> tuple[list[Any], str]:
    """Return rows with given labels that the others contradict."""
    result = session.result
    if result is None:
        return [], _why_nothing(session)
    found = result.model.suspicious_labels()
    rows = session.model_rows.of_ids(result.model, found.ids)
    # Those that a person has looked at since are gone.
    same = session.state.given[rows] == found.given
    rows = rows[same][:n]
    return rows.tolist(), "" if len(rows) else "No given label is contradicted by the others."


def _unsure(session: Session, n: int) -> tuple[list[Any], str]:
    """Return the rows of the least confidence."""
    if session.result is None:
        return [], _why_nothing(session)
    view = session.view()
    rows = np.flatnonzero(~view.state.is_given & session.model_rows.usable)
    if not len(rows):
        return [], _DONE
    return _smallest(rows, view.confidence[rows], n).tolist(), ""


def _smallest(rows: IntArray, values: Any, n: int) -> IntArray:
    """Return the n rows of smallest values, in order."""
    if len(rows) > n:
        few = np.argpartition(values, n - 1)[:n]
        rows, values = rows[few], values[few]
    found: IntArray = rows[np.lexsort((rows, values))]
    return found


def _changed(session: Session, n: int) -> tuple[list[Any], str]:
    """Return the rows whose label the last action has changed."""
    rows = session.changed_rows()
    if len(rows):
        what = "the label of 1 row" if len(rows) == 1 else f"the labels of {len(rows):,} rows"
        return rows[:n].tolist(), f"Your last action changed {what}."
    return [], "Your last action has changed no other label."


def _check(session: Session, n: int) -> tuple[list[Any], str]:
    """Return rows drawn uniformly; the label each is shown with is kept for the comparison."""
    if session.result is None:
        return [], _why_nothing(session)
    items = [{"row": row, "shown": label} for row, label in session.drawn_for_check(n)]
    return items, "" if items else _DONE


def _why_nothing(session: Session) -> str:
    """Return why no labels follow from those that were given."""
    return NO_MODEL if session.is_failed else _NO_PROPAGATION


_KINDS: dict[str, Callable[[Session, int], tuple[list[Any], str]]] = {
    "next": _next,
    "doubtful": _doubtful,
    "unsure": _unsure,
    "changed": _changed,
    "check": _check,
}
