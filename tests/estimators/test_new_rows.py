"""New rows: who leads them, what they get, and what it costs."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from cases import FORMULAS, METRICS, PARAMS, rows_for
from hypothesis import given, settings
from hypothesis import strategies as st
from joining_twin import leader
from labelled import HEAPS, LINE, check_own_predictions, in_two_heaps, iris, random_labels
from models import PAIRS, few_forests, few_forests_of_numbers, one_tree, one_tree_of_numbers
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.neighbors import kneighbors_graph
from strategies import clouds, grids, percents

from lapoleaf import LeadingTree, LoDOG, leading_tree
from lapoleaf._tree import leaders_of_rows

# ------------------------------------------------------------------------------------- the leader


def twin_leaders(tree, D, zero=0.0):
    """The twin's answer for new rows with distances ``D`` to all nodes."""
    lists = tree.density.tolist(), tree.population.tolist()
    return [leader(row, *lists, tree.bandwidth, tree.root, zero) for row in D.tolist()]


def first_rows(tree):
    """The first row of every node."""
    return np.array([np.flatnonzero(tree.node_of == node)[0] for node in range(tree.n_nodes)])


def check_leaders(X, new, metric="euclidean", **params):
    tree = leading_tree(X, metric=metric, **params)
    nodes = X[first_rows(tree)]
    D = np.array([FORMULAS[metric](row, nodes) for row in new], dtype=float)
    found, lengths = leaders_of_rows(tree, new)
    wanted = twin_leaders(tree, D)
    assert found.tolist() == [node for node, _ in wanted]
    np.testing.assert_allclose(lengths, [length for _, length in wanted], rtol=1e-12)
    return found


exact = st.sampled_from(["euclidean", "manhattan", "chebyshev", "sqeuclidean"])


@given(grids(), grids(max_rows=8, largest=6), percents, exact)
def test_leaders_on_grids(X, new, percent, metric):
    """Ties everywhere, and new rows on top of old ones."""
    new = np.resize(new, (len(new), X.shape[1]))
    check_leaders(X, new, metric, percent=percent)


@given(clouds(), st.integers(0, 2**32 - 1), percents)
def test_leaders_in_clouds(X, seed, percent):
    new = np.random.default_rng(seed).normal(size=(12, X.shape[1]))
    check_leaders(X, new, percent=percent)


@pytest.mark.slow
@settings(max_examples=2000)
@given(clouds(max_rows=60), st.integers(0, 2**32 - 1), percents, exact)
def test_leaders_in_clouds_at_length(X, seed, percent, metric):
    new = np.random.default_rng(seed).normal(size=(12, X.shape[1]))
    check_leaders(X, new, metric, percent=percent)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_leaders_on_real_data(load, metric):
    """Half of the rows build the tree, some of the others are new."""
    X = load().data[:900]
    found = check_leaders(X[::2], X[1:200:2], metric)
    assert len(set(found.tolist())) > 10


def test_leaders_with_weights():
    X = np.random.default_rng(3).integers(0, 9, (80, 2)).astype(float)
    new = np.random.default_rng(4).integers(-2, 11, (60, 2)).astype(float)
    check_leaders(X, new, sample_weight=np.arange(80) % 4)


def test_the_increment_of_the_new_row_counts():
    """Without it 0.9 would have no leader: it has 3 rows around it, each row only 2."""
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    tree = leading_tree(X, bandwidth=1.5)
    new = 0.9
    k = np.exp(-(((X[:, 0] - new) / 1.5) ** 2))
    assert k.sum() > tree.density.max()
    assert tree.density[1] + k[1] > k.sum()
    found, lengths = leaders_of_rows(tree, np.array([[new]]))
    assert found.tolist() == [1]
    np.testing.assert_allclose(lengths, [0.1])


def test_the_nearest_may_not_be_dense_enough():
    """A row between a lonely row and a crowd is led by the crowd's edge, not the lonely row."""
    X = np.array([[0.0], [0.1], [0.2], [0.3], [1.5]])
    tree = leading_tree(X, bandwidth=0.5)
    found, lengths = leaders_of_rows(tree, np.array([[0.95]]))
    density, k = tree.density, np.exp(-(((X[:, 0] - 0.95) / 0.5) ** 2))
    assert density[4] + k[4] < k.sum() < density[3] + k[3]
    assert found.tolist() == [3]
    np.testing.assert_allclose(lengths, [0.65])


def test_nobody_ahead_then_the_root_answers():
    """Halfway between two rows it is denser than both, even counting what it adds to them."""
    tree = leading_tree([[0.0], [2.0]], bandwidth=1.5)
    found, lengths = leaders_of_rows(tree, np.array([[1.2]]))
    assert (found.tolist(), lengths.tolist()) == ([0], [1.2])
    model = one_tree(bandwidth=1.5, n_trees=2).fit([[0.0], [2.0]], ["root", "other"])
    assert model.predict([[1.2]]).tolist() == ["root"]


def test_a_tree_of_arrays_takes_no_new_rows():
    tree = LeadingTree(density=[2, 1], delta=[1, 1], parent=[-1, 0])
    with pytest.raises(ValueError, match="only a tree built from data takes new rows"):
        leaders_of_rows(tree, np.zeros((1, 1)))


def test_one_node():
    with pytest.warns(UserWarning, match="one distinct point"):
        model = few_forests_of_numbers().fit([[1.0], [1.0]], [3.0, 5.0])
    assert model.predict([[1.0], [7.0]]).tolist() == [4.0, 4.0]


# ---------------------------------------------------------------------------------- what they get


@pytest.mark.parametrize("data", ["iris", "wine"])
def test_new_rows_get_what_their_leader_has(data):
    X, y = random_labels(data, 30, 3, seed=6)
    X, y, new = X[::2], y[::2], X[1::2]
    nodes, lengths = leaders_of_rows(leading_tree(X), new)
    first = first_rows(leading_tree(X))[nodes]
    classifier = one_tree().fit(X, y)
    regressor = one_tree_of_numbers().fit(X, np.where(y < 0, np.nan, y))
    clusters = LoDOG(cut="objective").fit(X)
    np.testing.assert_array_equal(regressor.predict(new), regressor.transduction_[first])
    np.testing.assert_array_equal(clusters.predict(new), clusters.labels_[first])
    np.testing.assert_array_equal(classifier.predict(new), classifier.transduction_[first])
    forest = classifier.forest_
    reach = forest.tree.delta[~forest.is_root].max()
    near = lengths <= reach
    assert 0 < near.sum() < len(near)
    found, leaders = classifier.predict_proba(new), classifier.label_distributions_[first]
    np.testing.assert_array_equal(found[near], leaders[near])
    trust = (reach / lengths[~near])[:, None]
    np.testing.assert_allclose(found[~near], trust * leaders[~near] + (1 - trust) / 3)


FAR = [1e3, 1e6, 1e30, 1e150, 1e300, -1e3, -1e300]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "sqeuclidean"])
def test_far_rows(metric):
    X, y, _ = iris()
    model = one_tree(metric=metric).fit(X, y)
    new = np.outer(FAR, [1.0, 1.0, 1.0, 1.0])
    found = model.predict_proba(new)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert (found.max(axis=1) > 1 / 3).all()
    assert (found.max(axis=1) < 1 / 3 + 0.01).all()
    nodes, _ = leaders_of_rows(model.tree_, new)
    leaders = model.label_distributions_[first_rows(model.tree_)[nodes]]
    np.testing.assert_array_equal(model.predict(new), leaders.argmax(axis=1))
    numbers = one_tree_of_numbers(metric=metric).fit(X, np.where(y < 0, np.nan, y))
    assert np.isfinite(numbers.predict(new)).all()
    assert np.isfinite(model.explain(new[1]).distances).all()


def test_confidence_falls_with_the_distance():
    model = one_tree(bandwidth=1.0, n_trees=2).fit(HEAPS, in_two_heaps(0, 1, -1))
    away = np.array([0.0, 0.1, 1, 2, 5, 20, 1e3, 1e6, 1e12])
    confidence = model.predict_proba(-away.reshape(-1, 1)).max(axis=1)
    assert (np.diff(confidence) <= 0).all()
    assert (confidence[0], confidence[1]) == (1.0, 1.0)
    assert confidence[4] < 0.8
    np.testing.assert_allclose(confidence[-2:], 0.5, atol=1e-6)
    assert (confidence > 0.5).all()


def test_where_every_row_is_a_root_the_bandwidth_is_the_reach():
    model = one_tree(bandwidth=2.0, n_trees=5).fit(LINE, [0, 1, 0, 1, 0])
    np.testing.assert_allclose(model.predict_proba([[-2.0], [-4.0]])[:, 0], [1.0, 0.75])


# ----------------------------------------------------------------------- training rows, asked again


def check_transduction(X, y, **params):
    for classifying, numbering in PAIRS.values():
        classifier = classifying(**params).fit(X, y)
        check_own_predictions(classifier, X)
        np.testing.assert_allclose(classifier.label_distributions_.sum(axis=1), 1.0, rtol=1e-12)
        regressor = numbering(**params).fit(X, np.where(y < 0, np.nan, y))
        np.testing.assert_array_equal(regressor.predict(X), regressor.transduction_)
    for cut in ("prominence", "objective"):
        clusters = LoDOG(cut=cut, **params).fit(X)
        np.testing.assert_array_equal(clusters.predict(X), clusters.labels_)


def every_third(X):
    """Labels that mean nothing."""
    y = np.random.default_rng(0).integers(0, 4, len(X))
    return np.where(np.arange(len(X)) % 3 == 0, y, -1)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("metric", METRICS)
def test_training_rows_get_their_own_label(metric):
    """Also where rows are at distance 0 from others, and where a row is not from itself."""
    X = np.asarray(rows_for(metric, load_iris().data))[: 40 if callable(metric) else None]
    X = np.concatenate([X, X[::-7]])
    check_transduction(X, every_third(X), metric=metric, metric_params=PARAMS.get(metric))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "chebyshev", "sqeuclidean"])
@pytest.mark.parametrize("form", [sp.csr_array, lambda X: X.astype(np.float32)])
def test_training_rows_in_other_forms(metric, form):
    X = load_wine().data
    X = np.concatenate([X, X[::5], 2 * X[::5]])
    check_transduction(form(X), every_third(X), metric=metric)


def test_parallel_rows_are_one_under_cosine():
    X = load_wine().data
    model = few_forests(metric="cosine").fit(X, every_third(X))
    np.testing.assert_array_equal(model.predict_proba(3.7 * X), model.label_distributions_)


def test_training_rows_known_by_their_distances():
    X = np.concatenate([load_iris().data, load_iris().data[::7]])
    D = np.array([FORMULAS["euclidean"](row, X) for row in X])
    check_transduction(D, every_third(X), metric="precomputed")


@pytest.mark.parametrize("include_self", [True, False], ids=["zeros stored", "no zeros stored"])
def test_training_rows_known_by_a_graph(include_self):
    """scikit-learn's graphs of neighbours store the zeros of the diagonal, or do not."""
    X = load_wine().data
    graph = kneighbors_graph(X, 12, mode="distance", include_self=include_self)
    check_transduction(graph, every_third(X), metric="precomputed")


@given(st.one_of(grids(), clouds()), st.data(), percents)
def test_training_rows_of_any_small_table(X, data, percent):
    y = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=len(X), max_size=len(X))))
    y[:2] = [0, 2]
    weight = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(X), max_size=len(X))))
    weight[:2] = 1
    weight[np.flatnonzero((X != X[0]).any(axis=1))[0]] += 1
    for model in (one_tree(percent=percent), few_forests()):
        model.fit(X, y, weight)
        check_own_predictions(model, X)


# ----------------------------------------------------------------------------------------- batches


def test_neither_batches_nor_blocks_nor_threads_matter():
    X, y, _ = iris()
    rng = np.random.default_rng(1)
    new = rng.normal(X.mean(axis=0), 2 * X.std(axis=0), (300, 4))
    model = few_forests(n_jobs=1).fit(X, y)
    whole = model.predict_proba(new)
    one_by_one = np.vstack([model.predict_proba(row.reshape(1, -1)) for row in new])
    np.testing.assert_array_equal(one_by_one, whole)
    shuffled = rng.permutation(300)
    np.testing.assert_array_equal(model.predict_proba(new[shuffled]), whole[shuffled])
    for n_jobs in (1, 2, -1):
        model.set_params(n_jobs=n_jobs)
        with config_context(working_memory=1e-3):
            np.testing.assert_array_equal(model.predict_proba(new), whole)


def peak_memory(work):
    work()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_a_batch_is_blocked(form, metric):
    rng = np.random.default_rng(0)
    n, m = 800, 12_000
    X, new = form(rng.normal(size=(n, 2))), form(rng.normal(size=(m, 2)))
    model = LoDOG(metric=metric, n_jobs=2).fit(X)
    with config_context(working_memory=1):
        peak = peak_memory(lambda: model.predict(new))
    assert peak < m * n * 8 / 20


def test_working_memory_bounds_a_block():
    """Far more nodes than a block of 64 rows may hold."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(3000, 1)), rng.normal(size=(500, 1))
    model = LoDOG(n_jobs=1).fit(X)
    peaks = []
    for allowed in (0.1, 100):
        with config_context(working_memory=allowed):
            peaks.append(peak_memory(lambda: model.predict(new)))
    assert peaks[0] < 0.3 * 2**20 < 1.0 * 2**20 < peaks[1]
