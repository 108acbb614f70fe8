"""
Digits: 20 labels in, 1,797 out
===============================

Two images of each handwritten digit have a label. Every image gets a leader, its nearest
neighbour in a denser place, and labels flow along these links.
"""

# %%
# The data: images of 8 x 8 pixels, and 20 labels.
import numpy as np
from sklearn.datasets import load_digits

X, truth = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
given = np.zeros(len(X), dtype=bool)
for digit in range(10):
    given[rng.choice(np.flatnonzero(truth == digit), 2, replace=False)] = True

# %%
# The leading tree, and the forest that LoDOG makes of it. A digit's place on the plane below
# comes from its two main components.
from lapoleaf import DecisionGraphDisplay, ForestDisplay, leading_tree, lodog, propagate

tree = leading_tree(X)
forest = lodog(tree)
_ = DecisionGraphDisplay.from_forest(forest)

# %%
# Labels flow: up, from root to root, down.
labels, count = tree.to_nodes(np.eye(10)[truth], given)
found = tree.to_rows(propagate(forest, labels, count).labels.argmax(axis=1))
right = np.mean(found[~given] == truth[~given])
print(f"{right:.1%} of the images without a label got the right one")

# %%
_ = ForestDisplay.from_forest(forest, X, labels=found, given=given)
