"""Forests with random links, for tests of many forests of the same nodes."""

import numpy as np

from lapoleaf import LeadingForest, LeadingTree


def random_forest(n, rng):
    """A tree with random links, cut at some nodes."""
    density = rng.permutation(n) + 1.0
    order = np.argsort(-density)
    parent = np.full(n, -1)
    for place in range(1, n):
        parent[order[place]] = order[rng.integers(max(0, place - 4), place)]
    tree = LeadingTree(
        density=density, delta=rng.uniform(0.5, 2.0, n), parent=parent,
        population=rng.integers(1, 4, n), scale=rng.uniform(0.5, 2.0, n),
    )  # fmt: skip
    cut = rng.permutation(n)[: rng.integers(0, 3)]
    return LeadingForest(tree, roots=np.unique(np.append(cut, tree.root)))
