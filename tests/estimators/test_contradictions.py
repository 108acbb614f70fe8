"""Equal rows that were given different labels."""

import warnings

import numpy as np
import pytest
from models import few_forests, one_tree, one_tree_of_numbers

from lapoleaf import LaPOLeaFClassifier, LeadingForestClassifier

X = [[0.0], [0.0], [0.0], [5.0]]
Y = [0, 1, 1, 2]
WARNING = r"Rows 0 and 1 of X are equal, but y has 0 for one and 1 for the other \(3 such rows\)"


@pytest.mark.parametrize("params", [{}, {"mu": np.inf}], ids=["default", "inf"])
@pytest.mark.parametrize("make", [LaPOLeaFClassifier, LeadingForestClassifier])
def test_given_labels_are_kept(make, params):
    with pytest.warns(UserWarning, match=WARNING):
        model = make(**params).fit(X, Y)
    assert model.transduction_.tolist() == Y
    np.testing.assert_array_equal(model.label_distributions_, np.eye(3)[Y])
    assert model.confidence_.tolist() == [1.0] * 4
    # A new row follows the majority.
    assert model.predict([[0.0]]).tolist() == [1]


def test_the_three_stages_keep_them_too():
    with pytest.warns(UserWarning, match=WARNING):
        model = LaPOLeaFClassifier.as_published().fit(X, Y)
    assert model.transduction_.tolist() == Y


@pytest.mark.parametrize("make", [LaPOLeaFClassifier, LeadingForestClassifier])
def test_a_finite_mu_of_the_user_overrules(make):
    with pytest.warns(UserWarning, match=WARNING):
        model = make(mu=0.1).fit(X, Y)
    assert model.transduction_.tolist() == [1, 1, 1, 2]


def test_an_equal_row_without_a_label_follows_the_majority():
    with pytest.warns(UserWarning, match="are equal"):
        model = few_forests().fit([*X, [0.0]], [*Y, -1])
    assert model.transduction_.tolist() == [0, 1, 1, 2, 1]
    np.testing.assert_allclose(model.label_distributions_[4], [1 / 3, 2 / 3, 0.0])


@pytest.mark.parametrize("make", [few_forests, one_tree])
def test_they_are_suspicious(make):
    with pytest.warns(UserWarning, match="are equal"):
        model = make().fit(X, Y)
    found = model.suspicious_labels()
    assert (found.ids.tolist(), found.given.tolist(), found.instead.tolist()) == ([0], [0], [1])
    assert found.doubt[0] > 0.5
    with pytest.warns(UserWarning, match="are equal"):
        model = make().fit([[0.0], [0.0], [5.0], [6.0]], ["a", "b", "a", "b"])
    assert {0, 1} & set(model.suspicious_labels().ids.tolist())


def test_each_change_warns_of_its_own_rows_only():
    far = [[value] for value in np.linspace(0.0, 9.0, 300)]
    model = few_forests().fit(far, [0, *[-1] * 298, 1])
    with pytest.warns(UserWarning, match="Rows 0 and 300 of X are equal"):
        model.partial_fit([[0.0]], [1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit([[0.0]])
        model.partial_fit([[4.001]], [1])
        model.update_labels(7, 1)
    with pytest.warns(UserWarning, match=r"Rows 0 and 300 .* \(3 such rows\)"):
        model.update_labels(301, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.update_labels([300], [0])


def test_a_warning_that_is_an_error_changes_nothing():
    model = few_forests().fit([[0.0], [1.0]], [0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="are equal"):
            model.fit(X, Y)
    assert model.transduction_.tolist() == [0, 1]


def test_rows_of_weight_0_contradict_nobody():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few_forests().fit(X, Y, [0, 1, 1, 1])


def test_numbers_of_equal_rows_are_averaged():
    model = one_tree_of_numbers(mu=np.inf).fit(X, [1.0, 2.0, np.nan, 9.0])
    assert model.transduction_.tolist() == [1.5, 1.5, 1.5, 9.0]
    why = model.explain(0)
    assert (why.label, why.deciders.tolist(), why.others.label) == (1.5, [0, 1], 2.0)
