"""
Reading a forest: centres, layers, paths
========================================

A fitted model keeps its forest. It shows which points are central, which are marginal, and along
which path a label was propagated.
"""

# %%
# Four groups of points without labels. :class:`~lapoleaf.LoDOG` finds clusters, each of which is a
# tree. Here the paper's objective determines the cut.
from sklearn.datasets import make_blobs

from lapoleaf import LoDOG

centres = [[0, 0], [7, 1], [3, 6], [10, 7]]
X, truth = make_blobs(400, centers=centres, cluster_std=1.1, random_state=7)
clusters = LoDOG(cut="objective").fit(X)
print(clusters.n_clusters_, "clusters around rows", clusters.cluster_centers_indices_)

# %%
# Three displays of one forest. Centres are dense and far from any denser point; the minimum of the
# objective is the number of trees; the forest shows the leader of every point.
#
# Four roots stand out on the left. The fifth is close to the other points, and the forest shows
# why: the group at the top right was cut in two. ``LoDOG()``, which cuts
# above peaks of the density, does not.
import matplotlib.pyplot as plt

from lapoleaf import DecisionGraphDisplay, ForestDisplay, ObjectiveDisplay

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
DecisionGraphDisplay.from_estimator(clusters, ax=axes[0])
ObjectiveDisplay.from_estimator(clusters, ax=axes[1])
display = ForestDisplay.from_estimator(clusters, X, links=True, ax=axes[2], s=5)
display.links_.set(alpha=0.8, linewidth=1)

# %%
# Every point has a layer, the number of steps to its root, and a depth from 0 (core) to 1 (halo).
#
# With one label for each group, classes are propagated in the same forest. Half of the group at the
# top right has no label, and two labels reach it over long links, each with half of the weight.
# ``explain`` shows this, and so does the figure on the right: in black, the path from a point up
# to its root, and the two given labels.
import numpy as np

from lapoleaf import LeadingForestClassifier

y = np.full(len(X), -1)
for group in range(4):
    y[np.flatnonzero(truth == group)[3]] = group
model = LeadingForestClassifier(mu=np.inf).fit(X, y)
forest = model.forest_
unsure = np.flatnonzero(model.confidence_ < 0.6)
point = int(unsure[-1])
why = model.explain(point)
print(len(unsure), "rows are unsure")
print(why)

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
left, middle, right = axes
drawn = left.scatter(*X.T, c=forest.layer, s=12, cmap="viridis_r")
figure.colorbar(drawn, ax=left, label="layer", ticks=range(0, 18, 4), shrink=0.7)
left.set_title("Layers: steps to the root")
middle.scatter(*X[forest.halo].T, s=12, color="#c9d1da", label="halo")
middle.scatter(*X[forest.core].T, s=12, color="#2e6f95", label="core")
middle.set_title("Core and halo")
middle.legend(frameon=False)
display = ForestDisplay.from_estimator(model, X, links=True, ax=right, s=4)
display.links_.set(alpha=0.8, linewidth=1)
right.get_legend().remove()
right.plot(*X[why.path].T, "o-", color="black", markersize=4, linewidth=2, zorder=4)
right.scatter(*X[why.deciders[:2]].T, s=350, facecolor="none", edgecolor="black", linewidth=2)
right.set_title(f"Row {point}, rows {why.deciders[0]} and {why.deciders[1]} ringed")
for ax in axes:
    ax.set_axis_off()
