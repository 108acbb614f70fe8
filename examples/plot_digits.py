"""
Digits: 20 labels in, 1,797 out
===============================

Two images of each handwritten digit have a label. Every image gets a leader, its nearest
neighbour of higher density, and labels are propagated along these links.
"""

# %%
# The data: images of 8 x 8 pixels, and 20 labels; -1 means none.
import numpy as np
from sklearn.datasets import load_digits

X, truth = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
y = np.full(len(X), -1)
for digit in range(10):
    y[rng.choice(np.flatnonzero(truth == digit), 2, replace=False)] = digit

# %%
# Labels are propagated along the links, up and down, in many forests, and averaged.
from lapoleaf import DecisionGraphDisplay, ForestDisplay, LaPOLeaFClassifier, layout, lodog

model = LaPOLeaFClassifier().fit(X, y)
right = np.mean(model.transduction_[y == -1] == truth[y == -1])
print(f"{right:.1%} of the images without a label got the right one")

# %%
# Why did the first image get its label?
print(model.explain(0))

# %%
# The leading tree of the first forest, cut into ten trees, one for each digit. Every image is
# linked to its leader. Positions are the map of all forests; circles are given labels, rings are
# roots.
forest = lodog(model.tree_, n_trees=10)
_ = ForestDisplay.from_forest(
    forest, layout(model), labels=model.transduction_, given=model.given_, links=True
)

# %%
# Roots are dense, and far from any denser point.
_ = DecisionGraphDisplay.from_forest(forest)
