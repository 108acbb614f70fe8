"""Clusters are the trees of the forest."""

import warnings

import numpy as np
import pytest
from labelled import HEAPS
from sklearn.cluster import HDBSCAN
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from lapoleaf import LoDOG, leading_tree, lodog


def blobs(random_state=3):
    return make_blobs(300, centers=5, cluster_std=0.5, random_state=random_state)


def test_the_number_of_clusters_is_found():
    X, truth = blobs()
    model = LoDOG().fit(X)
    assert model.n_clusters_ == 5
    assert adjusted_rand_score(truth, model.labels_) == 1.0


@pytest.mark.parametrize("n_clusters", [1, 2, 5, 17, 300])
def test_the_number_of_clusters_can_be_given(n_clusters):
    model = LoDOG(n_clusters).fit(blobs()[0])
    assert model.n_clusters_ == n_clusters
    assert set(model.labels_) == set(range(n_clusters))


@pytest.mark.parametrize("params", [{}, {"n_clusters": 11}, {"alpha": 0.2}, {"cost": "water"}])
def test_clusters_are_trees(params):
    X = load_iris().data
    model = LoDOG(cut="objective", **params).fit(X)
    tree = leading_tree(X)
    cut = {"n_trees" if name == "n_clusters" else name: params[name] for name in params}
    forest = lodog(tree, **cut)
    np.testing.assert_array_equal(model.labels_, tree.to_rows(forest.tree_of))
    assert model.n_clusters_ == forest.n_trees
    assert model.bandwidth_ == tree.bandwidth
    assert model.ids_.tolist() == list(range(150))
    centres = model.cluster_centers_indices_
    assert model.labels_[centres].tolist() == list(range(model.n_clusters_))
    np.testing.assert_array_equal(tree.node_of[centres], forest.roots)
    np.testing.assert_array_equal(X[centres], X[np.unique(tree.node_of, return_index=True)[1]][
        forest.roots
    ])  # fmt: skip


def test_centres_are_rows_of_the_table_also_beside_duplicates_and_weights():
    """Six copies of the first row move all numbers of nodes; row 0 is left out."""
    X = np.vstack([[[99.0]], np.repeat(HEAPS[:1], 6, axis=0), HEAPS])
    model = LoDOG(2, bandwidth=1.0).fit(X, sample_weight=[0, *[1] * 16])
    for label, centre in enumerate(model.cluster_centers_indices_):
        assert model.labels_[centre] == label
        assert model.tree_.node_of[centre] == model.forest_.roots[label]
    assert model.labels_.shape == (17,)
    assert model.labels_[0] == model.predict([[99.0]])[0]
    assert len(set(model.labels_[1:12])) == 1
    assert len(set(model.labels_[12:])) == 1


def test_fit_predict():
    X, _ = blobs()
    np.testing.assert_array_equal(LoDOG().fit_predict(X), LoDOG().fit(X).labels_)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    np.testing.assert_array_equal(
        LoDOG().fit_predict(X, sample_weight=weight), LoDOG().fit(X, sample_weight=weight).labels_
    )


def test_predict():
    X, _ = blobs()
    model = LoDOG().fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    found = model.predict(X + 0.001)
    assert np.mean(found == model.labels_) > 0.97


def test_labels_are_whole_numbers_in_scikit_learns_manner():
    labels = LoDOG().fit(blobs()[0]).labels_
    assert labels.dtype.kind == HDBSCAN(copy=True).fit(blobs()[0]).labels_.dtype.kind == "i"


def test_y_is_ignored():
    X, truth = blobs()
    np.testing.assert_array_equal(LoDOG().fit(X, truth).labels_, LoDOG().fit(X).labels_)


@pytest.mark.parametrize("bad", [0, -3, 2.5, "three", True, 11])
def test_bad_number_of_clusters(bad):
    with pytest.raises(ValueError, match=f"n_clusters={bad!r}"):
        LoDOG(bad).fit(HEAPS)


def test_one_distinct_point():
    with pytest.warns(UserWarning, match="one distinct point") as caught:
        model = LoDOG().fit([[1.0]] * 3)
    assert caught[0].filename == __file__
    assert (model.n_clusters_, model.labels_.tolist()) == (1, [0, 0, 0])
    assert model.cluster_centers_indices_.tolist() == [0]


def test_distances_of_all_magnitudes():
    """One edge is longer than the largest neighbourhood by more than numbers can hold."""
    X = np.column_stack([np.repeat([1e5, 2e5, 0.0], 2), [2e-150, 0, 2e-150, 0, 2e-150, 1e-150]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LoDOG(metric="sqeuclidean").fit(X).n_clusters_ >= 1
