"""Why a row has its label: the path, the given labels behind it, and where they were borrowed."""

import numpy as np
import pytest
import scipy.sparse as sp
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled import HEAPS, LINE, in_two_heaps, random_labels
from marks import slow
from models import few_forests, few_forests_of_numbers, one_tree
from sklearn.exceptions import NotFittedError
from strategies import clouds, grids, weighted_grids

from lapoleaf import Explanation, LaPOLeaFClassifier, LaPOLeaFRegressor
from lapoleaf._tree import leaders_of_rows


def first_rows(tree):
    """The first row of every node."""
    return np.array([np.flatnonzero(tree.node_of == node)[0] for node in range(tree.n_nodes)])


def twin_stages(model, given_nodes):
    """The twin's labels for the given ones, and the root each root took its label from."""
    forest = model.forest_

    def distance(i, j):
        return float(forest.distance(np.array([i]), np.array([j]))[0])

    tree = forest.tree
    return twins.three_stages(
        tree.parent.tolist(), tree.delta.tolist(), tree.population.tolist(),
        forest.roots.tolist(), given_nodes, distance,
    )  # fmt: skip


def check_explanations(model, y, given, weight=None, rows=None):
    """Check every row against the forest and the twin.

    Labels are linear in the given ones, so the shares of a label are what the twin makes of unit
    vectors: one for each given row.
    """
    tree, forest = model.tree_, model.forest_
    weight = np.ones(len(y)) if weight is None else weight
    deciding = np.flatnonzero(given & (weight > 0))
    units = {}
    for place, row in enumerate(deciding):
        vector = units.setdefault(int(tree.node_of[row]), np.zeros(len(deciding)))
        vector[place] = weight[row]
    units = {node: vector / vector.sum() for node, vector in units.items()}
    shares, source = twin_stages(model, units)
    first = first_rows(tree)
    own = np.eye(len(deciding))
    for row in range(len(y)) if rows is None else rows:
        why = model.explain(row)
        node = tree.node_of[row]
        if node < 0:
            continue
        nodes = forest.path(node)
        assert why.row == row
        assert why.path.tolist() == [row, *first[nodes[1:]]]
        assert why.layers.tolist() == forest.layer[nodes].tolist()
        assert why.layers[-1] == 0
        assert why.distances.tolist() == [*tree.delta[nodes[:-1]], 0.0]
        found = np.zeros(len(deciding))
        found[np.searchsorted(deciding, why.deciders)] = why.shares
        expected = own[np.searchsorted(deciding, row)] if row in deciding else shares[node]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14)
        assert why.given == (row in deciding)
        assert (why.shares > 0).all()
        assert (np.diff(why.shares) <= 0).all()
        assert np.isclose(why.shares.sum(), 1.0, rtol=1e-12)
        assert why.decider_labels == y[why.deciders].tolist()
        root = int(nodes[-1])
        lender = source[root] if source[root] == root else source[source[root]]
        assert why.borrowed_from == (None if lender == root else first[lender])


def check_mean_of_deciders(model, rows):
    """The label is the mean of the given one-hot labels, weighted by their shares."""
    for row in rows:
        why = model.explain(row)
        one_hot = (np.array(why.decider_labels)[:, None] == model.classes_).astype(float)
        np.testing.assert_allclose(
            why.shares @ one_hot, model.label_distributions_[row], rtol=1e-9, atol=1e-14
        )
        assert why.label == model.transduction_[row]
        assert why.confidence == model.label_distributions_[row].max()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("data", ["iris", *slow("wine")])
@pytest.mark.parametrize(("n_given", "n_trees"), [(1, 9), (4, 25), (12, 6), (40, 60), (25, 1)])
def test_every_row(data, n_given, n_trees):
    """Few labels and many trees: most of them borrow."""
    X, y = random_labels(data, n_given, min(n_given, 3), seed=n_given)
    model = LaPOLeaFClassifier.as_published(n_trees=n_trees, missing_label=-1)
    if n_given == 1:
        with pytest.warns(UserWarning, match="one class only"):
            model.fit(X, y)
    else:
        model.fit(X, y)
    check_explanations(model, y, y >= 0)
    check_mean_of_deciders(model, range(len(X)))
    borrowing = [model.explain(row).borrowed_from is not None for row in range(len(X))]
    assert any(borrowing) == (n_trees > 1)
    assert not all(borrowing)


def check_small(X, weight, labels, n_trees):
    y = np.array(labels)
    weight = np.ones(len(X)) if weight is None else weight
    y[np.flatnonzero(weight)[:2]] = [0, 1]
    n_nodes = len(np.unique(X[weight > 0], axis=0))
    model = LaPOLeaFClassifier.as_published(n_trees=min(n_trees, n_nodes), percent=20)
    model.fit(X, y, weight)
    check_explanations(model, y, y >= 0, weight)
    check_mean_of_deciders(model, np.flatnonzero(weight > 0))


few = st.lists(st.sampled_from([-1, -1, -1, 0, 1, 2]), min_size=30, max_size=30)


@given(st.one_of(grids(), clouds()), few, st.integers(1, 12))
def test_small_tables(X, labels, n_trees):
    check_small(X, None, labels[: len(X)], n_trees)


@given(weighted_grids(), few, st.integers(1, 12))
def test_small_tables_with_weights(X_weight, labels, n_trees):
    X, weight = X_weight
    check_small(X, weight, labels[: len(X)], n_trees)


@pytest.mark.slow
@settings(max_examples=1500)
@given(st.one_of(weighted_grids(), st.tuples(clouds(), st.none())), few, st.integers(1, 12))
def test_small_tables_at_length(X_weight, labels, n_trees):
    X, weight = X_weight
    check_small(X, weight, labels[: len(X)], n_trees)


@pytest.mark.parametrize("seed", range(3))
def test_numbers(seed):
    X, y = random_labels("iris", 12, 12, seed)
    numbers = np.where(y < 0, np.nan, 3.0 * y)
    model = LaPOLeaFRegressor.as_published(n_trees=20).fit(X, numbers)
    check_explanations(model, numbers, y >= 0)
    for row in range(len(X)):
        why = model.explain(row)
        assert why.confidence is None
        assert why.label == model.transduction_[row]
        np.testing.assert_allclose(why.shares @ why.decider_labels, why.label, rtol=1e-9)


def test_one_of_several_targets():
    X, y = random_labels("iris", 20, 20, seed=1)
    both = np.column_stack([np.where(y < 10, np.nan, y), np.where(y < 0, np.nan, -y)])
    model = LaPOLeaFRegressor.as_published().fit(X, both)
    for target in (0, 1):
        alone = LaPOLeaFRegressor.as_published().fit(X, both[:, target])
        for row in (0, 60, 149):
            assert str(model.explain(row, target=target)) == str(alone.explain(row))
    assert str(model.explain(3)) == str(model.explain(3, target=0))
    for bad in (2, -1, 0.0, True, "first"):
        with pytest.raises(ValueError, match=r"target=.* must be a number from 0 to 1"):
            model.explain(0, target=bad)


# -------------------------------------------------------------------------------------- borrowing

# Three heaps; the first is the densest and so the top, the last the least dense.
THREE = np.array([0, 0.1, 0.2, 0.3, 0.4, 9, 9.1, 9.25, 9.4, 30, 30.2, 30.5]).reshape(-1, 1)


def three_heaps(given):
    y = np.full(len(THREE), None)
    for row, label in given.items():
        y[row] = label
    model = LaPOLeaFClassifier.as_published(bandwidth=0.5, n_trees=3)
    return model.fit(THREE, y)


def test_heaps_are_trees():
    model = three_heaps({0: "a", 5: "b"})
    heaps = model.forest_.tree_of[[0, 5, 9]]
    assert model.forest_.tree_of.tolist() == np.repeat(heaps, [5, 4, 3]).tolist()
    assert sorted(heaps) == [0, 1, 2]
    assert model.tree_.root == 2


def test_borrowing_from_the_nearest_above():
    """The way up from the last heap leads over the second to the first; the second is nearer."""
    model = three_heaps({0: "a", 8: "b"})
    why = model.explain(11)
    second = int(model.forest_.roots[model.forest_.tree_of[5]])
    assert (why.label, why.borrowed_from) == ("b", second)
    assert why.deciders.tolist() == [8]
    assert model.explain(0).borrowed_from is None
    assert model.explain(5).borrowed_from is None


def test_borrowing_from_a_top_that_borrowed_itself():
    """Only the last heap has a label: the top takes it, and the second heap from the top."""
    model = three_heaps({9: "a", 11: "b"})
    last = int(model.forest_.roots[model.forest_.tree_of[9]])
    for row in (0, 2, 5, 8):
        why = model.explain(row)
        assert why.borrowed_from == last
        assert sorted(why.deciders.tolist()) == [9, 11]
        assert why.path[-1] in model.forest_.roots
    assert model.explain(10).borrowed_from is None
    assert f"it borrowed from the tree of row {last}." in str(model.explain(2))
    assert f"it borrowed from the tree of row {last}." in model.explain(2)._repr_html_()
    assert "borrowed" not in str(model.explain(10))


# --------------------------------------------------------------------------------------- new rows


def fitted_line(form=np.asarray):
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=2)
    return model.fit(form(LINE), ["low", None, None, None, "high"])


ROWS = {
    "list": [2.25],
    "array": np.array([2.25]),
    "one row of a table": [[2.25]],
    "sparse": sp.csr_array([[2.25]]),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_new_row(row):
    model = fitted_line(sp.csr_array if sp.issparse(row) else np.asarray)
    why = model.explain(row)
    assert why.row is None
    assert why.path.tolist() == [-1, 2, 1]
    assert why.layers.tolist() == [2, 1, 0]
    np.testing.assert_allclose(why.distances, [0.35, 0.9, 0.0])
    assert (why.label, why.deciders.tolist(), why.shares.tolist()) == ("low", [0], [1.0])
    assert str(why).startswith("The new row gets 'low' (confidence 100%).\n")
    assert "Leaders in the plain tree: new row -(0.35)-> 2 -(0.9)-> 1 (root)" in str(why)


def test_new_rows_are_explained_as_they_are_predicted():
    X, y = random_labels("iris", 30, 3, seed=4)
    model = LaPOLeaFClassifier.as_published(n_trees=12).fit(X, y)
    new = X[::10] + np.random.default_rng(0).normal(0, 0.7, X[::10].shape)
    nodes, lengths = leaders_of_rows(model.tree_, new)
    first = first_rows(model.tree_)
    for row, node, length in zip(new, nodes, lengths, strict=True):
        why, of_leader = model.explain(row), model.explain(int(first[node]))
        assert why.label == model.predict([row])[0]
        assert why.confidence == model.predict_proba([row])[0].max()
        assert why.path.tolist() == [-1, *of_leader.path]
        assert why.distances.tolist() == [length, *of_leader.distances]
        assert why.layers.tolist() == [of_leader.layers[0] + 1, *of_leader.layers]
        assert why.deciders.tolist() == of_leader.deciders.tolist()
        assert why.shares.tolist() == of_leader.shares.tolist()
        assert why.borrowed_from == of_leader.borrowed_from


def test_a_new_row_on_top_of_an_old_one():
    why = fitted_line().explain([1.9])
    assert why.path.tolist() == [-1, 2, 1]
    np.testing.assert_allclose(why.distances, [0.0, 0.9, 0.0])


def test_a_row_of_weight_0_hangs_like_a_new_one():
    X = np.vstack([LINE, [[2.25]], [[1.9]]])
    y = ["low", None, None, None, "high", "high", None]
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=2)
    model.fit(X, y, [1, 1, 1, 1, 1, 0, 0])
    why = model.explain(5)
    assert (why.row, why.label, why.deciders.tolist()) == (5, "low", [0])
    assert why.path.tolist() == [5, 2, 1]
    assert why.layers.tolist() == [2, 1, 0]
    np.testing.assert_allclose(why.distances, [0.35, 0.9, 0.0])
    assert model.explain(6).path.tolist() == [6, 1]
    assert str(why).startswith("Row 5 gets 'low'")


def test_a_duplicate_starts_its_path_itself():
    X = np.vstack([LINE, LINE[2:3]])
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=2)
    model.fit(X, ["low", None, None, None, "high", None])
    why = model.explain(5)
    assert (why.row, why.path[0], len(why.path)) == (5, 5, len(model.explain(2).path))
    assert why.distances.tolist() == model.explain(2).distances.tolist()


@pytest.mark.parametrize("bad", [-1, 5, 2.0, True, "row", None])
def test_bad_row_numbers(bad):
    with pytest.raises(ValueError, match=r"must be the number of a training row, from 0 to 4"):
        fitted_line().explain(bad)


def test_numbers_of_numpy_are_row_numbers():
    assert fitted_line().explain(np.int32(3)).row == 3


def test_one_row_at_a_time():
    with pytest.raises(ValueError, match="row must be one row, got 2"):
        fitted_line().explain([[1.0], [2.0]])
    with pytest.raises(ValueError, match="1 features"):
        fitted_line().explain([1.0, 2.0])


def test_only_after_fit():
    for model in (few_forests(), few_forests_of_numbers()):
        with pytest.raises(NotFittedError):
            model.explain(0)


# ---------------------------------------------------------------------------------------- to read


def test_words():
    model = fitted_line()
    assert str(model.explain(2)).splitlines() == [
        "Row 2 gets 'low' (confidence 100%).",
        "  100% of the forests' label is 'low'",
        "    100% from row 0: 2 - 1 - 0",
        "  Leaders in the plain tree: 2 -(0.9)-> 1 (root)",
    ]
    assert str(model.explain(0)).splitlines() == [
        "Row 0 gets 'low' (confidence 100%).",
        "  Its label was given.",
        "  Without it: 'high' (confidence 100%).",
        "    100% of the forests' label is 'high'",
        "      100% from row 4: 0 - 1 - 3 - 4",
        "  Leaders in the plain tree: 0 -(1)-> 1 (root)",
    ]
    assert repr(model.explain(2)) == str(model.explain(2))


def test_words_for_numbers_of_numpy():
    """No np.int64(...) in what a person reads."""
    model = one_tree(bandwidth=1.0, n_trees=2).fit(HEAPS, in_two_heaps(3, 5, -1))
    assert "Row 1 gets 3 (confidence 90%)" in str(model.explain(1))
    assert "90% of the forests' label is 3" in str(model.explain(1))
    truth = one_tree(bandwidth=1.0).fit(HEAPS, in_two_heaps(True, False, None))
    assert "gets True" in str(truth.explain(1))


def test_rows_at_one_place_that_disagree():
    model = few_forests().fit([[0.0], [0.0], [0.0], [9.0]], ["a", "b", "b", None])
    why = model.explain(0)
    assert (why.given, why.label, why.deciders.tolist()) == (True, "a", [0])
    assert (why.others.label, why.others.deciders.tolist()) == ("b", [1, 2])
    assert [reason.path for reason in why.others.reasons] == [(0, 1), (0, 2)]
    assert "Without it: 'b' (confidence 100%)." in str(why)
    second = model.explain(1).others
    np.testing.assert_allclose(second.shares, 1 / 2)
    assert sorted(zip(second.deciders, second.decider_labels, strict=True)) == [(0, "a"), (2, "b")]


def test_long_stories_are_cut():
    """Thirty given labels around one root, and a path of sixty steps."""
    X = np.arange(61.0).reshape(-1, 1) ** 1.05
    y = [1.0 if k % 2 else float("nan") for k in range(61)]
    model = LaPOLeaFRegressor.as_published(bandwidth=30.0, n_trees=1).fit(X, y)
    why = model.explain(int(np.argmax(model.forest_.layer)))
    assert len(why.path) > 20
    assert max(len(line) for line in str(why).splitlines()) < 250
    steps = str(why).splitlines()[-1]
    assert f"... {len(why.path) - 13} more ..." in steps
    spread = [model.explain(row) for row in range(61)]
    for why in spread:
        assert len(str(why).splitlines()) <= 9


def test_other_given_labels_are_summed_up():
    """Ten rows around one that is nearer to each of them than they are to each other."""
    X = np.vstack([np.eye(5), -np.eye(5), np.zeros((1, 5))])
    y = [*np.arange(10.0), np.nan]
    model = LaPOLeaFRegressor.as_published(bandwidth=1.0, n_trees=1).fit(X, y)
    why = model.explain(10)
    assert len(why.deciders) == 10
    assert " 40% from 4 other given numbers" in str(why)
    assert str(why).count("from row") == 6
    assert why.label == pytest.approx(4.5)


@pytest.mark.parametrize("label", ["<b>", "a & b", '"quoted"', "<script>alert(1)</script>"])
def test_html_is_escaped(label):
    y = [None] * 5 + [label] + [None] * 4
    y[0] = "plain"
    page = few_forests(bandwidth=1.0).fit(HEAPS, y).explain(6)._repr_html_()
    assert label not in page.replace("<strong>", "").replace("</strong>", "")
    assert page.startswith("<div>")
    assert page.endswith("</div>")
    assert "Row 6 gets" in page
    assert "from row 5" in page
    assert "root" in page
    assert page.count("<div") == page.count("</div>")


def test_html_says_what_the_lines_say():
    why = fitted_line().explain(2)
    page = why._repr_html_().replace("&gt;", ">").replace("&#x27;", "'")
    for line in str(why).splitlines()[1:]:
        assert line.strip() in page


def test_what_is_explained_can_be_kept():
    why = fitted_line().explain(2)
    assert isinstance(why, Explanation)
    with pytest.raises(AttributeError):
        why.label = "other"
    before = why.path.copy()
    model = fitted_line()
    model.explain(2).path[:] = 0
    model.explain(2).distances[:] = 0
    np.testing.assert_array_equal(model.explain(2).path, before)
    assert model.explain(2).distances[0] == pytest.approx(0.9)


def test_too_unsure_to_say():
    y = ["x", None, "y", None, "y"]
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=1, min_confidence=0.9).fit(
        LINE, y
    )
    why = model.explain(1)
    assert why.label is None
    assert why.confidence == pytest.approx(10 / 19)
    assert "53%" in str(why)
