"""Distances of rows: by differences, wherever the origin is."""

import numpy as np
import pytest
import scipy.sparse as sp

from lapoleaf.baselines import rows as rows_module
from lapoleaf.baselines.neighbours import Neighbours
from lapoleaf.baselines.rows import centred


@pytest.fixture(params=[3, 20], ids=["by a tree", "by products"])
def cloud(request):
    return np.random.default_rng(0).normal(size=(60, request.param))


@pytest.mark.parametrize("block", [1, 2**21])
@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_array])
def test_neighbours_are_those_of_all_distances(cloud, as_rows, block, monkeypatch):
    monkeypatch.setattr(rows_module, "_BLOCK", block)
    new = cloud[:7] + 0.2
    distances, nearest = Neighbours(as_rows(cloud), 5).of(as_rows(new))
    all_distances = np.linalg.norm(new[:, None] - cloud[None], axis=2)
    np.testing.assert_array_equal(nearest, np.argsort(all_distances, axis=1)[:, :5])
    np.testing.assert_allclose(distances, np.sort(all_distances, axis=1)[:, :5], rtol=1e-12)
    assert (Neighbours(as_rows(cloud), 5).of(as_rows(cloud))[0][:, 0] == 0.0).all()
    distances, nearest = Neighbours(as_rows(cloud), 5).of_themselves()
    all_distances = np.linalg.norm(cloud[:, None] - cloud[None], axis=2)
    np.testing.assert_array_equal(nearest, np.argsort(all_distances, axis=1)[:, 1:6])
    np.testing.assert_allclose(distances, np.sort(all_distances, axis=1)[:, 1:6], rtol=1e-12)


def test_dense_and_sparse_rows_meet(cloud):
    expected = Neighbours(cloud, 3).of(cloud + 0.1)
    for fitted, asked in ((np.asarray, sp.csr_array), (sp.csr_array, np.asarray)):
        found = Neighbours(fitted(cloud), 3).of(asked(cloud + 0.1))
        np.testing.assert_allclose(found[0], expected[0])
        np.testing.assert_array_equal(found[1], expected[1])


def test_neighbours_far_from_the_origin(cloud):
    # Multiples of 2^-10 have room beside 2^30.
    cloud = np.round(cloud * 1024) / 1024
    near, far = (Neighbours(cloud + shift, 5).of_themselves() for shift in (0.0, 2.0**30))
    np.testing.assert_array_equal(far[1], near[1])
    np.testing.assert_allclose(far[0], near[0], rtol=1e-6)


def test_what_is_centred(cloud):
    moved, others = centred(cloud, cloud + 1.0)
    np.testing.assert_allclose(moved.mean(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(others - moved, 1.0)
    sparse = sp.csr_array(cloud)
    kept = centred(sparse, cloud)
    assert kept[0] is sparse
    assert kept[1] is cloud
