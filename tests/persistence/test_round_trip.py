"""A loaded model is the saved one, bit for bit, in another process too."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from marks import slow
from persistence import answers as answering
from persistence.answers import answers, differences
from persistence.cases import CASES, fitted, fitted_answers
from sklearn.base import clone

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForest,
    LeadingForestClassifier,
    LeadingTree,
    LoDOG,
    leading_tree,
    load,
    lodog,
    propagate,
    save,
)

# Tiny data sets bring warnings that have nothing to do with files.
pytestmark = pytest.mark.filterwarnings("ignore")


# Every fifth by make test, all by make test-all.
SOME = [
    pytest.param(name, marks=[pytest.mark.slow] if place % 5 else [])
    for place, name in enumerate(CASES)
]


@pytest.mark.sampled(14)
@pytest.mark.parametrize("name", SOME)
def test_loaded_is_saved(name, tmp_path):
    before = fitted_answers(name)
    model, new = fitted(name)
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert type(loaded) is type(model)
    assert vars(loaded).keys() == vars(model).keys()
    assert differences(before, answers(loaded, new)) == []
    assert differences(before, answers(model, new)) == []


def check_in_another_process(names, way, folder):
    """One process for all models: starting it takes longer than all of them."""
    for k, name in enumerate(names):
        model, new = fitted(name)
        save(model, folder / f"{k}.lapoleaf")
        (folder / f"{k}.rows").write_bytes(pickle.dumps(new))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, answering.__file__, folder, way], env=environment, check=True)
    found = pickle.loads((folder / "answers.pickle").read_bytes())
    assert len(found) == len(names)
    for k, name in enumerate(names):
        assert differences(answers(*fitted(name)), found[str(k)]) == [], name


def test_loaded_is_saved_in_another_process(tmp_path):
    check_in_another_process(list(CASES)[::80], "read", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["read", "mmap"])
def test_all_that_is_loaded_is_saved_in_another_process(way, tmp_path):
    check_in_another_process(list(CASES), way, tmp_path)


def test_updating_labels_before_and_after_saving_is_the_same(tmp_path):
    model, new = fitted("classes: texts, None")
    save(model, tmp_path / "before")
    updated = copy.deepcopy(model).update_labels([1, 2], ["violet", "red"])
    save(updated, tmp_path / "after")
    late = load(tmp_path / "before").update_labels([1, 2], ["violet", "red"])
    assert differences(answers(updated, new), answers(late, new)) == []
    assert differences(answers(load(tmp_path / "after"), new), answers(late, new)) == []


def by_file(model, folder):
    save(model, folder / "model")
    return load(folder / "model")


def by_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def _many_rows(n):
    rng = np.random.default_rng(5)
    X = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 1.0]])[np.arange(n) % 2] + rng.normal(size=(n, 3))
    return X, np.where(np.arange(n) % 5 == 0, np.arange(n) % 2, -1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("way", "step"), [(by_file, 10), (by_file, 50), (by_pickle, 10)])
@pytest.mark.parametrize(
    "made",
    [
        LaPOLeaFClassifier(n_forests=10),
        LaPOLeaFRegressor(n_forests=10),
        LeadingForestClassifier(),
        *slow(LaPOLeaFClassifier(), LaPOLeaFRegressor()),
    ],
)
def test_a_loaded_model_grows_on_as_the_one_that_stayed_in_memory(made, way, step, tmp_path):
    """The noise of new nodes in random trees depends on when these were built."""
    X, y = _many_rows(620)
    y = np.where(y < 0, np.nan, X[:, 0]) if isinstance(made, LaPOLeaFRegressor) else y
    model = clone(made).fit(X[:400], y[:400])
    for start in range(400, 400 + 3 * step, step):
        model.partial_fit(X[start : start + step], y[start : start + step])
    again = way(model, tmp_path)
    for each in (model, again):
        each.partial_fit(X[600:602]).forget([7, 405])
    found, expected = answers(again, X[610:]), answers(model, X[610:])
    # Where both were built again each took its own time.
    assert set(differences(found, expected)) <= {"report"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", [by_file, by_pickle])
@pytest.mark.parametrize("build", ["full", "approximate"])
def test_a_loaded_model_is_rebuilt_when_the_one_in_memory_is(way, build, tmp_path):
    """After a tenth of the nodes have changed since the trees were built, not since the load."""
    X, y = _many_rows(620)
    model = LaPOLeaFClassifier(n_forests=4, build=build).fit(X[:400], y[:400])
    model.partial_fit(X[400:430])
    again = way(model, tmp_path)
    counts = []
    for each in (model, again):
        each.partial_fit(X[430:439])
        now, n_changed = each._state.now.rows, []
        for row in range(439, 445):
            each.partial_fit(X[row : row + 1])
            n_changed.append((each._state.now.rows.n_built, each._state.now.rows.n_changed))
        counts.append(n_changed)
        assert now.n_built == 400
    assert counts[0] == counts[1]
    assert counts[0][0] == (400, 40)
    assert counts[0][1] == (441, 0)


def test_a_loaded_model_can_be_saved_again_to_the_same_bytes(tmp_path):
    for name in ("classes: dense", "numbers: graph", "clusters: names", "classes: grown"):
        save(fitted(name)[0], tmp_path / "first")
        save(load(tmp_path / "first"), tmp_path / "second")
        save(load(tmp_path / "first", mmap=True), tmp_path / "third")
        first = Path(tmp_path, "first").read_bytes()
        assert Path(tmp_path, "second").read_bytes() == first
        assert Path(tmp_path, "third").read_bytes() == first


def test_shared_parts_are_stored_once_and_shared_again(tmp_path):
    model, _ = fitted("classes: dense")
    save(model, tmp_path / "model")
    now = load(tmp_path / "model")._state.now
    assert all(forest.tree.points is now.rows.points for forest in now.rows.forests)
    assert all(forest.tree.scale is now.rows.tree.scale for forest in now.rows.forests)
    assert now.labelling.mixture is now.choices.mixture
    assert now.labelling.experts[0].points is now.rows.points
    model, _ = fitted("classes: one forest")
    save(model, tmp_path / "model")
    now = load(tmp_path / "model")._state.now
    assert now.labelling.result.settings is now.choices.settings[0]


@pytest.mark.parametrize(
    "model",
    [
        LaPOLeaFClassifier(class_prior=[0.5, 0.5], missing_label=None, n_jobs=np.int64(2)),
        LeadingForestClassifier(percent="auto", missing_label=None, n_trees=np.int64(2)),
        LaPOLeaFRegressor(mu=np.inf, metric_params={"w": (1.0, 2.0), "V": np.ones(3), "x": None}),
        LoDOG(3, cut="objective", cost="log", bandwidth=np.float32(0.5)),
    ],
)
def test_an_estimator_that_is_not_fitted_keeps_its_parameters(model, tmp_path):
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert vars(loaded).keys() == vars(model).keys()
    assert answering.same(loaded.get_params(), model.get_params())


def test_loaded_arrays_can_be_written_into_as_those_of_a_fitted_model(tmp_path):
    model, _ = fitted("numbers: dense")
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    now = loaded._state.now
    for array in (loaded.transduction_, loaded.ids_, now.rows.weight, now.labelling.values):
        assert array.flags.writeable
    assert not loaded.tree_.parent.flags.writeable


def test_trees_forests_and_propagations(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    tree = leading_tree(X)
    forest = lodog(tree, n_trees=4)
    given = np.arange(40) < 5
    for labels in (X[:, 0], X):
        result = propagate(forest, labels, given)
        save(result, tmp_path / "result")
        loaded = load(tmp_path / "result")
        for name, value in vars(result).items():
            assert answering.same(getattr(loaded, name), value), name
    save(tree, tmp_path / "tree")
    assert answering.same(load(tmp_path / "tree").parent, tree.parent)
    save(forest, tmp_path / "forest")
    loaded = load(tmp_path / "forest")
    assert answering.same(loaded.roots, forest.roots)
    again = propagate(loaded, X, given, coupling=0.0)
    assert answering.same(again.labels, propagate(forest, X, given, coupling=0.0).labels)


def test_trees_and_forests_made_from_arrays(tmp_path):
    tree = LeadingTree(density=[3, 2, 1], delta=[4, 1, 2], parent=[-1, 0, 1], bandwidth=2)
    save(LeadingForest(tree, [0, 2]), tmp_path / "forest")
    loaded = load(tmp_path / "forest")
    assert loaded.tree.parent.tolist() == [-1, 0, 1]
    assert loaded.tree.bandwidth == 2
    assert loaded.roots.tolist() == [0, 2]
    assert loaded.distance is None
    assert loaded.objective is None
