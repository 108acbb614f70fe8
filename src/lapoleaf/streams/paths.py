"""Forecasts of several readings in a row, and their errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.streams.filled_windows import Series

# Number of steps ahead for which errors are measured, and of stored paths.
STEPS, _KEPT = 20, 100
# With fewer errors than this, widths grow linearly, as if errors added up in one direction.
_FEWEST = 10
# Number of paths that are evaluated on the readings held back by ``fit``.
_TRIED = 60


class ForecastPath(NamedTuple):
    """Forecasts of the next readings.

    Attributes
    ----------
    mean : ndarray of shape (h,)
        The forecasts, the next reading first.
    lower, upper : ndarray of shape (h,)
        Ends of intervals, each of which holds its reading with the probability ``coverage``.
    """

    mean: FloatArray
    lower: FloatArray
    upper: FloatArray


def rolled(
    predict: Callable[[FloatArray], FloatArray], spans: FloatArray, window: int, steps: int
) -> FloatArray:
    """Return iterated forecasts of the next readings after each span.

    Parameters
    ----------
    predict : callable
        Returns the forecasts ``horizon`` steps after each window.
    spans : ndarray of shape (n, window + horizon - 1)
        The last readings, the newest last.
    window : int
        Readings in a window.
    steps : int
        Number of readings to forecast.

    Returns
    -------
    ndarray of shape (n, steps)
        The forecasts.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.paths import rolled
    >>> double = lambda windows: 2.0 * windows[:, -1]
    >>> rolled(double, np.array([[1.0, 3.0]]), window=2, steps=3)
    array([[ 6., 12., 24.]])
    """
    known = spans.shape[1]
    values = np.hstack([spans, np.empty((len(spans), steps))])
    for k in range(steps):
        values[:, known + k] = predict(values[:, k : k + window])
    return values[:, known:]


class PathErrors:
    """Errors of past paths by step, in units of the scale of errors at their time.

    A path is forecast every 20 readings, and compared with the later readings.
    """

    def __init__(self) -> None:
        self.scores: FloatArray = np.empty((0, STEPS))
        self.path: FloatArray = np.empty(0)
        self.found: FloatArray = np.empty(0)
        self.scale = 0.0

    def wants_path(self) -> bool:
        """Whether the last path is complete."""
        return len(self.found) == len(self.path)

    def begin(self, path: FloatArray, scale: float) -> None:
        """Begin a new path, forecast after the last reading."""
        self.path, self.found, self.scale = path, np.empty(0), scale

    def abandon(self) -> None:
        """Drop the current path, whose readings will not come."""
        self.path, self.found = np.empty(0), np.empty(0)

    def learn(self, reading: float) -> None:
        """Compare the path with the next reading, NaN if missing."""
        if self.wants_path():
            return
        self.found = np.append(self.found, reading)
        if self.wants_path() and self.scale > 0.0:
            self.add(np.abs(self.found - self.path)[None] / self.scale)

    def add(self, scores: FloatArray) -> None:
        """Add the scores of whole paths, NaN where a reading was missing."""
        self.scores = np.vstack([self.scores, scores])[-_KEPT:]

    def relative_widths(self, steps: int, coverage: float, first: float) -> FloatArray:
        """Return half widths of intervals for each step, in units of the errors' scale.

        Parameters
        ----------
        steps : int
            Number of steps.
        coverage : float
            Share of the readings that intervals should hold.
        first : float
            The half width one step ahead; others are not narrower.
        """
        measured = np.empty(min(steps, STEPS))
        for k in range(len(measured)):
            scores = self.scores[:, k]
            measured[k] = _quantile(scores[~np.isnan(scores)], coverage, (k + 1) * first)
        measured[0] = first
        widths = np.maximum.accumulate(measured)
        if steps <= STEPS:
            return widths
        return np.append(widths, _extended(widths, steps))

    def state(self) -> dict[str, FloatArray]:
        """Return the state as arrays."""
        return {
            "scores": self.scores,
            "path": self.path,
            "found": self.found,
            "scale": np.array([self.scale]),
        }

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Restore a state."""
        self.scores, self.path, self.found = state["scores"], state["path"], state["found"]
        self.scale = float(state["scale"][0])


def _quantile(scores: FloatArray, coverage: float, otherwise: float) -> float:
    """Return the conformal quantile of scores; ``otherwise`` if there are too few."""
    n = len(scores)
    if n < _FEWEST:
        return otherwise
    rank = math.ceil(coverage * (n + 1))
    return 1.5 * float(scores.max()) if rank > n else float(np.sort(scores)[rank - 1])


def _extended(widths: FloatArray, steps: int) -> FloatArray:
    """Return widths extrapolated from the second half of the measured steps."""
    half, last = widths[STEPS // 2 - 1], widths[-1]
    # At most linear, as for errors that add up in one direction.
    power = min(1.0, math.log2(last / half)) if half > 0.0 and math.isfinite(last) else 0.0
    return np.asarray(last * (np.arange(STEPS + 1, steps + 1) / STEPS) ** power)


def tried_paths(
    predict: Callable[[FloatArray], FloatArray],
    series: Series,
    ends: IntArray,
    window: int,
    horizon: int,
) -> FloatArray:
    """Return the absolute errors of paths that begin at given indices of a series.

    Parameters
    ----------
    predict : callable
        See :func:`rolled`.
    series : Series
        The readings.
    ends : ndarray of int
        Indices of readings after which paths may begin.
    window, horizon : int
        Number of readings in a window, and of steps that ``predict`` forecasts ahead.

    Returns
    -------
    ndarray of shape (n_paths, STEPS)
        NaN where a reading was missing.
    """
    length = window + horizon - 1
    ends = ends[(ends + 1 >= length) & (ends + STEPS < len(series.values))]
    if not len(ends):
        return np.empty((0, STEPS))
    ends = ends[np.unique(np.linspace(0, len(ends) - 1, _TRIED).astype(int))]
    spans = series.filled[ends[:, None] + np.arange(1 - length, 1)]
    truth = series.values[ends[:, None] + np.arange(1, STEPS + 1)]
    there = ~np.isnan(spans).any(axis=1)
    return np.asarray(np.abs(rolled(predict, spans[there], window, STEPS) - truth[there]))
