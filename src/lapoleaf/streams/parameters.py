"""Validation of the parameters of a forecaster."""

from __future__ import annotations

from typing import Any

from lapoleaf._messages import shown
from lapoleaf._numbers import is_real
from lapoleaf.estimators.regression import ForestRegressor
from lapoleaf.streams.folding import check_length
from lapoleaf.streams.outliers import check_max_jump

_TRENDS = ("linear", None)


def check_parameters(forecaster: Any) -> None:
    """Raise for invalid parameters of a SeriesForecaster, except those of its memory."""
    for name in ("window", "horizon", "chunk"):
        check_length(name, getattr(forecaster, name))
    regressor, trend, coverage = forecaster.regressor, forecaster.trend, forecaster.coverage
    if regressor is not None and not isinstance(regressor, ForestRegressor):
        raise TypeError(
            f"regressor={shown(regressor)} must be a LaPOLeaFRegressor, a LeadingForestRegressor, "
            f"or None."
        )
    check_max_jump(forecaster.max_jump)
    if trend not in _TRENDS:
        raise ValueError(f"trend={shown(trend)} must be one of {_TRENDS}.")
    if not (is_real(coverage) and 0.0 < coverage < 1.0):
        raise ValueError(f"coverage={shown(coverage)} must be between 0 and 1.")
