"""
From core to halo: how a class changes along a path
===================================================

The paper shows images of one class along a path of the forest: from the core, where they are
typical, to the halo, where they are not. This example does the same with handwritten digits.
"""

# %%
# One forest of all images, without labels. The leader of an image is its nearest neighbour of
# higher density, so a path from a root outwards goes from typical images to unusual ones by small
# steps.
import numpy as np
from sklearn.datasets import load_digits

from lapoleaf import leading_tree, lodog

images, truth = load_digits(return_X_y=True)
tree = leading_tree(images)
forest = lodog(tree, n_trees=50)
paths = [forest.path(image)[::-1] for image in range(len(images))]

# %%
# Most paths stay in one digit, although no label was used. The true labels are used only here, to
# count these paths and to find the longest of each digit.
pure = [path for path in paths if len(set(truth[path])) == 1]
print(f"{len(pure)} of {len(paths)} paths from a root to an image stay in one digit")


def longest_path(digit):
    """Return the images on the longest path that stays in one digit, root first."""
    return max((path for path in pure if truth[path[0]] == digit), key=len)


# %%
# Three digits, from the root on the left to the end of the longest path. The bar under an image is
# its density relative to the root: it decreases with every step.
import matplotlib.pyplot as plt

digits, shown = (1, 6, 7), 10
figure, axes = plt.subplots(
    2 * len(digits), shown, figsize=(11, 5.4), height_ratios=[5, 1] * len(digits)
)
for line, digit in enumerate(digits):
    path = longest_path(digit)
    print(f"digit {digit}: {len(path)} images from the root to the end")
    steps = np.linspace(0, len(path) - 1, shown).round().astype(int)
    for place, image in enumerate(path[steps]):
        picture, bar = axes[2 * line : 2 * line + 2, place]
        picture.imshow(images[image].reshape(8, 8), cmap="gray_r")
        bar.barh(0, tree.density[image] / tree.density[path[0]], color="#d1495b")
        bar.barh(0, 1.0, color="#d1495b", alpha=0.15)
        bar.set_xlim(0, 1)
        picture.set_axis_off()
        bar.set_axis_off()
axes[0, 0].set_title("core", loc="left")
axes[0, -1].set_title("halo", loc="right")
figure.subplots_adjust(left=0.01, right=0.99, top=0.93, bottom=0.01, hspace=0.12)
