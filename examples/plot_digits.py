"""
Digits: 20 labels in, 1,797 out
===============================

Two images of each handwritten digit have a label. Every image gets a leader, its nearest
neighbour in a denser place, and labels flow along these links.
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
# Labels flow along the links, up and down, in many forests. The first is the one to look at: ten
# trees, one for each digit.
from lapoleaf import DecisionGraphDisplay, ForestDisplay, LaPOLeaFClassifier

model = LaPOLeaFClassifier(n_trees=10).fit(X, y)
right = np.mean(model.transduction_[y == -1] == truth[y == -1])
print(f"{right:.1%} of the images without a label got the right one")

# %%
# Why did the first image get its label?
print(model.explain(0))

# %%
# Every image linked to its leader. Its place on the plane comes from its two main components;
# circles are given labels, rings are roots.
_ = ForestDisplay.from_estimator(model, X)

# %%
# Roots are dense, and far from anybody denser.
_ = DecisionGraphDisplay.from_estimator(model)
