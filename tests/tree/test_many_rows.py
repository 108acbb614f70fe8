"""More rows than the bandwidth looks at, and far less memory than their distances would take."""

import tracemalloc

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_blobs

from lapoleaf import leading_tree, lodog


@pytest.fixture(scope="module")
def rows():
    return make_blobs(6000, n_features=3, centers=6, cluster_std=0.6, random_state=1)[0]


@pytest.mark.slow
def test_bandwidth_of_a_sample_never_varies(rows):
    first = leading_tree(rows, n_jobs=2)
    np.random.seed(99)  # noqa: NPY002 - the state of the global generator must not matter
    with sklearn.config_context(working_memory=5):
        second = leading_tree(rows, n_jobs=1)
    assert second.bandwidth == first.bandwidth
    np.testing.assert_array_equal(second.density, first.density)
    np.testing.assert_array_equal(second.delta, first.delta)
    np.testing.assert_array_equal(second.parent, first.parent)
    assert lodog(first).n_trees == 6
    # 2 % of all pairs, for comparison.
    some = np.concatenate([np.sqrt(((rows[i] - rows) ** 2).sum(-1)) for i in range(0, 6000, 40)])
    exact = np.quantile(some[some > 0], 0.02)
    assert first.bandwidth == pytest.approx(exact, rel=0.1)


def test_nothing_of_size_n_squared_is_held(rows):
    leading_tree(rows[:100], bandwidth=0.3)
    with sklearn.config_context(working_memory=16):
        tracemalloc.start()
        leading_tree(rows, bandwidth=0.3, n_jobs=2)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    # All distances would be 288 MB; neighbours of 6,000 rows are 2 MB, a block has 64 rows.
    assert peak < 20 * 2**20


def test_the_bandwidth_takes_the_memory_of_5000_rows_and_no_more(rows):
    tracemalloc.start()
    leading_tree(rows, n_jobs=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 12.5 million pairs, once as found and once in the search for the percentile.
    assert peak < 230 * 2**20
