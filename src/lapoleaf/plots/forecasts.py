"""Plot of readings and forecasts, as in the paper's figure of the water series."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lapoleaf._typing import FloatArray
from lapoleaf.plots._axes import ACCENT, PLAIN, axes_or_new, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_forecasts(
    readings: FloatArray,
    forecasts: FloatArray,
    low: FloatArray,
    high: FloatArray,
    ax: Axes | None = None,
) -> Axes:
    """Draw readings, forecasts and intervals, and return the axes.

    Parameters
    ----------
    readings : ndarray of shape (n,)
        The readings, NaN where missing.
    forecasts, low, high : ndarray of shape (n,)
        The forecast for each, and the ends of its interval.
    ax : matplotlib Axes, default=None
        Where to draw; a new figure if None.

    Returns
    -------
    matplotlib Axes
        With the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from lapoleaf.plots.forecasts import plot_forecasts
    >>> series = np.sin(np.arange(100) / 9)
    >>> ax = plot_forecasts(series, series + 0.02, series - 0.1, series + 0.1)
    >>> ax.get_ylabel()
    'reading'
    """
    ax = axes_or_new(ax, figsize=(9.0, 3.6))
    place = np.arange(len(readings))
    ax.fill_between(place, low, high, color=ACCENT, alpha=0.16, lw=0, label="interval")
    ax.plot(place, readings, color=PLAIN, lw=2.6, label="read")
    ax.plot(place, forecasts, color=ACCENT, lw=0.9, label="forecast")
    ax.set(xlabel="number of the reading", ylabel="reading")
    seen = np.concatenate([readings, forecasts])
    seen = seen[np.isfinite(seen)]
    if len(seen):
        # The limits follow the readings, since the first intervals can be very wide.
        margin = 0.15 * float(np.ptp(seen)) or 1.0
        ax.set_ylim(float(seen.min()) - margin, float(seen.max()) + margin)
    ax.margins(x=0.01)
    tidy(ax)
    ax.legend(frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1.0, 1.0))
    return ax
