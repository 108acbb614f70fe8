"""The approximate build: nearly the tree of a full one, and what is said about it."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from right_tree import assert_all_reach
from sklearn.datasets import make_blobs

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, LoDOG, leading_tree, load, save
from lapoleaf._density import Effort
from lapoleaf._tree import build as choosing
from lapoleaf._tree import build as module
from lapoleaf._tree import nearest_nodes
from lapoleaf._tree.build import trees_of_rows


def rows(n=3000, d=6, seed=0):
    return make_blobs(n, n_features=d, centers=7, cluster_std=1.5, random_state=seed)[0]


def tree_of(X, effort=Effort(500, 400), n_random=0, **settings):  # noqa: B008 - it is a constant
    usual = {
        "percents": [2.0], "bandwidth": None, "metric": "euclidean", "metric_params": None,
        "sample_weight": None, "n_jobs": 1, "verbose": 0, "build": "approximate",
    }  # fmt: skip
    found = trees_of_rows(X, effort=effort, n_random=n_random, **{**usual, **settings})
    return found.plain[0], found.random


def assert_led_by_the_nearest_denser(tree):
    """Whatever the densities are, leaders are right by them."""
    rank = tree.rank
    for i in range(0, tree.n_nodes, 13):
        row = tree.points.rows(np.array([i]))[0]
        if tree.parent[i] < 0:
            assert tree.delta[i] == row.max()
            continue
        ahead = np.flatnonzero(rank < rank[i])
        assert tree.delta[i] == row[ahead].min()
        assert tree.parent[i] == ahead[row[ahead].argmin()]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "sqeuclidean"])
def test_nearly_the_tree_of_a_full_build(metric):
    X = rows()
    full = leading_tree(X, metric=metric, build="full")
    tree, _ = tree_of(X, Effort(1500, 1500), metric=metric)
    assert tree.bandwidth == full.bandwidth
    assert (tree.parent == full.parent).mean() > 0.9
    assert np.corrcoef(tree.rank, full.rank)[0, 1] > 0.99
    np.testing.assert_array_equal(tree.scale, full.scale)


@pytest.mark.parametrize(("d", "metric"), [(2, "euclidean"), (6, "cosine"), (100, "euclidean")])
def test_leaders_are_right_by_the_densities_at_hand(d, metric):
    """Also those that are not among the neighbours: cells leave no point out."""
    tree, _ = tree_of(rows(1500, d), Effort(1500, 100), metric=metric)
    assert_all_reach(tree.root, tree.parent)
    assert_led_by_the_nearest_denser(tree)


def test_leaders_on_a_grid_of_equal_distances():
    X = np.array([[i, j] for i in range(40) for j in range(40)], dtype=float)
    tree, _ = tree_of(X, Effort(1600, 200))
    assert_led_by_the_nearest_denser(tree)


def test_the_full_tree_where_everything_is_looked_at():
    X = np.concatenate([rows(500), rows(500)[:100]])
    tree, random = tree_of(X, Effort(), n_random=2)
    full = trees_of_rows(
        X, percents=[2.0], bandwidth=None, metric="euclidean", metric_params=None,
        sample_weight=None, n_jobs=1, verbose=0, build="full", n_random=2,
    )  # fmt: skip
    for one, other in zip([tree, *random], [full.plain[0], *full.random], strict=True):
        for name in ("density", "delta", "parent", "scale", "population", "node_of"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert tree.report.build == "approximate"
    assert (tree.report.neighbours_found, tree.report.leaders_found) == (1.0, 1.0)
    assert tree.report.density_error == 0.0


def test_threads_and_blocks_change_nothing():
    X = rows(2500, 70)
    one = tree_of(X, n_random=3, n_jobs=1)
    three = tree_of(X, n_random=3, n_jobs=3)
    for a, b in zip([one[0], *one[1]], [three[0], *three[1]], strict=True):
        for name in ("density", "delta", "parent"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert one[0].report.n_checked == three[0].report.n_checked


def test_duplicates_and_weights():
    X = np.concatenate([rows(1200), rows(1200)[::3]])
    weight = np.where(np.arange(1600) % 50 == 0, 0.0, 1.0 + np.arange(1600) % 2)
    tree, _ = tree_of(X, sample_weight=weight)
    full = leading_tree(X, sample_weight=weight, build="full")
    np.testing.assert_array_equal(tree.node_of, full.node_of)
    np.testing.assert_array_equal(tree.population, full.population)
    assert (tree.parent == full.parent).mean() > 0.75


def test_parallel_rows_under_cosine_are_one_node():
    X = rows(900)
    X = np.concatenate([X, 2.5 * X[:300]])
    tree, _ = tree_of(X, metric="cosine")
    np.testing.assert_array_equal(tree.node_of, leading_tree(X, metric="cosine").node_of)


def test_random_trees_are_trees():
    _, random = tree_of(rows(), n_random=4)
    for one in random:
        assert_all_reach(one.root, one.parent)
        assert (one.delta > 0).all()
    full = trees_of_rows(
        rows(), percents=[2.0], bandwidth=None, metric="euclidean", metric_params=None,
        sample_weight=None, n_jobs=1, verbose=0, build="full", n_random=4,
    )  # fmt: skip
    for one, other in zip(random, full.random, strict=True):
        assert (one.parent == other.parent).mean() > 0.97


def test_the_report_measures_what_was_missed():
    X = rows(4000, 30)
    good, _ = tree_of(X, Effort(4000, 2000))
    with pytest.warns(UserWarning, match="not a good one"):
        poor, _ = tree_of(X, Effort(80, 50))
    assert good.report.neighbours_found > 0.999
    assert good.report.leaders_found > 0.999
    assert good.report.density_error < poor.report.density_error
    assert poor.report.neighbours_found < good.report.neighbours_found
    assert 64 <= good.report.n_checked <= 500
    assert "neighbours" in str(good.report)
    assert set(good.report.seconds) == {"bandwidth", "distances", "density", "leaders", "check"}
    full = leading_tree(X[:300]).report
    assert (full.build, full.n_checked, full.leaders_found) == ("full", None, None)
    assert str(full).startswith("full build, euclidean, ")


def test_several_percentages_from_one_search():
    X = rows(1500)
    found = trees_of_rows(
        X, percents=[2.0, 8.0], bandwidth=None, metric="euclidean", metric_params=None,
        sample_weight=None, n_jobs=1, verbose=0, build="approximate", effort=Effort(300, 200),
    )  # fmt: skip
    for percent, tree in zip([2.0, 8.0], found.plain, strict=True):
        alone, _ = tree_of(X, Effort(300, 200), percents=[percent])
        np.testing.assert_array_equal(tree.parent, alone.parent)


# ----------------------------------------------------------------------------------------- choosing


def test_auto_goes_by_rows_and_columns(monkeypatch, capsys):
    monkeypatch.setattr(choosing, "_MAX_AUTO_WORK", 200.0**2 * 152)
    X = rows(300, 2)
    assert leading_tree(rows(200, 3)).report.build == "approximate"
    assert leading_tree(X).report.build == "approximate"
    assert leading_tree(X[:200]).report.build == "full"
    assert leading_tree(X, build="full").report.build == "full"
    assert leading_tree(X, metric="manhattan").report.build == "full"
    assert leading_tree(sp.csr_array(X)).report.build == "full"
    leading_tree(X, verbose=1)
    assert "build: approximate, 300 rows" in capsys.readouterr().err


@pytest.mark.parametrize("build", ["fast", None, 1, ["full"]])
def test_builds_that_are_none(build):
    with pytest.raises(ValueError, match=r"build=.* is not known: use one of"):
        leading_tree(rows(20), build=build)


@pytest.mark.parametrize("metric", ["manhattan", "canberra", "nan_euclidean", "precomputed"])
def test_metrics_without_an_approximate_build(metric):
    X = np.abs(rows(20, 20))
    X = (X + X.T) * (1 - np.eye(20))
    with pytest.raises(ValueError, match=rf"build='approximate' .* metric='{metric}': use build="):
        leading_tree(X, metric=metric, build="approximate")


def test_sparse_rows_have_no_approximate_build():
    with pytest.raises(ValueError, match=r"build='approximate' .* sparse ones .*: use build='full"):
        leading_tree(sp.csr_array(rows(20)), build="approximate")


def test_one_distinct_point():
    with pytest.warns(UserWarning, match="one distinct point"):
        tree = leading_tree(np.ones((5, 2)), build="approximate")
    assert tree.report.build == "approximate"


def test_overflow_is_said():
    with pytest.raises(ValueError, match="overflow"):
        leading_tree(rows(60) * 1e307, build="approximate", bandwidth=1.0)


# --------------------------------------------------------------------------------------- estimators


@pytest.fixture
def _small_effort(monkeypatch):
    changed = {**module.trees_of_rows.__kwdefaults__, "effort": Effort(500, 400)}
    monkeypatch.setattr(module.trees_of_rows, "__kwdefaults__", changed)


@pytest.mark.usefixtures("_small_effort")
def test_accuracy_is_that_of_a_full_build():
    X, truth = make_blobs(2500, n_features=8, centers=5, cluster_std=3.5, random_state=2)
    y = np.where(np.arange(2500) % 50 == 0, truth, -1)
    found = {}
    for build in ("full", "approximate"):
        model = LaPOLeaFClassifier(n_forests=20, build=build).fit(X, y)
        assert model.build_report_ is model.tree_.report
        assert model.build_report_.build == build
        found[build] = np.mean(model.transduction_ == truth)
    assert found["approximate"] == pytest.approx(found["full"], abs=0.01)
    assert LoDOG(5, build="approximate").fit(X).build_report_.build == "approximate"


@pytest.mark.usefixtures("_small_effort")
def test_saved_with_its_report(tmp_path):
    X = rows(800)
    y = np.where(np.arange(800) % 20 == 0, X[:, 0], np.nan)
    model = LaPOLeaFRegressor(n_forests=3, build="approximate").fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.build_report_ == model.build_report_
    assert again.build_report_.n_checked == 500
    assert again.build == "approximate"
    np.testing.assert_array_equal(again.predict(X[:50] + 0.1), model.predict(X[:50] + 0.1))


# ----------------------------------------------------------------------------------------- new rows


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("d", "metric", "least"),
    # No projection does 90 columns justice that are all alike.
    [(4, "euclidean", 0.99), (4, "cosine", 0.99), (90, "euclidean", 0.8)],
)
def test_new_rows_find_their_nodes_through_cells(d, metric, least):
    X = rows(5000, d)
    new = rows(5000, d, seed=0)[::50] * 1.01
    near = leading_tree(X, metric=metric, build="approximate", bandwidth=5.0)
    full = leading_tree(X[:50], metric=metric)
    assert near.cells is not None
    assert full.cells is None
    found, lengths = nearest_nodes(near, new, 10)
    three = nearest_nodes(near, new, 10, threads=3)
    np.testing.assert_array_equal(three[0], found)
    D = near.points.measure(near.points.prepare(new))
    D[D <= (near.points.zero or 0.0)] = 0.0
    true = np.sort(D, axis=1)[:, :10]
    np.testing.assert_array_equal(lengths, np.take_along_axis(D, found, axis=1))
    assert (lengths <= true[:, -1:]).mean() > least
    nodes, none = nearest_nodes(near, X[::9], 1)
    np.testing.assert_array_equal(nodes[:, 0], near.node_of[::9])
    assert not none.any()


def test_cells_are_not_part_of_a_copy():
    tree = leading_tree(rows(4200, 2), build="approximate", bandwidth=1.0)
    assert tree.cells is not None
    again = pickle.loads(pickle.dumps(tree))
    assert "cells" not in vars(again)
    np.testing.assert_array_equal(again.parent, tree.parent)


@pytest.mark.parametrize("scale", [1e-170, 1e170])
def test_new_rows_of_any_scale(scale):
    X = rows(4200, 3)
    tree = leading_tree(X * scale, build="approximate", bandwidth=scale)
    found, lengths = nearest_nodes(tree, X[:20] * scale * 1.001, 5)
    wanted, away = nearest_nodes(leading_tree(X, build="full", bandwidth=1.0), X[:20] * 1.001, 5)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_allclose(lengths, away * scale, rtol=1e-9)


# ------------------------------------------------------------------------------ data that are odd


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "kind",
    [
        "huge",
        "a row far away",
        pytest.param("huge float32", marks=pytest.mark.slow),
        pytest.param("tiny", marks=pytest.mark.slow),
    ],
)
def test_any_scale_of_many_columns(kind):
    X = rows(4500, 65)
    if kind == "a row far away":
        X[7] = 1e20
    else:
        X = X * {"huge": 1e25, "huge float32": 1e20, "tiny": 1e-25}[kind]
    report = leading_tree(
        X.astype(np.float32) if "float32" in kind else X, build="approximate"
    ).report
    assert report.neighbours_found > 0.97
    assert report.leaders_found > 0.97
    assert report.density_error < 0.05


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("cells", "far"), [(slice(None), 1e10), (2, 1e20), (slice(None), 1e170)])
def test_one_row_far_away_changes_little(cells, far):
    X = rows(4500, 5)
    X[17, cells] = far
    # A bandwidth that is given: to find one, all pairs would be measured one by one.
    tree, full = (leading_tree(X, bandwidth=2.0, build=b) for b in ("approximate", "full"))
    assert tree.report.neighbours_found > 0.99
    assert tree.report.density_error < 0.03
    assert (tree.parent == full.parent).mean() > 0.9


def test_rows_of_zeros_under_cosine():
    directions = np.random.default_rng(0).normal(size=(60, 12))
    X = rows(6000, 12) * 0.1 + directions[np.arange(6000) % 60]
    X[::15] = 0.0
    tree, full = (leading_tree(X, metric="cosine", build=b) for b in ("approximate", "full"))
    np.testing.assert_array_equal(tree.node_of, full.node_of)
    zero = tree.node_of[0]
    assert tree.density[zero] == pytest.approx(full.density[zero], rel=0.1)
    assert tree.report.leaders_found > 0.99
    assert tree.report.density_error < 0.05
    children = [(found.parent == zero).sum() for found in (tree, full)]
    assert abs(children[0] - children[1]) < 5
    # New rows of zeros are answered by that node.
    found, lengths = nearest_nodes(tree, np.zeros((1, 12)), 1)
    assert found[0, 0] == zero
    assert lengths[0, 0] == 0.0


def test_parallel_rows_become_one_node():
    X = rows(4500, 6)
    X = np.concatenate([X, *(X[:50] * scale for scale in range(2, 32))])
    tree, full = (leading_tree(X, metric="cosine", build=b) for b in ("approximate", "full"))
    np.testing.assert_array_equal(tree.node_of, full.node_of)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("weights", ["one heavy", "some heavy", "uneven"])
def test_heavy_nodes_count_as_much_as_they_weigh(weights):
    rng = np.random.default_rng(2)
    weight = np.ones(6000)
    if weights == "one heavy":
        weight[5] = 20_000
    elif weights == "some heavy":
        weight[rng.choice(6000, 30, replace=False)] = 2000
    else:
        weight = np.floor(1.0 + rng.pareto(1.0, 6000))
    X = rows(6000, 5)
    tree, full = (leading_tree(X, sample_weight=weight, build=b) for b in ("approximate", "full"))
    error = np.abs(tree.density - full.density) / full.density
    assert np.median(error) < 0.06
    assert np.quantile(error, 0.99) < 0.3


@pytest.mark.sampled(1)
@pytest.mark.parametrize("weight", [1e-50, 1e200])
def test_the_size_of_equal_weights_does_not_matter(weight):
    X = rows(4500, 5)
    one = leading_tree(X, build="approximate")
    other = leading_tree(X, sample_weight=np.full(4500, weight), build="approximate")
    np.testing.assert_array_equal(one.parent, other.parent)


@pytest.mark.slow
def test_a_poor_build_is_told_or_done_in_full(monkeypatch, capsys):
    noise = np.random.default_rng(0).normal(size=(5000, 300))
    with pytest.warns(UserWarning, match=r"The tree is not a good one: .* use build='full'"):
        leading_tree(noise, build="approximate")
    monkeypatch.setattr(choosing, "_MAX_AUTO_WORK", 3e9)
    assert leading_tree(noise, verbose=1).report.build == "full"
    assert "too little, so in full" in capsys.readouterr().err
