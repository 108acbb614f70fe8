"""
Pictures: from the core to the halo
===================================

A neural network, included in the extra ``images``, computes features of a folder of pictures, and
all pictures are labelled from three labels per class. Every picture has a leader, a similar one of
higher density: following leaders from an unusual picture ends at the most typical one.
"""

# %%
# The pictures are drawn here, so that the example needs no other data: four kinds of things in
# various sizes, colours and positions. A thing is a list of shapes on a square of 10 x 10; ``"a"``
# and ``"b"`` are colours that vary from picture to picture.
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

GLASS, TYRE = (200, 225, 245), (30, 30, 30)
THINGS = {
    "car": [
        ("rectangle", "a", (0, 4.5, 10, 7.8)),
        ("polygon", "a", (1.8, 4.6, 3.2, 2.2, 7, 2.2, 8.5, 4.6)),
        ("polygon", GLASS, (2.8, 4.5, 3.6, 2.8, 6.7, 2.8, 7.5, 4.5)),
        ("ellipse", TYRE, (1.2, 6.4, 3.6, 8.8)),
        ("ellipse", TYRE, (6.4, 6.4, 8.8, 8.8)),
    ],
    "flower": [
        ("rectangle", (50, 130, 50), (4.8, 5, 5.2, 10)),
        *(
            ("ellipse", "a", (3.6 + 2.4 * x, 2.4 + 2.4 * y, 6.4 + 2.4 * x, 5.2 + 2.4 * y))
            for x, y in ((np.cos(turn), np.sin(turn)) for turn in np.arange(7) * 2 * np.pi / 7)
        ),
        ("ellipse", (240, 190, 40), (3.6, 2.4, 6.4, 5.2)),
    ],
    "house": [
        ("rectangle", "a", (1, 4.2, 9, 10)),
        ("polygon", "b", (0, 4.4, 5, 0.2, 10, 4.4)),
        ("rectangle", "b", (4.2, 6.6, 6, 10)),
        ("rectangle", GLASS, (1.7, 5.4, 3.4, 7.2)),
        ("rectangle", GLASS, (6.7, 5.4, 8.4, 7.2)),
    ],
    "sailboat": [
        ("polygon", "a", (0.2, 7.4, 9.8, 7.4, 8, 9.5, 1.8, 9.5)),
        ("rectangle", TYRE, (4.9, 0, 5.1, 7.4)),
        ("polygon", "b", (5.4, 0.4, 5.4, 6.8, 9.6, 6.8)),
        ("polygon", "b", (4.6, 1.2, 4.6, 6.8, 1, 6.8)),
    ],
}


def drawn(kind, rng):
    """Draw a thing; small, far from the middle, slanting and noisy in the odd case."""
    sky = tuple(rng.integers(170, 256, 3).tolist())
    colours = {name: tuple(rng.integers(30, 230, 3).tolist()) for name in ("a", "b")}
    picture = Image.new("RGB", (200, 200), sky)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 150, 200, 200), tuple(rng.integers(100, 200, 3).tolist()))
    side = rng.uniform(80, 180)
    corner = rng.uniform(0, 200 - side, 2)
    for shape, colour, places in THINGS[kind]:
        points = corner + np.reshape(places, (-1, 2)) * side / 10
        getattr(pen, shape)([tuple(point) for point in points], fill=colours.get(colour, colour))
    picture = picture.rotate(rng.normal(0, 7), Image.Resampling.BICUBIC, fillcolor=sky)
    pixels = np.asarray(picture) + rng.normal(0, rng.uniform(2, 25), (200, 200, 3))
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


# %%
# Three pictures of each kind are in a folder of that name, all others in ``unlabelled``.
from lapoleaf.inputs import image_features

rng = np.random.default_rng(0)
with tempfile.TemporaryDirectory() as folder:
    for kind in THINGS:
        for number in range(24):
            place = Path(folder, kind if number < 3 else "unlabelled")
            place.mkdir(exist_ok=True)
            drawn(kind, rng).save(place / f"{kind}-{number:02d}.png")
    pictures = image_features(folder, thumbnail_size=96)
print(pictures)

# %%
# Twelve labels in, 96 out. The features are normalised, because only their direction matters.
from sklearn.preprocessing import normalize

from lapoleaf import LaPOLeaFClassifier, lodog

y = np.array([label or None for label in pictures.labels.tolist()], dtype=object)
model = LaPOLeaFClassifier().fit(normalize(pictures.features), y)
truth = np.array([Path(file).name.partition("-")[0] for file in pictures.files])
new = ~model.given_
print(f"{np.mean(model.transduction_[new] == truth[new]):.1%} of the {new.sum()} others are right")

# %%
# The leading tree, cut into four trees, one for each kind; of each tree the longest path. On the
# left is the root, the core of its kind, on the right the picture with the longest path to it, in
# the halo. Below each picture are its density relative to the root's and the confidence of its
# label.
import matplotlib.pyplot as plt

tree = model.tree_
forest = lodog(tree, n_trees=len(THINGS))
density = tree.to_rows(tree.density)
ends = [
    max(np.flatnonzero(forest.tree_of == which), key=lambda node: forest.layer[node])
    for which in range(forest.n_trees)
]
paths = [tree.first_rows[forest.path(end)[::-1]] for end in ends]
paths = sorted(paths, key=lambda path: str(model.transduction_[path[0]]))
longest = max(map(len, paths))
figure, axes = plt.subplots(
    len(paths), longest, figsize=(1.6 * longest, 2.4 * len(paths)), squeeze=False
)
figure.subplots_adjust(0.01, 0.06, 0.99, 0.96, wspace=0.15, hspace=0.35)
arrow = {"arrowstyle": "->", "lw": 1.5}
for line, path in zip(axes, paths, strict=True):
    for ax in line:
        ax.axis("off")
    for ax, row in zip(line, path, strict=False):
        ax.imshow(pictures.thumbnails[row])
        words = f"density {density[row] / density[path[0]]:.2f}\n{model.confidence_[row]:.0%} sure"
        ax.text(0.5, -0.04, words, transform=ax.transAxes, ha="center", va="top", fontsize=9)
    for ax in line[: len(path) - 1]:
        ax.annotate("", (0.99, 0.5), (1.17, 0.5), "axes fraction", arrowprops=arrow)
    line[0].set_title(f"{model.transduction_[path[0]]}: the core", loc="left", fontweight="bold")
    line[len(path) - 1].set_title("the halo", loc="right", fontweight="bold")
