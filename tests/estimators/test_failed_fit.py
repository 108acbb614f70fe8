"""A fit that fails, early or late, leaves a fitted estimator as it was."""

import numpy as np
import pandas as pd
import pytest
from labelled import iris
from models import FEW, few_forests
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestRegressor,
    LoDOG,
)


class Interrupting:
    """A metric during which Ctrl-C comes, at its n-th call."""

    def __init__(self, n):
        self.left = n

    def __call__(self, a, b):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return np.abs(a - b).sum()


def out_of_memory(*_):
    raise MemoryError("no room")


def not_a_number(number):
    return number * np.nan


WORDS = {"columns": ["a", "b", "c"]}


def rows():
    """Other rows than the model was fitted on: 3 named columns, 40 of them."""
    return pd.DataFrame(iris()[0][::3, :3][:40], **WORDS)


def labels():
    return np.where(np.arange(40) % 4 == 0, np.arange(40) % 3, -1)


def with_value(value):
    table = rows().astype(object if isinstance(value, str) else float)
    table.iloc[5, 1] = value
    return table


NO_WEIGHT_ON_LABELS = {"sample_weight": (labels() < 0).astype(float)}

# What is changed in the parameters, in fit's arguments, and what comes of it.
EARLY_AND_LATE = {
    "NaN in X": ({}, {"X": with_value(np.nan).to_numpy()}, ValueError),
    "infinity in X": ({}, {"X": with_value(np.inf)}, ValueError),
    "text in X": ({}, {"X": with_value("b").to_numpy()}, ValueError),
    "distances that overflow": ({"metric": "sqeuclidean"}, {"X": with_value(1e300)}, ValueError),
    "bandwidth": ({"bandwidth": -1.0}, {}, ValueError),
    "metric": ({"metric": "no such metric"}, {}, ValueError),
    "n_jobs": ({"n_jobs": 0}, {}, ValueError),
    "out of memory": ({"metric": out_of_memory, "n_jobs": 1}, {}, MemoryError),
    "weights": ({}, {"sample_weight": [-1.0] * 40}, ValueError),
    "Ctrl-C at once": ({"metric": Interrupting(0), "n_jobs": 1}, {}, KeyboardInterrupt),
    "Ctrl-C later": ({"metric": Interrupting(2000), "n_jobs": 1}, {}, KeyboardInterrupt),
    "Ctrl-C in a thread": ({"metric": Interrupting(2000), "n_jobs": 2}, {}, KeyboardInterrupt),
}
OF_CUTS = {
    "percent": ({"percent": 0}, {}, ValueError),
    "alpha": ({"alpha": 2}, {}, ValueError),
    "cost": ({"cost": "no such cost"}, {}, ValueError),
    "a cost of NaN": ({"cost": not_a_number}, {}, ValueError),
    "out of memory in the cut": ({"cost": out_of_memory}, {}, MemoryError),
}
OF_ONE_FOREST = {
    "too many trees": ({"n_trees": 41}, {}, ValueError),
    "solver": ({"solver": "no such solver"}, {}, ValueError),
    "mu of one forest": ({"mu": -1.0}, {}, ValueError),
    "coupling": ({"coupling": 2.0}, {}, ValueError),
    "weights of links": ({"weights": "no such weights"}, {}, ValueError),
    "nothing to choose by": ({"solver": "stages", "alpha": "auto"}, {}, ValueError),
}
OF_ENSEMBLES = {
    "n_forests": ({"n_forests": 0}, {}, ValueError),
    "experts": ({"experts": "no such expert"}, {}, ValueError),
    "mu": ({"mu": 0.0}, {}, ValueError),
    "random_state": ({"random_state": "no seed"}, {}, ValueError),
}
OF_LABELS = {
    "no y": ({}, {"y": None}, ValueError),
    "wrong length": ({}, {"y": labels()[:-1]}, ValueError),
    "no weight on any label": ({}, NO_WEIGHT_ON_LABELS, ValueError),
}
OF_CLASSES = {
    "no labels": ({}, {"y": [-1] * 40}, ValueError),
    "numbers": ({}, {"y": np.linspace(0, 1, 40)}, ValueError),
    "min_confidence": ({"min_confidence": 2}, {}, ValueError),
}
OF_NUMBERS = {
    "no targets": ({}, {"y": [np.nan] * 40}, ValueError),
    "infinity in y": ({}, {"y": [np.inf] * 40}, ValueError),
}
OF_PRIORS = {
    "class_prior": ({"class_prior": [-1.0, 2.0, 1.0]}, {}, ValueError),
    "too few shares": ({"class_prior": [1.0, 2.0]}, {}, ValueError),
}
OF_CLUSTERS = {
    "cut": ({"cut": "no such cut"}, {}, ValueError),
    "alpha without the objective": ({"alpha": 0.3}, {}, ValueError),
    "too many clusters": ({"n_clusters": 41}, {}, ValueError),
    "random_state": ({"cut": "stability", "random_state": "no seed"}, {}, ValueError),
}
OF_CUTS_BY_OBJECTIVE = {
    name: ({**params, "cut": "objective"}, changed, error)
    for name, (params, changed, error) in OF_CUTS.items()
}
ALL = EARLY_AND_LATE | OF_LABELS
CASES = {
    LaPOLeaFClassifier: ALL | OF_CLASSES | OF_ENSEMBLES | OF_PRIORS,
    LaPOLeaFRegressor: ALL | OF_NUMBERS | OF_ENSEMBLES,
    LeadingForestClassifier: ALL | OF_CLASSES | OF_CUTS | OF_ONE_FOREST,
    LeadingForestRegressor: ALL | OF_NUMBERS | OF_CUTS | OF_ONE_FOREST,
    LoDOG: EARLY_AND_LATE | OF_CLUSTERS | OF_CUTS_BY_OBJECTIVE,
}
ENSEMBLES = (LaPOLeaFClassifier, LaPOLeaFRegressor)


def quick(kind, **params):
    """Return a model of the kind, with few forests where it has many."""
    few = {"n_forests": FEW} if kind in ENSEMBLES else {}
    return kind(**few, **params)


def fit_iris(kind):
    """Return rows with names, and a model of the kind that was fitted on them."""
    X, y, _ = iris()
    X = pd.DataFrame(X, columns=["w", "x", "y", "z"])
    y = y if is_classifier(kind()) else np.where(y < 0, np.nan, y)
    return X, quick(kind, bandwidth=0.8).fit(X, y)


def arguments(kind, changed):
    y = labels() if is_classifier(kind()) else np.where(labels() < 0, np.nan, labels())
    found = {"X": rows(), "y": y, **changed}
    return found if kind is not LoDOG else {k: v for k, v in found.items() if k != "y"}


def answers(model, X):
    found = [model.predict(X)]
    if is_classifier(model):
        found += [model.predict_proba(X), model.label_distributions_]
    if not isinstance(model, LoDOG):
        found += [model.transduction_, str(model.explain(7)), str(model.explain(X.iloc[[3]]))]
    return found


@pytest.mark.sampled(60)
@pytest.mark.parametrize(
    ("kind", "case"),
    [pytest.param(k, c, id=f"{k.__name__}, {c}") for k, cases in CASES.items() for c in cases],
)
def test_it_answers_as_before(kind, case):
    X, model = fit_iris(kind)
    before, fitted = answers(model, X), dict(vars(model))
    params, changed, error = CASES[kind][case]
    original = model.get_params()
    model.set_params(**clone_of(params))
    with pytest.raises(error):
        model.fit(**arguments(kind, changed))
    model.set_params(**{name: original[name] for name in params})

    assert model.feature_names_in_.tolist() == ["w", "x", "y", "z"]
    assert model.n_features_in_ == 4
    assert vars(model).keys() == fitted.keys()
    assert all(value is fitted[name] for name, value in vars(model).items())
    for now, then in zip(answers(model, X), before, strict=True):
        np.testing.assert_array_equal(now, then)


def clone_of(params):
    """Parameters for one test alone: a metric counts its calls."""
    return {
        name: Interrupting(value.left) if isinstance(value, Interrupting) else value
        for name, value in params.items()
    }


@pytest.mark.parametrize("kind", CASES)
def test_a_model_that_was_never_fitted_stays_so(kind):
    model = quick(kind, metric=out_of_memory, n_jobs=1)
    before = dict(vars(model))
    with pytest.raises(MemoryError):
        model.fit(**arguments(kind, {}))
    assert vars(model) == before
    with pytest.raises(NotFittedError):
        model.predict(rows())


@pytest.mark.parametrize("kind", CASES)
def test_the_same_arguments_without_the_fault_are_fitted(kind):
    """So the cases above fail for their own reason."""
    model = quick(kind, bandwidth=0.8).fit(**arguments(kind, {}))
    assert model.n_features_in_ == 3
    assert clone(model).get_params()["bandwidth"] == 0.8


def test_even_with_the_bad_parameter_still_set():
    X, y, _ = iris()
    model = few_forests().fit(X, y)
    before = model.predict(X)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(metric=Interrupting(500)).fit(X[:, :2], y)
    np.testing.assert_array_equal(model.predict(X), before)
