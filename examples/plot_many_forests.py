"""
Many forests: labels that follow the shape of the data
======================================================

Two spirals with three labels each. In one leading tree the leader of a point is the nearest denser
point in a straight line, which may be on the other spiral. :class:`~lapoleaf.LaPOLeaFClassifier`
also builds many random trees, whose leaders are searched along the graph of nearest neighbours, and
averages their labels.
"""

# %%
# The data: 600 points, six labels; -1 means none.
import numpy as np

rng = np.random.default_rng(0)
turn = 3.5 * np.pi * np.sqrt(rng.uniform(0.04, 1, 300))
arm = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)])
X = np.concatenate([arm, -arm]) + rng.normal(scale=0.35, size=(600, 2))
truth = np.repeat([0, 1], 300)


def three_labels_each(seed):
    """Label three points of each spiral; -1 everywhere else."""
    rng = np.random.default_rng(seed)
    y = np.full(len(X), -1)
    for spiral in (0, 1):
        y[rng.choice(np.flatnonzero(truth == spiral), 3, replace=False)] = spiral
    return y


# %%
# The paper's three stages, one forest solved exactly, and the ensemble. Large dots are given
# labels. Lines link points to their leaders; black lines cross from one spiral to the other. On the
# left and in the middle the links are those of the single tree, on the right those of one of the
# random trees, where a long line represents a path of many short edges of the graph.
import matplotlib.pyplot as plt
from matplotlib.collections import LineCollection

from lapoleaf import LaPOLeaFClassifier, LeadingForestClassifier

models = {
    "The paper": LaPOLeaFClassifier.as_published(),
    "One forest, exact": LeadingForestClassifier(mu=np.inf),
    "Many forests": LaPOLeaFClassifier(),
}
colours = np.array(["#d1495b", "#2e6f95"])
y = three_labels_each(seed=0)
given = y != -1
figure, axes = plt.subplots(1, 3, figsize=(11, 4.1), layout="constrained")
for (name, model), ax in zip(models.items(), axes, strict=True):
    found = model.fit(X, y).transduction_
    tree = model.forests_[-1].tree
    led = np.flatnonzero(tree.parent >= 0)
    links = np.stack([X[led], X[tree.parent[led]]], axis=1)
    astray = truth[led] != truth[tree.parent[led]]
    ax.add_collection(LineCollection(links[~astray], color="#c9d1da", linewidth=0.8, zorder=0))
    ax.add_collection(LineCollection(links[astray], color="black", linewidth=1.2, zorder=2))
    ax.scatter(*X.T, s=12, c=colours[found], linewidth=0)
    ax.scatter(*X[given].T, s=110, c=colours[y[given]], edgecolor="black", linewidth=1.5, zorder=3)
    right = np.mean(found[~given] == truth[~given])
    ax.set_title(f"{name}: {right:.0%} right")
    print(f"{name}: {astray.sum()} of {len(led)} leaders are on the other spiral")
    ax.set_aspect("equal")
    ax.set_axis_off()

# %%
# One draw of labels is not enough to compare. The mean over 20 draws:
for name, model in models.items():
    shares = []
    for seed in range(20):
        y = three_labels_each(seed)
        found = model.update_labels(model.ids_, y).transduction_
        shares.append(np.mean(found[y == -1] == truth[y == -1]))
    print(f"{name}: {np.mean(shares):.0%} right, from {min(shares):.0%} to {max(shares):.0%}")
