"""
Which rows to label
===================

600 points in groups of very different sizes, of which ten are labelled. The accuracy depends on
which ones.
"""

# %%
# The points. The true labels are known and replace the person who labels.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from lapoleaf import LaPOLeaFClassifier

X, truth = make_blobs(
    [220, 160, 110, 60, 50],
    centers=[[0, 0], [6, 1], [2.5, 5], [8, 6], [-4, 5]],
    cluster_std=[1.3, 1.0, 1.0, 0.6, 0.6],
    random_state=0,
)


def draw(ax, rows, title, colours):
    """Draw all points, and those that are labelled, in the order they were asked for."""
    ax.scatter(*X.T, c=colours, cmap="tab10", vmin=0, vmax=9, s=8, alpha=0.5, linewidths=0)
    ax.scatter(*X[rows].T, c="white", edgecolors="black", s=150, zorder=2)
    for number, row in enumerate(rows, start=1):
        ax.annotate(str(number), X[row], ha="center", va="center", fontsize=8, zorder=3)
    ax.set(title=title, xticks=[], yticks=[])


# %%
# Without labels, ``suggest`` covers the points: the middle of the largest group first, then rows
# that the first labels determine least. Ten random rows are mostly in the large groups, and miss
# two groups.
model = LaPOLeaFClassifier()
suggested = model.suggest(10, X=X)
random = np.random.default_rng(1).choice(len(X), 10, replace=False)

fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
grey = np.full(len(X), 7)
draw(axes[0], random, "drawn at random", grey)
draw(axes[1], suggested, "suggested", grey)

# %%
# With labels, it weighs how uncertain rows are and how many of them one label would determine: it
# suggests rows between classes, and all over the largest group.
y = np.full(len(X), -1)
y[suggested] = truth[suggested]
model.fit(X, y)
following = model.suggest(10)

fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
draw(axes[0], suggested, "after ten labels", model.transduction_)
draw(axes[1], following, "the next ten", model.transduction_)

# %%
# The accuracy of both:
for name, rows in {"at random": random, "suggested": suggested}.items():
    labels = np.where(np.isin(np.arange(len(X)), rows), truth, -1)
    found = LaPOLeaFClassifier().fit(X, labels).transduction_
    print(f"ten labels {name}: {np.mean(found == truth):.1%}")
model.update_labels(following, truth[following])
print(f"and ten more: {np.mean(model.transduction_ == truth):.1%}")

plt.show()
