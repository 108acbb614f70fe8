"""Small random data, trees and forests, full of ties and duplicates."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lapoleaf import LeadingForest, LeadingTree


def grids(min_rows=2, max_rows=16, largest=4):
    """Rows of small whole numbers: distances of many pairs are 0, and many are equal."""
    shapes = st.tuples(st.integers(min_rows, max_rows), st.integers(1, 3))
    whole = st.integers(0, largest).map(float)
    return shapes.flatmap(lambda shape: arrays(float, shape, elements=whole)).filter(
        lambda X: len(np.unique(X, axis=0)) > 1
    )


def clouds(min_rows=3, max_rows=30):
    """Rows of normal random numbers: no ties."""
    return st.builds(
        lambda seed, n, d: np.random.default_rng(seed).normal(size=(n, d)),
        st.integers(0, 2**32 - 1),
        st.integers(min_rows, max_rows),
        st.integers(1, 4),
    )


percents = st.sampled_from([0.01, 1.0, 2.0, 5.0, 12.5, 33.0, 50.0, 99.0, 100.0])


@st.composite
def weighted_grids(draw):
    """Rows of small whole numbers with whole weights, some of them 0; two points at least count."""
    X = draw(grids())
    weight = draw(arrays(float, len(X), elements=st.integers(0, 3).map(float)))
    weight[0] = max(weight[0], 1)
    weight[np.flatnonzero((X != X[0]).any(axis=1))[0]] += 1
    return X, weight


@st.composite
def trees(draw, min_nodes=1, max_nodes=14):
    """Trees from arrays: tied densities, any leader that is ahead, tied deltas, populations."""
    n = draw(st.integers(min_nodes, max_nodes))
    few = {"min_size": n, "max_size": n}
    density = draw(st.lists(st.integers(0, 5), **few))
    delta = draw(st.lists(st.sampled_from([0.25, 0.5, 1.0, 1.7, 3.0]), **few))
    population = draw(st.lists(st.integers(1, 4), **few))
    order = sorted(range(n), key=lambda i: (-density[i], i))
    parent = [-1] * n
    for place, node in enumerate(order[1:], 1):
        parent[node] = order[draw(st.integers(0, place - 1))]
    return LeadingTree(density=density, delta=delta, parent=parent, population=population)


@st.composite
def forests(draw, distances=True):
    """Forests with any roots, and distances between nodes that often tie."""
    tree = draw(trees())
    n = tree.n_nodes
    roots = {tree.root} | draw(st.sets(st.integers(0, n - 1)))
    shuffled = draw(st.permutations(sorted(roots)))
    if not distances:
        return LeadingForest(tree, shuffled), None
    D = draw(arrays(float, (n, n), elements=st.integers(1, 4).map(float)))
    D = np.minimum(D, D.T)
    return LeadingForest(tree, shuffled, distance=lambda i, j: D[i, j]), D


@st.composite
def givens(draw, n):
    """A mask of given labels, at least one."""
    mask = draw(arrays(bool, n, elements=st.booleans()))
    mask[draw(st.integers(0, n - 1))] = True
    return mask
