"""A loaded model is the saved one, bit for bit, in another process too."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from persistence import answers as answering
from persistence.answers import answers, differences
from persistence.cases import CASES, fitted, fitted_answers

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForest,
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


# Every third by make test, all by make test-all.
SOME = [
    pytest.param(name, marks=[pytest.mark.slow] if place % 3 else [])
    for place, name in enumerate(CASES)
]


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
    check_in_another_process(list(CASES)[::25], "read", tmp_path)


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


def test_a_loaded_model_can_be_saved_again_to_the_same_bytes(tmp_path):
    for name in ("classes: dense", "numbers: graph", "clusters: names"):
        save(fitted(name)[0], tmp_path / "first")
        save(load(tmp_path / "first"), tmp_path / "second")
        save(load(tmp_path / "first", mmap=True), tmp_path / "third")
        first = Path(tmp_path, "first").read_bytes()
        assert Path(tmp_path, "second").read_bytes() == first
        assert Path(tmp_path, "third").read_bytes() == first


def test_shared_parts_are_stored_once_and_shared_again(tmp_path):
    model, _ = fitted("classes: dense")
    save(model, tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert loaded.forest_.tree is loaded.tree_
    assert loaded.classes_ is loaded._labels.classes


@pytest.mark.parametrize(
    "model",
    [
        LaPOLeaFClassifier(percent="auto", missing_label=None, n_jobs=np.int64(2)),
        LaPOLeaFRegressor(mu=np.inf, metric_params={"w": (1.0, 2.0), "V": np.ones(3), "x": None}),
        LoDOG(3, cost="log", bandwidth=np.float32(0.5)),
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
    for name in ("transduction_", "_nodes", "_weight"):
        assert getattr(loaded, name).flags.writeable
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
