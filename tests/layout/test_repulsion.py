"""The push of all points on each other, by mesh and near pairs, against sums over all pairs."""

import numpy as np
import pytest
from layout.layout_twins import direct_forces, near_forces
from sklearn.datasets import load_digits
from sklearn.utils import gen_batches

from lapoleaf import LeadingForestMap
from lapoleaf._layout.mesh import far_kernel
from lapoleaf._layout.mesh_kernels import bounds
from lapoleaf._layout.near import NearPoints
from lapoleaf._layout.repulsion import Repulsion


def pushed(places):
    """Return the push on every point, the sum over all pairs, and how they were found."""
    push = np.empty_like(places)
    repulsion = Repulsion(len(places), 1, [slice(0, len(places))])
    total = repulsion.write(places, push)
    return push, total, repulsion


def size(forces):
    return np.sqrt((forces**2).sum(axis=1).mean())


def error(places, some=slice(None)):
    """Return the error of the push and of the sum over all pairs, relative to direct sums."""
    push, total, repulsion = pushed(places)
    wanted, wanted_total = direct_forces(places, some)
    assert np.isfinite(push).all()
    if some == slice(None):
        assert total == pytest.approx(wanted_total, rel=1e-3)
    return size(push[some] - wanted) / size(wanted), repulsion


def clouds(kind, n=500):
    rng = np.random.default_rng(3)
    cloud = rng.normal(size=(n, 2))
    if kind == "islands":
        cloud += 40 * rng.random((10, 2))[np.arange(n) % 10]
    elif kind == "tiny islands far apart":
        cloud = 0.1 * cloud + 100 * rng.random((50, 2))[np.arange(n) % 50]
    elif kind == "line":
        cloud[:, 1] = 0.0
    elif kind == "wide":
        cloud *= 30
    elif kind == "at the beginning":
        cloud *= 0.01
    elif kind == "far from zero":
        cloud += 1000
    elif kind == "far outlier":
        cloud[0] = 390
    return cloud.astype(np.float32)


KINDS = (
    "one cloud",
    "islands",
    "tiny islands far apart",
    "line",
    "wide",
    "at the beginning",
    "far from zero",
    "far outlier",
)


@pytest.mark.parametrize("kind", KINDS)
def test_forces_are_those_of_direct_sums(kind):
    assert error(clouds(kind))[0] < 0.01


def islands(n, n_islands):
    rng = np.random.default_rng(0)
    centres = 100 * rng.random((n_islands, 8))
    return centres[np.arange(n) % n_islands] + 0.1 * rng.normal(size=(n, 8))


def largest_error(X, **params):
    """Return the largest error of the push in every tenth iteration of a map, on some points."""
    found = []

    def see(places):
        seen.append(places)
        if len(seen) % 10 == 1:
            found.append(error(places, slice(None, None, -(-len(places) // 200)))[0])

    seen = []
    LeadingForestMap(n_jobs=1, **params).fit(X, callback=see)
    assert len(found) == 20
    return max(found)


def test_forces_along_the_iterations_of_a_map():
    assert largest_error(load_digits().data[:500], n_forests=20) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    "X",
    [
        load_digits().data,
        np.random.default_rng(1).normal(size=(5000, 5)),
        np.vstack([np.random.default_rng(1).normal(size=(400, 5)), [[1e5] * 5]]),
        islands(5000, 1000),
        islands(12_000, 1000),
    ],
    ids=["digits", "one cloud", "far outlier", "1,000 islands", "1,000 dense islands"],
)
def test_forces_along_the_iterations_of_larger_maps(X):
    assert largest_error(X, n_forests=20) < 0.01


def test_where_many_are_near_the_mesh_is_enough():
    """Cells are narrow for that; too many near pairs would take long."""
    rng = np.random.default_rng(0)
    places = (4 * rng.normal(size=(12_000, 2))).astype(np.float32)
    found, repulsion = error(places, slice(None, None, 60))
    assert found < 0.01
    assert repulsion._mesh._reach == 0
    places[0] = 390
    found, repulsion = error(places, slice(1, None, 60))
    assert repulsion._mesh.cell > 0.4
    assert found < 0.05


def test_near_and_far_part_are_the_kernel():
    places, reach = clouds("one cloud", 300) * 3, 1.7
    near, push = NearPoints(300), np.zeros((300, 2), dtype=np.float32)
    assert near.find(places, bounds(places), reach, np.inf)
    total = sum(map(near.pushes(push), gen_batches(300, 70)))
    wanted, wanted_total = near_forces(places, reach)
    np.testing.assert_allclose(push, wanted, rtol=1e-4, atol=1e-4)
    assert total == pytest.approx(wanted_total, rel=1e-5)
    square = ((places[:, None].astype(float) - places[None]) ** 2).sum(axis=2)
    assert total + far_kernel(square, reach).sum() == pytest.approx((1 / (1 + square)).sum())


def test_pairs_are_counted_before_they_are_summed():
    places = clouds("wide", 400)
    near = NearPoints(400)
    for reach in (5.0, 20.0):
        squares = np.floor((places - places.min(axis=0)) / reach)
        touch = np.abs(squares[:, None] - squares[None]).max(axis=2) <= 1
        assert near.find(places, bounds(places), reach, touch.sum())
        assert not near.find(places, bounds(places), reach, touch.sum() - 1)


def test_cells_go_by_the_extent_and_the_number_of_points():
    _, _, few = pushed(np.array([[0.0, 0.0], [1000.0, 30.0]], dtype=np.float32))
    assert few._mesh.cell > 10
    assert few._mesh._reach == pytest.approx(5 * few._mesh.cell)
    _, _, small = pushed(np.array([[0.0, 0.0], [0.1, 0.1]], dtype=np.float32))
    assert small._mesh.cell == 0.0625


def test_one_place_only():
    push, total, _ = pushed(np.zeros((5, 2), dtype=np.float32))
    np.testing.assert_allclose(push, 0.0, atol=1e-3)
    assert total == pytest.approx(20, rel=1e-3)


def test_a_map_that_grows_and_shrinks():
    """The mesh follows, and is the same as a new one."""
    repulsion = Repulsion(500, 1, [slice(0, 500)])
    for kind in ("at the beginning", "one cloud", "wide", "islands", "one cloud"):
        places = clouds(kind)
        push = np.empty_like(places)
        repulsion.write(places, push)
        wanted, _ = direct_forces(places)
        assert size(push - wanted) < 0.01 * size(wanted)


def test_bounds():
    places = clouds("wide")
    assert bounds(places) == (*places.min(axis=0), *places.max(axis=0))
