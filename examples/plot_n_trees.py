"""
What n_trees does: which points share a label
=============================================

The exact solver of :class:`~lapoleaf.LeadingForestClassifier` propagates labels over all links,
including those that the forest cuts, so the number of trees changes the picture but not the labels.
It matters if trees are separate: with the paper's three stages (``as_published()``) and with
``coupling=0``. A tree without labels then borrows one from another tree; with many trees, most
points get borrowed labels.
"""

# %%
# Five groups with one label each.
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
# The three stages. Colours are the predicted labels, circles the given ones, rings are roots. In
# one tree, labels follow the long links into other groups. Five trees fit the five groups. Of 100
# trees, at most five have a label, and all others borrow.
import matplotlib.pyplot as plt

from lapoleaf import ForestDisplay, LaPOLeaFClassifier, LeadingForestClassifier

figure, axes = plt.subplots(1, 4, figsize=(11, 3.6), layout="constrained")
for n_trees, ax in zip((1, 5, 15, 100), axes, strict=True):
    model = LaPOLeaFClassifier.as_published(n_trees=n_trees).fit(X, y)
    display = ForestDisplay.from_estimator(model, X, links=True, ax=ax, s=4)
    display.links_.set(alpha=0.8, linewidth=1)
    ax.collections[-1].set(sizes=[30])  # smaller rings
    ax.get_legend().remove()
    ax.set_title(f"n_trees={n_trees}: {np.mean(model.transduction_ == truth):.0%} right")

for name, model in {
    "One forest, solved exactly": LeadingForestClassifier(mu=np.inf),
    "Many forests": LaPOLeaFClassifier(),
}.items():
    right = np.mean(model.fit(X, y).transduction_ == truth)
    print(f"{name}: {right:.0%} right")

# %%
# 600 images of digits with two labels for each digit: the mean over five draws of the labels. The
# number of trees matters if trees are separate. The exact solution with ``coupling=1``, the
# default, does not depend on it. The ensemble does not have this parameter.
from sklearn.datasets import load_digits

X, truth = load_digits(return_X_y=True)
X, truth = X[:600], truth[:600]
numbers = [1, 10, 20, 50, 200]
draws = [few_labels(truth, per_class=2, seed=draw) for draw in range(5)]


def mean_right(model):
    """Return the share of right labels among those not given, as a mean over the draws."""
    model.fit(X, draws[0])
    shares = []
    for y in draws:
        found = model.update_labels(model.ids_, y).transduction_
        shares.append(np.mean(found[y == -1] == truth[y == -1]))
    return np.mean(shares)


models = {
    "one forest, exact": LeadingForestClassifier(mu=np.inf),
    "one forest, coupling=0": LeadingForestClassifier(mu=np.inf, coupling=0.0),
    "one forest, three stages": LeadingForestClassifier(solver="stages"),
}
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ensemble = mean_right(LaPOLeaFClassifier())
ax.axhline(ensemble, color="#d1495b", label="many forests")
print(f"many forests: {ensemble:.0%} right")
colours = ("#edae49", "#2e6f95", "#8a9bb0")
for (name, model), colour in zip(models.items(), colours, strict=True):
    right = [mean_right(model.set_params(n_trees=n_trees)) for n_trees in numbers]
    ax.plot(numbers, right, "o-", color=colour, label=name)
    print(f"{name}:", *(f"{share:.0%}" for share in right), "right with", *numbers, "trees")
ax.set_xscale("log")
ax.set_xticks(numbers, [str(number) for number in numbers])
ax.minorticks_off()
ax.set(xlabel="n_trees", ylabel="share of right labels", title="600 digits, 20 labels")
ax.spines[["top", "right"]].set_visible(False)
_ = ax.legend(frameon=False)
