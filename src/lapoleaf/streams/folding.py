"""Conversion of a series of readings to rows: windows, and the reading that follows each."""

from __future__ import annotations

from typing import Any

import numpy as np

from lapoleaf._messages import shown
from lapoleaf._numbers import as_floats, is_whole
from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.streams.times import seconds_of

# Steps longer than this multiple of the usual step are gaps.
GAP = 1.5


def fold_series(
    values: Any, window: int, timestamps: Any = None, *, horizon: int = 1
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Fold a series into windows and the readings that follow them.

    No window crosses a gap: a missing reading, or two timestamps more than one and a half usual
    steps apart, the usual step being the median. Readings are sorted by time; of several with the
    same timestamp the last is used.

    Parameters
    ----------
    values : array-like of shape (n,)
        The readings, NaN where missing.
    window : int
        Readings in a window.
    timestamps : array-like of shape (n,), default=None
        Their times: numbers, ``datetime64``, or dates as text after ISO 8601 (``"2019-01-01
        00:15"``). None: at regular intervals.
    horizon : int, default=1
        How many readings ahead the target is.

    Returns
    -------
    X : ndarray of shape (m, window)
        The windows in order of time, their last reading last.
    y : ndarray of shape (m,)
        The reading that follows each window.
    index : ndarray of shape (m,)
        Its index in ``values``.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams import fold_series
    >>> X, y, index = fold_series([1.0, 2.0, 3.0, 4.0, np.nan, 6.0, 7.0, 8.0], window=2)
    >>> X
    array([[1., 2.],
           [2., 3.],
           [6., 7.]])
    >>> y, index
    (array([3., 4., 8.]), array([2, 3, 7]))
    """
    check_length("window", window)
    check_length("horizon", horizon)
    readings = checked_readings(values)
    order: IntArray = np.arange(len(readings))
    together = np.ones(max(len(readings) - 1, 0), dtype=bool)
    if timestamps is not None:
        times = checked_times(timestamps)
        if len(times) != len(readings):
            raise ValueError(
                f"timestamps has {len(times)} entries, but there are {len(readings)} values."
            )
        order = _in_time(times)
        steps = np.diff(times[order])
        together = steps <= GAP * usual_step(times[order])
    return _folded(readings, order, together, window, horizon)


def _folded(
    readings: FloatArray, order: IntArray, together: BoolArray, window: int, horizon: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    length = window + horizon
    series = readings[order]
    if len(series) < length:
        return np.empty((0, window)), np.empty(0), np.empty(0, dtype=np.int64)
    view = np.lib.stride_tricks.sliding_window_view
    spans = view(series, length)
    whole = ~np.isnan(spans).any(axis=1) & view(together, length - 1).all(axis=1)
    kept = np.flatnonzero(whole)
    return spans[kept, :window].copy(), series[kept + length - 1], order[kept + length - 1]


def check_length(name: str, value: Any) -> None:
    """Raise unless a number of readings is a whole number, 1 or more."""
    if not is_whole(value) or value < 1:
        raise ValueError(f"{name}={shown(value)} must be a whole number, 1 or more.")


def checked_readings(values: Any) -> FloatArray:
    """Return readings as numbers, NaN where missing."""
    readings = as_floats(values, "values", "numbers, with NaN where missing")
    if readings.ndim != 1:
        raise ValueError(f"values must be one series of readings, got shape {readings.shape}.")
    if np.isinf(readings).any():
        raise ValueError("values holds infinite readings: leave them out, or NaN where missing.")
    return readings


def checked_times(timestamps: Any) -> FloatArray:
    """Return timestamps as numbers; those of dates are seconds."""
    times = np.asarray(timestamps)
    if times.ndim != 1:
        raise ValueError(f"timestamps must be one sequence, got shape {times.shape}.")
    if times.dtype.kind in "OUS":
        times = np.array([_as_datetime(found) for found in times.tolist()], "datetime64[us]")
    if times.dtype.kind == "M":
        missing = np.isnat(times)
        seconds = times.astype("datetime64[us]").astype(np.int64) / 1e6
        times = np.where(missing, np.nan, seconds)
    times = times.astype(np.float64)
    if not np.isfinite(times).all():
        raise ValueError("timestamps must all be there: one is missing or infinite.")
    return times


def _as_datetime(found: Any) -> np.datetime64:
    """Return a date from a text or object; NumPy would also accept ``"now"``."""
    if isinstance(found, bytes):
        found = found.decode("ascii", "replace")
    if isinstance(found, str):
        return np.datetime64(round(1e6 * seconds_of(found)), "us")
    return np.datetime64(found, "us")


def in_order_of_time(readings: FloatArray, timestamps: Any) -> tuple[FloatArray, FloatArray]:
    """Return readings and times in order, the last of several with the same timestamp."""
    times = checked_times(timestamps)
    if len(times) != len(readings):
        raise ValueError(
            f"timestamps has {len(times)} entries, but there are {len(readings)} values."
        )
    order = _in_time(times)
    return readings[order], times[order]


def usual_step(times: FloatArray) -> float:
    """Return the usual time between ascending timestamps; infinite if unknown."""
    steps = np.diff(times)
    return float(np.median(steps)) if len(steps) else np.inf


def _in_time(times: FloatArray) -> IntArray:
    """Return indices of readings in order of time, the last of several with the same timestamp."""
    order = np.argsort(times, kind="stable")
    ends = np.append(np.diff(times[order]) > 0, True) if len(order) else np.empty(0, dtype=bool)
    kept: IntArray = order[ends]
    return kept
