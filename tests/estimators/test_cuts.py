"""Where a tree is cut into clusters: peaks, the objective, the largest gap, stability."""

import numpy as np
import pytest
from labelled import HEAPS
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from lapoleaf import LoDOG, leading_tree
from lapoleaf.estimators.cluster_cuts import CLUSTER_CUTS

CUTS = list(CLUSTER_CUTS)


def moons(n=200, seed=0):
    return make_moons(n, noise=0.05, random_state=seed)


def blobs(n=300, centers=5):
    return make_blobs(n, centers=centers, cluster_std=0.5, random_state=3)


def number(X, **params):
    return LoDOG(**params).fit(X).n_clusters_


# ------------------------------------------------------------------------------------- behaviour


@pytest.mark.parametrize("seed", range(5))
def test_two_moons_are_two(seed):
    X, truth = moons(seed=seed)
    model = LoDOG().fit(X)
    assert model.n_clusters_ == 2
    assert adjusted_rand_score(truth, model.labels_) > 0.95


def test_two_moons_if_the_number_is_given():
    X, truth = moons(1000)
    assert adjusted_rand_score(truth, LoDOG(2).fit(X).labels_) == 1.0


def test_digits_are_about_ten():
    X, truth = load_digits(return_X_y=True)
    model = LoDOG().fit(X)
    assert 8 <= model.n_clusters_ <= 15
    assert adjusted_rand_score(truth, model.labels_) > 0.75


@pytest.mark.parametrize("cut", CUTS)
def test_blobs_that_are_apart(cut):
    X, truth = blobs()
    model = LoDOG(cut=cut).fit(X)
    assert model.n_clusters_ == 5
    assert adjusted_rand_score(truth, model.labels_) == 1.0


@pytest.mark.parametrize("n", [30, 100, 200])
def test_one_blob_is_one(n):
    assert number(blobs(n, centers=1)[0]) == 1


@pytest.mark.parametrize(("columns", "most"), [(2, 6.0), (10, 1.5)])
def test_chance_makes_few_peaks(columns, most):
    """The objective finds 12 in a square of 1,000 points."""
    draws = np.random.default_rng(0)
    found = [number(draws.random((1000, columns))) for _ in range(10)]
    assert np.mean(found) < most


def test_heaps_of_few_rows():
    heaps = np.concatenate([at + np.arange(8.0)[:, None] / 8 for at in (0, 10, 20)])
    assert LoDOG().fit(heaps).labels_.reshape(3, 8).std(axis=1).tolist() == [0, 0, 0]
    assert number(heaps) == 3


# --------------------------------------------------------------------------------- hard cases


@pytest.mark.parametrize("cut", ["prominence", "objective"])
@pytest.mark.parametrize(
    "X",
    [np.eye(30), np.stack(np.meshgrid(range(12), range(12)), -1).reshape(-1, 2).astype(float)],
    ids=["equal distances", "grid"],
)
def test_ties_are_no_clusters(cut, X):
    assert number(X, cut=cut) == 1


def test_equal_distances_are_no_stable_clusters():
    """On a grid random trees may agree by chance, and stability finds a few clusters."""
    assert number(np.eye(30), cut="stability") == 1


@pytest.mark.parametrize("cut", CUTS)
def test_one_point(cut):
    with pytest.warns(UserWarning, match="one distinct point"):
        model = LoDOG(cut=cut).fit([[1.0, 2.0]] * 4)
    assert (model.n_clusters_, model.labels_.tolist()) == (1, [0] * 4)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_few_points(cut, n):
    model = LoDOG(cut=cut).fit(np.arange(float(n))[:, None] ** 2)
    assert set(model.labels_) == set(range(model.n_clusters_))
    assert LoDOG(n, cut=cut).fit(np.arange(float(n))[:, None] ** 2).n_clusters_ == n


@pytest.mark.parametrize("cut", CUTS)
def test_weights_are_duplicates(cut):
    X, _ = blobs(200)
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = LoDOG(cut=cut).fit(X, sample_weight=weight)
    repeated = LoDOG(cut=cut).fit(np.repeat(X, weight, axis=0))
    assert weighted.n_clusters_ == repeated.n_clusters_
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weight), repeated.labels_)
    left_out = weight == 0
    np.testing.assert_array_equal(weighted.labels_[left_out], weighted.predict(X[left_out]))


@pytest.mark.parametrize("cut", CUTS)
def test_another_order_of_rows(cut):
    X, _ = moons(300)
    order = np.random.default_rng(1).permutation(len(X))
    there, back = LoDOG(cut=cut).fit(X), LoDOG(cut=cut).fit(X[order])
    assert adjusted_rand_score(there.labels_[order], back.labels_) == 1.0


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("factor", [2.0**-500, 2.0**500])
def test_units_do_not_matter(cut, factor):
    X, _ = blobs()
    found = LoDOG(cut=cut).fit(X * factor).labels_
    assert adjusted_rand_score(found, LoDOG(cut=cut).fit(X).labels_) == 1.0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("cut", CUTS)
def test_approximate_builds(cut):
    X, truth = blobs(3000)
    model = LoDOG(cut=cut, build="approximate").fit(X)
    assert model.build_report_.build == "approximate"
    assert adjusted_rand_score(truth, model.labels_) > 0.99
    np.testing.assert_array_equal(model.predict(X), model.labels_)


# ---------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("n_clusters", [1, 2, 7, 150])
def test_a_given_number_wins(cut, n_clusters):
    X = load_iris().data + np.arange(150)[:, None] * 1e-9
    model = LoDOG(n_clusters, cut=cut).fit(X)
    assert model.n_clusters_ == n_clusters
    assert set(model.labels_) == set(range(n_clusters))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.labels_[model.cluster_centers_indices_].tolist() == list(range(n_clusters))


@pytest.mark.parametrize("cut", ["prominence", "gap", "stability"])
@pytest.mark.parametrize(("name", "value"), [("alpha", 0.3), ("cost", "log"), ("cost", np.sqrt)])
def test_what_is_for_the_objective_only(cut, name, value):
    with pytest.raises(ValueError, match=f"{name}=.* is for cut='objective', not for cut='{cut}'"):
        LoDOG(cut=cut, **{name: value}).fit(HEAPS)


@pytest.mark.parametrize("bad", ["peaks", None, 3, ["gap"]])
def test_unknown_cuts(bad):
    with pytest.raises(ValueError, match="is not known: use one of"):
        LoDOG(cut=bad).fit(HEAPS)


def test_random_state():
    X, _ = moons(400)
    first = LoDOG(cut="stability").fit(X)
    np.testing.assert_array_equal(first.labels_, clone(first).fit(X).labels_)
    with pytest.raises(ValueError, match="random_state='x'"):
        LoDOG(cut="stability", random_state="x").fit(X)


def test_new_rows_are_in_the_cluster_of_their_nearest_row():
    X, _ = moons(300)
    new = np.random.default_rng(0).normal(size=(50, 2))
    nearest = ((new[:, None] - X) ** 2).sum(axis=2).argmin(axis=1)
    for cut in ("prominence", "stability"):
        model = LoDOG(cut=cut).fit(X)
        np.testing.assert_array_equal(model.predict(new), model.labels_[nearest])


def test_trees_that_are_cut():
    X = load_iris().data
    for cut in ("objective", "gap"):
        np.testing.assert_array_equal(LoDOG(cut=cut).fit(X).tree_.parent, leading_tree(X).parent)
    peaks, stability = (LoDOG(cut=cut).fit(X) for cut in ("prominence", "stability"))
    np.testing.assert_array_equal(peaks.tree_.parent, stability.tree_.parent)
    assert peaks.bandwidth_ == leading_tree(X).bandwidth
    assert peaks.forest_.objective is None
