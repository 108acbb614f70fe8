"""
Water: the next reading from the last five
==========================================

The paper predicts the water quality of a river a quarter of an hour ahead and compares with least
squares support vector regression. Its readings are not public, so this example uses synthetic ones,
with daily cycles, weather and rounding. ``python -m benchmarks paper --data DIR`` does the same
with real readings and more baselines.
"""

# %%
# The models are trained on 2,000 windows of five readings. Then two days of readings arrive one by
# one, and each is predicted before it is used.
import numpy as np

length, n_train, n_test = 5, 2000, 192
n = length + n_train + n_test
rng = np.random.default_rng(0)
weather = np.zeros(n)
for k, push in enumerate(rng.normal(scale=0.02, size=n - 1)):
    weather[k + 1] = 0.998 * weather[k] + push
# Plants produce oxygen by day, more in good weather.
day = np.sin(2 * np.pi * (np.arange(n) / 96 - 0.3)) * (1.0 + 0.5 * np.tanh(weather))
do = 11.0 + 0.9 * day + 0.6 * weather + rng.normal(scale=0.02, size=n)
ph = 8.2 + 0.12 * day + 0.08 * weather + rng.normal(scale=0.004, size=n)
values = {"ph": np.round(ph, 2), "do": np.round(do, 2)}

# %%
# The forecaster and the paper's forest learn from every reading; the paper's baseline, with the
# paper's parameters, is trained once.
from lapoleaf import LaPOLeaFRegressor
from lapoleaf.baselines import LSSVR
from lapoleaf.streams import SeriesForecaster, fold_series


def predictions(readings):
    """Return the predictions of every method for the last two days, one reading ahead."""
    X, y, _ = fold_series(readings, length)
    past, targets = X[:n_train], y[:n_train]
    ours = SeriesForecaster(window=length).fit(readings[: length + n_train])
    published = LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water")
    published.fit(past, targets)
    found = {
        "LaPOLeaF": [],
        "LaPOLeaF as published": [],
        "LSSVR, the paper's parameters": LSSVR.as_published()
        .fit(past, targets)
        .predict(X[n_train:]),
        "last reading again": X[n_train:, -1],
    }
    for window, reading in zip(X[n_train:], y[n_train:], strict=True):
        found["LaPOLeaF"].append(ours.predict_next())
        ours.update(reading)
        found["LaPOLeaF as published"].append(published.predict(window[None])[0])
        published.partial_fit(window[None], [reading])
    return found


found = {quantity: predictions(values[quantity]) for quantity in ("ph", "do")}
for quantity, by_method in found.items():
    truth = values[quantity][-n_test:]
    for name, predicted in by_method.items():
        print(f"{quantity}, {name}: sum of squared errors {np.sum((predicted - truth) ** 2):.3f}")

# %%
# Above: readings and predictions; below: errors. Repeating the last reading is a strong baseline
# for readings every 15 minutes, so forecasts of water should be compared with it.
import matplotlib.pyplot as plt

colours = {
    "LaPOLeaF": "#d1495b",
    "LaPOLeaF as published": "#2e6f95",
    "LSSVR, the paper's parameters": "#a8a08d",
}
titles = {"ph": "pH", "do": "Dissolved oxygen, mg/l"}
figure, axes = plt.subplots(2, 2, figsize=(11, 5), sharex=True, layout="constrained")
hours = np.arange(n_test) / 4
for column, (quantity, by_method) in enumerate(found.items()):
    truth = values[quantity][-n_test:]
    above, below = axes[:, column]
    above.plot(hours, truth, color="black", alpha=0.3, linewidth=4, label="read")
    for name, colour in colours.items():
        above.plot(hours, by_method[name], color=colour, linewidth=1.2, label=name)
        below.plot(hours, by_method[name] - truth, color=colour, linewidth=1)
    below.axhline(0, color="black", linewidth=0.6)
    above.set_title(titles[quantity])
    below.set(xlabel="hours", ylabel="error" if column == 0 else None)
lines, names = axes[0, 0].get_legend_handles_labels()
figure.legend(lines, names, frameon=False, loc="outside lower center", ncols=4)
for ax in axes.ravel():
    ax.spines[["top", "right"]].set_visible(False)
