"""
A map of all rows
=================

``layout`` places the rows of a fitted model in two dimensions, using the links of its forests. This
example maps images, a table and synthetic groups, coloured by class, by tree and by confidence.
"""

# %%
# Images of handwritten digits, with 20 labels: the map does not depend on labels.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs
from sklearn.preprocessing import StandardScaler

from lapoleaf import LaPOLeaFClassifier, LeadingForestMap, layout, lodog


def fitted(X, truth, n_labels):
    """Fit a model to the rows that cover the data best."""
    model = LaPOLeaFClassifier()
    y = np.full(len(X), -1)
    rows = model.suggest(n_labels, X=X)
    y[rows] = truth[rows]
    return model.fit(X, y)


def draw(model, n_trees, title):
    """Draw the map of a model three times."""
    found = layout(model)
    trees = lodog(model.tree_, n_trees=n_trees)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
    colours = {
        "class": (np.unique(model.transduction_, return_inverse=True)[1], "tab10"),
        "tree": (model.tree_.to_rows(trees.tree_of), "tab20"),
        "confidence": (model.confidence_, "viridis"),
    }
    for ax, (name, (values, colourmap)) in zip(axes, colours.items(), strict=True):
        drawn = ax.scatter(*found.places.T, c=values, cmap=colourmap, s=5, linewidths=0)
        ax.set(title=name, xticks=[], yticks=[], aspect="equal")
    figure.colorbar(drawn, ax=axes[-1], shrink=0.7)
    figure.suptitle(f"{title}: trustworthiness {found.trustworthiness:.2f}")


X, truth = load_digits(return_X_y=True)
draw(fitted(X, truth, 20), 10, "1,797 digits from 20 labels")

# %%
# A table of 569 tumours in 30 columns, with 10 labels. The two classes are not separate islands:
# there are uncertain rows between them.
cancer = load_breast_cancer()
X = StandardScaler().fit_transform(cancer.data)
draw(fitted(X, cancer.target, 10), 2, "569 tumours from 10 labels")

# %%
# Eight groups in ten columns, with 16 labels.
X, truth = make_blobs(3000, centers=8, n_features=10, cluster_std=2.5, random_state=4)
draw(fitted(X, truth, 16), 8, "3,000 rows in 8 groups from 16 labels")

# %%
# New rows are placed beside their neighbours, and no other row moves. Black: new rows.
mapper = LeadingForestMap().fit(X[:2800])
figure, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
ax.scatter(*mapper.embedding_.T, c=truth[:2800], cmap="tab10", s=4, linewidths=0)
ax.scatter(*mapper.transform(X[2800:]).T, color="black", s=6, linewidths=0)
_ = ax.set(xticks=[], yticks=[], aspect="equal")

# %%
# The six data sets of the benchmark of maps, including 70,000 images of clothes and a million
# synthetic points, with five labels per class:
#
# .. image:: /images/maps.png
#    :alt: Maps of six data sets, coloured by class, by tree and by confidence
