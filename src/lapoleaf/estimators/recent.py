"""Predictions from slightly older labels, used while few rows have been added since.

A stream predicts a row, adds it, and predicts the next one. Labelling all rows of an ensemble takes
seconds, and a few more rows hardly change its predictions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic

import numpy as np

from lapoleaf._typing import AnyArray, FloatArray
from lapoleaf.estimators.choosing import same_parameters
from lapoleaf.estimators.state import Fitted, G, L, State

# Growth of the number of rows, weights or labels after which all rows are labelled again.
_SHARE = 0.02


@dataclass(frozen=True, eq=False)
class Recent(Generic[G, L]):
    """The fitted state before the last rows were added.

    Attributes
    ----------
    fitted : Fitted
        The state, with the labels of all nodes.
    joined : tuple of ndarray
        The rows added since.
    """

    fitted: Fitted[G, L]
    joined: tuple[FloatArray, ...]

    @cached_property
    def _keys(self) -> AnyArray:
        return np.concatenate([_keys_of(rows) for rows in self.joined])

    def answers(self, X: FloatArray) -> bool:
        """Whether it can predict X: a row that was added since has a label of its own."""
        return not np.isin(_keys_of(X), self._keys).any()


def recent_of(before: State[G, L], now: Fitted[G, L], X: Any) -> Recent[G, L] | None:
    """Return the state that predicts new rows after X was added; None to label all rows again.

    Parameters
    ----------
    before : State
        The state before X was added.
    now : Fitted
        The state with X.
    X : ndarray or CSR matrix of shape (m, n_columns)
        The added rows.
    """
    fitted = before.now
    joined: tuple[FloatArray, ...] = ()
    if not now.method.may_wait or now.is_computed or not isinstance(X, np.ndarray):
        return None
    if not (fitted.has_labels and fitted.is_computed):
        if before.recent is None:
            return None
        fitted, joined = before.recent.fitted, before.recent.joined
    same = now.given.fits_choices_of(fitted.given) and same_parameters(now.method, fitted.method)
    if not same or any(_has_grown(*pair) for pair in zip(_sizes(now), _sizes(fitted), strict=True)):
        return None
    return Recent(fitted, (*joined, X))


def _sizes(fitted: Fitted[Any, Any]) -> tuple[float, float, float]:
    """Return the number of rows, their weight, and the number of labels."""
    weight = fitted.rows.weight
    return len(weight), float(weight.sum()), float(np.sum(fitted.given.given))


def _has_grown(now: float, before: float) -> bool:
    return now - before > _SHARE * before


def _keys_of(X: FloatArray) -> AnyArray:
    """Return a key for every row: equal rows have equal keys."""
    # Adding 0 turns -0 into 0, so that equal numbers have equal bytes.
    rows = np.ascontiguousarray(np.asarray(X, dtype=np.float64) + 0.0)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
