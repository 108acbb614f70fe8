"""
What alpha and cost do: how many trees the forest has
=====================================================

LoDOG cuts the tree where ``alpha`` times the cost of the number of trees, plus ``1 - alpha`` times
the length of all links that remain, is smallest. A large ``alpha`` makes trees expensive, so there
are few of them.
"""

# %%
# Five groups of points, in one tree at first. No labels are needed.
from sklearn.datasets import make_blobs

from lapoleaf import leading_tree

X, _ = make_blobs(500, centers=5, cluster_std=1.0, random_state=3)
tree = leading_tree(X)

# %%
# Above: the forest, with a colour for each tree and rings around the roots. Below: the objective
# for every number of trees.
import matplotlib.pyplot as plt

from lapoleaf import ForestDisplay, ObjectiveDisplay, lodog

figure, axes = plt.subplots(2, 4, figsize=(11, 5.4), layout="constrained", height_ratios=(1.4, 1))
for alpha, (above, below) in zip((0.9, 0.8, 0.5, 0.2), axes.T, strict=True):
    forest = lodog(tree, alpha=alpha)
    display = ForestDisplay.from_forest(forest, X, links=True, ax=above, s=4)
    display.links_.set(alpha=0.8, linewidth=1)
    above.collections[-1].set(sizes=[45])  # smaller rings
    above.get_legend().remove()
    above.set_title(f"alpha={alpha}: {forest.n_trees} tree{'s' * (forest.n_trees > 1)}")
    ObjectiveDisplay.from_forest(forest, ax=below)
    # The curve near its lowest point, with its note below it.
    low, high = forest.objective[:60].min(), forest.objective[:60].max()
    below.set(title="", xlim=(0.3, 80), ylim=(low - 0.3 * (high - low), high), yticks=[])
    below.texts[0].set(position=(0, -18), ha="center")
    below.set_xticks([1, 3, 5, 17, 50], ["1", "3", "5", "17", "50"])
    below.minorticks_off()

# %%
# The cost of every number of trees. ``"linear"``, the default, has a broad range of ``alpha`` in
# which it finds the five groups. ``"power"`` prefers fewer trees. With ``"log"`` the hundredth tree
# costs almost nothing: one tree, or as many as points.
import numpy as np

alphas = np.linspace(0.02, 0.98, 97)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for cost, colour, style in (
    ("linear", "#d1495b", "-"),
    ("exponential", "#edae49", "--"),
    ("power", "#2e6f95", "-"),
    ("log", "#8a9bb0", "-"),
):
    numbers = [lodog(tree, alpha=alpha, cost=cost).n_trees for alpha in alphas]
    ax.plot(alphas, numbers, style, label=cost, color=colour, linewidth=2)
ax.axhline(5, color="black", linewidth=0.8, linestyle=":", zorder=0)
ax.annotate("the five groups", (0.98, 5), xytext=(0, 4), textcoords="offset points", ha="right")
ax.set(xlabel="alpha", ylabel="number of trees", yscale="log", title="500 points in five groups")
ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500]
ax.set_yticks(ticks, [str(tick) for tick in ticks])
ax.minorticks_off()
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(title="cost", frameon=False)
