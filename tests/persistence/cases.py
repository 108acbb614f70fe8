"""Small models of every kind, each with rows it has not seen."""

import warnings
from datetime import date
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from persistence.answers import answers
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

from lapoleaf import (
    LaPOLeaFClassifier,
    LaPOLeaFRegressor,
    LeadingForestClassifier,
    LeadingForestMap,
    LeadingForestRegressor,
    LoDOG,
    TableEncoder,
)

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


def _indexed(index):
    frame = pd.DataFrame(_rows(), index=index).rename(columns=str)
    return frame[:N], frame[N:], {}


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
    "texts as index": _indexed(pd.Index([f"Zeile {k}" for k in range(N + NEW)], name="wer")),
    "times as index": _indexed(pd.date_range("2020", periods=N + NEW, tz="Europe/Berlin")),
    "objects as index": _indexed(pd.Index([1, "a", 2.5, None, True, date(2020, 1, 1)] * 12)),
    "levels as index": _indexed(
        pd.MultiIndex.from_product([["ä", None], range((N + NEW) // 2)], names=["letter", 2])
    ),
    "months as index": _indexed(pd.period_range("2020-01", periods=N + NEW, freq="M")),
    "polars": (
        pl.DataFrame(_rows()[:N], schema=list("abcd")),
        pl.DataFrame(_rows()[N:], schema=list("abcd")),
        {},
    ),
    "approximate": _dense(build="approximate"),
    "NumPy parameters": _dense(bandwidth=np.float32(3.0), n_jobs=np.int64(1)),
}


def _table(n):
    """A table with a column of every kind, most with holes."""
    rows = np.arange(n)
    moments = pd.date_range("2019-03-01", periods=n, freq="37h")
    holes = rows % 7 == 3
    texts = [f"the {k % 5}th dog and {k} cats were sitting on mat {k % 3}" for k in range(n)]
    return pd.DataFrame(
        {
            "id": [f"row {k}" for k in range(n)],
            "always": "the same",
            "length": np.where(holes, np.nan, np.sin(rows) * 40),
            "count": rows % 6,
            "price": [f"{k % 11},{k % 7}5" for k in range(n)],
            "wait": pd.to_timedelta(rows % 9, unit="h"),
            "sold": np.where(rows % 4 == 0, "True", "False"),
            "paid": pd.array(np.where(holes, None, rows % 2 == 0), dtype="boolean"),
            "farbe": np.where(holes, None, np.array(["grün", "rot", "blau"])[rows % 3]),
            "when": moments,
            "where": moments.tz_localize("Europe/Berlin").where(~holes),
            "written": np.where(holes, "NA", moments.strftime("%d.%m.%Y %H:%M")),
            "name": [f"{k % 13} {'abc'[k % 3]}street{k * k}" for k in range(n)],
            "text": np.where(holes, None, texts),
        }
    )


def _tables():
    """Yield encoders of tables, which are models of their own."""
    frame = _table(N + NEW)
    encoder = TableEncoder(text_encoder="tfidf", kinds={"count": "category"})
    yield "tables: everything", encoder, (frame[:N],), frame[N:]
    yield (
        "tables: word vectors",
        TableEncoder(),
        (frame[["text", "sold"]],),
        frame[["text", "sold"]][:NEW],
    )
    numbered = frame[["length", "when", "name"]].set_axis(range(3), axis="columns")
    yield "tables: numbered columns", TableEncoder(), (numbered,), numbered[:NEW]
    yield (
        "tables: polars",
        TableEncoder(),
        (pl.from_pandas(frame[["farbe", "when"]]),),
        frame[["farbe", "when"]][:NEW],
    )
    as_frame = TableEncoder().set_output(transform="pandas")
    yield (
        "tables: pandas as output",
        as_frame,
        (frame[["length", "farbe"]],),
        frame[["length", "farbe"]][:NEW],
    )


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

# What one forest can do; the other cases are ensembles of a few forests.
ONE_FOREST = {
    "one forest": {},
    "NumPy numbers": {"percent": np.float32(3.0), "alpha": np.float64(0.4), "n_trees": np.int8(3)},
    "a cost": {"cost": "log"},
    "stages": {"solver": "stages", "mu": np.inf},
    "three trees": {"n_trees": 3},
    "trees apart": {"n_trees": 5, "coupling": 0.0},
    "stages, three trees": {"solver": "stages", "mu": np.inf, "n_trees": 3},
    "chosen": dict.fromkeys(("percent", "weights", "alpha", "coupling", "mu"), "auto"),
    "trusted a little": {"mu": 0.5, "weights": "inverse"},
}


# The parts of an ensemble one by one; the other cases have all of them.
PARTS = {
    "a single forest": {"n_forests": 1},
    "a single forest, no experts": {"n_forests": 1, "experts": None},
    "no experts": {"experts": None},
    "kept for sure": {"mu": np.inf},
    "a generator": {"random_state": np.random.RandomState(3)},
}
PRIORS = {
    "no prior": {"class_prior": None},
    "only a forest": {"class_prior": None, "experts": None, "n_forests": 1},
    "a prior": {"class_prior": [1.0, 2.0, 1.0]},
    "a prior in an array": {"class_prior": np.array([1.0, 2.0, 1.0])},
}


def _classifier(**params):
    return LaPOLeaFClassifier(**{"n_forests": 4, **params})


def _regressor(**params):
    return LaPOLeaFRegressor(**{"n_forests": 4, **params})


class _Changed:
    """A model that is fitted by several calls."""

    def __init__(self, change):
        self.change = change

    def fit(self, *args):
        return self.change(*args)


def _grown(model):
    def change(X, y):
        model.fit(X[:50], y[:50], _weight()[:50])
        return model.partial_fit(X[50:], y[50:]).forget([2, 3, 55]).update_labels([1], y[[0]])

    return _Changed(change)


def _mixed(model):
    """Let rows join by frames of several kinds, and by an array."""

    def change(frame, X, y):
        times = frame[:3].set_index(pd.date_range("2020", periods=3, name="day"))
        model.fit(frame[:50], y[:50]).partial_fit(times, y[:3])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.partial_fit(X[50:], y[50:])
        return model.partial_fit(frame[55:], y[55:]).forget([2, 51, 60])

    return change


def _changed_models(X, y, numbers, new):
    """Yield models that rows have joined and left, and models without any label."""
    for kind, labels in ((LaPOLeaFClassifier, y), (LaPOLeaFRegressor, numbers)):
        what = "classes" if kind is LaPOLeaFClassifier else "numbers"
        model = kind(n_forests=4, bandwidth=1.5)
        yield f"{what}: grown", _grown(model), (X, labels), new
    for kind, labels in ((LeadingForestClassifier, y), (LeadingForestRegressor, numbers)):
        what = "classes" if kind is LeadingForestClassifier else "numbers"
        yield f"{what}: grown forest", _grown(kind(bandwidth=1.5)), (X, labels), new
        joined = _Changed(kind().partial_fit)
        yield f"{what}: forest without labels", joined, (X, None), new
    frame = DATA["texts as index"][0]
    mixed = _classifier(bandwidth=1.5)
    yield "classes: grown, mixed index", _Changed(_mixed(mixed)), (frame, X, y), frame[:NEW]
    yield "classes: without labels", _Changed(_classifier().partial_fit), (X,), new
    yield "numbers: without labels", _Changed(_regressor().partial_fit), (X,), new


def _models():
    """Yield names, models, what to fit them with, and new rows."""
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
    for name, params in ONE_FOREST.items():
        yield f"classes: {name}", LeadingForestClassifier(**params), (X, y), new
        yield f"numbers: {name}", LeadingForestRegressor(**params), (X, numbers), new
    several = LeadingForestRegressor(mu="auto", weights="auto")
    yield "numbers: one forest, partial targets", several, (X, _partial_targets()), new
    for name, params in PARTS.items():
        yield f"classes: {name}", _classifier(**params), (X, y), new
        yield f"numbers: {name}", _regressor(**params), (X, numbers), new
    for name, params in PRIORS.items():
        yield f"classes: {name}", _classifier(**params), (X, y), new
    yield "classes: as published", LaPOLeaFClassifier.as_published(), (X, y), new
    yield "numbers: as published", LaPOLeaFRegressor.as_published(), (X, numbers), new
    for name in ("sparse", "canberra", "distances", "nan_euclidean"):
        rows, more, params = DATA[name]
        model = LeadingForestClassifier(**params)
        yield f"classes: one forest, {name}", model, (rows, y, _weight()), more
        model = LeadingForestRegressor(**params)
        yield f"numbers: one forest, {name}", model, (rows, numbers, _weight()), more
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
    yield "clusters: four", LoDOG(4, cut="objective", cost="log"), (X,), new
    for cut in ("gap", "stability", "objective"):
        yield f"clusters: by {cut}", LoDOG(cut=cut), (X, None, _weight()), new
    for name in ("dense", "names", "sparse cosine", "distances"):
        rows, more, params = DATA[name]
        model = LeadingForestMap(n_forests=5, n_iterations=20, exaggeration=1.5, **params)
        yield f"map: {name}", model, (rows,), more
    yield "map: weights", LeadingForestMap(n_forests=5), (X, None, _weight()), new
    for scaling in ("standard", "ranks"):
        args = (DATA["names"][0], y, _weight())
        yield f"classes: {scaling}", _classifier(scaling=scaling), args, DATA["names"][1]
        model = _regressor(scaling=scaling)
        yield f"numbers: {scaling}", _grown(model), (X, numbers), new
    yield "classes: scaling chosen", _classifier(), (X * [1, 9, 99, 999], y), new * [1, 9, 99, 999]
    yield from _changed_models(X, y, numbers, new)
    same = np.ones((N, 4))
    yield "classes: one point", _classifier(), (same, y), same[:NEW]
    yield "numbers: one point", _regressor(), (same, numbers), same[:NEW]
    yield from _tables()
    frame, encoder = _table(N + NEW), TableEncoder(text_encoder="tfidf")
    mixed = frame[["length", "farbe", "paid", "when", "name"]]
    yield "classes: mixed frame", _classifier(), (mixed[:N], y), mixed[N:]
    yield "numbers: mixed frame", _regressor(encoder=encoder), (frame[:N], numbers), frame[N:]


CASES = {name: (model, args, new) for name, model, args, new in _models()}


@cache
def fitted(name):
    """Return the model of a case and new rows for it; the model is not to be changed."""
    model, args, new = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args), new


@cache
def fitted_answers(name):
    """Return what the model of a case answers."""
    return answers(*fitted(name))
