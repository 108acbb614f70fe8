"""partial_fit and forget: a model that has grown is the model of the rows it has."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from models import few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, load, save
from lapoleaf.estimators import growing

NAMES = np.array(["a", "b", "c", None], dtype=object)
ATTRIBUTES = (
    "transduction_", "label_distributions_", "confidence_", "given_", "classes_",
    "transduction_std_", "bandwidth_",
)  # fmt: skip
OF_TREE = ("density", "delta", "parent", "population", "node_of", "scale")


def assert_equals_fit(model, X, y, weight):
    """Check a model against a fit of all its rows with the same bandwidth, to the last bit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(model).fit(X, y, weight)
    new = X[:3] + 0.3
    # A new row first: it is answered before anything else is computed.
    np.testing.assert_array_equal(model.predict(new), fitted.predict(new))
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(new), fitted.predict_proba(new))
    for name in ATTRIBUTES:
        assert hasattr(model, name) == hasattr(fitted, name)
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(model, name), getattr(fitted, name), name)
    for name in OF_TREE:
        np.testing.assert_array_equal(
            getattr(model.tree_, name), getattr(fitted.tree_, name), name
        )
    np.testing.assert_array_equal(model.forest_.roots, fitted.forest_.roots)
    np.testing.assert_array_equal(model.forest_.objective, fitted.forest_.objective)
    assert model.chosen_ == fitted.chosen_
    np.testing.assert_array_equal(model.predict(new), fitted.predict(new))
    assert str(model.explain(0)) == str(fitted.explain(0))


class GrowingModel(RuleBasedStateMachine):
    """Rows come and go, labels are given, changed and taken back."""

    @initialize(
        seed=st.integers(0, 2**32 - 1),
        kind=st.sampled_from(["classes, stages", "classes, exact", "numbers, stages", "numbers"]),
        cost=st.sampled_from(["linear", "water"]),
    )
    def begin(self, seed, kind, cost):
        self.draws = np.random.default_rng(seed)
        self.numbers = kind.startswith("numbers")
        self.model = {
            "classes, stages": LaPOLeaFClassifier.as_published,
            "classes, exact": one_tree,
            "numbers, stages": LaPOLeaFRegressor.as_published,
            "numbers": one_tree_of_numbers,
        }[kind](bandwidth=1.0, cost=cost, n_jobs=1)
        self.X, self.weight = self.some_rows(6), np.ones(6)
        self.y, self.ids = self.some_labels(6), np.arange(6)
        self.y[0] = 1.0 if self.numbers else "a"
        self.model.partial_fit(self.X, self.y)

    def some_rows(self, m):
        return self.draws.integers(0, 5, size=(m, 2)).astype(float)

    def some_labels(self, m):
        if self.numbers:
            return self.draws.choice([1.0, 2.0, 5.5, np.nan], size=m)
        return self.draws.choice(NAMES, size=m)

    @rule(m=st.integers(1, 4), labelled=st.booleans())
    def join(self, m, labelled):
        rows, weight = self.some_rows(m), self.draws.integers(0, 3, size=m).astype(float)
        weight[0] = 1.0
        y = self.some_labels(m) if labelled else None
        self.model.partial_fit(rows, y, sample_weight=weight)
        missing = np.full(m, np.nan) if self.numbers else np.full(m, None)
        self.X, self.weight = np.concatenate([self.X, rows]), np.append(self.weight, weight)
        self.y = np.concatenate([self.y, missing if y is None else y])
        self.ids = self.model.ids_

    @precondition(lambda self: len(self.ids) > 4)
    @rule(which=st.integers(0, 10**6))
    def forget(self, which):
        place = which % len(self.ids)
        self.model.forget(self.ids[place])
        self.X, self.weight = np.delete(self.X, place, axis=0), np.delete(self.weight, place)
        self.y, self.ids = np.delete(self.y, place), np.delete(self.ids, place)

    @rule(which=st.integers(0, 10**6))
    def label(self, which):
        place = which % len(self.ids)
        label = 3.0 if self.numbers else "d"
        self.model.update_labels(self.ids[place], label)
        self.y[place] = label

    @rule()
    def pass_on(self):
        self.model = pickle.loads(pickle.dumps(self.model))

    @invariant()
    def equals_a_fit(self):
        if not hasattr(self, "model"):
            return
        np.testing.assert_array_equal(self.model.ids_, self.ids)
        given = ~np.isnan(self.y) if self.numbers else self.y != None  # noqa: E711
        if (given & (self.weight > 0)).any() and (self.weight > 0).sum() > 1:
            assert_equals_fit(self.model, self.X, self.y, self.weight)


TestGrowingModel = GrowingModel.TestCase
TestGrowingModel.settings = settings(max_examples=10, stateful_step_count=8, deadline=None)


@pytest.mark.slow
class TestGrowingModelForLong(GrowingModel.TestCase):
    settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
