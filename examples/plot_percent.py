"""
What percent does: the bandwidth of the density
===============================================

``percent`` sets the bandwidth of the density: the distance that this percentage of all pairs of
points do not exceed. A point is dense if many others lie within it. ``percent`` is a parameter of
one forest, :class:`~lapoleaf.LeadingForestClassifier`; :class:`~lapoleaf.LaPOLeaFClassifier`
averages over many forests and does not need it.
"""

# %%
# Two half moons with three labels each.
import numpy as np
from sklearn.datasets import make_moons

X, truth = make_moons(500, noise=0.12, random_state=2)


def three_labels_each(seed):
    """Label three points of each moon; -1 everywhere else."""
    rng = np.random.default_rng(seed)
    y = np.full(len(X), -1)
    for moon in (0, 1):
        y[rng.choice(np.flatnonzero(truth == moon), 3, replace=False)] = moon
    return y


# %%
# Above: the density (dark is dense). Below: every point linked to its leader, coloured by its
# label; circles are given labels, rings are roots.
#
# With a small bandwidth, the density has a peak at every small accumulation of points. With a large
# one it has a single peak, and leaders lie towards the middle, across the gap between the moons.
import matplotlib.pyplot as plt

from lapoleaf import ForestDisplay, LaPOLeaFClassifier, LeadingForestClassifier

y = three_labels_each(seed=0)
figure, axes = plt.subplots(2, 4, figsize=(11, 5.4), layout="constrained")
for percent, (above, below) in zip((0.2, 2, 5, 40), axes.T, strict=True):
    model = LeadingForestClassifier(percent=percent, mu=np.inf).fit(X, y)
    above.scatter(*X.T, c=model.tree_.density, cmap="viridis_r", s=10)
    above.set_title(f"percent={percent}\nbandwidth {model.bandwidth_:.2f}")
    above.set_axis_off()
    display = ForestDisplay.from_estimator(model, X, links=True, ax=below, s=4)
    display.links_.set(alpha=0.8, linewidth=1)
    below.collections[-1].set(sizes=[45])  # smaller rings
    below.get_legend().remove()
    right = np.mean(model.transduction_ == truth)
    below.set_title(f"{model.forest_.n_trees} trees, {right:.0%} right")

# %%
# One draw of labels is not enough to compare. The mean over 12 draws, with the
# interquartile range:
percents = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40]
draws = [three_labels_each(seed) for seed in range(12)]
models = [LeadingForestClassifier(percent=p, mu=np.inf) for p in percents]
right = np.array(
    [[np.mean(model.fit(X, y).transduction_ == truth) for y in draws] for model in models]
)
ensemble = np.mean([np.mean(LaPOLeaFClassifier().fit(X, y).transduction_ == truth) for y in draws])
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
low, high = np.percentile(right, [25, 75], axis=1)
ax.fill_between(percents, low, high, color="#8a9bb0", alpha=0.3, linewidth=0)
ax.plot(percents, right.mean(axis=1), "o-", color="#d1495b")
ax.axhline(ensemble, color="#2e6f95", linewidth=1)
ax.text(40, ensemble + 0.005, "many forests", color="#2e6f95", ha="right", va="bottom")
ax.set_xscale("log")
ax.set_xticks(percents, [f"{p:g}" for p in percents])
ax.minorticks_off()
ax.set(xlabel="percent", ylabel="share of right labels", title="Six labels for 500 points")
ax.spines[["top", "right"]].set_visible(False)
for p, mean in zip(percents, right.mean(axis=1), strict=True):
    print(f"percent={p:<4} {mean:.0%} right")
