"""Kernels of fields and candidates against their slow twins, to the last bit."""

import numpy as np
import pytest
from queries.dense_field import numpy_field, random_forest, sorted_best_of_stretches

from lapoleaf._propagation import Settings
from lapoleaf._queries import Field, LabelModel
from lapoleaf._queries.covariance_kernels import best_of_stretches


@pytest.mark.parametrize("mu", [np.inf, 0.7])
@pytest.mark.parametrize("n", [2, 300])
def test_a_field_equals_that_of_the_exact_solver(n, mu):
    rng = np.random.default_rng(0)
    forest = random_forest(rng, n, rng.integers(1, 4, n).astype(float), cut=True)
    model = LabelModel(Settings(mu=mu, coupling=0.3), pull=0.003, noise=7.0)
    count, concern = (rng.random(n) < 0.2) * 2.0, rng.random(n)
    field = Field.on(
        forest, model, np.arange(n), count=count, concern=concern, row_weight=np.ones(n)
    )
    found = field.parent, field.weight, field.mass, field.linear
    for ours, expected in zip(found, numpy_field(forest, model, count, concern), strict=True):
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_stretches_are_those_found_by_sorting(seed):
    rng = np.random.default_rng(seed)
    walk, gains = rng.permutation(200)[:150], rng.integers(0, 4, 150) / 4.0
    found = best_of_stretches(walk, gains, 200, 40)
    assert found.tolist() == sorted_best_of_stretches(walk, gains, 40).tolist()
