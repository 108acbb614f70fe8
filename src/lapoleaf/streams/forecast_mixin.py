"""Forecasts and counts of readings."""

from __future__ import annotations

from sklearn.exceptions import NotFittedError

from lapoleaf.streams.folding import check_length
from lapoleaf.streams.following import Follower
from lapoleaf.streams.forecasts import Forecasts
from lapoleaf.streams.paths import ForecastPath


class ForecastMixin:
    """Mixin with the forecasts and counts of an online estimator."""

    _follower: Follower

    def predict_next(self) -> float:
        """Return the reading that comes ``horizon`` readings after the last one.

        Returns
        -------
        float
            The forecast.
        """
        return self._forecasts().guesses[-1].value

    def predict_interval(self) -> tuple[float, float]:
        """Return an interval that holds the next reading with the probability ``coverage``.

        It widens while readings are missing and while a sensor is stuck.

        Returns
        -------
        low, high : float
            Its ends; infinite before the first error.
        """
        forecasts = self._forecasts()
        value, width = forecasts.guesses[-1].value, forecasts.half_width()
        return value - width, value + width

    def predict_path(self, h: int) -> ForecastPath:
        """Return the next ``h`` readings, each with an interval.

        Forecasts are iterated: each replaces its reading for the next one. Widths of intervals are
        quantiles of the errors of past forecasts the same number of steps ahead, up to 20; beyond,
        they are extrapolated from the 10th to the 20th step. Each interval holds its own reading
        with the probability ``coverage``; the joint probability is smaller.

        Parameters
        ----------
        h : int
            Number of readings.

        Returns
        -------
        ForecastPath
            A named tuple of arrays of shape (h,): ``mean``, ``lower`` and ``upper``.

        Examples
        --------
        >>> import numpy as np
        >>> from lapoleaf.streams import SeriesForecaster
        >>> series = np.sin(np.arange(600) / 8)
        >>> path = SeriesForecaster(window=5).fit(series).predict_path(10)
        >>> path.mean.shape
        (10,)
        >>> bool(np.abs(path.mean - np.sin(np.arange(600, 610) / 8)).max() < 0.01)
        True
        """
        check_length("h", h)
        return self._forecasts().path(int(h))

    @property
    def last_error_(self) -> float:
        """The last reading minus what was forecast for it."""
        return self._follower.last_error

    @property
    def n_readings_(self) -> int:
        """Number of accepted readings."""
        return self._follower.counts.readings

    @property
    def n_missing_(self) -> int:
        """Number of missing readings."""
        return self._follower.counts.missing

    @property
    def n_late_(self) -> int:
        """Number of late readings."""
        return self._follower.clock.n_late

    @property
    def n_odd_(self) -> int:
        """Number of readings with inconsistent times."""
        return self._follower.clock.n_odd

    @property
    def n_stretches_(self) -> int:
        """Number of times that the clock was set."""
        return self._follower.clock.n_stretches

    @property
    def n_outliers_(self) -> int:
        """Number of readings that were held as outliers and not confirmed."""
        return self._follower.counts.outliers

    def _forecasts(self) -> Forecasts:
        if "_follower" not in vars(self) or not self._follower.recent.values:
            raise NotFittedError("This SeriesForecaster has no reading yet: call fit or update.")
        return self._follower.forecasts
