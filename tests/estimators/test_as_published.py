"""The paper and nothing else: rows to labels against the slow twins, and what fit leaves behind."""

import numpy as np
import pytest
import twins
from cases import FORMULAS
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled import iris, random_labels
from models import few_forests, one_tree, one_tree_of_numbers
from strategies import grids, percents

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
)


class Twin:
    """Tree and forest of whole-numbered rows, straight from the definitions."""

    def __init__(self, X, percent, alpha, H=lambda N: N, unit_free=True):
        D = twins.pair_distances(X, FORMULAS["euclidean"])
        self.bandwidth = twins.bandwidth(D, percent)
        self.first, self.node_of, self.population = twins.merge(D)
        self.D = D[np.ix_(self.first, self.first)]
        self.density = twins.densities(self.D, self.population, self.bandwidth)
        self.parent, self.delta = twins.leaders(self.D, self.density)
        curve = twins.objective(self.density, self.delta, alpha, H, unit_free)
        self.roots = twins.centres(self.density, self.delta)[: twins.optimum(curve)]

    def labels(self, values, given):
        """Labels of all rows for those of some: rows at one place share the mean."""
        nodes = {}
        for row in np.flatnonzero(given):
            nodes.setdefault(self.node_of[row], []).append(values[row])
        means = {node: np.mean(rows, axis=0) for node, rows in nodes.items()}
        found, _ = twins.three_stages(
            self.parent, self.delta, self.population, self.roots, means,
            lambda i, j: self.D[i][j],
        )  # fmt: skip
        return found[self.node_of]


def check_against_twin(X, labels, percent, alpha):
    twin = Twin(X, percent, alpha)
    y = np.array(labels[: len(X)])
    y[:2] = [0, 1]
    one_hot = (y[:, None] == np.unique(y[y >= 0])).astype(float)

    model = LaPOLeaFClassifier.as_published(percent=percent, alpha=alpha).fit(X, y)
    assert model.bandwidth_ == twin.bandwidth
    assert model.forest_.roots.tolist() == twin.roots
    found = twin.labels(one_hot, y >= 0)
    # Rows keep their own class, where equal rows were given others.
    found[y >= 0] = one_hot[y >= 0]
    np.testing.assert_allclose(model.label_distributions_, found, rtol=1e-9, atol=1e-12)

    numbers = np.where(y < 0, np.nan, 7.0 * y - 3.0)
    regressor = LaPOLeaFRegressor.as_published(percent=percent, alpha=alpha).fit(X, numbers)
    found = twin.labels(numbers[:, None], y >= 0)[:, 0]
    np.testing.assert_allclose(regressor.transduction_, found, rtol=1e-9, atol=1e-9)

    clusters = LoDOG(cut="objective", percent=percent, alpha=alpha).fit(X)
    assert clusters.cluster_centers_indices_.tolist() == [twin.first[r] for r in twin.roots]
    roots = [twins.root_of(node, twin.parent, twin.roots)[0] for node in twin.node_of]
    assert clusters.labels_.tolist() == [twin.roots.index(root) for root in roots]


few = st.lists(st.sampled_from([-1, -1, -1, 0, 1, 2]), min_size=40, max_size=40)
alphas = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.95])


@given(grids(), few, percents, alphas)
def test_small_tables(X, labels, percent, alpha):
    check_against_twin(X, labels, percent, alpha)


@pytest.mark.slow
@settings(max_examples=2000)
@given(grids(max_rows=40, largest=6), few, percents, alphas)
def test_small_tables_at_length(X, labels, percent, alpha):
    check_against_twin(X, labels, percent, alpha)


@pytest.mark.parametrize("data", ["iris", "wine"])
@pytest.mark.parametrize(
    ("params", "H"),
    [
        ({"percent": 3, "alpha": 0.4, "cost": "imagenet"}, lambda N: 80 * N * 1.001**N),
        ({"percent": 5, "alpha": 0.5, "cost": "water"}, lambda N: 0.1 * N),
    ],
    ids=["images", "water"],
)
def test_published_parameters(data, params, H):
    """In tenths, so that distances are exact."""
    X, y = random_labels(data, 20, 3, seed=2)
    X = np.rint(10 * X)
    twin = Twin(X, params["percent"], params["alpha"], H, unit_free=False)
    model = LaPOLeaFClassifier.as_published(**params).fit(X, y)
    assert model.forest_.roots.tolist() == twin.roots
    found = twin.labels((y[:, None] == [0, 1, 2]).astype(float), y >= 0)
    np.testing.assert_allclose(model.label_distributions_, found, rtol=1e-9, atol=1e-12)
    numbers = np.where(y < 0, np.nan, y)
    model = LaPOLeaFRegressor.as_published(**params).fit(X, numbers)
    np.testing.assert_allclose(
        model.transduction_, twin.labels(numbers[:, None], y >= 0)[:, 0], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("kind", "of_one_forest"),
    [(LaPOLeaFClassifier, LeadingForestClassifier), (LaPOLeaFRegressor, LeadingForestRegressor)],
)
def test_parameters_pass_through(kind, of_one_forest):
    model = kind.as_published(percent=3, alpha=0.4, cost="imagenet", metric="manhattan", n_jobs=2)
    assert type(model) is of_one_forest
    wanted = {"percent": 3, "alpha": 0.4, "cost": "imagenet", "metric": "manhattan", "n_jobs": 2}
    assert {name: model.get_params()[name] for name in wanted} == wanted
    plain = kind.as_published().get_params()
    assert plain == {**of_one_forest().get_params(), "solver": "stages"}
    assert (plain["percent"], plain["alpha"], plain["cost"]) == (2.0, 0.5, "linear")
    with pytest.raises(TypeError, match="no_such"):
        kind.as_published(no_such=1)


def test_what_fit_leaves_behind():
    X, y, truth = iris()
    model = few_forests().fit(X, y)
    assert model.transduction_.shape == (150,)
    assert model.label_distributions_.shape == (150, 3)
    np.testing.assert_allclose(model.label_distributions_.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.label_distributions_ >= 0).all()
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(
        model.transduction_, model.classes_[model.label_distributions_.argmax(axis=1)]
    )
    np.testing.assert_array_equal(model.given_, y >= 0)
    np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
    assert model.forest_.tree is model.tree_
    assert model.bandwidth_ == model.tree_.bandwidth
    assert model.ids_.tolist() == list(range(150))
    assert model.n_features_in_ == 4
    assert np.mean(model.transduction_ == truth) > 0.85


def test_the_number_of_trees_can_be_given():
    X, y, _ = iris()
    for n_trees in (1, 7, 149):
        assert one_tree(n_trees=n_trees).fit(X, y).forest_.n_trees == n_trees
        numbers = np.where(y < 0, np.nan, y)
        assert one_tree_of_numbers(n_trees=n_trees).fit(X, numbers).forest_.n_trees == n_trees


def test_the_bandwidth_can_be_given():
    X, y, _ = iris()
    assert few_forests(bandwidth=0.75).fit(X, y).bandwidth_ == 0.75
    assert one_tree(bandwidth=0.75, percent=50).fit(X, y).bandwidth_ == 0.75


def test_fitting_again_starts_afresh():
    X, y, _ = iris()
    model = few_forests().fit(X[:, :2], np.where(y == 2, -1, y))
    again, fresh = model.fit(X, y), few_forests().fit(X, y)
    np.testing.assert_array_equal(again.label_distributions_, fresh.label_distributions_)
    assert again.n_features_in_ == 4


def test_verbose_speaks_on_standard_error_only(capfd):
    X, y, _ = iris()
    few_forests(verbose=1).fit(X, y).predict(X)
    assert capfd.readouterr().out == ""
