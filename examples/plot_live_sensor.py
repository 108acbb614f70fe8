"""
A live sensor: forecasts that survive sensor faults
===================================================

Synthetic readings every quarter of an hour, with daily cycles, weather and rounding. Then the
sensor drops out, sends a spike, gets stuck, and jumps to another level. The forecaster learns
from every reading and keeps forecasting; intervals widen where readings are missing.
"""

# %%
# Two weeks of training data, and four days with faults.
import numpy as np

from lapoleaf.streams import SeriesForecaster

rng = np.random.default_rng(0)
time = np.arange(1800)
weather = np.zeros(len(time))
for k, push in enumerate(rng.normal(scale=0.02, size=len(time) - 1)):
    weather[k + 1] = 0.998 * weather[k] + push
# Plants produce oxygen by day, more in good weather.
day = np.sin(2 * np.pi * (time / 96 - 0.3)) * (1.0 + 0.5 * np.tanh(weather))
series = 11.0 + 0.9 * day + 0.6 * weather + rng.normal(scale=0.02, size=len(time))
series = np.round(series, 2)
past, live = series[:1400], series[1400:].copy()
live[60:90] = np.nan  # out of order
live[150] += 3.0  # a spike
live[210:275] = live[209]  # stuck
live[330:] += 1.5  # another level

# %%
# For each reading: forecast, then update.
forecaster = SeriesForecaster(window=12).fit(past)
forecasts, low, high = [], [], []
for reading in live:
    forecasts.append(forecaster.predict_next())
    ends = forecaster.predict_interval()
    low.append(ends[0])
    high.append(ends[1])
    forecaster.update(reading)

# %%
# The intervals have their nominal coverage where the sensor works.
works = np.isfinite(live)
inside = (np.array(low) <= live) & (live <= np.array(high))
print(f"{inside[works].mean():.0%} of the readings are in their intervals of 90 %")
print(f"{forecaster.n_missing_} readings were missing")

# %%
# Grey: readings; red: forecasts; pale: intervals.
from lapoleaf.plots.forecasts import plot_forecasts

ax = plot_forecasts(live, np.array(forecasts), np.array(low), np.array(high))
for place, what in ((75, "missing"), (150, "a spike"), (242, "stuck"), (330, "another level")):
    ax.annotate(
        what, (place, ax.get_ylim()[0]), xytext=(0, 4), textcoords="offset points", ha="center"
    )
