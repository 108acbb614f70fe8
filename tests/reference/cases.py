"""What the default and the paper's model answer on a dozen data sets, as small arrays.

Only public names are used, so that the same cases run before and after a change of the package.
"""

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_circles,
    make_friedman1,
    make_moons,
)
from sklearn.preprocessing import StandardScaler

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor

# As many values of a long array are kept.
KEPT = 24


def _standardised(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def _shuffled(X, y, n=None, seed=0):
    order = np.random.RandomState(seed).permutation(len(y))[:n]
    return X[order], y[order]


def _few_labels(truth, each, seed=0):
    """Labels of ``each`` rows of every class, -1 elsewhere."""
    rng = np.random.RandomState(seed)
    y = np.full(len(truth), -1)
    for name in np.unique(truth):
        rows = rng.permutation(np.flatnonzero(truth == name))[:each]
        y[rows] = name
    return y


def _classes(X, truth, each=4, n_new=40, **params):
    """Rows, labels, new rows and parameters; the last rows are new."""
    X, truth = _shuffled(X, truth)
    y = _few_labels(truth, each)
    cut = len(y) - n_new
    return X[:cut], y[:cut], X[cut:], truth[cut:], params


def _words():
    """Sparse counts of words of three topics."""
    rng = np.random.RandomState(5)
    topic = np.arange(330) % 3
    rate = np.where(np.arange(60) // 20 == topic[:, None], 0.5, 0.08)
    return sp.csr_matrix(rng.poisson(rate) * rng.uniform(0.5, 2.0, (330, 60))), topic


def _with_duplicates():
    X, y = _shuffled(*load_iris(return_X_y=True))
    return np.round(X), y


def class_cases():
    """Return name: rows, labels, new rows, their classes, parameters, weights."""
    digits = _shuffled(*load_digits(return_X_y=True), n=700)
    words = _words()
    large = make_blobs(6040, n_features=8, centers=12, cluster_std=3.0, random_state=4)
    moons = make_moons(300, noise=0.12, random_state=0)
    circles = make_circles(300, noise=0.08, factor=0.5, random_state=1)
    cases = {
        "iris": _classes(*load_iris(return_X_y=True)),
        "wine": _classes(*_standardised(load_wine)),
        "breast cancer": _classes(*_standardised(load_breast_cancer), each=10),
        "digits": _classes(*digits, each=3),
        "moons": _classes(*moons, bandwidth=0.3),
        "circles, manhattan": _classes(*circles, metric="manhattan"),
        "words, cosine": _classes(words[0], words[1], each=6, metric="cosine"),
        "iris, rounded": _classes(*_with_duplicates(), bandwidth=1.5),
        "blobs, approximate": _classes(*large, build="approximate"),
    }
    cases = {name: (*case, None) for name, case in cases.items()}
    X, y, new, truth, _, _ = cases["wine"]
    weight = np.where(np.arange(len(y)) % 11 == 5, 0.0, 1.0 + np.arange(len(y)) % 3)
    cases["wine, weights"] = X, y, new, truth, {"metric": "canberra"}, weight
    distances = cdist(X, X), cdist(new, X)
    cases["wine, precomputed"] = (
        distances[0], y, distances[1], truth, {"metric": "precomputed"}, None,
    )  # fmt: skip
    names = np.array(["low", "mid", "top", None], dtype=object)
    cases["wine, names"] = X, names[y], new, names[truth], {"min_confidence": 0.6}, None
    return cases


def _numbers(X, truth, share=0.2, n_new=40, **params):
    X, truth = _shuffled(X, truth)
    y = truth.copy()
    y[np.random.RandomState(1).uniform(size=len(y)) > share] = np.nan
    cut = len(y) - n_new
    return X[:cut], y[:cut], X[cut:], truth[cut:], params, None


def number_cases():
    """Return the same for numbers."""
    waves = np.random.RandomState(3).uniform(0, 6, (340, 2))
    several = np.stack([np.sin(waves[:, 0]), waves[:, 0] * waves[:, 1]], axis=1)
    large = np.random.RandomState(8).normal(size=(5540, 6))
    cases = {
        "diabetes": _numbers(*load_diabetes(return_X_y=True)),
        "friedman": _numbers(*make_friedman1(360, noise=0.5, random_state=0)),
        "waves, two targets": _numbers(waves, several, bandwidth=0.8),
        "plane, approximate": _numbers(large, large[:, 0] + large[:, 1], 0.02, build="approximate"),
    }
    X, y, new, truth, _, _ = cases["diabetes"]
    weight = np.where(np.arange(len(y)) % 9 == 4, 0.0, 1.0 + np.arange(len(y)) % 2)
    cases["diabetes, weights"] = X, y, new, truth, {"metric": "cosine"}, weight
    return cases


def _some(values):
    """Return a part of a long array, spread over it."""
    values = np.asarray(values)
    if len(values) <= KEPT:
        return values
    return values[np.linspace(0, len(values) - 1, KEPT).astype(int)]


def _codes(labels, classes):
    """Return classes as small numbers, -1 for a missing one."""
    number = {name: code for code, name in enumerate(classes.tolist())}
    return np.array([number.get(label, -1) for label in labels.tolist()], dtype=np.int8)


def _explained(model, rows):
    found = {}
    for number, row in enumerate(rows):
        why = model.explain(row)
        found[f"explain {number} label"] = np.array([str(why.label)])
        if why.confidence is not None:
            found[f"explain {number} confidence"] = np.array([why.confidence])
        found[f"explain {number} path"] = why.path
        found[f"explain {number} distances"] = why.distances
        found[f"explain {number} deciders"] = why.deciders[:6]
        found[f"explain {number} shares"] = why.shares[:6]
    return found


def _trees(model):
    tree = model.tree_
    found = {
        "density": _some(tree.density),
        "delta": _some(tree.delta),
        "parents": np.array([int((tree.parent * np.arange(1, tree.n_nodes + 1)).sum())]),
        "scale": _some(tree.scale),
        "bandwidth": np.array([model.bandwidth_]),
        "roots": _some(model.forest_.roots),
        "layers": _some(model.forest_.layer),
    }
    others = [forest.tree.parent for forest in model.forests_[1:4]]
    found["other parents"] = np.array([int((p * np.arange(1, len(p) + 1)).sum()) for p in others])
    return found


def _labels_now(model):
    """Return the answers of a model for its own rows."""
    if hasattr(model, "classes_"):
        return {
            "labels": _codes(model.transduction_, model.classes_),
            "probabilities": _some(model.label_distributions_),
            "confidence": _some(model.confidence_),
        }
    found = {"numbers": _some(model.transduction_)}
    if hasattr(model, "transduction_std_"):
        found["deviations"] = _some(model.transduction_std_)
    return found


def _of_new_rows(model, new):
    if hasattr(model, "classes_"):
        return {"of new": model.predict_proba(new[:KEPT])}
    found = {"of new": model.predict(new[:KEPT])}
    if hasattr(model, "transduction_std_"):
        found["low"], found["high"] = model.predict_interval(new[:KEPT], coverage=0.8)
    return found


def answers(name):
    """Return the answers of the model of a case after every step."""
    model, (X, y, new, truth, _, weight) = CASES[name]
    is_default = name.endswith("default")
    model = clone(model).fit(X, y, sample_weight=weight)
    found = {**_trees(model), **_labels_now(model), **_of_new_rows(model, new)}
    found["suggested"] = model.suggest(6)
    labelled = model.given_.reshape(len(y), -1).any(axis=1)
    one = new[:1] if sp.issparse(new) else new[0]
    found.update(_explained(model, [0, 1, int(labelled.argmax()), one]))
    if is_default:
        doubts = model.suspicious_labels(all=True)
        found["doubted"], found["doubts"] = doubts.ids[:KEPT], doubts.doubt[:KEPT]
        found["loss"] = np.array([model.chosen_["loss"]])
        found["mu"] = np.atleast_1d(model.chosen_["mu"])
    if model.metric != "precomputed":
        found.update(_life(model, new, truth))
    return {key: np.asarray(value) for key, value in found.items()}


def _life(model, new, truth):
    """Change labels, add and remove rows, and collect answers after every step."""
    found = {}

    def ask(step):
        found.update({f"{step}: {name}": part for name, part in _labels_now(model).items()})
        found[f"{step}: changed"] = model.changed_[:KEPT]
        found[f"{step}: of new"] = _of_new_rows(model, new[-5:])["of new"]

    free = np.flatnonzero(~model.given_.reshape(len(model.ids_), -1).any(axis=1))[:2]
    model.update_labels(model.ids_[free], truth[:2])
    ask("updated")
    model.partial_fit(new[:10], truth[:10])
    ask("joined")
    for row in range(10, 16):
        model.partial_fit(new[row : row + 1])
    ask("joined one by one")
    model.forget(model.ids_[[3, 7, -1, -4]])
    ask("forgotten")
    return found


def _cases():
    kinds = {
        "classes": (class_cases(), LaPOLeaFClassifier),
        "numbers": (number_cases(), LaPOLeaFRegressor),
    }
    for kind, (cases, estimator) in kinds.items():
        for name, case in cases.items():
            params = case[4]
            yield f"{kind}, {name}, default", estimator(**params), case
            yield f"{kind}, {name}, as published", estimator.as_published(**params), case


CASES = {name: (model, case) for name, model, case in _cases()}
