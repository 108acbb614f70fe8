"""The paper's protocol for its water series: train once, then predict and update in turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.data.water import Windows
from benchmarks.methods.forecasters import Forecaster
from lapoleaf._typing import FloatArray


@dataclass(frozen=True, eq=False)
class Forecast:
    """Predictions of a method, and their times.

    Attributes
    ----------
    predictions : ndarray of shape (n_test,)
        The predictions.
    truth : ndarray of shape (n_test,)
        What was read.
    training : float
        Processor seconds of training.
    milliseconds : float
        Mean processor milliseconds of a prediction and of the update with its reading.
    coverage : float or None
        Share of the readings that were in their intervals, where the method has any.
    """

    predictions: FloatArray
    truth: FloatArray
    training: float
    milliseconds: float
    coverage: float | None = None

    @property
    def sse(self) -> float:
        """Sum of squared errors."""
        return float(np.sum((self.predictions - self.truth) ** 2))


def forecast(make: Callable[[], Forecaster], windows: Windows) -> Forecast:
    """Train on the first windows; predict each of the others, then update with what was read.

    Parameters
    ----------
    make : callable
        Makes the method.
    windows : Windows
        The windows.
    """
    method = make()
    n = windows.n_train
    began = time.process_time()
    method.fit(windows.X[:n], windows.y[:n])
    training = time.process_time() - began
    predictions, spent, inside = [], [], []
    interval = getattr(method, "interval", None)
    for window, reading in zip(windows.X[n:], windows.y[n:], strict=True):
        began = time.process_time()
        predictions.append(method.predict(window))
        if interval is not None:
            low, high = interval()
            inside.append(low <= reading <= high)
        method.update(window, float(reading))
        spent.append(time.process_time() - began)
    return Forecast(
        np.array(predictions),
        windows.y[n:],
        training,
        1000.0 * float(np.mean(spent)),
        float(np.mean(inside)) if inside else None,
    )
