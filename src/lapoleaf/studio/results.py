"""The latest labels of the model, joined with labels given since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lapoleaf._lazy import computed_once
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.studio.state import State


@dataclass(frozen=True, eq=False)
class Result:
    """Labels of all rows by the model.

    Attributes
    ----------
    model : LaPOLeaFClassifier
        The model as it was then, to be asked for reasons.
    classes : ndarray of shape (n_rows,), int32
        Ids of classes; -1 for rows that cannot be used.
    confidence : ndarray of shape (n_rows,), float32
        Probabilities of these classes.
    loo_accuracy : float or None
        Share of given labels that the others predict right, as last estimated.
    """

    model: Any
    classes: IntArray
    confidence: FloatArray
    loo_accuracy: float | None


@dataclass(frozen=True, eq=False)
class RowsOfModel:
    """Which rows are in a model: all but pictures that cannot be read.

    Attributes
    ----------
    usable : ndarray of shape (n_rows,), bool
        Rows that are in the model.
    """

    usable: BoolArray

    @computed_once
    def rows(self) -> IntArray:
        """The rows of the model."""
        return np.flatnonzero(self.usable)

    def at(self, places: Any) -> IntArray:
        """Return the rows at places of the model."""
        found: IntArray = self.rows[np.asarray(places, dtype=np.int64)]
        return found

    def of_ids(self, model: Any, ids: IntArray) -> IntArray:
        """Return the rows that have some ids in a model."""
        return self.at(np.searchsorted(model.ids_, ids))

    def place_of(self, row: int) -> int | None:
        """Return the place of a row in the model, None if it is not there."""
        return int(np.searchsorted(self.rows, row)) if self.usable[row] else None


def joined(state: State, result: Result | None) -> tuple[IntArray, FloatArray]:
    """Return classes and confidences of all rows: given ones as they are, others by the model.

    Classes that are not there any more are left out.

    Parameters
    ----------
    state : State
        What a person gave.
    result : Result or None
        What the model answered.
    """
    given = state.given >= 0
    n = len(state.given)
    if result is None:
        return np.where(given, state.given, -1), given.astype(np.float32)
    is_there = np.zeros(int(result.classes.max(initial=-1)) + 2, dtype=bool)
    for number in state.classes:
        if number < len(is_there) - 1:
            is_there[number] = True
    known = is_there[result.classes] if n else given
    classes = np.where(given, state.given, np.where(known, result.classes, -1))
    confidence = np.where(given, 1.0, np.where(known, result.confidence, 0.0))
    return classes, confidence
