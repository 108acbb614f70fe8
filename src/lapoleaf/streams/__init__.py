"""Series of readings: windows, forecasts that learn with every reading, bounded memory."""

from lapoleaf.streams.folding import fold_series
from lapoleaf.streams.forecaster import SeriesForecaster

__all__ = ["SeriesForecaster", "fold_series"]
