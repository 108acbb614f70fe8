"""Series of readings: windows, and online forecasts with bounded memory."""

from lapoleaf.streams.folding import fold_series
from lapoleaf.streams.forecaster import SeriesForecaster
from lapoleaf.streams.paths import ForecastPath

__all__ = ["ForecastPath", "SeriesForecaster", "fold_series"]
