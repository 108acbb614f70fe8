"""
Numbers: along a curve, and on a rolled-up sheet
================================================

:class:`~lapoleaf.LaPOLeaFRegressor` fits a trend to the given numbers, and propagates numbers along
the same links as classes; leave-one-out decides how to weight them. The examples are 20 numbers on
a curve and 100 on a sheet in space.
"""

# %%
# 20 of 400 points on a curve have a number, measured with some noise; all others are NaN. Every
# prediction has an interval that should contain nine of ten measured numbers.
import numpy as np

from lapoleaf import LaPOLeaFRegressor


def some_targets(truth, number, seed):
    """Keep some targets; NaN everywhere else."""
    y = np.full(len(truth), np.nan)
    chosen = np.random.default_rng(seed).choice(len(truth), number, replace=False)
    y[chosen] = truth[chosen]
    return y


x = np.sort(np.random.default_rng(0).uniform(0, 10, 400))
wave = np.sin(x)
measured = wave + np.random.default_rng(2).normal(scale=0.2, size=400)
y_wave = some_targets(measured, 20, seed=1)
wave_model = LaPOLeaFRegressor().fit(x[:, None], y_wave)
lower, upper = wave_model.predict_interval(x[:, None], coverage=0.9)
inside = np.mean(((lower <= measured) & (measured <= upper))[np.isnan(y_wave)])
print(f"{inside:.0%} of the numbers that were not given are in their interval")

# %%
# A sheet rolled up in space. The number is the position of a point along the sheet, so points on
# neighbouring turns are close to each other but have different numbers. ``forest_share`` is the
# weight of the forests.
from sklearn.datasets import make_swiss_roll

X, along = make_swiss_roll(1500, noise=0.2, random_state=0)
y = some_targets(along, 100, seed=0)
model = LaPOLeaFRegressor().fit(X, y)
print(model.chosen_)

# %%
import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
left, middle, right = axes
left.fill_between(x, lower, upper, color="#d1495b", alpha=0.2, linewidth=0, label="90%")
left.plot(x, wave, color="#8a9bb0", linewidth=1.5, label="truth")
left.scatter(x, wave_model.transduction_, s=5, color="#d1495b", label="found", zorder=2)
left.scatter(x, y_wave, s=45, facecolor="white", edgecolor="black", label="given", zorder=3)
left.set(title="20 numbers on a curve", xlabel="x", ylabel="number")
left.legend(frameon=False, loc="lower left")

shade = {"cmap": "viridis", "vmin": along.min(), "vmax": along.max()}
middle.scatter(X[:, 0], X[:, 2], c=model.transduction_, s=8, **shade)
middle.scatter(X[:, 0], X[:, 2], c=y, s=40, edgecolor="black", plotnonfinite=False, **shade)
middle.set(title="100 numbers on a sheet, from the side", aspect="equal")
middle.set_axis_off()

unknown = np.isnan(y)
right.plot([along.min(), along.max()], [along.min(), along.max()], color="#8a9bb0", linewidth=1)
right.scatter(along[unknown], model.transduction_[unknown], s=5, color="#d1495b")
score = model.score(X[unknown], along[unknown])
right.set(title=f"Found and true: R² = {score:.2f}", xlabel="truth", ylabel="found")
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
