"""The cut of a growing tree is that of the same tree, rebuilt and cut again."""

import numpy as np
import pytest
from incremental_pair import Pair

from lapoleaf import lodog
from lapoleaf._forest.objective import update_lodog


@pytest.mark.parametrize("cost", ["linear", "water", "exponential", lambda x: x**2])
@pytest.mark.parametrize("n_trees", [None, 3])
def test_the_cut_is_that_of_a_rebuild(cost, n_trees):
    draws = np.random.default_rng(1)
    X = np.round(draws.normal(size=(90, 2)), 1)
    pair = Pair(X[:40], np.ones(40), 0.6)
    settings = {"alpha": 0.4, "cost": cost, "n_trees": n_trees}
    numbers = set()
    for step, row in enumerate(X[40:]):
        pair.insert(row[None], np.ones(1))
        if step % 3 == 1:
            pair.remove([int(draws.integers(len(pair.ids)))])
        kept, again = update_lodog(pair.tree, **settings), lodog(pair.tree.freeze(), **settings)
        np.testing.assert_array_equal(kept.roots, again.roots)
        np.testing.assert_array_equal(kept.objective, again.objective)
        np.testing.assert_array_equal(kept.tree_of, again.tree_of)
        np.testing.assert_array_equal(kept.layer, again.layer)
        numbers.add(kept.n_trees)
    assert len(numbers) > 1 or n_trees or cost != "water"


def test_many_rows_at_once():
    draws = np.random.default_rng(2)
    X = draws.normal(size=(400, 2))
    pair = Pair(X[:20], np.ones(20), 0.6)
    update_lodog(pair.tree, alpha=0.5, cost="linear", n_trees=None)
    pair.insert(X[20:], np.ones(380))
    kept = update_lodog(pair.tree, alpha=0.5, cost="linear", n_trees=None)
    np.testing.assert_array_equal(kept.roots, lodog(pair.tree.freeze()).roots)
