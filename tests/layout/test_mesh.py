"""The mesh against sums over all pairs."""

import numpy as np
import pytest
from layout.layout_twins import direct_forces
from sklearn.datasets import load_digits

from lapoleaf import LeadingForestMap
from lapoleaf._layout.mesh import Mesh
from lapoleaf._layout.mesh_kernels import bounds, read_off


def on_mesh(places, threads=1):
    mesh, push = Mesh(threads), np.empty_like(places)
    potential = mesh.potential(places)
    total = read_off(0, len(places), places, *mesh.low, mesh.cell, potential, push)
    return push, total


def clouds(kind, n=500):
    rng = np.random.default_rng(3)
    cloud = rng.normal(size=(n, 2))
    if kind == "islands":
        cloud += 40 * rng.random((10, 2))[np.arange(n) % 10]
    elif kind == "line":
        cloud[:, 1] = 0.0
    elif kind == "wide":
        cloud *= 30
    elif kind == "at the beginning":
        cloud *= 0.01
    elif kind == "far from zero":
        cloud += 1000
    return cloud.astype(np.float32)


def size(forces):
    return np.sqrt((forces**2).sum(axis=1).mean())


@pytest.mark.parametrize("kind", ["one cloud", "islands", "line", "far from zero", "a map"])
def test_forces_are_those_of_direct_sums(kind):
    places = a_map() if kind == "a map" else clouds(kind)
    push, total = on_mesh(places)
    wanted, wanted_total = direct_forces(places)
    assert size(push - wanted) < 0.01 * size(wanted)
    assert total == pytest.approx(wanted_total, rel=0.01)


def a_map():
    return LeadingForestMap().fit(load_digits().data[:500]).embedding_


def test_forces_at_the_beginning_and_in_a_wide_map():
    """Cells blur what happens within them, and more so where they are wider."""
    places = clouds("at the beginning")
    wanted, _ = direct_forces(places)
    assert size(on_mesh(places)[0] - wanted) < 0.1 * size(wanted)
    places = clouds("wide")
    wanted, wanted_total = direct_forces(places)
    push, total = on_mesh(places)
    largest_of_a_pair = 3**1.5 / 16
    assert size(push - wanted) < 0.15 * largest_of_a_pair
    assert total == pytest.approx(wanted_total, rel=0.01)


def test_an_outlier_does_not_spoil_the_forces_of_the_others():
    places = clouds("one cloud") * 5
    push, _ = on_mesh(np.vstack([places, [[390.0, 0.0]]]).astype(np.float32))
    wanted, _ = direct_forces(places)
    assert size(push[:-1] - wanted) < 0.05 * size(wanted)


def test_cells_become_wider_where_there_would_be_too_many():
    mesh = Mesh()
    mesh.potential(np.array([[0.0, 0.0], [1000.0, 30.0]], dtype=np.float32))
    assert mesh.cell > 1.0
    mesh.potential(np.array([[0.0, 0.0], [10.0, 30.0]], dtype=np.float32))
    assert mesh.cell == 0.25


def test_one_place_only():
    push, total = on_mesh(np.zeros((5, 2), dtype=np.float32))
    np.testing.assert_allclose(push, 0.0, atol=1e-3)
    assert total == pytest.approx(20, rel=0.02)


def test_threads_do_not_matter():
    places = clouds("islands")
    np.testing.assert_array_equal(on_mesh(places, 1)[0], on_mesh(places, 3)[0])


def test_bounds():
    places = clouds("wide")
    assert bounds(places) == (*places.min(axis=0), *places.max(axis=0))
