"""Detection of spikes and changes of level in a whole series."""

from __future__ import annotations

import math

import numpy as np

from lapoleaf._typing import BoolArray, FloatArray, IntArray
from lapoleaf.streams.outliers import LARGEST, JumpGate, Verdict


def trusted_size(readings: FloatArray) -> FloatArray:
    """Return readings with NaN for those that are too large."""
    return np.where(np.abs(readings) <= LARGEST, readings, np.nan)


def screened(readings: FloatArray, gate: JumpGate) -> tuple[BoolArray, IntArray]:
    """Return the spikes of a series and the beginnings of new levels.

    Parameters
    ----------
    readings : ndarray of shape (n,)
        The readings in order, NaN where missing.
    gate : JumpGate
        A new gate, which is left in the state after the last reading.

    Returns
    -------
    spikes : ndarray of bool of shape (n,)
        Whether a reading was held and not confirmed.
    levels : ndarray of int
        The first reading of every new level.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams.outliers import JumpGate
    >>> from lapoleaf.streams.screening import screened
    >>> series = np.sin(np.arange(60.0))
    >>> series[20] = 1e6
    >>> series[40:] += 50.0
    >>> spikes, levels = screened(series, JumpGate())
    >>> np.flatnonzero(spikes), levels
    (array([20]), array([40]))
    """
    gate.prime(readings)
    spikes = np.zeros(len(readings), dtype=bool)
    levels: list[int] = []
    held: list[int] = []
    missed = 0
    for k, reading in enumerate(readings.tolist()):
        if math.isnan(reading):
            missed += 1
            continue
        verdict = gate.classify(reading, missed)
        if verdict is Verdict.HELD:
            spikes[k] = True
            held.append(k)
            missed += 1
            continue
        if verdict is Verdict.NEW_LEVEL:
            confirmed = [*held, k][-gate.n_confirmed :]
            spikes[confirmed] = False
            levels.append(confirmed[0])
        held, missed = [], 0
    return spikes, np.array(levels, dtype=np.int64)
