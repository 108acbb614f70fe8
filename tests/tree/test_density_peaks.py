"""Peaks of the density, and the passes between them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_blobs

from lapoleaf._tree.build import trees_of_rows
from lapoleaf._tree.density_peaks import intrinsic_dimension
from lapoleaf._tree.peak_kernels import highest_passes


def peaks_of(X, **params):
    settings = {"bandwidth": None, "metric": "euclidean", "metric_params": None}
    how = {**settings, "sample_weight": None, "n_jobs": 1, "verbose": 0, **params}
    return trees_of_rows(X, percents=[2.0], peaks=True, **how).peaks


def passes_twin(n, edges, rank):
    """Return the highest level at which a node reaches one that is ahead of it."""
    found = np.full(n, -np.inf)
    for node in range(n):
        for level in sorted({height for *_, height in edges}, reverse=True):
            reached, more = {node}, True
            while more:
                near = {j for i, j, h in edges if h >= level and i in reached} | {
                    i for i, j, h in edges if h >= level and j in reached
                }
                more = not near <= reached
                reached |= near
            if any(rank[other] < rank[node] for other in reached):
                found[node] = level
                break
    return found


def test_passes_by_hand():
    """A chain 0 - 1 - 2 - 3 - 4 with peaks 0 and 3: the pass of 3 is the edge from 1 to 2."""
    ends, others = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])
    heights = np.array([3.0, 1.0, 2.0, 2.5])
    rank = np.array([0, 2, 3, 1, 4])
    found = highest_passes(ends, others, heights, np.argsort(-heights), rank)
    assert found.tolist() == [-np.inf, 3.0, 2.0, 1.0, 2.5]


@pytest.mark.parametrize("seed", range(5))
def test_passes_are_the_twins(seed):
    draws = np.random.default_rng(seed)
    n = 12
    ends, others = draws.integers(0, n, size=(2, 30))
    chain = np.arange(n - 1)
    ends, others = np.append(ends, chain), np.append(others, chain + 1)
    heights = draws.integers(0, 9, len(ends)).astype(float)
    rank = draws.permutation(n)
    found = highest_passes(ends, others, heights, np.argsort(-heights, kind="stable"), rank)
    edges = list(zip(ends.tolist(), others.tolist(), heights.tolist(), strict=True))
    # A node that is joined is judged by the peak of its part: only peaks have passes of their own.
    twin = passes_twin(n, edges, rank)
    np.testing.assert_array_equal(found, twin)


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_dimension_of_a_cube(columns):
    X = np.random.default_rng(0).random((2000, columns))
    distances = np.sort(np.sqrt(((X[:300, None] - X) ** 2).sum(axis=2)), axis=1)[:, 1:21]
    assert intrinsic_dimension(distances) == pytest.approx(columns, rel=0.15)


def test_dimensions_that_cannot_be_told():
    assert intrinsic_dimension(np.ones((5, 1))) == 1.0
    assert intrinsic_dimension(np.ones((5, 4))) == 100.0


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_root_is_the_only_infinite_one_and_nothing_is_below_its_pass(load):
    tree, prominence, threshold = peaks_of(load().data)
    assert np.flatnonzero(np.isinf(prominence)).tolist() == [tree.root]
    assert prominence.min() >= 0
    assert threshold >= 1.65


def test_thresholds_grow_with_the_number_of_rows():
    found = [peaks_of(make_blobs(n, random_state=0)[0]).threshold for n in (50, 400, 4000)]
    assert found == pytest.approx([1.65, 1.65, 2.5758], abs=1e-3)


def test_one_point_has_no_peaks():
    with pytest.warns(UserWarning, match="one distinct point"):
        assert peaks_of(np.ones((3, 2))) is None
    assert trees_of_rows(
        np.eye(3), percents=[2.0], bandwidth=None, metric="euclidean", metric_params=None,
        sample_weight=None, n_jobs=1, verbose=0,
    ).peaks is None  # fmt: skip
