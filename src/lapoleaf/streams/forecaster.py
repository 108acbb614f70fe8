"""Online forecasts of a sensor."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from lapoleaf._documentation import DocumentedMixin
from lapoleaf._twin import adopt, unfitted_twin
from lapoleaf._typing import FloatArray
from lapoleaf.estimators import LaPOLeaFRegressor
from lapoleaf.estimators.regression import ForestRegressor
from lapoleaf.streams.blending import Blend, ForestOnly
from lapoleaf.streams.filled_windows import at_regular_steps
from lapoleaf.streams.folding import checked_readings, checked_times, in_order_of_time
from lapoleaf.streams.following import Follower
from lapoleaf.streams.forecast_mixin import ForecastMixin
from lapoleaf.streams.forecasts import FEWEST_WINDOWS
from lapoleaf.streams.memory import Memory
from lapoleaf.streams.outliers import JumpGate
from lapoleaf.streams.parameters import check_parameters
from lapoleaf.streams.states import check_state


class SeriesForecaster(ForecastMixin, DocumentedMixin, BaseEstimator):
    """Online forecaster of the next reading of a sensor.

    The last reading is corrected by a linear forecast of the change, and by LaPOLeaF and kernel
    regression on its residuals, each weighted by how much it has reduced recent errors. Intervals
    are estimated from recent errors. Without :meth:`fit` the forecaster learns online from the
    first reading.

    Parameters
    ----------
    regressor : LaPOLeaFRegressor or LeadingForestRegressor, default=None
        Regressor of the residuals; None for ten forests without a trend of their own.
    window : int, default=12
        Readings in a window.
    horizon : int, default=1
        How many readings ahead to forecast.
    trend : {"linear", None}, default="linear"
        None: the regressor alone, on raw windows, as in the paper.
    coverage : float, default=0.9
        Share of the readings that intervals should hold.
    max_jump : "auto", float or None, default="auto"
        A reading that differs from the last one by more than this is held until the next one
        confirms it, and dropped otherwise. "auto": five times the largest usual change. None: every
        reading is used at once.
    window_size : int, default=None
        Maximum number of windows to store; None for no limit.
    max_points : int or None, default=5000
        Maximum number of distinct points to store: beyond it, granules of the forest are merged
        into weighted points. None: no limit; time and memory grow with every reading.
    half_life : float, default=None
        Number of readings after which the weight of a window is halved; after ten to twenty times
        as many it is dropped.
    chunk : int, default=100
        Number of windows after which the forest and the kernel regression are updated; the linear
        forecast is updated with each.

    Attributes
    ----------
    last_error_ : float
        The last reading minus what was forecast for it; NaN if nothing was.
    n_readings_, n_missing_, n_late_ : int
        Numbers of readings that were accepted, missing, and late.
    n_odd_, n_stretches_ : int
        Number of readings with inconsistent times, and number of times that the clock was set.
    n_outliers_ : int
        Number of accepted readings that were held as outliers and not confirmed.

    See Also
    --------
    fold_series : Windows of a series, as rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.streams import SeriesForecaster
    >>> series = np.sin(np.arange(600) / 8)
    >>> forecaster = SeriesForecaster(window=5).fit(series[:500])
    >>> for reading in series[500:]:
    ...     _ = forecaster.update(reading)
    >>> bool(abs(forecaster.predict_next() - np.sin(600 / 8)) < 0.01)
    True
    >>> low, high = forecaster.predict_interval()
    >>> bool(low <= np.sin(600 / 8) <= high)
    True
    """

    def __init__(
        self,
        regressor: ForestRegressor | None = None,
        window: int = 12,
        horizon: int = 1,
        *,
        trend: str | None = "linear",
        coverage: float = 0.9,
        max_jump: float | str | None = "auto",
        window_size: int | None = None,
        max_points: int | None = 5000,
        half_life: float | None = None,
        chunk: int = 100,
    ) -> None:
        self.regressor = regressor
        self.window = window
        self.horizon = horizon
        self.trend = trend
        self.coverage = coverage
        self.max_jump = max_jump
        self.window_size = window_size
        self.max_points = max_points
        self.half_life = half_life
        self.chunk = chunk

    @classmethod
    def as_published(cls, window: int = 5, horizon: int = 1, **params: Any) -> Self:
        """Return the forecaster of the paper: one forest, to which every raw window is added.

        Parameters
        ----------
        window, horizon : int
            See the class; the paper's windows are 5 and 12.
        **params : dict
            Other parameters of the class.

        Returns
        -------
        SeriesForecaster
            The unfitted forecaster.
        """
        regressor = LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water")
        return cls(regressor, window, horizon, **{"trend": None, "max_jump": None, **params})

    def fit(self, values: Any, timestamps: Any = None) -> Self:
        """Fit a series, and discard the earlier state.

        Parameters
        ----------
        values : array-like of shape (n,)
            The readings in order, NaN where missing.
        timestamps : array-like of shape (n,), default=None
            Their times: see :func:`fold_series`.

        Returns
        -------
        self : SeriesForecaster
            The fitted forecaster, which forecasts the next reading.
        """
        return adopt(self, unfitted_twin(self)._fit(values, timestamps))

    def _fit(self, values: Any, timestamps: Any) -> Self:
        readings = checked_readings(values)
        times = np.full(len(readings), np.nan)
        self._start()
        follower, regular = self._follower, readings
        if timestamps is not None:
            readings, times = in_order_of_time(readings, timestamps)
            regular = at_regular_steps(readings, times, self.window + self.horizon)
        n_windows = follower.learn_series(regular)
        if n_windows < FEWEST_WINDOWS:
            raise ValueError(
                f"values has {n_windows} windows of {self.window} readings and the one to forecast "
                f"with less than half of them missing: at least {FEWEST_WINDOWS} are needed. Give "
                f"a longer series or a smaller window."
            )
        follower.take_past(readings, times)
        return self

    def update(self, reading: float | None, timestamp: Any = None) -> Self:
        """Update with the next reading.

        Parameters
        ----------
        reading : float or None
            The reading; None or NaN if it is missing.
        timestamp : number, datetime64 or str, default=None
            Its time. Skipped readings are taken as missing; a late one is put in its place if that
            is still in the window. A single time far from the others is ignored; three in a row
            begin a new stretch, which no window crosses.

        Returns
        -------
        self : SeriesForecaster
            The updated forecaster.
        """
        if "_follower" not in vars(self):
            self._start()
        value = math.nan if reading is None else float(reading)
        time = math.nan if timestamp is None else float(checked_times([timestamp])[0])
        self._follower.update(value, time)
        return self

    def _start(self) -> None:
        """Reset the learned state."""
        check_parameters(self)
        regressor = self.regressor
        if regressor is None:
            regressor = LaPOLeaFRegressor(n_forests=10, experts=None, n_jobs=1)
        memory = Memory(regressor, self.window_size, self.max_points, self.half_life)
        model = ForestOnly(memory) if self.trend is None else Blend(memory, self.chunk)
        gate = JumpGate.of(self.max_jump)
        self._follower = Follower(model, gate, self.window, self.horizon, self.coverage)
        self._model, self._recent = model, self._follower.recent

    def settle(self) -> Self:
        """Rebuild the forests from the stored readings.

        Later forecasts depend only on :meth:`get_state`.

        Returns
        -------
        self : SeriesForecaster
            The same forecaster.
        """
        forecasts = self._follower.forecasts
        if forecasts.is_fitted:
            self._model.rebuild()
            forecasts.look_again()
        return self

    def get_state(self) -> dict[str, FloatArray]:
        """Return the learned state as arrays, which can be stored in a file.

        Returns
        -------
        dict of str to ndarray
            For :meth:`set_state` of a forecaster with the same parameters.
        """
        return self._follower.state()

    def set_state(self, state: dict[str, FloatArray]) -> Self:
        """Restore the learned state; forests are rebuilt.

        Parameters
        ----------
        state : dict of str to ndarray
            From :meth:`get_state`.

        Returns
        -------
        self : SeriesForecaster
            The forecaster in that state.
        """
        return adopt(self, unfitted_twin(self)._restored(state))

    def _restored(self, state: dict[str, FloatArray]) -> Self:
        self._start()
        check_state(state, self.window, self.horizon, self.trend is not None)
        self._follower.restore(state)
        return self
