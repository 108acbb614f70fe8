"""Small models of every kind, each with rows it has not seen."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import scipy.sparse as sp
from persistence.answers import answers
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from lapoleaf import LaPOLeaFClassifier, LaPOLeaFRegressor, LoDOG

N, NEW = 60, 12


@cache
def _rows():
    """Three groups, and some rows twice."""
    rng = np.random.default_rng(7)
    centres = np.array([[0, 0, 0, 0], [6, 0, 1, 0], [0, 6, 0, 1]])
    X = centres[np.arange(N + NEW) % 3] + rng.normal(size=(N + NEW, 4))
    X[5], X[11] = X[2], X[8]
    return X


@cache
def _labelled():
    return np.arange(N) % 4 == 0


def _dense(**params):
    return _rows()[:N], _rows()[N:], params


def _float32(**params):
    return _rows()[:N].astype(np.float32), _rows()[N:].astype(np.float32), params


def _sparse(**params):
    X = sp.csr_matrix(np.where(_rows() > 1, _rows(), 0))
    return X[:N], X[N:], params


def _fortran(**params):
    return np.asfortranarray(_rows()[:N]), np.asfortranarray(_rows()[N:]), params


def _named(**params):
    frame = pd.DataFrame(_rows(), columns=["länge", "width", "colour", "d" * 40])
    return frame[:N], frame[N:], params


def _with_holes(**params):
    X = _rows().copy()
    X[::9, 1] = np.nan
    return X[:N], X[N:], {"metric": "nan_euclidean", **params}


def _truths(**params):
    X = np.random.default_rng(3).integers(0, 2, (N + NEW, 12)).astype(bool)
    return X[:N], X[N:], {"metric": "jaccard", **params}


def _distances(**params):
    D = pairwise_distances(_rows())
    return D[:N, :N], D[N:, :N], {"metric": "precomputed", **params}


def _graph(**params):
    graph = kneighbors_graph(_rows()[:N], 9, mode="distance")
    new = sp.csr_matrix(pairwise_distances(_rows()[N:], _rows()[:N]))
    return graph, new, {"metric": "precomputed", **params}


V = np.array([1.0, 2.0, 0.5, 1.5])

DATA = {
    "dense": _dense(),
    "float32": _float32(),
    "sparse": _sparse(),
    "sparse cosine": _sparse(metric="cosine"),
    "Fortran order": _fortran(metric="canberra"),
    "names": _named(),
    "nan_euclidean": _with_holes(),
    "canberra": _dense(metric="canberra"),
    "seuclidean": _dense(metric="seuclidean"),
    "seuclidean with V": _dense(metric="seuclidean", metric_params={"V": V}),
    "mahalanobis": _dense(metric="mahalanobis"),
    "minkowski": _dense(metric="minkowski", metric_params={"p": 3, "w": [1.0, 2.0, 1.0, 0.5]}),
    "cosine": _dense(metric="cosine"),
    "manhattan": _float32(metric="l1"),
    "jaccard": _truths(),
    "distances": _distances(),
    "graph": _graph(),
    "approximate": _dense(build="approximate"),
    "NumPy parameters": _dense(percent=np.float32(3.0), n_jobs=1, alpha=np.float64(0.4)),
}


def _weight():
    weight = np.where(np.arange(N) % 7 == 3, 0.0, 1.0 + np.arange(N) % 3)
    return weight


def _class_numbers():
    return np.where(_labelled(), np.arange(N) % 3, -1)


def _class_texts(missing):
    names = np.array(["blue", "grün", "red"], dtype=object)[np.arange(N) % 3]
    names[~_labelled()] = missing
    return names


LABELS = {
    "texts, None": (_class_texts(None), {}),
    "texts, doubtful": (_class_texts(None), {"min_confidence": 0.9999}),
    "texts, NaN": (_class_texts(np.nan), {"min_confidence": 0.9999}),
    "texts, NA": (_class_texts(pd.NA), {"min_confidence": 0.9999}),
    "texts, a text": (_class_texts("?"), {"missing_label": "?", "min_confidence": 0.9999}),
    "truths": (np.where(_labelled(), np.arange(N) % 3 > 1, None), {}),
    "whole floats": (np.where(_labelled(), np.arange(N) % 3 * 1.0, np.nan), {}),
    "bytes": (_class_numbers().astype("S2"), {"missing_label": b"-1"}),
    "small numbers": (_class_numbers().astype(np.int8), {}),
    "one class": (np.where(_labelled(), 2, -1), {}),
}


def _targets(n_targets):
    values = _rows()[:N, :n_targets] @ np.diag(np.arange(1, n_targets + 1)) + 3.0
    return np.where(_labelled()[:, None], values, np.nan)


def _partial_targets():
    targets = _targets(3)
    targets[::8, 1] = np.nan
    targets[4, 0] = np.nan
    return targets


TARGETS = {
    "several targets": _targets(2),
    "partial targets": _partial_targets(),
    "one column": _targets(1),
}

SOLVERS = {
    "stages": {"solver": "stages", "mu": np.inf},
    "three trees": {"n_trees": 3},
    "trees apart": {"n_trees": 5, "coupling": 0.0},
    "stages, three trees": {"solver": "stages", "mu": np.inf, "n_trees": 3},
    "chosen": dict.fromkeys(("percent", "weights", "alpha", "coupling", "mu"), "auto"),
    "trusted a little": {"mu": 0.5, "weights": "inverse"},
}


# One forest, and the parts one by one; the other cases have a few forests and all parts.
PARTS = {
    "one forest": {"n_forests": 1},
    "one forest, no ridge": {"n_forests": 1, "ridge": None},
    "no ridge": {"ridge": None},
    "kept for sure": {"mu": np.inf},
    "a generator": {"random_state": np.random.RandomState(3)},
}
PRIORS = {
    "no prior": {"class_prior": None},
    "only a forest": {"class_prior": None, "ridge": None, "n_forests": 1},
    "a prior": {"class_prior": [1.0, 2.0, 1.0]},
    "a prior in an array": {"class_prior": np.array([1.0, 2.0, 1.0])},
}


def _classifier(**params):
    few = {} if params.get("solver") == "stages" else {"n_forests": 4}
    return LaPOLeaFClassifier(**{**few, **params})


def _regressor(**params):
    few = {} if params.get("solver") == "stages" else {"n_forests": 4}
    return LaPOLeaFRegressor(**{**few, **params})


def _models():
    """Give (name, a way to fit, new rows)."""
    X, new, _ = DATA["dense"]
    y, numbers = _class_numbers(), _targets(1)[:, 0]
    for name, (rows, more, params) in DATA.items():
        yield f"classes: {name}", _classifier(**params), (rows, y), more
        yield f"numbers: {name}", _regressor(**params), (rows, numbers), more
        yield f"clusters: {name}", LoDOG(**params), (rows,), more
    for name, (labels, params) in LABELS.items():
        yield f"classes: {name}", _classifier(**params), (X, labels), new
    for name, targets in TARGETS.items():
        yield f"numbers: {name}", _regressor(), (X, targets), new
    for name, params in {**SOLVERS, **PARTS}.items():
        yield f"classes: {name}", _classifier(**params), (X, y), new
        yield f"numbers: {name}", _regressor(**params), (X, numbers), new
    for name, params in PRIORS.items():
        yield f"classes: {name}", _classifier(**params), (X, y), new
    yield "classes: as published", LaPOLeaFClassifier.as_published(), (X, y), new
    yield "numbers: as published", LaPOLeaFRegressor.as_published(), (X, numbers), new
    for name in ("dense", "sparse", "distances", "graph", "canberra", "sparse cosine", "float32"):
        rows, more, params = DATA[name]
        yield f"classes: weights, {name}", _classifier(**params), (rows, y, _weight()), more
        args = (rows, numbers, _weight())
        yield f"numbers: weights, {name}", _regressor(**params), args, more
        yield f"clusters: weights, {name}", LoDOG(**params), (rows, None, _weight()), more
    args = (X, _partial_targets(), _weight())
    yield "numbers: weights, partial targets", _regressor(), args, new
    args = (X, y, _weight())
    yield "classes: weights, only a forest", _classifier(**PRIORS["only a forest"]), args, new
    yield "clusters: four", LoDOG(4, cost="log"), (X,), new
    same = np.ones((N, 4))
    yield "classes: one point", _classifier(), (same, y), same[:NEW]
    yield "numbers: one point", _regressor(), (same, numbers), same[:NEW]


CASES = {name: (model, args, new) for name, model, args, new in _models()}


@cache
def fitted(name):
    """Give the model of a case and new rows for it; the model is not to be changed."""
    model, args, new = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args), new


@cache
def fitted_answers(name):
    """Give what the model of a case answers."""
    return answers(*fitted(name))
