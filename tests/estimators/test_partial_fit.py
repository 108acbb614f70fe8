"""partial_fit and forget: rows that came and went leave the model of the rows that are there."""

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

import lapoleaf
from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor

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
        np.testing.assert_array_equal(getattr(model.tree_, name), getattr(fitted.tree_, name), name)
    np.testing.assert_array_equal(model.forest_.roots, fitted.forest_.roots)
    np.testing.assert_array_equal(model.forest_.objective, fitted.forest_.objective)
    assert model.chosen_ == fitted.chosen_
    np.testing.assert_array_equal(model.predict(new), fitted.predict(new))
    assert str(model.explain(0)) == str(fitted.explain(0))


class ChangingModel(RuleBasedStateMachine):
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

    @property
    def is_given(self):
        return ~np.isnan(self.y) if self.numbers else self.y != None  # noqa: E711

    @rule(m=st.integers(1, 4), labelled=st.booleans())
    def join(self, m, labelled):
        rows, weight = self.some_rows(m), self.draws.integers(0, 3, size=m).astype(float)
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
        if not np.delete(self.weight, place).any():
            with pytest.raises(ValueError, match="at least one must remain"):
                self.model.forget(self.ids[place])
            return
        self.model.forget(self.ids[place])
        self.X, self.weight = np.delete(self.X, place, axis=0), np.delete(self.weight, place)
        self.y, self.ids = np.delete(self.y, place), np.delete(self.ids, place)

    @rule(which=st.integers(0, 10**6))
    def label(self, which):
        place = which % len(self.ids)
        label = 3.0 if self.numbers else "d"
        labelled = self.is_given
        labelled[place] = True
        if not self.weight[labelled].any():
            with pytest.raises(ValueError, match="sample_weight is 0 for every row that has a"):
                self.model.update_labels(self.ids[place], label, rechoose=True)
            return
        self.model.update_labels(self.ids[place], label, rechoose=True)
        self.y[place] = label

    @rule()
    def pass_on(self):
        self.model = pickle.loads(pickle.dumps(self.model))

    @invariant()
    def equals_a_fit(self):
        if not hasattr(self, "model"):
            return
        np.testing.assert_array_equal(self.model.ids_, self.ids)
        if self.weight[self.is_given].any() and (self.weight > 0).sum() > 1:
            assert_equals_fit(self.model, self.X, self.y, self.weight)


# All rows that are left may be equal.
one_point = pytest.mark.filterwarnings("ignore:X has one distinct point only")


@one_point
class TestChangingModel(ChangingModel.TestCase):
    settings = settings(max_examples=10, stateful_step_count=8, deadline=None)


@one_point
@pytest.mark.slow
class TestChangingModelForLong(ChangingModel.TestCase):
    settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


IRIS, TRUTH = load_iris(return_X_y=True)
SOME = np.where(np.arange(150) % 10 == 0, TRUTH, -1)
NUMBERS = np.where(np.arange(150) % 5 == 0, IRIS[:, 0], np.nan)
MAKERS = {
    "stages": LaPOLeaFClassifier.as_published,
    "one tree": one_tree,
    "few forests": few_forests,
    "numbers, stages": LaPOLeaFRegressor.as_published,
    "numbers, one tree": one_tree_of_numbers,
    "numbers, few forests": few_forests_of_numbers,
}


@pytest.fixture(params=MAKERS)
def grown(request):
    """A model that really grows, and its labels."""
    numbers = request.param.startswith("numbers")
    y = NUMBERS if numbers else SOME
    model = MAKERS[request.param](bandwidth=0.5).fit(IRIS[:140], y[:140])
    return model, y


def test_every_kind_of_model_takes_rows_and_gives_them_up(grown):
    model, y = grown
    model.partial_fit(IRIS[140:], y[140:])
    assert model.ids_.tolist() == list(range(150))
    assert len(model.transduction_) == len(model.given_) == model.tree_.n_rows == 150
    assert len(model.forests_) == getattr(model, "n_forests", 1)
    model.forget([0, 148])
    assert len(model.transduction_) == 148
    assert model.partial_fit(IRIS[:1]).ids_[-1] == 150
    assert str(model.explain(147)).startswith("Row 147 gets")
    assert len(model.suggest(3)) == 3
    assert np.isin(model.changed_, model.ids_).all()


def test_a_saved_model_grows_on(grown, tmp_path):
    model, y = grown
    model.partial_fit(IRIS[140:145], y[140:145]).forget(model.ids_[-1])
    lapoleaf.save(model, tmp_path / "model")
    other = lapoleaf.load(tmp_path / "model")
    np.testing.assert_array_equal(other.changed_, model.changed_)
    for each in (model, other):
        each.partial_fit(IRIS[145:], y[145:])
    assert other.ids_.tolist() == [*range(144), *range(145, 150)]
    np.testing.assert_array_equal(other.transduction_, model.transduction_)
    np.testing.assert_array_equal(other.predict(IRIS + 0.1), model.predict(IRIS + 0.1))


@pytest.mark.parametrize("n", [120, 150])
@pytest.mark.parametrize("kind", [few_forests, one_tree, LaPOLeaFClassifier.as_published])
def test_rows_of_weight_0_are_answered_and_left_out(kind, n):
    """Also if there is no other: they have ids and answers, and nothing else changes."""
    model = kind().fit(IRIS[:n], SOME[:n])
    tree, said, new = model.tree_, model.transduction_, IRIS[:3] + 0.05
    expected = model.predict(new)
    model.partial_fit(new, sample_weight=[0, 0, 0])
    assert model.ids_[-3:].tolist() == [n, n + 1, n + 2]
    assert model.tree_.node_of[-3:].tolist() == [-1, -1, -1]
    for name in ("density", "delta", "parent", "population"):
        np.testing.assert_array_equal(getattr(model.tree_, name), getattr(tree, name))
    np.testing.assert_array_equal(model.transduction_, np.append(said, expected))
    assert model.changed_.tolist() == []
    assert model.partial_fit(new[:1]).ids_[-1] == n + 3


def test_the_first_rows_need_some_weight():
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        one_tree().partial_fit(IRIS[:3], sample_weight=[0, 0, 0])


@pytest.mark.sampled(21)
@pytest.mark.parametrize(
    ("X", "y", "weight", "words"),
    [
        (IRIS[:2, :3], None, None, "features"),
        (IRIS[:2] * np.nan, None, None, "NaN"),
        (IRIS[:2], [1], None, "but X has 2 rows"),
        (IRIS[:2], [[1.0, 2.0]] * 2, None, "y"),
        (IRIS[:2], None, [1.0, -1.0], "not negative"),
        (IRIS[:2], ["x", object()], None, "y"),
        (np.full((1, 4), 1.7e308), None, None, "overflow"),
    ],
)
def test_what_fails_leaves_the_model_as_it_was(grown, X, y, weight, words):
    model, _ = grown
    model.partial_fit(IRIS[140:])
    state, said = model._state, model.transduction_.copy()
    with pytest.raises(ValueError, match=words):
        model.partial_fit(X, y, sample_weight=weight)
    assert model._state is state
    np.testing.assert_array_equal(model.transduction_, said)
    assert model.partial_fit(IRIS[:2]).ids_[-1] == 151


def test_forget_says_what_is_wrong(grown):
    model, _ = grown
    for ids, words in (([777], "not the"), ([1, 1], "once"), (model.ids_, "must remain")):
        with pytest.raises(ValueError, match=words):
            model.forget(ids)
    assert len(model.ids_) == 140


def test_no_label_yet():
    model = LaPOLeaFClassifier.as_published(bandwidth=0.5)
    model.partial_fit(IRIS[:50]).partial_fit(IRIS[50:100])
    assert model.tree_.n_rows == 100
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(NotFittedError, match="has no label yet: give some with partial_fit"):
            ask(IRIS[:2])
    with pytest.raises(AttributeError, match="has no label yet"):
        _ = model.transduction_
    assert model.changed_.tolist() == []
    assert len(model.suggest(3)) == 3
    model.update_labels([0, 60], ["one", "two"])
    assert model.predict(IRIS[[1, 61]]).tolist() == ["one", "two"]
    assert model.partial_fit(IRIS[100:101], ["three"]).classes_.tolist() == ["one", "three", "two"]


def test_a_model_without_labels_goes_on_from_a_file(tmp_path):
    model = few_forests_of_numbers().partial_fit(IRIS[:50])
    lapoleaf.save(model, tmp_path / "model")
    found = lapoleaf.load(tmp_path / "model")
    with pytest.raises(NotFittedError, match="no label yet"):
        found.predict(IRIS[:1])
    for each in (model, found):
        each.update_labels([0, 30], [1.0, 2.0])
    np.testing.assert_array_equal(found.transduction_, model.transduction_)


def test_all_labels_may_be_forgotten():
    model = few_forests(bandwidth=0.5).partial_fit(IRIS).update_labels(7, "a")
    model.forget(7)
    with pytest.raises(NotFittedError, match="no label yet"):
        model.predict(IRIS[:1])
    assert model.partial_fit(IRIS[:1], ["b"]).predict(IRIS[:1]).tolist() == ["b"]


def test_classes_say_what_may_occur():
    model = LaPOLeaFClassifier.as_published(bandwidth=0.5)
    model.partial_fit(IRIS[:9], ["a"] * 9, classes=["a", "b"])
    with pytest.raises(ValueError, match="y holds 'c', which is none of classes"):
        model.partial_fit(IRIS[:1], ["c"], classes=["a", "b"])
    assert model.partial_fit(IRIS[:1], ["c"]).classes_.tolist() == ["a", "c"]


def test_labels_of_another_kind_are_refused():
    model = LaPOLeaFClassifier().fit(IRIS, SOME)
    with pytest.raises(ValueError, match="another kind"):
        model.partial_fit(IRIS[:1], ["setosa"])


def test_what_changed_is_listed():
    X = np.array([[0.0], [1.0], [2.0], [8.0], [9.0]])
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=2)
    model.fit(X, ["low", None, None, None, "high"])
    assert not hasattr(model, "changed_")
    assert model.partial_fit([[1.1]]).changed_.tolist() == []
    assert model.partial_fit([[1.2]], ["middle"]).changed_.size > 0
    before = model.transduction_.copy()
    model.update_labels(4, "far")
    assert model.changed_.tolist() == np.flatnonzero(before != model.transduction_).tolist()
    numbers = LaPOLeaFRegressor.as_published(bandwidth=1.0).fit(X, [0.0, np.nan, 1.0, 9.0, 10.0])
    assert numbers.partial_fit([[1.0]], [0.4]).changed_.tolist() == []
    assert numbers.partial_fit([[1.0]], [90.0]).changed_.tolist() == [1, 5]


def test_a_stream_warms_up():
    draws = np.random.default_rng(0)
    X = draws.normal(size=(400, 3))
    y = np.where(np.arange(400) % 7 == 0, (X[:, 0] > 0).astype(int), -1)
    model = LaPOLeaFClassifier.as_published()
    for at in range(0, 180, 60):
        model.partial_fit(X[at : at + 60], y[at : at + 60])
        fitted = LaPOLeaFClassifier.as_published().fit(X[: at + 60], y[: at + 60])
        assert model.bandwidth_ == fitted.bandwidth_
    model.partial_fit(X[180:240], y[180:240])
    frozen = model.bandwidth_
    model.partial_fit(X[240:], y[240:])
    assert model.bandwidth_ == frozen
    assert_equals_fit(model.set_params(bandwidth=frozen), X, y, None)


def test_rows_with_names_and_lists_and_sparse_rows():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(IRIS, columns=list("abcd"))
    model = LaPOLeaFClassifier.as_published(bandwidth=0.5).fit(frame[:140], SOME[:140])
    model.partial_fit(frame[140:], SOME[140:])
    model.partial_fit(frame[:1].astype(np.float32))
    assert len(model.transduction_) == 151
    rows = sp.csr_matrix(np.where(IRIS > 3, IRIS, 0.0))
    model = LaPOLeaFClassifier.as_published(bandwidth=0.5).fit(rows[:140], SOME[:140])
    model.partial_fit(rows[140:], SOME[140:], sample_weight=np.arange(10) % 3)
    dense = LaPOLeaFClassifier.as_published(bandwidth=0.5)
    weight = np.append(np.ones(140), np.arange(10) % 3)
    dense.fit(rows.toarray(), SOME, weight)
    np.testing.assert_array_equal(model.transduction_, dense.transduction_)


def test_distances_alone_take_no_rows():
    D = np.abs(np.arange(5.0)[:, None] - np.arange(5.0))
    model = LaPOLeaFClassifier(metric="precomputed").partial_fit(D, ["a", None, None, None, "b"])
    with pytest.raises(ValueError, match="precomputed"):
        model.partial_fit(D, ["a", None, None, None, "b"])


def test_fewer_points_than_trees_are_refused():
    model = LaPOLeaFClassifier.as_published(bandwidth=1.0, n_trees=3)
    model.fit([[0.0], [1.0], [5.0]], ["a", None, "b"])
    with pytest.raises(ValueError, match="n_trees=3 is more than the 2"):
        model.forget(0)
    assert len(model.transduction_) == 3


def test_copies_grow_apart(grown):
    model, y = grown
    model.partial_fit(IRIS[140:142], y[140:142])
    other = copy.copy(model)
    model.partial_fit(IRIS[142:146], y[142:146])
    other.partial_fit(IRIS[146:], y[146:])
    assert len(model.transduction_) == len(other.transduction_) == 146
    np.testing.assert_array_equal(model.tree_.points.columns[:, -1], IRIS[145])
    np.testing.assert_array_equal(other.tree_.points.columns[:, -1], IRIS[149])


def test_many_forests_are_as_accurate_as_a_refit():
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:900], truth[:900]
    y = np.full(900, -1)
    for digit in range(10):
        y[np.flatnonzero(truth == digit)[:4]] = digit
    rest = y == -1
    model = LaPOLeaFClassifier(n_forests=20).fit(X[:830], y[:830])
    for at in range(830, 900, 10):
        model.partial_fit(X[at : at + 10], y[at : at + 10])
    refit = LaPOLeaFClassifier(n_forests=20).fit(X, y)
    accuracy = [np.mean(m.transduction_[rest] == truth[rest]) for m in (model, refit)]
    assert accuracy[0] > accuracy[1] - 0.02
    # With a tenth of the rows new all is built anew, and the same.
    model.partial_fit(X[:100] + 0.5)
    fitted = LaPOLeaFClassifier(n_forests=20, bandwidth=model.bandwidth_)
    fitted.fit(np.concatenate([X, X[:100] + 0.5]), np.append(y, np.full(100, -1)))
    np.testing.assert_array_equal(model.label_distributions_, fitted.label_distributions_)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "maker",
    [LaPOLeaFClassifier.as_published, pytest.param(few_forests, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_approximate_models_grow_too(maker, metric):
    draws = np.random.default_rng(0)
    centres = 5.0 * draws.normal(size=(8, 5))
    truth = draws.integers(0, 8, size=5400)
    truth[5200:] = np.where(truth[5200:] < 4, 8, truth[5200:])
    X = np.concatenate([centres, [[30.0, -30.0, 0, 0, 0]]])[truth] + draws.normal(size=(5400, 5))
    X[5399] = X[3]
    y = np.where(np.arange(5400) % 25 == 0, truth, -1)
    model = maker(build="approximate", metric=metric).fit(X[:5000], y[:5000])
    model.partial_fit(X[5000:5200], y[5000:5200], sample_weight=1.0 + np.arange(200) % 2)
    model.partial_fit(X[5200:], y[5200:])
    assert model.tree_.node_of[5399] == model.tree_.node_of[3]
    assert model.tree_.population[model.tree_.node_of[3]] == 2
    right = model.transduction_ == truth
    right[5399] = True
    assert right[5000:].mean() > 0.9
    assert right.mean() > 0.95
    model.forget(np.arange(0, 300))
    assert (model.transduction_ == truth[300:]).mean() > 0.95
    assert model.predict(X[300:310]).tolist() == model.transduction_[:10].tolist()
    # What has grown is a tree that passes all checks.
    for forest in model.forests_:
        copy.deepcopy(forest)
        tree = forest.tree
        type(tree)(density=tree.density, delta=tree.delta, parent=tree.parent)
