"""Four cases in which scikit-learn's LabelPropagation and LabelSpreading leave a user alone.

What they do (scikit-learn 1.9) stands beside each case; only what lapoleaf does is tested.
"""

import numpy as np
import pytest
from models import few_forests, few_forests_of_numbers

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor

A, B, C = slice(0, 30), slice(30, 55), slice(55, 75)


def three_groups():
    """Three groups in a row, each less dense than the one before; A and B have one label each."""
    rng = np.random.default_rng(0)
    X = np.vstack(
        [
            rng.normal((0, 0), 0.3, (30, 2)),
            rng.normal((8, 0), 0.35, (25, 2)),
            rng.normal((14, 0), 0.4, (20, 2)),
        ]
    )
    y = np.full(len(X), -1)
    y[[0, 30]] = [0, 1]
    return X, y


@pytest.mark.parametrize("far", [[1e3, 1e3], [-1e9, 0.0], [1e200, -1e200]], ids=str)
def test_far_query(far):
    """scikit-learn: probabilities [nan, nan], and class 0 without a word."""
    X, y = three_groups()
    model = few_forests().fit(X, y)
    found = model.predict_proba([far])[0]
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, 0.5, atol=0.05)
    np.testing.assert_allclose(found.sum(), 1.0)
    unsure = few_forests(min_confidence=0.6).fit(X, y)
    assert unsure.predict([far]).tolist() == [-1]
    assert unsure.predict(X[[0, 30]]).tolist() == [0, 1]


def test_component_without_labels():
    """scikit-learn, kernel="knn": rows [0, 0] as probabilities, and class 0, though B is nearer."""
    X, y = three_groups()
    model = LaPOLeaFClassifier.as_published(n_trees=3).fit(X, y)
    exact = few_forests().fit(X, y)
    np.testing.assert_array_equal(exact.transduction_, model.transduction_)
    assert (model.transduction_[A] == 0).all()
    assert (model.transduction_[B] == 1).all()
    assert (model.transduction_[C] == 1).all()
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1.0)
    trees = model.forest_.tree_of
    for row in range(*C.indices(len(X))):
        assert trees[model.explain(row).borrowed_from] == trees[30]


def test_strings_with_none():
    """scikit-learn: TypeError from sorting; with "-1" for None, "-1" becomes a class."""
    X, y = three_groups()
    names = np.where(y < 0, None, np.array(["north", "south"])[y])
    model = few_forests().fit(X, names)
    assert model.classes_.tolist() == ["north", "south"]
    assert (model.transduction_[A] == "north").all()
    assert (model.transduction_[B] == "south").all()
    by_number = few_forests().fit(X, y)
    np.testing.assert_array_equal(model.label_distributions_, by_number.label_distributions_)


def test_continuous_y():
    """scikit-learn: refuses 0.5, takes 3.0 and 7.0 as classes, and has nothing for numbers."""
    X, y = three_groups()
    numbers = np.where(y < 0, np.nan, np.array([0.5, 1.5])[y])
    with pytest.raises(ValueError, match=r"0\.5.*use LaPOLeaFRegressor"):
        few_forests().fit(X, numbers)
    exact = few_forests_of_numbers().fit(X, numbers).transduction_
    assert (exact[A] < 1).all()
    assert (exact[B] > 1).all()
    model = LaPOLeaFRegressor.as_published(n_trees=3).fit(X, numbers)
    assert (model.transduction_[A] == 0.5).all()
    assert (model.transduction_[B] == 1.5).all()
    assert (model.transduction_[C] == 1.5).all()
    assert np.isfinite(model.predict([[1e9, 1e9]])).all()
