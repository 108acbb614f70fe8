"""A growing tree beside a list of rows: whatever is done to both, the tree is that of the list."""

import numpy as np

from lapoleaf import GrowingTree, leading_tree

ARRAYS = ("density", "delta", "parent", "population", "node_of", "scale", "order", "rank")


def assert_equals_rebuild(growing, rows, weight, bandwidth, **settings):
    """Check a growing tree against a full build of the same rows, to the last bit."""
    frozen = growing.freeze()
    built = rebuilt(rows, weight, bandwidth, **settings)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(frozen, name), getattr(built, name), name)
    assert frozen.root == built.root
    assert frozen.bandwidth == bandwidth


def rebuilt(rows, weight, bandwidth, **settings):
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X has one distinct point")
        return leading_tree(
            rows, sample_weight=weight, bandwidth=bandwidth, build="full", n_jobs=1, **settings
        )


class Pair:
    """A growing tree and the rows that are in it."""

    def __init__(self, rows, weight, bandwidth, **settings):
        self.rows, self.weight = np.array(rows, dtype=float), np.array(weight, dtype=float)
        self.ids = np.arange(len(rows))
        self.bandwidth, self.settings = bandwidth, settings
        self.tree = GrowingTree(rebuilt(rows, weight, bandwidth, **settings), weight)

    def insert(self, rows, weight):
        ids = self.tree.insert(np.array(rows, dtype=float), weight)
        self.rows = np.concatenate([self.rows, rows])
        self.weight = np.concatenate([self.weight, weight])
        self.ids = np.concatenate([self.ids, ids])

    def remove(self, places):
        self.tree.remove(self.ids[places])
        self.rows = np.delete(self.rows, places, axis=0)
        self.weight = np.delete(self.weight, places)
        self.ids = np.delete(self.ids, places)

    def check(self):
        np.testing.assert_array_equal(self.tree.ids, self.ids)
        assert_equals_rebuild(self.tree, self.rows, self.weight, self.bandwidth, **self.settings)
