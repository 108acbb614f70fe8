"""Data of which few rows have a label."""

import numpy as np
from sklearn.datasets import load_iris, load_wine

HEAP = np.array([0.0, 0.5, 1.1, 1.8, 2.6])
# Two heaps of five rows, far apart: the first row of each is the one that gets a label.
HEAPS = np.concatenate([HEAP, HEAP + 20.0]).reshape(-1, 1)
# Five rows of one tree at bandwidth 1: with labels on rows 0, 2 and 4 only row 1 is unsure.
LINE = np.array([[0.0], [1.0], [1.9], [7.0], [8.0]])


def in_two_heaps(first, second, missing):
    """A list of labels for ``HEAPS``: one given for each heap."""
    return [first, *[missing] * 4, second, *[missing] * 4]


def iris(every=10, missing=-1):
    """Iris with every so manieth label given: rows, labels and the truth."""
    X, truth = load_iris(return_X_y=True)
    return X, np.where(np.arange(len(X)) % every == 0, truth, missing), truth


def random_labels(data, n_given, n_classes, seed):
    """Rows of iris or wine with ``n_given`` labels that mean nothing, -1 elsewhere."""
    X = {"iris": load_iris, "wine": load_wine}[data]().data
    rng = np.random.default_rng(seed)
    y = np.full(len(X), -1)
    y[rng.permutation(len(X))[:n_given]] = np.arange(n_given) % n_classes
    return X, y


def whole_numbers():
    """Iris in tenths: rows that every type of number holds without rounding, and few labels."""
    X, y, _ = iris()
    return np.rint(10 * X), y


def contradicted(model):
    """Whether equal rows were given another class than a row was: then it keeps its own."""
    fitted = model._state.now
    places = np.arange(len(fitted.rows.ids))
    if not hasattr(model, "classes_") or not fitted.labelling.keeps_labels:
        return np.zeros(len(places), dtype=bool)
    return np.isin(places, fitted.given.contradicting(fitted.rows))


def check_own_predictions(model, X):
    """Check that training rows are predicted as they are labelled, unless equal rows differ."""
    same = ~contradicted(model)
    np.testing.assert_array_equal(model.predict(X)[same], model.transduction_[same])
    if hasattr(model, "predict_proba"):
        found, labelled = model.predict_proba(X), model.label_distributions_
        np.testing.assert_array_equal(found[same], labelled[same])
