"""Which rows to label next, and learning curves."""

import numpy as np
import pytest
from models import few_forests

from benchmarks.data.loaders import classification_sets
from benchmarks.methods.queries import (
    AtRandom,
    SmallestMargins,
    centre_rows,
    margins,
    random_rows,
)
from benchmarks.suggest.learning_curve import learning_curve


@pytest.fixture(scope="module")
def iris():
    return classification_sets(None, quick=True)[0]


@pytest.fixture
def model(iris):
    return few_forests(missing_label=-1).fit(iris.X, iris.y)


class Oracle:
    """Answers for rows, and remembers for which."""

    def __init__(self, truth):
        self.truth, self.asked = truth, []

    def __call__(self, rows):
        self.asked += np.asarray(rows).tolist()
        return self.truth[rows]


# -------------------------------------------------------------------------------- queries


def test_rows_of_centres_are_those_nearest_to_them():
    rng = np.random.default_rng(0)
    middles = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    ring = np.concatenate([rng.normal(size=(10, 2)), [[0.0, 0.0]]])
    ring[:10] -= ring[:10].mean(axis=0)
    X = np.concatenate([middle + ring for middle in middles])
    # Where k-means finds the four heaps, their middles are the last row of each.
    found = [sorted(centre_rows(X, 4, seed).tolist()) for seed in range(10)]
    assert found.count([10, 21, 32, 43]) >= 5


@pytest.mark.parametrize("n", [3, 15, 150])
def test_rows_of_centres_are_distinct(iris, n):
    for seed in range(3):
        rows = centre_rows(iris.X, n, seed)
        assert len(rows) == len(set(rows.tolist())) == n


def test_centres_that_coincide_have_rows_of_their_own():
    assert sorted(centre_rows(np.ones((5, 2)), 4, seed=0).tolist()) == [0, 1, 2, 3]


def test_another_seed_asks_for_other_rows(iris):
    assert random_rows(150, 5, 0).tolist() != random_rows(150, 5, 1).tolist()
    assert random_rows(150, 5, 0).tolist() == random_rows(150, 9, 0)[:5].tolist()
    starts = {tuple(sorted(centre_rows(iris.X, 6, seed).tolist())) for seed in range(4)}
    assert len(starts) > 1


def test_the_smallest_margins_are_chosen_among_the_unlabelled(iris, model):
    y = np.where(np.arange(150) % 10 == 0, iris.y, -1)
    model.update_labels(model.ids_, y)
    rows = SmallestMargins(0).next(model, 6)
    by_hand = [np.diff(np.sort(line)[-2:])[0] for line in model.label_distributions_]
    assert (y[rows] == -1).all()
    kept = np.sort(np.array(by_hand)[y == -1])[:6]
    np.testing.assert_array_equal(np.array(by_hand)[rows], kept)


def test_one_class_makes_margins_equal_and_the_choice_random(iris, model):
    model.update_labels(model.ids_, np.where(np.arange(150) == 7, 0, -1))
    assert margins(model.label_distributions_).tolist() == [1.0] * 150
    rows = SmallestMargins(0).next(model, 6)
    assert rows.tolist() != sorted(rows.tolist())
    assert 7 not in SmallestMargins(0).next(model, 150)


# ------------------------------------------------------------------------- learning curves


@pytest.mark.parametrize("query", [AtRandom, SmallestMargins])
def test_a_curve_asks_for_what_it_chose_and_never_twice(iris, model, query):
    oracle = Oracle(iris.y)
    given = []
    curve = learning_curve(
        model,
        oracle,
        query(0).next,
        np.array([3, 60]),
        rounds=4,
        batch=3,
        score=lambda known: given.append(np.flatnonzero(known.given_).tolist()) or len(given),
    )
    assert curve.totals.tolist() == [2, 5, 8, 11]
    assert curve.scores.tolist() == [1, 2, 3, 4]
    assert curve.rows.tolist() == oracle.asked
    assert len(set(oracle.asked)) == len(oracle.asked) == 11
    assert oracle.asked[:2] == [3, 60]
    # The model had the labels asked for so far, and none of those it came with.
    assert given == [sorted(oracle.asked[:total]) for total in curve.totals]
    np.testing.assert_array_equal(model.transduction_[curve.rows], iris.y[curve.rows])


def test_a_curve_ends_where_there_is_nothing_to_choose(iris, model):
    oracle = Oracle(iris.y)
    curve = learning_curve(
        model, oracle, AtRandom(0).next, np.arange(140), rounds=9, batch=7, score=lambda _: 0.5
    )
    assert curve.totals.tolist() == [140, 147, 150]
    assert sorted(oracle.asked) == list(range(150))


def test_a_curve_refuses_rows_that_are_known(iris, model):
    oracle = Oracle(iris.y)
    with pytest.raises(ValueError, match="row 3, which has a label"):
        learning_curve(
            model,
            oracle,
            lambda *_: np.array([5, 3]),
            np.array([3]),
            rounds=2,
            batch=2,
            score=lambda _: 0.5,
        )
    assert oracle.asked == [3]
