"""Pickle, joblib and skops keep models too."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
import skops.io
from persistence.answers import answers, differences, same
from persistence.cases import CASES, DATA, fitted, fitted_answers
from sklearn.base import clone

from lapoleaf import LaPOLeaFClassifier, LeadingForest, LeadingTree

pytestmark = pytest.mark.filterwarnings("ignore")


def by_pickle(model):
    return pickle.loads(pickle.dumps(model))


def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(model):
    data = skops.io.dumps(model)
    untrusted = skops.io.get_untrusted_types(data=data)
    # Whom a user has to trust: classes of lapoleaf, SciPy's where rows are sparse, and dates in an
    # index of objects.
    assert {name.split(".")[0] for name in untrusted} <= {"lapoleaf", "scipy", "datetime"}
    return skops.io.loads(data, trusted=untrusted)


# skops itself cannot keep pandas.NA.
KEPT = [name for name in CASES if name != "classes: texts, NA"]


WAYS = [by_skops, by_pickle, by_joblib, copy.deepcopy]


@pytest.mark.parametrize("way", WAYS)
def test_models_come_back_the_same(way):
    # Other models for every way, all kinds among them.
    for name in KEPT[WAYS.index(way) :: 32]:
        check(way, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_all_models_come_back_the_same(name):
    for way in WAYS:
        check(way, name)


def check(way, name):
    model, new = fitted(name)
    again = way(model)
    assert differences(fitted_answers(name), answers(again, new)) == []
    if hasattr(again, "forest_"):
        for array in (again.tree_.parent, again.tree_.density, again.forest_.roots):
            assert not array.flags.writeable


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["classes: dense", "numbers: grown", "classes: grown forest"])
def test_pickles_hold_what_was_learnt_and_no_caches(name):
    """Whatever was asked before: what is lazy is computed first, and what follows is left out."""
    model, new = fitted(name)
    silent = by_pickle(model)
    before = pickle.dumps(silent)
    answers(silent, new)
    assert len(pickle.dumps(silent)) == len(before)
    assert "_lock_of" not in str(before)


def test_pickles_of_models_that_were_not_asked_yet():
    X, new, _ = DATA["dense"]
    y = np.where(np.arange(60) % 4 == 0, np.arange(60) % 3, -1)
    lazy, asked = (LaPOLeaFClassifier(n_forests=4, bandwidth=1.5).fit(X, y) for _ in range(2))
    for model in (lazy, asked):
        model.partial_fit(new[:3], [0, 1, 2]).forget([5])
    expected = answers(asked, new)
    again = by_pickle(lazy)
    assert set(differences(expected, answers(again, new))) <= {"report"}
    assert again._state.earlier is None
    assert again.changed_.tolist() == asked.changed_.tolist()


@pytest.mark.parametrize("name", ["classes: dense", "numbers: grown forest", "clusters: names"])
def test_clones_have_the_parameters_and_nothing_else(name):
    model, _ = fitted(name)
    cloned = clone(model)
    assert vars(cloned).keys() == model.get_params().keys()
    assert same(cloned.get_params(), model.get_params())


def test_forests_with_a_distance_of_their_own_keep_it():
    tree = LeadingTree(density=[2, 1], delta=[1, 1], parent=[-1, 0])
    assert by_pickle(LeadingForest(tree, [0], distance=ones)).distance is ones
    assert by_pickle(LeadingForest(tree, [0])).distance is None


def ones(first, second):
    return np.ones(len(first))
