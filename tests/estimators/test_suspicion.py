"""Which given labels to doubt."""

import numpy as np
import pytest
from labelled import HEAPS, iris
from models import few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, SuspiciousLabels
from lapoleaf.estimators import suspicion
from lapoleaf.estimators.suspicion import (
    class_doubts,
    is_called_wrong,
    number_doubts,
    pooled_evidence,
    ranked,
    with_equal_rows,
)


def wrong_in_digits():
    """Digits with 20 labels a class, every tenth of them wrong."""
    X, truth = load_digits(return_X_y=True)
    given = np.concatenate([np.flatnonzero(truth == k)[:20] for k in range(10)])
    y = np.full(len(X), -1)
    y[given] = truth[given]
    wrong = given[::10]
    y[wrong] = (truth[wrong] + 3) % 10
    return X, y, truth, wrong


@pytest.mark.parametrize("make", [few_forests, one_tree])
def test_wrong_labels_are_found(make):
    X, y, truth, wrong = wrong_in_digits()
    found = make().fit(X, y).suspicious_labels(all=True)
    assert sorted(found.ids.tolist()) == np.flatnonzero(y >= 0).tolist()
    is_wrong = np.isin(found.ids, wrong)
    assert roc_auc_score(is_wrong, found.doubt) > 0.93
    assert (np.diff(found.doubt) <= 0).all()
    assert (found.given == y[found.ids]).all()
    # What would be said instead is mostly the truth.
    assert (found.instead == truth[found.ids])[is_wrong].mean() > 0.7


def test_doubt_is_that_of_fits_without_the_labels():
    """With settings that are not chosen, leaving out is the same as not giving."""
    X, y, _ = iris(every=7)
    params = {"mu": 0.5, "n_forests": 3, "class_prior": None, "experts": None}
    model = LaPOLeaFClassifier(**params).fit(X, y)
    # The same mixture is used for all: it is chosen from all labels.
    mixture = model._state.now.labelling.mixture
    given = np.flatnonzero(y >= 0)
    evidence = []
    for row in given:
        fresh = LaPOLeaFClassifier(**params).fit(X, np.where(np.arange(len(y)) == row, -1, y))
        labels = fresh._state.now.labelling.result.labels
        evidence.append(mixture.probabilities(labels, [])[fresh._state.now.rows.node_of[row]])
    wanted = class_doubts(np.array(evidence), y[given], np.zeros(len(given), dtype=bool))
    found = model.suspicious_labels(all=True)
    order = np.argsort(found.ids)
    np.testing.assert_allclose(found.doubt[order], wanted.doubt, atol=1e-9)
    np.testing.assert_array_equal(found.instead[order], wanted.instead)


def test_mixture_and_every_expert_are_witnesses():
    mixed, expert = np.array([[0.9, 0.1]]), np.log([[0.25, 0.75]])
    found = pooled_evidence(mixed, [expert])
    np.testing.assert_allclose(found, [[(0.9 + 0.25) / 2, (0.1 + 0.75) / 2]])
    np.testing.assert_array_equal(pooled_evidence(mixed, []), mixed)
    # Every further expert counts as much as the mixture; logarithms need not be normalised.
    three = pooled_evidence(mixed, [expert, expert[:, ::-1] + 5.0])
    np.testing.assert_allclose(three, [[(0.9 + 0.25 + 0.75) / 3, (0.1 + 0.75 + 0.25) / 3]])
    np.testing.assert_array_equal(mixed, [[0.9, 0.1]])


# ------------------------------------------------------------------------- doubt as a probability


def doubts_by_hand(found, codes, share):
    """Bayes' theorem: the given class, or with the probability ``share`` any other."""
    doubt = []
    for line, code in zip(found, codes, strict=True):
        sharp = line**suspicion._SHARPNESS / (line**suspicion._SHARPNESS).sum()
        least = suspicion._LEAST_EVIDENCE
        right = least + (1 - 2 * least) * sharp[code]
        wrong = share * (1 - right) / (len(line) - 1)
        doubt.append(wrong / (wrong + (1 - share) * right))
    return np.array(doubt)


def test_doubts_are_probabilities_by_the_theorem_of_bayes():
    rng = np.random.default_rng(0)
    found, codes = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
    doubt = class_doubts(found, codes, np.zeros(50, dtype=bool)).doubt
    # The share of wrong labels follows from the doubts, and 20 labels of which 2 are wrong.
    share = min((doubt.sum() + 2.0) / 70.0, 0.5)
    np.testing.assert_allclose(doubt, doubts_by_hand(found, codes, share), atol=1e-3)


@pytest.mark.parametrize("rate", [0.05, 0.2])
def test_doubts_of_exact_evidence_are_calibrated(monkeypatch, rate):
    """Truths drawn by the evidence, labels turned at a rate: doubts are shares of wrong labels."""
    monkeypatch.setattr(suspicion, "_SHARPNESS", 1.0)
    rng = np.random.default_rng(1)
    found = rng.dirichlet(np.full(3, 0.3), 20_000)
    truth = (rng.uniform(size=(20_000, 1)) > found.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    wrong = rng.uniform(size=20_000) < rate
    codes = np.where(wrong, (truth + rng.integers(1, 3, 20_000)) % 3, truth)
    doubt = class_doubts(found, codes, np.zeros(20_000, dtype=bool)).doubt
    assert doubt.mean() == pytest.approx(rate, abs=0.01)
    for low in np.arange(0, 1, 0.2):
        within = (doubt >= low) & (doubt < low + 0.2)
        assert abs(doubt[within].mean() - wrong[within].mean()) < 0.04


def test_no_evidence_is_beyond_doubt():
    found = np.repeat([[1.0, 0.0]], 40, axis=0)
    codes = np.arange(40) % 10 // 9
    doubt = class_doubts(found, codes, np.zeros(40, dtype=bool)).doubt
    assert (0 < doubt).all()
    assert (doubt < 1).all()
    assert is_called_wrong(doubt).tolist() == (codes == 1).tolist()
    assert not is_called_wrong(np.array([np.nan, 0.5])).any()


def test_equal_rows_are_witnesses():
    """Five rows at one place: four say a, one says b."""
    X = np.concatenate([np.zeros((5, 1)), HEAPS + 5.0])
    y = ["a", "a", "b", "a", "a", *["b"] * 5, *["c"] * 5]
    found = few_forests().fit(X, y).suspicious_labels(all=True)
    assert found.ids[0] == 2
    assert found.instead[0] == "a"
    assert found.doubt[0] > 0.8
    assert (found.doubt[np.isin(found.ids, [0, 1, 3, 4])] < 0.5).all()


def test_the_only_label_of_its_class_is_last():
    y = ["a", "a", "a", None, "odd", "b", "b", "b", "b", None]
    found = few_forests().fit(HEAPS, y).suspicious_labels(all=True)
    assert found.ids[-1] == 4
    assert np.isnan(found.doubt[-1])
    assert not np.isnan(found.doubt[:-1]).any()
    assert found.instead[-1] == "a"


def test_a_single_class():
    with pytest.warns(UserWarning, match="one class only"):
        model = few_forests().fit(HEAPS, ["a", "a", *[None] * 8])
    found = model.suspicious_labels(all=True)
    assert found.ids.tolist() == [0, 1]
    assert found.doubt.tolist() == [0.0, 0.0]


def test_rows_of_weight_0_are_not_listed():
    weight = np.ones(10)
    weight[1] = 0
    found = few_forests().fit(HEAPS, np.arange(10) // 5, weight).suspicious_labels(all=True)
    assert 1 not in found.ids


def test_weight_2_is_the_same_as_twice():
    y = np.array([0, 0, 1, 0, 0, 1, 1, 1, 1, 1])
    weight = np.where(np.arange(10) == 2, 2.0, 1.0)
    once = few_forests().fit(HEAPS, y, weight).suspicious_labels(all=True)
    twice = few_forests().fit(np.append(HEAPS, HEAPS[[2]], axis=0), np.append(y, y[2]))
    found = twice.suspicious_labels(all=True)
    # Each of the two has the other for a witness; a single row of weight 2 has none.
    assert found.doubt[found.ids == 2] < once.doubt[once.ids == 2]
    assert found.doubt[found.ids == 2] == found.doubt[found.ids == 10]


@pytest.mark.parametrize("make", [few_forests_of_numbers, one_tree_of_numbers])
def test_wrong_numbers_are_found(make):
    X = np.random.default_rng(0).uniform(size=(200, 2))
    truth = 1e6 * (X[:, 0] + X[:, 1])
    y = np.where(np.arange(200) % 3 == 0, truth, np.nan)
    y[[30, 90, 150]] += 2e6
    found = make().fit(X, y).suspicious_labels(all=True)
    assert set(found.ids[:3].tolist()) == {30, 90, 150}
    assert found.instead[:3] == pytest.approx(truth[found.ids[:3]], rel=0.5)
    assert found.doubt[2] > 2
    assert len(found) == np.isfinite(y).sum()


def test_equal_rows_are_witnesses_of_numbers():
    """Five of six equal rows agree; the rest of the data are far off, and agree with the sixth."""
    X = [[30.0]] * 6 + [[value] for value in np.linspace(0, 10, 20)]
    y = [0.0] * 5 + [50.0] + [50 + 0.1 * (k % 2) for k in range(20)]
    found = few_forests_of_numbers().fit(X, y).suspicious_labels(all=True)
    assert found.ids[0] == 5
    assert abs(found.instead[0]) < 10


def test_conflicting_rows_with_nobody_else():
    found = (
        one_tree_of_numbers()
        .fit([[0.0]] * 3 + [[1.0]], [1, 1, 9, np.nan])
        .suspicious_labels(all=True)
    )
    assert found.ids[0] == 2
    assert found.instead[0] == 1.0
    assert not np.isnan(found.doubt).any()


def test_doubts_of_numbers_by_hand():
    """Numbers 2 and 4 at one node, of which the others say 0; disagreement 2, variance 1."""
    instead, doubt = number_doubts(
        np.array([2.0, 4.0, 7.0]), np.ones(3), np.array([0, 0, 1]), np.array([0.0, 5.0]),
        np.array([1.0, 4.0]), 2.0,
    )  # fmt: skip
    # An equal row weighs 1 / 2, the others 1: a third of 4, a third of 2.
    np.testing.assert_allclose(instead, [4 / 3, 2 / 3, 5.0])
    spread = np.sqrt(2 / 3 + 2)
    np.testing.assert_allclose(doubt, [(2 - 4 / 3) / spread, (4 - 2 / 3) / spread, 0.5])


def test_equal_numbers_are_not_doubted():
    X = np.random.default_rng(0).normal(size=(12, 2))
    for model in (
        one_tree_of_numbers(mu=np.inf),
        few_forests_of_numbers(n_forests=1, experts=None, mu=np.inf),
        few_forests_of_numbers(n_forests=3, experts=None, mu=np.inf),
    ):
        assert not model.fit(X, np.full(12, 0.1)).suspicious_labels(all=True).doubt.any()


def test_the_largest_numbers():
    y = np.where(np.arange(10) < 5, 1.7e308, -1.7e308)
    found = few_forests_of_numbers().fit(HEAPS, y).suspicious_labels(all=True)
    assert np.isfinite(found.doubt).all()


def test_doubts_of_numbers_are_those_of_intervals():
    X, _, truth = iris()
    y = np.where(np.arange(150) % 4 == 0, truth.astype(float), np.nan)
    model = few_forests_of_numbers().fit(
        X[np.unique(X, axis=0, return_index=True)[1]][:120], y[:120]
    )
    found = model.suspicious_labels(all=True)
    assert sorted(found.doubt.tolist()) == pytest.approx(
        sorted(model._state.now.labelling.errors[0].tolist())
    )


def test_a_target_of_several():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.stack([X[:, 0], X[:, 1]], axis=1)
    y[::2, 1] = np.nan
    y[5, 1] = 50.0
    model = few_forests_of_numbers().fit(X, y)
    assert len(model.suspicious_labels(all=True)) == 30
    assert model.suspicious_labels(target=1).ids[0] == 5
    with pytest.raises(ValueError, match="target=2 must be a number from 0 to 1"):
        model.suspicious_labels(target=2)


def test_a_single_number():
    found = few_forests_of_numbers().fit(HEAPS, [1.0, *[np.nan] * 9]).suspicious_labels(all=True)
    assert np.isnan(found.doubt).all()


def test_changed_labels_are_no_longer_doubted():
    X, y, truth, _ = wrong_in_digits()
    model = few_forests().fit(X, y)
    first = model.suspicious_labels(all=True).ids[0]
    model.update_labels([first], [truth[first]])
    again = model.suspicious_labels(all=True)
    assert again.doubt[again.ids == first] < 0.5


def test_words():
    found = ranked(
        np.array([4, 7, 9]), np.array(["cat", "dog", "eel"]), np.array(["dog", "dog", "cat"]),
        np.array([0.25, 0.5, np.nan]), np.ones(3, dtype=bool),
    )  # fmt: skip
    assert str(found).splitlines() == [
        "row  given  instead  doubt",
        "  7  'dog'    'dog'    0.5",
        "  4  'cat'    'dog'   0.25",
        "  9  'eel'    'cat'    nan",
    ]
    assert repr(found) == str(found)
    page = SuspiciousLabels(
        np.arange(12), np.array(["<b>"] * 12), np.array(["x"] * 12), np.ones(12)
    )._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "and 2 more" in page


def test_probabilities_with_equal_rows_by_hand():
    """Two rows of one node say 0 and 1; a third one elsewhere says 1."""
    found = np.array([[0.6, 0.4], [0.2, 0.8]])
    nodes, codes = np.array([0, 0, 1]), np.array([0, 1, 1])
    seen = with_equal_rows(found, nodes, codes, np.ones(3))
    np.testing.assert_allclose(seen, [[0.3, 0.7], [0.8, 0.2], [0.2, 0.8]])
    # Class 0 was given to one row only, but its equal has another.
    contradicting = np.array([True, True, False])
    instead, doubt = class_doubts(seen, codes, contradicting)
    np.testing.assert_allclose(doubt[:2], [0.7, 0.8])
    assert doubt[2] < 0.05
    assert instead.tolist() == [1, 0, 1]
    alone = class_doubts(seen, codes, np.zeros(3, dtype=bool)).doubt
    assert np.isnan(alone).tolist() == [True, False, False]


def test_a_tie_confirms_the_label():
    seen = np.array([[0.5, 0.5], [0.5, 0.5]])
    assert class_doubts(seen, np.array([0, 1]), np.ones(2, dtype=bool)).instead.tolist() == [0, 1]


@pytest.mark.parametrize("make", [few_forests, one_tree])
def test_only_labels_that_are_probably_wrong_are_listed(make):
    X, y, _, wrong = wrong_in_digits()
    model = make().fit(X, y)
    listed, everything = model.suspicious_labels(), model.suspicious_labels(all=True)
    assert len(everything) == (y >= 0).sum()
    assert 0 < len(listed) < len(everything) / 2
    assert (listed.given != listed.instead).all()
    np.testing.assert_array_equal(listed.ids, everything.ids[everything.doubt > 0.5])
    assert np.isin(wrong, listed.ids).mean() > 0.7
    # Doubts are about as large in all as labels are wrong.
    assert abs(everything.doubt.mean() - 0.1) < 0.05


def test_only_numbers_far_from_their_prediction_are_listed():
    X = np.random.default_rng(0).uniform(size=(200, 2))
    y = np.where(np.arange(200) % 3 == 0, X.sum(axis=1), np.nan)
    y[30] += 5.0
    model = few_forests_of_numbers().fit(X, y)
    listed, everything = model.suspicious_labels(), model.suspicious_labels(all=True)
    assert listed.ids.tolist() == everything.ids[everything.doubt > 3].tolist()
    assert 30 in listed.ids[:2]
    assert len(listed) < 5


def test_nothing_to_doubt():
    found = few_forests().fit(HEAPS, np.arange(10) // 5).suspicious_labels()
    assert len(found) == 0
    assert str(found) == "No given label is contradicted by the others."
    assert "No given label" in found._repr_html_()


def test_a_class_that_nobody_else_has_is_not_listed():
    y = ["a", "a", "a", None, "odd", "b", "b", "b", "b", None]
    assert 4 not in few_forests().fit(HEAPS, y).suspicious_labels().ids


@pytest.mark.parametrize("make", [LaPOLeaFClassifier, LaPOLeaFRegressor])
def test_what_cannot_be_asked(make):
    with pytest.raises(NotFittedError):
        make().suspicious_labels()
    model = make.as_published().fit(HEAPS, np.arange(10) // 5)
    with pytest.raises(ValueError, match="suspicious_labels needs solver='exact'"):
        model.suspicious_labels()
