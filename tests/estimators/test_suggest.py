"""Which rows to label next."""

import numpy as np
import pytest
import scipy.sparse as sp
from labelled import HEAPS, in_two_heaps, iris
from models import PAIRS, few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import minmax_scale

import lapoleaf
from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor

MODELS = {
    f"{kind}, {name}": pair[which]
    for name, pair in PAIRS.items()
    for which, kind in enumerate(("classes", "numbers"))
}


@pytest.fixture(params=MODELS, ids=str)
def model(request):
    return MODELS[request.param]()


def test_before_any_label_every_heap_gets_one(model):
    found = model.suggest(2, X=HEAPS)
    assert {int(row) // 5 for row in found} == {0, 1}


def test_asking_does_not_fit(model):
    before = dict(vars(model))
    model.suggest(1, X=HEAPS)
    assert vars(model) == before


def test_the_same_rows_every_time(model):
    X, _, _ = iris()
    assert model.suggest(5, X=X).tolist() == clone(model).suggest(5, X=X).tolist()


def test_a_small_batch_is_the_beginning_of_a_large_one(model):
    X, y, _ = iris()
    assert model.suggest(8, X=X)[:3].tolist() == model.suggest(3, X=X).tolist()
    model.fit(X, np.where(y < 0, np.nan, y) if "Regressor" in type(model).__name__ else y)
    assert model.suggest(8)[:3].tolist() == model.suggest(3).tolist()


def test_rows_with_a_label_and_their_equals_are_not_suggested():
    X = np.concatenate([HEAPS, HEAPS])
    y = [*in_two_heaps(0, 1, -1), *[-1] * 10]
    found = few_forests().fit(X, y).suggest(100)
    assert sorted(found.tolist()) == [1, 2, 3, 4, 6, 7, 8, 9]


def test_one_batch_never_names_a_row_or_its_equal_twice():
    X = np.repeat(HEAPS, 3, axis=0)
    found = few_forests().suggest(100, X=X)
    assert sorted(found.tolist()) == list(range(0, 30, 3))


def test_rows_of_weight_0_are_not_suggested():
    weight = np.ones(10)
    weight[[2, 7]] = 0
    found = few_forests().fit(HEAPS, in_two_heaps(0, 1, -1), weight).suggest(100)
    assert sorted(found.tolist()) == [1, 3, 4, 6, 8, 9]


def test_all_labels_given():
    model = few_forests().fit(HEAPS, np.arange(10) // 5)
    found = model.suggest(3)
    assert found.dtype.kind == "i"
    assert len(found) == 0


def test_the_order_of_rows_does_not_matter():
    X = minmax_scale(load_wine().data)
    shuffled = np.random.default_rng(0).permutation(len(X))
    found = few_forests().suggest(6, X=X)
    again = few_forests().suggest(6, X=X[shuffled])
    assert found.tolist() == shuffled[again].tolist()


def test_with_labels_the_doubtful_part_is_asked_for():
    """Three heaps, two of them labelled, the third between two classes: it is next."""
    X = np.concatenate([HEAPS, HEAPS[:5] + 10.0])
    y = [*in_two_heaps("a", "b", None), *[None] * 5]
    assert few_forests().fit(X, y).suggest()[0] >= 10


def test_of_two_equal_heaps_the_one_in_doubt_is_asked_for():
    """Both have two labels: in one heap they agree, in the other they do not."""
    X = np.concatenate([HEAPS[:5], HEAPS[:5] + 100.0])
    for doubtful in (0, 1):
        y = np.full(10, -1)
        y[[0, 4, 5, 9]] = [0, 1, 2, 2] if doubtful == 0 else [2, 2, 0, 1]
        assert few_forests().fit(X, y).suggest()[0] // 5 == doubtful


def test_rounds_of_labels_find_every_class():
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:600], truth[:600]
    model = few_forests(n_forests=20)
    rows = model.suggest(10, X=X)
    y = np.full(len(X), -1)
    y[rows] = truth[rows]
    model.fit(X, y)
    for _ in range(2):
        rows = model.suggest(10)
        assert (y[rows] == -1).all()
        y[rows] = truth[rows]
        model.update_labels(rows, truth[rows])
    assert len(model.classes_) == 10
    assert (y >= 0).sum() == 30
    random = np.random.default_rng(0).permutation(len(X))[:30]
    by_chance = few_forests(n_forests=20).fit(
        X, np.where(np.isin(np.arange(600), random), truth, -1)
    )
    assert model.score(X, truth) > by_chance.score(X, truth)


def precision_of(model):
    return model._state.now.labelling.targets[0].result.precision


def test_numbers_the_largest_reduction_of_variance():
    """Labelling the suggested row takes most from the sum of the variances, by trying them all.

    The scale of the variance is estimated from the labels; labels that the model expects leave it
    as it is, so precisions are compared.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(np.arange(40) % 8 == 0, X[:, 0], np.nan)
    for mu, weight in ((np.inf, None), (0.7, None), (0.2, rng.integers(1, 9, 40))):
        model = one_tree_of_numbers(mu=mu).fit(X, y, weight)
        found = int(model.suggest()[0])

        def left(row, mu=mu, weight=weight):
            more = np.where(np.arange(40) == row, 0.0, y)
            fresh = one_tree_of_numbers(mu=mu).fit(X, more, weight)
            return (fresh.tree_.population / precision_of(fresh)).sum()

        unlabelled = np.flatnonzero(np.isnan(y))
        losses = {int(row): left(row) for row in unlabelled}
        assert losses[found] == pytest.approx(min(losses.values()), rel=1e-6)


def test_numbers_with_several_targets():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.full((30, 2), np.nan)
    y[::3, 0] = 1.0
    y[::5, 1] = np.arange(6.0)
    found = few_forests_of_numbers().fit(X, y).suggest(100)
    # Rows 0 and 15 have both.
    assert sorted(found.tolist()) == sorted(set(range(30)) - {0, 15})


def test_numbers_in_any_order_of_targets():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.full((80, 2), np.nan)
    y[:40, 0], y[:40, 1] = rng.normal(size=40), 10 * X[:40, 0]
    found = [few_forests_of_numbers().fit(X, each).suggest(5) for each in (y, y[:, ::-1])]
    assert found[0].tolist() == found[1].tolist()


OUTLIERS = np.array([[1e3, 0.0], [0.0, 1e4], [-50.0, -50.0]])


@pytest.mark.parametrize(
    ("make", "params"),
    [
        (few_forests, {"n_forests": 20}),
        (few_forests_of_numbers, {"n_forests": 20}),
        (one_tree, {"weights": "self-tuned"}),
        (one_tree, {"weights": "inverse"}),
        (one_tree_of_numbers, {"weights": "self-tuned"}),
        (one_tree_of_numbers, {"weights": "inverse"}),
    ],
)
def test_far_points_are_not_asked_for_first(make, params):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(200, 2)), rng.normal(size=(100, 2)) + 8.0, OUTLIERS])
    model = make(**params)
    assert (model.suggest(4, X=X) < 300).all()
    missing = -1 if make in (few_forests, one_tree) else np.nan
    y = np.where(np.arange(len(X)) % 60 == 0, (X[:, 0] > 4) * 1.0, missing)
    assert (model.fit(X, y).suggest(3) < 300).all()


@pytest.mark.parametrize("make", [LaPOLeaFClassifier, LaPOLeaFRegressor])
def test_as_published_too(make):
    model = make.as_published()
    assert len(set(model.suggest(4, X=HEAPS).tolist())) == 4
    found = model.fit(HEAPS, in_two_heaps(0.0, 1.0, np.nan)).suggest(100)
    assert sorted(found.tolist()) == [1, 2, 3, 4, 6, 7, 8, 9]


@pytest.mark.parametrize(
    ("params", "X"),
    [
        ({"metric": "precomputed"}, pairwise_distances(HEAPS)),
        ({"metric": "manhattan"}, HEAPS),
        ({}, sp.csr_matrix(HEAPS)),
        ({"bandwidth": 1.0}, HEAPS),
    ],
    ids=str,
)
def test_all_kinds_of_rows_and_parameters(params, X):
    for make in (few_forests, one_tree):
        found = make(**params).suggest(2, X=X)
        assert {int(row) // 5 for row in found} == {0, 1}


@pytest.mark.parametrize(
    "params", [{"weights": "inverse"}, {"weights": "auto", "percent": "auto"}], ids=str
)
def test_parameters_of_one_forest(params):
    found = one_tree(**params).suggest(2, X=HEAPS)
    assert {int(row) // 5 for row in found} == {0, 1}


def test_one_distinct_point():
    with pytest.warns(UserWarning, match="one distinct point"):
        assert few_forests().suggest(3, X=np.ones((5, 2))).tolist() == [0]


def test_ids_are_what_update_labels_takes():
    model = few_forests().fit(HEAPS, in_two_heaps("a", "b", None))
    ids = model.suggest(2)
    model.update_labels(ids, ["c", "d"])
    assert {"c", "d"} <= set(model.classes_)


def test_a_loaded_model_suggests_the_same(tmp_path):
    X, y, _ = iris(every=20)
    model = few_forests().fit(X, y)
    lapoleaf.save(model, tmp_path / "model.lapoleaf")
    again = lapoleaf.load(tmp_path / "model.lapoleaf")
    assert again.suggest(7).tolist() == model.suggest(7).tolist()


# ------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("n", [0, -1, 2.5, "three", None, True])
def test_a_number_of_rows(n):
    with pytest.raises(ValueError, match=r"n=.* must be a whole number of rows"):
        few_forests().suggest(n, X=HEAPS)


def test_rows_in_the_place_of_their_number():
    with pytest.raises(ValueError, match=r"n=an array of shape \(10, 1\) .* given by X="):
        few_forests().suggest(HEAPS)


def test_no_rows_to_choose_from():
    with pytest.raises(NotFittedError, match="give them with X="):
        LaPOLeaFClassifier().suggest(3)


def test_rows_for_a_fitted_model():
    model = few_forests().fit(HEAPS, in_two_heaps(0, 1, -1))
    with pytest.raises(ValueError, match="X is for a model that is not fitted"):
        model.suggest(3, X=HEAPS)


def test_bad_rows_and_bad_parameters():
    with pytest.raises(ValueError, match="NaN"):
        few_forests().suggest(1, X=[[np.nan], [1.0]])
    with pytest.raises(ValueError, match="n_forests=0"):
        few_forests(n_forests=0).suggest(1, X=HEAPS)
    with pytest.raises(ValueError, match="weights='tight'"):
        one_tree(weights="tight").suggest(1, X=HEAPS)
