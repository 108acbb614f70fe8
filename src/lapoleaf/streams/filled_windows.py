"""Windows of a series with missing readings, which are interpolated; targets are measured ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lapoleaf._typing import FloatArray, IntArray
from lapoleaf.streams.folding import GAP, usual_step
from lapoleaf.streams.outliers import JumpGate
from lapoleaf.streams.screening import screened, trusted_size
from lapoleaf.streams.windows import ELSEWHERE, spread_of

# Minimum measured share of a window.
MEASURED = 0.5


@dataclass(frozen=True)
class Series:
    """Readings at regular steps, without outliers, shifted to one level.

    Attributes
    ----------
    values : ndarray of shape (n,)
        The readings, NaN where missing or untrusted.
    filled : ndarray of shape (n,)
        The readings with missing ones interpolated; NaN before the first.
    levels : ndarray of int
        Indices at which a new level begins.
    """

    values: FloatArray
    filled: FloatArray
    levels: IntArray

    @classmethod
    def of(cls, readings: FloatArray, gate: JumpGate) -> Series:
        """Return a series without the readings rejected by the gate."""
        values = trusted_size(readings)
        spikes, levels = screened(values, gate)
        values = levelled(np.where(spikes, np.nan, values), levels)
        return cls(values, interpolated(values), levels)

    def windows(self, window: int, horizon: int) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return windows, the reading that follows each, and its index.

        At least half of a window, its last reading, and the target are measured; no window crosses
        a jump.

        Examples
        --------
        >>> import numpy as np
        >>> from lapoleaf.streams.filled_windows import Series
        >>> from lapoleaf.streams.outliers import JumpGate
        >>> series = Series.of(np.array([1.0, np.nan, 3.0, 4.0, 5.0]), JumpGate())
        >>> X, y, index = series.windows(2, 1)
        >>> X
        array([[2., 3.],
               [3., 4.]])
        >>> y, index
        (array([4., 5.]), array([3, 4]))
        """
        length = window + horizon
        if len(self.values) < length:
            return np.empty((0, window)), np.empty(0), np.empty(0, dtype=np.int64)
        view = np.lib.stride_tricks.sliding_window_view
        spans = view(self.filled, length)
        there = view(~np.isnan(self.values), length)
        kept = there[:, -1] & there[:, window - 1]
        kept &= there[:, :window].sum(axis=1) >= MEASURED * window
        kept &= ~np.isnan(spans[:, 0])
        for level in self.levels:
            # Windows that contain the jump.
            kept[max(0, level - length + 1) : level] = False
        first = np.flatnonzero(kept)
        place = first + length - 1
        return spans[first, :window].copy(), self.values[place], place


def interpolated(values: FloatArray) -> FloatArray:
    """Return a series with missing values interpolated; at the end the last value is repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.filled_windows import interpolated
    >>> interpolated(np.array([np.nan, 1.0, np.nan, 2.0, np.nan]))
    array([nan, 1. , 1.5, 2. , 2. ])
    """
    there = np.flatnonzero(~np.isnan(values))
    if not len(there):
        return values
    return np.interp(np.arange(len(values)), there, values[there], left=np.nan)


def levelled(values: FloatArray, levels: IntArray) -> FloatArray:
    """Return a series shifted to its last level.

    Readings before a jump are shifted if the jump is large relative to their spread.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.filled_windows import levelled
    >>> levelled(np.array([1.0, 2.0, 1.0, 91.0, 92.0, 91.0]), np.array([3]))
    array([91., 92., 91., 91., 92., 91.])
    """
    moved = values.copy()
    ends = [*levels.tolist(), len(values)]
    for k in range(len(levels) - 1, -1, -1):
        part = slice(ends[k - 1] if k else 0, ends[k])
        before = values[part][~np.isnan(values[part])]
        if not len(before):
            continue
        jump = values[ends[k]] - before[-1]
        spread = spread_of(before)
        # Differences within a part are exact even if another part is at 1e100.
        start = moved[ends[k]] if abs(jump) > ELSEWHERE * spread else moved[ends[k]] - jump
        moved[part] = start + (values[part] - before[-1])
    return moved


def at_regular_steps(readings: FloatArray, times: FloatArray, most: int) -> FloatArray:
    """Return readings in order of time, with NaN for skipped timestamps.

    Parameters
    ----------
    readings, times : ndarray of shape (n,)
        The readings and their times, ascending.
    most : int
        Maximum length of a gap.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.filled_windows import at_regular_steps
    >>> at_regular_steps(np.array([1.0, 2.0, 3.0, 6.0]), np.array([0.0, 1.0, 2.0, 5.0]), 12)
    array([ 1.,  2.,  3., nan, nan,  6.])
    """
    step = usual_step(times)
    steps = np.diff(times)
    skipped = np.zeros(len(readings), dtype=np.int64)
    gaps = np.flatnonzero(steps > GAP * step)
    skipped[gaps + 1] = np.clip(np.round(steps[gaps] / step) - 1, 1, most)
    whole = np.full(len(readings) + int(skipped.sum()), np.nan)
    whole[np.arange(len(readings)) + np.cumsum(skipped)] = readings
    return whole
