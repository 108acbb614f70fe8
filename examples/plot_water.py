"""
Water: the next reading from the last five
==========================================

The paper predicts the quality of a river a quarter of an hour ahead and compares with least squares
support vector regression. Its readings are not public, so these are made: days, weather, and the
rounding of an instrument. ``lapoleaf bench paper --data DIR`` does the same with real ones.
"""

# %%
# Windows of five readings train; the next two days are predicted, one reading ahead.
from lapoleaf.bench.water_data import made_series, windows_of

series = made_series(3000)
tasks = {name: windows_of(series, name, 5, n_train=2000, n_test=192) for name in ("ph", "do")}

# %%
# The regressor of the paper, its competitor with the paper's parameters, and ours as it comes.
import numpy as np

from lapoleaf import LaPOLeaFRegressor
from lapoleaf.baselines import LSSVR

methods = {
    "LaPOLeaF": LaPOLeaFRegressor(n_forests=20),
    "LaPOLeaF as published": LaPOLeaFRegressor.as_published(percent=5, alpha=0.5, cost="water"),
    "LSSVR, the paper's parameters": LSSVR.as_published(),
}
found = {}
for quantity, windows in tasks.items():
    n = windows.n_train
    truth = windows.y[n:]
    found[quantity, "last reading again"] = windows.X[n:, -1]
    for name, model in methods.items():
        found[quantity, name] = model.fit(windows.X[:n], windows.y[:n]).predict(windows.X[n:])
    for name in ("last reading again", *methods):
        error = np.sum((found[quantity, name] - truth) ** 2)
        print(f"{quantity}, {name}: sum of squared errors {error:.3f}")

# %%
# Above what was read and predicted, below the errors. Repeating the last reading is hard to beat
# when one comes every 15 minutes: whoever predicts water should be compared with it.
import matplotlib.pyplot as plt

colours = dict(zip(methods, ("#d1495b", "#2e6f95", "#a8a08d"), strict=True))
titles = {"ph": "pH", "do": "Dissolved oxygen, mg/l"}
figure, axes = plt.subplots(2, 2, figsize=(11, 5), sharex=True, layout="constrained")
hours = np.arange(192) / 4
for column, (quantity, windows) in enumerate(tasks.items()):
    truth = windows.y[windows.n_train :]
    above, below = axes[:, column]
    above.plot(hours, truth, color="black", alpha=0.3, linewidth=4, label="read")
    for name, colour in colours.items():
        above.plot(hours, found[quantity, name], color=colour, linewidth=1.2, label=name)
        below.plot(hours, found[quantity, name] - truth, color=colour, linewidth=1)
    below.axhline(0, color="black", linewidth=0.6)
    above.set_title(titles[quantity])
    below.set(xlabel="hours", ylabel="error" if column == 0 else None)
lines, names = axes[0, 0].get_legend_handles_labels()
figure.legend(lines, names, frameon=False, loc="outside lower center", ncols=4)
for ax in axes.ravel():
    ax.spines[["top", "right"]].set_visible(False)
