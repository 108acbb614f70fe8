"""
What n_trees does: who shares a label
=====================================

Labels flow within a tree. A tree without any label borrows that of the nearest labelled root above
it. So few trees let labels travel far, and many trees leave most points to borrow.
"""

# %%
# Five groups, one label for each.
import numpy as np
from sklearn.datasets import make_blobs


def few_labels(truth, per_class, seed):
    """Keep some labels of each class; -1 everywhere else."""
    rng = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for name in np.unique(truth):
        y[rng.choice(np.flatnonzero(truth == name), per_class, replace=False)] = name
    return y


X, truth = make_blobs(500, centers=5, cluster_std=1.0, random_state=3)
y = few_labels(truth, per_class=1, seed=0)

# %%
# Colours are the labels found, circles those given, rings are roots. One tree lets a group's label
# run along the long links into its neighbours. Five trees fit the five groups. With 100, at most
# five have a label and all others borrow, whatever lies between.
import matplotlib.pyplot as plt

from lapoleaf import ForestDisplay, LaPOLeaFClassifier

figure, axes = plt.subplots(1, 4, figsize=(11, 3.6), layout="constrained")
for n_trees, ax in zip((1, 5, 15, 100), axes, strict=True):
    model = LaPOLeaFClassifier(n_trees=n_trees).fit(X, y)
    display = ForestDisplay.from_estimator(model, X, ax=ax, s=4)
    display.links_.set(alpha=0.8, linewidth=1)
    ax.collections[-1].set(sizes=[30])  # smaller rings
    ax.get_legend().remove()
    ax.set_title(f"n_trees={n_trees}: {np.mean(model.transduction_ == truth):.0%} right")

# %%
# 600 images of digits with two labels for each digit: mean and range over five draws of the
# labels. Two trees for each digit do a little better here than one for all, and far better than
# twenty for each.
from sklearn.datasets import load_digits

X, truth = load_digits(return_X_y=True)
X, truth = X[:600], truth[:600]
numbers = [1, 10, 20, 50, 200]
right = np.zeros((len(numbers), 5))
for draw in range(5):
    y = few_labels(truth, per_class=2, seed=draw)
    for k, n_trees in enumerate(numbers):
        found = LaPOLeaFClassifier(n_trees=n_trees).fit(X, y).transduction_
        right[k, draw] = np.mean(found[y == -1] == truth[y == -1])

figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
low, high = right.min(axis=1), right.max(axis=1)
ax.fill_between(numbers, low, high, color="#8a9bb0", alpha=0.3, linewidth=0)
ax.plot(numbers, right.mean(axis=1), "o-", color="#d1495b")
ax.set_xscale("log")
ax.set_xticks(numbers, [str(number) for number in numbers])
ax.minorticks_off()
ax.set(xlabel="n_trees", ylabel="share of right labels", title="600 digits, 20 labels")
ax.spines[["top", "right"]].set_visible(False)
for n_trees, mean in zip(numbers, right.mean(axis=1), strict=True):
    print(f"n_trees={n_trees:<4} {mean:.0%} right")
