"""
From core to halo: how a class changes along a path
===================================================

The paper shows images of one class along a path of the forest: from the core, where they are
typical, to the halo, where they are not. Here is the same with handwritten digits.
"""

# %%
# One tree for each digit. Every image is led by its nearest neighbour in a denser place, so a path
# from the root outwards goes from the most typical images to the oddest ones by small steps.
import numpy as np
from sklearn.datasets import load_digits

from lapoleaf import leading_tree, lodog

images, truth = load_digits(return_X_y=True)


def longest_path(digit):
    """Give the rows on the longest path of the tree of one digit, root first, and their density."""
    rows = np.flatnonzero(truth == digit)
    tree = leading_tree(images[rows])
    forest = lodog(tree, n_trees=1)
    path = forest.path(int(forest.layer.argmax()))[::-1]
    return rows[path], tree.density[path] / tree.density.max()


# %%
# Three digits, from the root on the left to the leaf at the end of the longest path. The bar under
# an image is its density: it falls with every step.
import matplotlib.pyplot as plt

digits, shown = (4, 7, 9), 10
figure, axes = plt.subplots(
    2 * len(digits), shown, figsize=(11, 5.4), height_ratios=[5, 1] * len(digits)
)
for line, digit in enumerate(digits):
    rows, density = longest_path(digit)
    print(f"digit {digit}: {len(rows)} images from the root to the end")
    steps = np.linspace(0, len(rows) - 1, min(shown, len(rows))).round().astype(int)
    for place in range(shown):
        picture, bar = axes[2 * line, place], axes[2 * line + 1, place]
        for ax in (picture, bar):
            ax.set_axis_off()
        if place < len(steps):
            step = steps[place]
            picture.imshow(images[rows[step]].reshape(8, 8), cmap="gray_r")
            bar.barh(0, density[step], color="#d1495b")
            bar.barh(0, 1.0, color="#d1495b", alpha=0.15)
            bar.set_xlim(0, 1)
axes[0, 0].set_title("core", loc="left")
axes[0, -1].set_title("halo", loc="right")
figure.subplots_adjust(left=0.01, right=0.99, top=0.93, bottom=0.01, hspace=0.12)
